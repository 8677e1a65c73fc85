"""Sorts and limits in other spellings than those of the rule pages (spec section 13, TS and LM)."""

from __future__ import annotations

import pytest

from keepstate.report import Verdict
from pairs import assert_silent, clauses, compare

INCOMPATIBLE, UNKNOWN = Verdict.INCOMPATIBLE, Verdict.UNKNOWN

SAME = [
    ("SELECT a, b FROM t ORDER BY ts, d DESC", "SELECT a, b FROM t ORDER BY ts ASC NULLS FIRST, d DESC NULLS LAST"),
    ("SELECT a, b FROM t ORDER BY ts", "(SELECT a, b FROM t ORDER BY t.`ts` /* first */)"),
    ("SELECT a, b FROM t ORDER BY ts", "WITH x AS (SELECT * FROM t) SELECT a, b FROM x ORDER BY ts"),
    ("SELECT a, b FROM t ORDER BY ts", "CREATE TEMPORARY VIEW v AS SELECT a, b FROM t ORDER BY ts; SELECT a, b FROM v"),
    ("SELECT ts, b FROM t ORDER BY ts", "SELECT ts AS x, b FROM t ORDER BY 1, ts"),
    ("INSERT INTO s SELECT a, b FROM t ORDER BY ts", "INSERT INTO s (SELECT a, b FROM t ORDER BY ts)"),
    ("SELECT a, b FROM t ORDER BY pt", "SELECT c, d, a FROM t ORDER BY pt"),
    ("INSERT INTO s SELECT a, b FROM t", "INSERT INTO s SELECT a, b FROM t ORDER BY pt"),
    ("SELECT a, b FROM t LIMIT 10", "SELECT a, b FROM t FETCH FIRST 10 ROWS ONLY"),
    ("SELECT a, b FROM t LIMIT 1", "SELECT a, b FROM t OFFSET 0 ROWS FETCH NEXT ROW ONLY"),
    ("SELECT a, b FROM t LIMIT ALL", "SELECT a, b FROM t"),
    (
        "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 3",
        "SELECT a, COUNT(*) + 1 AS n FROM (SELECT * FROM t) GROUP BY a ORDER BY COUNT(1) DESC LIMIT 3",
    ),
    (
        "SELECT a FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 3",
        "SELECT a FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) ORDER BY n DESC LIMIT 3",
    ),
    (
        "SELECT * FROM (SELECT a, b, d FROM t ORDER BY d LIMIT 9) WHERE d > 1",
        "SELECT * FROM (SELECT a, b, d FROM t ORDER BY d LIMIT 9) WHERE d > 2",
    ),
]
IDLE_ORDERS = [
    ("SELECT a, COUNT(*) FROM (SELECT a FROM t ORDER BY ts) GROUP BY a", "SELECT a, COUNT(*) FROM t GROUP BY a"),
    (
        "CREATE TEMPORARY VIEW v AS SELECT a, b FROM t ORDER BY ts; SELECT v.a FROM v JOIN u ON v.a = u.a",
        "SELECT t.a FROM t JOIN u ON t.a = u.a",
    ),
    (
        "(SELECT a, b FROM t ORDER BY ts) UNION ALL SELECT a, b FROM u",
        "SELECT a, b FROM t UNION ALL SELECT a, b FROM u",
    ),
    ("SELECT * FROM (SELECT a, b FROM t ORDER BY d) LIMIT 3", "SELECT a, b FROM t LIMIT 3"),
    ("WITH v AS (SELECT a, b FROM t ORDER BY ts) SELECT a, b FROM v", "SELECT a, b FROM t"),
]


@pytest.mark.parametrize(("was", "now"), [*SAME, *IDLE_ORDERS])
def test_another_spelling_is_silent(was: str, now: str) -> None:
    assert_silent(was, now)


def test_a_spelling_that_flink_refuses_means_the_same_and_is_in_doubt() -> None:
    other, plain = "SELECT a, b FROM t LIMIT 5, 10", "SELECT a, b FROM t LIMIT 10 OFFSET 5"
    for was, now, verdict in ((plain, other, UNKNOWN), (other, plain, Verdict.COMPATIBLE)):
        found = compare(was, now)
        assert (found.findings, found.verdict) == ((), verdict)
        assert [(refusal.rule, refusal.certain) for refusal in found.refusals] == (
            [("limit", False)] if now == other else []
        )


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        ("SELECT a FROM t ORDER BY ts ASC", "SELECT a FROM t ORDER BY ts DESC", ["ORDER BY ts DESC"]),
        ("SELECT a FROM t ORDER BY ts, d", "SELECT a FROM t ORDER BY ts, d DESC", ["d DESC"]),
        ("SELECT a FROM t ORDER BY ts, d", "SELECT a FROM t ORDER BY ts", ["ORDER BY ts"]),
        ("SELECT a FROM t ORDER BY pt", "SELECT a FROM t ORDER BY pt, d", ["d"]),
        ("SELECT a, b FROM t ORDER BY ts", "SELECT b, a FROM t ORDER BY ts", ["SELECT b, a"]),
        ("SELECT a, b FROM t ORDER BY ts", "SELECT a, CAST(b AS STRING) FROM t ORDER BY ts", ["CAST(b AS STRING)"]),
        (
            "CREATE VIEW v AS SELECT a, b, ts FROM t; SELECT a, b FROM v ORDER BY ts",
            "CREATE VIEW v AS SELECT a, d AS b, ts FROM t; SELECT a, b FROM v ORDER BY ts",
            ["d AS b"],
        ),
        ("SELECT a FROM t LIMIT 9", "SELECT a FROM t OFFSET 3 ROWS FETCH NEXT 8 ROWS ONLY", None),
        ("SELECT a FROM t LIMIT 9", "SELECT a FROM t ORDER BY d LIMIT 9", ["ORDER BY d"]),
        ("SELECT a FROM t ORDER BY d LIMIT 9", "SELECT a FROM t LIMIT 9", ["- ORDER BY d"]),
        ("SELECT a FROM t ORDER BY d, e LIMIT 9", "SELECT a FROM t ORDER BY d, b LIMIT 9", ["b"]),
        ("SELECT a FROM (SELECT a FROM t LIMIT 9)", "SELECT a FROM (SELECT a, c FROM t LIMIT 9)", ["c"]),
        ("SELECT a FROM t WHERE d > 1 LIMIT 9", "SELECT a FROM t WHERE d > 2 LIMIT 9", ["d > 2"]),
        ("SELECT a FROM t", "SELECT a FROM t LIMIT 9", ["LIMIT 9"]),
        (
            "SELECT a, COUNT(*) AS n, SUM(b) AS s FROM t GROUP BY a ORDER BY n LIMIT 3",
            "SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n LIMIT 3",
            ["- SUM(b)"],
        ),
        (
            "SELECT a, COUNT(*) AS n, SUM(b) AS s FROM t GROUP BY a ORDER BY n LIMIT 3",
            "SELECT a, SUM(b) AS s, COUNT(*) AS n FROM t GROUP BY a ORDER BY n LIMIT 3",
            ["SUM(b) AS s, COUNT(*) AS n"],
        ),
    ],
)
def test_the_clause_is_the_smallest_to_point_at(was: str, now: str, found: list[str] | None) -> None:
    report = compare(was, now)
    assert report.verdict is INCOMPATIBLE
    assert found is None or clauses(report) == found


def test_a_column_that_a_star_picks_up_is_shown_where_it_is_declared() -> None:
    table = "CREATE TABLE w (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');\n"
    wider = table.replace("a INT,", "a INT, k STRING,")
    assert clauses(compare(f"{table}SELECT * FROM w ORDER BY ts", f"{wider}SELECT * FROM w ORDER BY ts")) == [
        "k STRING"
    ]
    assert_silent(f"{table}SELECT a FROM w LIMIT 3", f"{wider}SELECT a FROM w LIMIT 3")


def test_a_number_that_a_template_fills_in_is_left_open() -> None:
    report = compare("SELECT a FROM t LIMIT ${few}", "SELECT a FROM t LIMIT ${some}")
    assert (report.verdict, clauses(report)) == (UNKNOWN, ["LIMIT ${some}"])
