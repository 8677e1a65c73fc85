"""Sinks in other spellings than those of the rule pages, and the keys in front of them (spec section 15)."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Verdict
from pairs import TABLES, assert_silent, clauses, compare

SINK = "CREATE TABLE o (a INT, b BIGINT) WITH ('connector' = 'print');\n"
QUERY = "SELECT a, SUM(b) FROM t GROUP BY a;\n"
NOT_IGNORED = {"table.optimizer.state-compatibility.ignore-sink": "false"}
CHANGES = "CREATE TABLE p (id INT, k INT, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"


def keyed(columns: str = "id INT, v BIGINT", key: str = "id") -> str:
    return f"CREATE TABLE o ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('connector' = 'jdbc');\n"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (f"{SINK}INSERT INTO o {QUERY}", f"{SINK.replace(' o ', ' o2 ')}INSERT INTO o2 {QUERY}"),
        (f"INSERT INTO o {QUERY}", f"INSERT INTO o2 {QUERY}"),
        (f"{SINK}INSERT INTO o {QUERY}", f"{SINK.replace('print', 'blackhole')}INSERT INTO o {QUERY}"),
        (f"{SINK}INSERT INTO o {QUERY}", f"{SINK}INSERT INTO o (b, a) SELECT SUM(b), a FROM t GROUP BY a"),
        # Flink overwrites no table of print.
        (f"INSERT INTO o {QUERY}", f"BEGIN STATEMENT SET; INSERT OVERWRITE o {QUERY} END"),
        (f"INSERT INTO o PARTITION (dt = '1') {QUERY}", f"INSERT INTO o PARTITION (dt = '2') {QUERY}"),
        (f"INSERT INTO o {QUERY}", f"INSERT INTO o2 SELECT a, b FROM t; INSERT INTO o {QUERY}"),
    ],
)
def test_sinks_are_ignored_by_default(was: str, now: str) -> None:
    assert_silent(was, now)


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        (f"{SINK}INSERT INTO o {QUERY}", f"{SINK.replace(' o ', ' o2 ')}INSERT INTO o2 {QUERY}", "CREATE TABLE o2"),
        (f"INSERT INTO o {QUERY}", f"INSERT INTO o2 {QUERY}", "o2"),
        (
            f"{SINK}INSERT INTO o {QUERY}",
            f"{SINK.replace('print', 'blackhole')}INSERT INTO o {QUERY}",
            "'connector' = 'blackhole'",
        ),
        (
            f"INSERT INTO o {QUERY}",
            f"INSERT INTO o {QUERY}INSERT INTO o2 SELECT a FROM t",
            "INSERT INTO o2 SELECT a FROM t",
        ),
    ],
)
def test_a_sink_that_counts_is_state(was: str, now: str, found: str) -> None:
    report = compare(was, now, parameters=NOT_IGNORED)
    assert (report.verdict, clauses(report)) == (Verdict.INCOMPATIBLE, [found])


@pytest.mark.parametrize(
    ("sink", "was", "now"),
    [
        (keyed(), "SELECT id, v FROM p", "SELECT id, v + 1 FROM p WHERE k > 3"),
        (keyed("id BIGINT, v BIGINT"), "SELECT id, v FROM p", "SELECT CAST(id AS BIGINT), v FROM p"),
        (keyed(), "SELECT a, b FROM t", "SELECT d, b FROM t"),
        (keyed("v BIGINT, w BIGINT", "v, w"), "SELECT v, id FROM p", "SELECT v + 1, id FROM p"),
        (
            keyed("x INT, y STRING", "x"),
            "SELECT a, MAX(c) FROM t GROUP BY a",
            "SELECT a, UPPER(MAX(c)) FROM t GROUP BY a",
        ),
    ],
)
def test_updates_by_the_key_of_the_sink_need_no_order(sink: str, was: str, now: str) -> None:
    assert_silent(f"{sink}INSERT INTO o {was}", f"{sink}INSERT INTO o {now}", tables=TABLES + CHANGES)


@pytest.mark.parametrize(
    ("sink", "was", "now", "found"),
    [
        (keyed(), "SELECT id, v FROM p", "SELECT k AS id, v FROM p", "k"),
        (keyed(), "SELECT k, v FROM p", "SELECT id, v FROM p", "id"),
        (keyed(), "SELECT id, v FROM p", "SELECT id + 1, v FROM p", "id + 1"),
        (keyed(), "SELECT a, COUNT(*) FROM t GROUP BY a", "SELECT a * 2, COUNT(*) FROM t GROUP BY a", "a * 2"),
    ],
)
def test_updates_by_another_key_than_that_of_the_sink_are_left_open(sink: str, was: str, now: str, found: str) -> None:
    report = compare(f"{sink}INSERT INTO o {was}", f"{sink}INSERT INTO o {now}", tables=TABLES + CHANGES)
    assert (report.verdict, clauses(report)) == (Verdict.UNKNOWN, [found])


def test_another_key_of_a_sink_matters_where_updates_come_by_another() -> None:
    counts = "INSERT INTO o SELECT a, d, COUNT(*) FROM t GROUP BY a, d"
    columns = "x INT, y INT, n BIGINT"
    report = compare(keyed(columns, "x, y") + counts, keyed(columns, "x") + counts)
    assert (report.verdict, clauses(report)) == (Verdict.UNKNOWN, ["PRIMARY KEY (x) NOT ENFORCED"])
    assert_silent(keyed(columns, "x, y") + counts, keyed(columns, "n, y, x") + counts)


def test_a_removed_query_beside_a_temporary_table_that_was_only_laid_out_anew() -> None:
    one = "CREATE TEMPORARY TABLE x (a INT) WITH ('connector' = 'print');\n"
    report = compare(
        f"{one}INSERT INTO o {QUERY}INSERT INTO x SELECT a FROM t",
        f"create temporary table x (\n  a int -- kept\n) with ('connector' = 'print');\nINSERT INTO o {QUERY}",
    )
    assert (report.verdict, report.findings) == (Verdict.COMPATIBLE, ())


_UPSERTS = (
    "CREATE TABLE t (k STRING, k2 STRING, a INT, l BIGINT) WITH ('connector' = 'kafka');"
    "CREATE TABLE u (k STRING, x BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');"
)
_UPDATES = "INSERT INTO u SELECT k, SUM(a) FROM t GROUP BY k, k2"
_ROWS = "INSERT INTO u SELECT k, l FROM t"


@pytest.mark.parametrize(
    ("query", "was", "now", "known"),
    [
        (_UPDATES, "DEDUPLICATE", "NOTHING", False),
        (_UPDATES, "NOTHING", "DEDUPLICATE", False),
        (_UPDATES, "ERROR", "NOTHING", False),
        (_ROWS, "DEDUPLICATE", "NOTHING", False),
        (_ROWS, "", "NOTHING", False),
        (_UPDATES, "NOTHING", "nothing", True),
    ],
)
def test_another_strategy_for_conflicts_is_not_said_to_fit(query: str, was: str, now: str, known: bool) -> None:
    """Restarts between strategies fail on Flink 2.3, or give other rows."""
    versions = (f"{_UPSERTS}{query}{f' ON CONFLICT DO {word}' if word else ''};" for word in (was, now))
    before, after = (JobVersion(text, engine_version="2.3.0") for text in versions)
    report = check(after, before, "flink")
    assert report.verdict is (Verdict.COMPATIBLE if known else Verdict.UNKNOWN)
    assert known or ["ON CONFLICT" in finding.current.text for finding in report.findings] == [True]


@pytest.mark.parametrize("query", [_ROWS, _UPDATES])
def test_a_query_that_flink_refused_without_a_strategy_has_no_savepoint_to_fit(query: str) -> None:
    texts = (f"{_UPSERTS}{query}{strategy};" for strategy in ("", " ON CONFLICT DO DEDUPLICATE"))
    before, after = (JobVersion(text, engine_version="2.3.0") for text in texts)
    report = check(after, before, "flink")
    assert report.verdict is Verdict.UNKNOWN
    assert [refusal.rule for refusal in report.baseline_refusals] == ["upsert-key"]
    assert not report.refusals


ONE_SIDED = "CREATE TABLE out_rows (k STRING, n BIGINT{}) WITH ('connector' = 'upsert-kafka');\n"
KEYED = ONE_SIDED.format(", PRIMARY KEY (k) NOT ENFORCED")
COUNTED = "INSERT INTO {} SELECT k, COUNT(*) FROM src GROUP BY k;"
READ = "CREATE TABLE src (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'format' = 'json');\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("was", "now", "known"),
    [
        (KEYED + COUNTED.format("out_rows"), KEYED + COUNTED.format("out_row"), False),
        (KEYED + COUNTED.format("out_row"), KEYED + COUNTED.format("out_rows"), False),
        (KEYED + COUNTED.format("out_rows"), COUNTED.format("out_rows"), False),
        (COUNTED.format("out_rows"), KEYED + COUNTED.format("out_rows"), False),
        (COUNTED.format("out_rows"), COUNTED.format("out_row"), True),
        (KEYED + "INSERT INTO out_rows SELECT k, n FROM src;", "INSERT INTO out_rows SELECT k, n FROM src;", True),
        (
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';" + KEYED + COUNTED.format("out_rows"),
            "SET 'table.exec.sink.upsert-materialize' = 'NONE';" + COUNTED.format("out_rows"),
            True,
        ),
    ],
    ids=[
        "written elsewhere",
        "declared now",
        "declaration gone",
        "declaration added",
        "neither declared",
        "new rows only",
        "no order",
    ],
)
def test_a_sink_that_one_side_declares_may_have_another_key(was: str, now: str, known: bool, engine: str) -> None:
    found = check(JobVersion(READ + was), JobVersion(READ + now), engine)
    rules = [finding.rule for finding in found.findings]
    assert rules == ([] if known else ["sink-primary-key-changed"])
    assert known or found.verdict is Verdict.UNKNOWN
