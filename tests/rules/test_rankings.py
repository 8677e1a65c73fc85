"""Top-N and deduplication in other spellings than those of the rule pages (spec sections 8 to 10)."""

from __future__ import annotations

import pytest

from keepstate.report import Verdict
from pairs import assert_silent, clauses, compare

INCOMPATIBLE, PARTIAL, UNKNOWN = Verdict.INCOMPATIBLE, Verdict.PARTIAL, Verdict.UNKNOWN


def ranked(columns: str = "a, b", order: str = "d DESC", ranks: str = "n <= 3", rows: str = "t", by: str = "a") -> str:
    partition = f"PARTITION BY {by} " if by else ""
    call = f"ROW_NUMBER() OVER ({partition}ORDER BY {order})"
    return f"SELECT {columns} FROM (SELECT *, {call} AS n FROM {rows}) WHERE {ranks}"


def first(columns: str = "a, b", order: str = "pt", **more: str) -> str:
    return ranked(columns, order, "n = 1", **more)


def grouped(
    columns: str = "*", calls: str = "COUNT(*) AS n1, MAX(d) AS m", keys: str = "a, c", order: str = "n1 DESC"
) -> str:
    rows = f"(SELECT {keys}, {calls} FROM t GROUP BY {keys})"
    return ranked(columns, order, rows=rows)


TOP, LAST = ranked(), first(order="ts DESC")
WINDOWED = ranked(
    order="ts DESC",
    ranks="n = 1",
    by="window_start, window_end, a",
    rows="TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE))",
)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (TOP, "select a, b from t qualify row_number() over (partition by a order by d desc) < 4"),
        (
            TOP,
            "WITH r AS (SELECT b, d, a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY d DESC) AS x FROM t) "
            "SELECT a, b, x FROM r WHERE x BETWEEN 1 AND 3",
        ),
        (
            TOP,
            "SELECT a, b FROM (SELECT t.*, ROW_NUMBER() OVER w AS n FROM t "
            "WINDOW w AS (PARTITION BY t.`a` ORDER BY d DESC NULLS LAST)) WHERE NOT (n > 3)",
        ),
        (TOP, f"CREATE TEMPORARY VIEW v AS {ranked('*', ranks='n <= 10')}; SELECT a, b FROM v WHERE n <= 3"),
        (TOP, ranked("b / 2, UPPER(CAST(a AS STRING)), n", ranks="n <= 1 + 2 AND b > 4")),
        (TOP, ranked(rows="(SELECT b, d, c, a FROM t)")),
        (TOP, ranked(by="a, 'all'", order="d DESC, d")),
        (LAST, first(order="ts DESC", rows="(SELECT b + 1 AS b, a, ts FROM t)")),
        (LAST, LAST.replace("n = 1", "n IN (1)")),
        (LAST, first("a, b, n, ts", order="ts DESC")),
        (first(), first("a, c, e + 1, d", rows="(SELECT a, UPPER(c) AS c, e, d, pt FROM t)")),
        (first(by="a, c"), first(by="c, a")),
        (first(order="PROCTIME() DESC"), first(order="pt DESC")),
        (WINDOWED, WINDOWED.replace("SELECT a, b", "SELECT window_time, a, b + 1")),
        (WINDOWED, WINDOWED.replace("window_start, window_end, a", "a, window_end, window_start")),
        (WINDOWED, WINDOWED.replace("INTERVAL '5' MINUTE", "INTERVAL '300' SECOND(3)").replace("n = 1", "n < 2")),
        # A projection that computes gets between the aggregation and the ranking, and drops what is not read.
        (
            ranked(
                "a, n1", "n1 DESC", rows="(SELECT a, n1 * 2 AS n1 FROM (SELECT a, COUNT(*) AS n1 FROM t GROUP BY a))"
            ),
            ranked(
                "a, n1",
                "n1 DESC",
                rows="(SELECT a, n1 * 2 AS n1 FROM (SELECT a, COUNT(*) AS n1, MAX(d) AS m FROM t GROUP BY a))",
            ),
        ),
        (
            grouped("a, c, n1", calls="COUNT(*) AS n1"),
            "SELECT a, c, n1 FROM (SELECT a, c, COUNT(1) AS n1 FROM t GROUP BY a, c) "
            "QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY n1 DESC) <= 3",
        ),
    ],
)
def test_another_spelling_is_silent(was: str, now: str) -> None:
    assert_silent(was, now)


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        # Ranks
        (TOP, ranked(ranks="n <= 3 AND n > 1"), ["n > 1"]),
        (ranked(ranks="n <= 3 AND n > 1"), TOP, ["- n > 1"]),
        (TOP, ranked(ranks="n <= d"), ["n <= d"]),
        (LAST, ranked(order="ts DESC", ranks="n = 2"), ["n = 2"]),
        (LAST, LAST.removesuffix(" WHERE n = 1"), ["- n = 1"]),
        (first("a, n", "ts").removesuffix(" WHERE n = 1"), first("a, n", "ts"), ["n = 1"]),
        # Order
        (TOP, ranked(order="d"), ["ORDER BY d"]),
        (TOP, ranked(order="d DESC NULLS FIRST"), ["ORDER BY d DESC NULLS FIRST"]),
        (TOP, ranked(order="d DESC, e"), ["e"]),
        (ranked(order="d DESC, e"), TOP, ["- e"]),
        (ranked(order="d DESC, e"), ranked(order="e, d DESC"), ["ORDER BY e, d DESC"]),
        (LAST, first(order="pt DESC"), ["ORDER BY pt DESC"]),
        (first(), first(order="pt DESC"), ["ORDER BY pt DESC"]),
        (LAST, first(order="d DESC"), ["ORDER BY d DESC"]),
        (
            LAST,
            first(order="ts DESC", rows="(SELECT a, b, ts + INTERVAL '1' SECOND AS ts FROM t)"),
            ["ts + INTERVAL '1' SECOND AS ts"],
        ),
        # Partition
        (first(), first(by="a, c"), ["c"]),
        (first(by="a, c"), first(), ["- c"]),
        (first(), first(by=""), ["- a"]),
        (first(), first(by="d"), ["d"]),
        (WINDOWED, WINDOWED.replace("window_end, a", "a"), ["- window_end"]),
        # Stored rows
        (TOP, ranked("a, b, c"), ["c"]),
        (TOP, ranked("a, c"), ["c"]),
        (TOP, ranked("a"), ["- b"]),
        (TOP, ranked(rows="(SELECT a, b + 1 AS b, d FROM t)"), ["b + 1 AS b"]),
        (LAST, first("a, b, c", "ts DESC"), ["c"]),
        (LAST, first("a, e", "ts DESC"), ["e"]),
        (LAST, first(order="ts DESC", rows="(SELECT a, CAST(b AS INT) AS b, ts FROM t)"), ["CAST(b AS INT) AS b"]),
        (WINDOWED, WINDOWED.replace("SELECT a, b", "SELECT a, b, c"), ["c"]),
        (WINDOWED, WINDOWED.replace("SELECT *, ROW", "SELECT a, b + 1 AS b, window_end, ROW"), ["b + 1 AS b"]),
        (TOP, TOP.replace("ROW_NUMBER()", "RANK()"), ["RANK()"]),
        # Operators below and above
        (grouped(), grouped(calls="COUNT(*) AS n1, MIN(d) AS m"), ["MIN(d)"]),
        (grouped(), grouped(calls="COUNT(*) AS n1, MAX(d) AS m, SUM(b) AS s"), ["SUM(b)"]),
        (grouped(), grouped(calls="MAX(d) AS m, COUNT(*) AS n1"), ["MAX(d) AS m, COUNT(*) AS n1"]),
        (grouped(), grouped(calls="COUNT(*) AS n1, MAX(d) + 1 AS m"), ["MAX(d) + 1 AS m"]),
        (grouped(), grouped("a, n1, m"), ["- *"]),
        (grouped(), grouped(keys="a, c, e"), ["GROUP BY a, c, e"]),
        (grouped(order="m"), grouped(order="m", keys="a, c, e"), ["e"]),
        (
            f"SELECT a, COUNT(*) FROM ({LAST}) GROUP BY a",
            f"SELECT a, COUNT(*), SUM(e) FROM ({first('a, b, e', 'ts DESC')}) GROUP BY a",
            ["SUM(e)"],
        ),
    ],
)
def test_the_clause_is_the_smallest_to_point_at(was: str, now: str, found: list[str]) -> None:
    report = compare(was, now)
    assert (report.verdict, clauses(report)) == (INCOMPATIBLE, found)


def test_a_deduplication_that_stores_no_rows_costs_nothing_when_an_aggregate_above_it_comes() -> None:
    was = f"SELECT a, COUNT(*) FROM ({first()}) GROUP BY a"
    now = f"SELECT a, COUNT(*), SUM(e) FROM ({first('a, b, e')}) GROUP BY a"
    report = compare(was, now)
    assert (report.verdict, clauses(report)) == (PARTIAL, ["SUM(e)"])


def test_changes_further_down_than_the_rows_that_are_ranked_are_none_of_the_ranking() -> None:
    """Aggregates below another aggregation change places without touching what that one gives."""
    inner = "(SELECT a, c, {} FROM t GROUP BY a, c)"
    both = ("COUNT(*) AS k, MAX(d) AS m", "MAX(d) AS m, COUNT(*) AS k")
    was, now = (
        ranked(
            "a, s", "s", rows=f"(SELECT a, SUM(k) AS s, MIN(m) AS l FROM {inner.format(calls)} GROUP BY a) WHERE l > 0"
        )
        for calls in both
    )
    assert_silent(was, now)


@pytest.mark.parametrize(
    ("order", "columns", "verdict"),
    [
        ("seen DESC", "id, k, other", INCOMPATIBLE),
        ("seen DESC", "id, UPPER(k) AS k", UNKNOWN),
        ("seen", "id, k, other", UNKNOWN),
        ("PROCTIME()", "id, k, other", Verdict.COMPATIBLE),
    ],
)
def test_a_sort_key_that_nobody_declares_may_be_a_time_attribute(order: str, columns: str, verdict: Verdict) -> None:
    rows = "(SELECT {} FROM x)"
    was = first("*", order, rows=rows.format("id, k, seen"), by="id").replace("SELECT * FROM", "SELECT id, k FROM", 1)
    shown = "id, k, other" if "other" in columns else "id, k"
    now = first("*", order, rows=rows.format(f"{columns}, seen"), by="id").replace(
        "SELECT * FROM", f"SELECT {shown} FROM", 1
    )
    assert compare(was, now).verdict is verdict


def test_a_watermark_on_another_column_makes_another_operator() -> None:
    table = (
        "CREATE TABLE w (id INT, x TIMESTAMP(3), y TIMESTAMP(3), WATERMARK FOR x AS x) WITH ('connector' = 'kafka');\n"
    )
    query = first("id, y", "x DESC", rows="w", by="id")
    report = compare(table + query, table.replace("FOR x AS x", "FOR y AS y") + query)
    assert (report.verdict, clauses(report)) == (INCOMPATIBLE, ["ORDER BY x DESC"])


def test_a_column_that_a_star_picks_up_is_shown_where_it_is_declared() -> None:
    table = "CREATE TABLE w (id INT, k STRING, v INT) WITH ('connector' = 'kafka');\n"
    query = ranked("*", "v", rows="w", by="k")
    wider = table.replace("v INT", "v INT, extra STRING")
    assert clauses(compare(table + query, wider + query)) == ["extra STRING"]
    moved = table.replace("id INT, k STRING", "k STRING, id INT")
    assert compare(table + query, moved + query).verdict is INCOMPATIBLE
    assert_silent(table + ranked("id", "v", rows="w", by="k"), wider + ranked("id", "v", rows="w", by="k"))


def test_a_ranking_of_a_view_is_reported_once_for_two_sinks() -> None:
    script = (
        "CREATE VIEW best AS {}; EXECUTE STATEMENT SET BEGIN "
        "INSERT INTO x SELECT a, b FROM best; INSERT INTO y SELECT a, COUNT(*) FROM best GROUP BY a; END"
    )
    report = compare(script.format(TOP), script.format(ranked(ranks="n <= 5")))
    assert (report.verdict, clauses(report)) == (INCOMPATIBLE, ["n <= 5"])
