"""Operators of one chain: numbers of parallel tasks, and statements that share a sink. The answers are Flink's: the
ids that 2.3.0 gives the operators of both versions.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion
from keepstate.report import Effect
from shared_analyses import check

TABLES = """
CREATE TABLE orders (k STRING, a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen'{source});
CREATE TABLE other (kk STRING, b INT, tt TIMESTAMP(3), WATERMARK FOR tt AS tt) WITH ('connector' = 'datagen');
CREATE TABLE w (k STRING, c BIGINT, ws TIMESTAMP(3), we TIMESTAMP(3)) WITH ('connector' = 'print'{sink});
CREATE TABLE w0 (c BIGINT, ws TIMESTAMP(3), we TIMESTAMP(3)) WITH ('connector' = 'print'{sink});
CREATE TABLE o (k STRING, a INT, ts TIMESTAMP(3)) WITH ('connector' = 'print'{sink});
CREATE TABLE oo (k STRING, a INT, ts TIMESTAMP(3), c BIGINT) WITH ('connector' = 'print'{sink});
CREATE TABLE g (k STRING, a BIGINT) WITH ('connector' = 'print'{sink});
CREATE TABLE g0 (a BIGINT) WITH ('connector' = 'print'{sink});
CREATE TABLE p (k STRING, c BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'print'{sink});
"""
WINDOWS = "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
NUMBERED = "ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {})"
QUERIES = {
    "copy": "INSERT INTO o SELECT * FROM orders",
    "filter": "INSERT INTO o SELECT k, a + 1, ts FROM orders WHERE a > 3",
    "union": "INSERT INTO g SELECT k, CAST(a AS BIGINT) FROM orders UNION ALL SELECT kk, CAST(b AS BIGINT) FROM other",
    "groups": "INSERT INTO p SELECT k, COUNT(*) FROM orders GROUP BY k",
    "window": "INSERT INTO w SELECT k, COUNT(*), window_start, window_end "
    f"{WINDOWS} GROUP BY k, window_start, window_end",
    "all windows": "INSERT INTO w0 SELECT COUNT(*), window_start, window_end "
    f"{WINDOWS} GROUP BY window_start, window_end",
    "group window": "INSERT INTO g SELECT k, COUNT(*) FROM orders GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR)",
    "all group windows": "INSERT INTO g0 SELECT COUNT(*) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
    "first rows": "INSERT INTO o SELECT k, a, ts FROM "
    f"(SELECT *, {NUMBERED.format('k', 'ts')} AS r FROM orders) WHERE r = 1",
    "first rows, projected": "INSERT INTO oo SELECT k, a, ts, 1 FROM "
    f"(SELECT *, {NUMBERED.format('k', 'ts')} AS r FROM orders) WHERE r = 1",
    "window rows": "INSERT INTO o SELECT k, a, ts FROM "
    f"(SELECT *, {NUMBERED.format('window_start, window_end, k', 'ts DESC')} AS r {WINDOWS}) WHERE r = 1",
    "sort": "INSERT INTO o SELECT k, a, ts FROM orders ORDER BY ts",
    "over": "INSERT INTO oo SELECT k, a, ts, COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM orders",
    "over all": "INSERT INTO oo SELECT k, a, ts, COUNT(*) OVER (ORDER BY ts) FROM orders",
    "product": "INSERT INTO g SELECT k, b FROM (SELECT k FROM orders), (SELECT CAST(b AS BIGINT) AS b FROM other)",
    "semi join": "INSERT INTO g SELECT k, a FROM (SELECT k, CAST(a AS BIGINT) AS a FROM orders) "
    "WHERE k IN (SELECT kk FROM other)",
    "sessions": "INSERT INTO w SELECT k, a, window_start, window_end "
    "FROM TABLE(SESSION(TABLE orders PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
}
Tasks = tuple[int, int, int]
"""Parallel tasks of the job, of the source, and of the sink; 0 is not set."""
EDITS: tuple[tuple[Tasks, Tasks], ...] = (
    ((2, 0, 0), (2, 0, 3)),
    ((2, 0, 0), (2, 0, 2)),
    ((2, 0, 0), (2, 0, 1)),
    ((2, 0, 1), (2, 0, 3)),
    ((1, 0, 2), (2, 0, 2)),
    ((2, 0, 3), (3, 0, 3)),
    ((1, 0, 0), (1, 2, 0)),
    ((2, 0, 0), (2, 2, 0)),
    ((2, 2, 0), (4, 2, 0)),
    ((1, 1, 1), (2, 1, 1)),
    ((2, 3, 0), (2, 4, 0)),
)
STARTS = {
    "copy": "ssssss-s--s",
    "filter": "ssssss-s--s",
    "union": "ssssss-s--s",
    "groups": "ssssss-s--s",
    "window": "-s-s---s--s",
    "all windows": "--s-ss-s--s",
    "group window": "-s-s---s--s",
    "all group windows": "--s-ss-s--s",
    "first rows": "-s-s---s--s",
    "first rows, projected": "ssssss-s--s",
    "window rows": "ssssss-s--s",
    "sort": "--s-ss-s--s",
    "over": "-s-s---s--s",
    "over all": "--s-ss-s--s",
    "product": "--s-ss-s--s",
    "semi join": "-s-s---s--s",
    "sessions": "ssssss-s--s",
    "a sink that checks": "-",
    "a sink that checks, before the state": "s",
    "a sink that checks, shared": "s",
    "a sink that checks, not shared": "-",
    "both sinks check": "-",
    "the last sink checks": "s",
    "a key": "-",
    "one sink of its own": "s",
    "a sink each, then one": "-",
    "append and update": "s",
    "a third statement": "-",
    "one statement less": "-",
    "writers": "-",
    "readers": "-",
    "readers of another query": "-",
}
"""A letter for each edit: ``s`` starts, ``-`` does not."""

SEVERAL = """
SET 'parallelism.default' = '2';
CREATE TABLE orders (k STRING, a BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'faker'{source});
CREATE TABLE other (k STRING, a BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE t (k STRING{one}, s BIGINT) WITH ('connector' = 'print'{sink});
CREATE TABLE u (k STRING{two}, s BIGINT) WITH ('connector' = 'print');
EXECUTE STATEMENT SET BEGIN
{statements}
END;
"""
STATEMENTS = {
    "a": "INSERT INTO t SELECT k, a FROM orders;",
    "b": "INSERT INTO t SELECT k, a FROM other;",
    "c": "INSERT INTO t SELECT k, COUNT(*) FROM orders GROUP BY k;",
    "d": "INSERT INTO t SELECT k, MAX(a) FROM other GROUP BY k;",
    "o": "INSERT INTO t SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM other;",
    "n": "INSERT INTO u SELECT k, COUNT(*) FROM (SELECT k, a, COUNT(*) AS c FROM orders GROUP BY k, a) GROUP BY k;",
    "j": "INSERT INTO u SELECT o.k, COUNT(*) FROM orders AS o JOIN other AS p ON o.k = p.k GROUP BY o.k;",
}
CHECKED = {"one": " NOT NULL"}
APART = {"reuse": "false"}
JOBS: dict[str, tuple[str, dict[str, str], str, dict[str, str]]] = {
    "a sink that checks": ("an", {}, "an", CHECKED),
    "a sink that checks, before the state": ("jo", {}, "jo", CHECKED),
    "a sink that checks, shared": ("aoj", {}, "aoj", CHECKED),
    "a sink that checks, not shared": ("aoj", APART, "aoj", {**APART, **CHECKED}),
    "both sinks check": ("an", CHECKED, "an", {"one": "", "two": " NOT NULL"}),
    "the last sink checks": ("an", {}, "an", {"two": " NOT NULL"}),
    "a key": ("an", {}, "an", {"one": " PRIMARY KEY NOT ENFORCED"}),
    "one sink of its own": ("c", {}, "c", APART),
    "a sink each, then one": ("cd", APART, "cd", {}),
    "append and update": ("ad", APART, "ad", {}),
    "a third statement": ("cd", {}, "cdn", {}),
    "one statement less": ("cd", {}, "c", {}),
    "writers": ("an", {}, "an", {"sink": ", 'sink.parallelism' = '3'"}),
    "readers": ("an", {}, "an", {"source": ", 'scan.parallelism' = '3'"}),
    "readers of another query": ("on", {}, "on", {"source": ", 'scan.parallelism' = '3'"}),
}


def job(statements: str, options: dict[str, str]) -> str:
    values = {"source": "", "sink": "", "one": "", "two": "", **options}
    reuse = values.pop("reuse", "")
    setting = f"SET 'table.optimizer.reuse-sink-enabled' = '{reuse}';" if reuse else ""
    return setting + SEVERAL.format(statements="\n".join(STATEMENTS[each] for each in statements), **values)


def script(query: str, tasks: Tasks) -> str:
    default, readers, writers = tasks
    source = f", 'scan.parallelism' = '{readers}'" if readers else ""
    sink = f", 'sink.parallelism' = '{writers}'" if writers else ""
    tables = TABLES.format(source=source, sink=sink)
    return f"SET 'parallelism.default' = '{default}';{tables}{QUERIES[query]};"


CASES = {
    **{
        f"{query}: {was} -> {now}": (script(query, was), script(query, now), STARTS[query][number])
        for query in QUERIES
        for number, (was, now) in enumerate(EDITS)
    },
    **{name: (job(*each[:2]), job(*each[2:]), STARTS[name]) for name, each in JOBS.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_a_job_starts_where_its_operators_keep_their_ids(name: str) -> None:
    baseline, current, starts = CASES[name]
    report = check(JobVersion(current), JobVersion(baseline), "flink")
    assert report.is_valid
    assert (report.effect is not Effect.DOES_NOT_START) is (starts == "s"), report.effect


@pytest.mark.parametrize("option", ["scan.parallelism", "sink.parallelism"])
def test_without_the_parallelism_of_the_job_the_answer_is_open(option: str) -> None:
    source, sink = (f", '{option}' = '2'" if option.startswith(side) else "" for side in ("scan", "sink"))
    text = QUERIES["over"]
    was, now = TABLES.format(source="", sink="") + text, TABLES.format(source=source, sink=sink) + text
    report = check(JobVersion(now), JobVersion(was), "flink")
    assert report.effect is Effect.UNDETERMINED
    assert "no setting of the job says" in str(report.findings[0])
    assert check(JobVersion(now), JobVersion(was), "vvr").effect is Effect.EXACT
