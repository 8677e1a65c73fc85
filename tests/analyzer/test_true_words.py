"""Words of findings and fixes that were untrue, or could not be followed, for one kind of change."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from keepstate import JobVersion, analyse
from keepstate.report import Finding

TABLES = (
    "CREATE TABLE o (u STRING, v STRING, a DECIMAL(10, 2), ts TIMESTAMP(3),"
    " WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');\n"
    "CREATE TABLE c (u STRING, p STRING, cts TIMESTAMP(3), WATERMARK FOR cts AS cts - INTERVAL '5' SECOND)"
    " WITH ('connector' = 'kafka', 'topic' = 'c', 'format' = 'json');\n"
)
INTERVAL = "SELECT o.u, c.p FROM o JOIN c ON o.u = c.u AND c.cts BETWEEN o.ts - INTERVAL '1' HOUR AND o.ts"
TOP = "SELECT u, v, a FROM (SELECT u, v, a, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {}) AS r FROM o) WHERE r <= 3"
TTL = "SET 'table.exec.state.ttl' = '{}';\nSELECT u, COUNT(*) FROM o GROUP BY u"


TUMBLE = (
    "SELECT u, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL {})) "
    "GROUP BY u, window_start, window_end"
)
OVER = "SELECT u, {} FROM o WINDOW w AS (PARTITION BY u ORDER BY ts ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)"
BOTH = (
    "CREATE TABLE s (u STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
    "CREATE TABLE t (u STRING, n BIGINT) WITH ('connector' = 'blackhole');\nEXECUTE STATEMENT SET BEGIN\n"
)
INTO_S = "INSERT INTO s SELECT u, COUNT(*) FROM o GROUP BY u;\n"
INTO_T = "INSERT INTO t SELECT u, COUNT(*) FROM c GROUP BY u;\n"


@dataclass(frozen=True)
class Case:
    """A change, and words that its finding has and has not."""

    name: str
    engine: str
    baseline: str
    current: str
    has: tuple[str, ...]
    has_not: tuple[str, ...] = ()


CASES = (
    Case("a shorter time to live drops a part of the state", "flink", TTL.format("2 d"), TTL.format("6 h"),
         ("state idle for 6 hours is dropped", "begin anew"),
         ("its state is dropped", "All other results stay exact", "no longer wanted")),
    Case("a filter that went", "flink", "SELECT u, MAX(a) FROM o WHERE a > 1 GROUP BY u",
         "SELECT u, MAX(a) FROM o GROUP BY u", ("held back are missing",), ("stay in the state",)),
    Case("a filter that lets more pass beside one that came", "flink",
         "SELECT u, MAX(a) FROM o WHERE a > 1 AND v = 'x' GROUP BY u",
         "SELECT u, MAX(a) FROM o WHERE a > 1 AND v = 'y' GROUP BY u", ("stay in the state",), ("are missing",)),
    Case("an interval join that becomes a regular one", "vvr", INTERVAL, INTERVAL.partition(" AND ")[0],
         ("removed (now regular)", "until these are sent again"), ("interval has passed",)),
    Case("an interval join that stays one", "vvr", INTERVAL, INTERVAL.replace("o.u = c.u", "o.v = c.u"),
         ("until the interval has passed once",), ("now regular",)),
    Case("grouping sets without a window", "vvr", "SELECT u, COUNT(*) FROM o GROUP BY u, v",
         "SELECT u, COUNT(*) FROM o GROUP BY CUBE (u, v)", ("all state is lost; it is kept per key and grouping set",),
         ("window",)),
    Case("grouping sets that went", "vvr", "SELECT u, COUNT(*) FROM o GROUP BY CUBE (u, v)",
         "SELECT u, COUNT(*) FROM o GROUP BY u, v", ("all state is lost; it is kept per key and grouping set",),
         ("window",)),
    Case("one order of rows", "flink",
         TOP.format("a"), TOP.format("a, v"), ("rows are sorted by (a), where (a, v) is expected",),
         ("WithRetract",)),
    Case("a UNION that lost its ALL", "vvr",
         "SELECT u, COUNT(*) FROM (SELECT u FROM o UNION ALL SELECT u FROM c) GROUP BY u",
         "SELECT u, COUNT(*) FROM (SELECT u FROM o UNION SELECT u FROM c) GROUP BY u", ("Restore `UNION ALL` (",),
         ("Remove",)),
    Case("a UNION ALL that came", "vvr", "SELECT u, COUNT(*) FROM (SELECT u FROM o UNION SELECT u FROM c) GROUP BY u",
         "SELECT u, COUNT(*) FROM (SELECT u FROM o UNION ALL SELECT u FROM c) GROUP BY u", ("Restore `UNION` (",)),
    Case("one column of another type", "vvr", "CREATE TABLE t (u STRING, a INT); SELECT u, SUM(a) FROM t GROUP BY u",
         "CREATE TABLE t (u STRING, a BIGINT); SELECT u, SUM(a) FROM t GROUP BY u",
         ("Keep the former type of the column",), ("in the query beside",)),
    Case("another column", "vvr", "SELECT u, MAX(u) FROM o GROUP BY u", "SELECT u, MAX(v) FROM o GROUP BY u",
         ("Keep MAX(u) in the query beside MAX(v)",)),
    Case("more ranks", "vvr", TOP.format("a"), TOP.format("a").replace("3", "5"),
         ("Run the new range as a second job. A smaller one can be cut",)),
    Case("INSERTs that swapped their places", "flink", f"{BOTH}{INTO_S}{INTO_T}END;", f"{BOTH}{INTO_T}{INTO_S}END;",
         ("order of the INSERTs changed", "INSERT INTO s finds the state of INSERT INTO t", "back into their order"),
         ("->", "key of the state")),
    Case("a filter beside inputs of a join that swapped", "vvr", "SELECT o.a, c.p FROM o JOIN c ON o.u = c.u",
         "SELECT o.a, c.p FROM c JOIN (SELECT * FROM o WHERE a > 1) AS o ON o.u = c.u",
         ("filter a > 1 added", "input swapped", "Put both inputs back"), ("Join the column in",)),
    Case("a filter in front of a join", "flink", "SELECT o.a, c.p FROM o JOIN c ON o.u = c.u",
         "SELECT o.a, c.p FROM o JOIN c ON o.u = c.u WHERE o.a > 1", ("Run the filtered query as a second job.",),
         ("HAVING", "aggregate")),
    Case("a filter in front of an aggregation", "flink", "SELECT u, MAX(a) FROM o WHERE v = 'x' GROUP BY u",
         "SELECT u, MAX(a) FROM o WHERE v = 'y' AND a > 1 GROUP BY u", ("v = 'x' -> v = 'y'",)),
    Case("a key of SELECT DISTINCT", "flink", "SELECT DISTINCT u FROM o", "SELECT DISTINCT u, v FROM o",
         ("SELECT DISTINCT column v added", "kept by (u), where (u, v) is expected"), ("group key", "GROUP BY")),
    Case("a UNION in front of a count", "vvr",
         "SELECT u, COUNT(*) FROM (SELECT u FROM o UNION ALL SELECT u FROM c) GROUP BY u",
         "SELECT u, COUNT(*) FROM (SELECT u FROM o UNION SELECT u FROM c) GROUP BY u", ("UNION added",), ("GROUP BY",)),
    Case("wrong numbers in a job that does not start", "flink", TOP.format("a"), TOP.format("a, v").replace("3", "5"),
         ("the job does not start", "wrong numbers once started"), ("silently",)),
    Case("until windows have closed", "flink", TUMBLE.format("'1' HOUR"), TUMBLE.format("'2' HOUR"),
         ("Windows open at the restart come out wrong, later ones are right (TUMBLE of 2 hours)",), ("for good",)),
    Case("until a time to live has passed", "flink",
         TTL.format("2 d"), TTL.format("2 d").replace("FROM o", "FROM o WHERE a > 1"),
         ("until the key has not been written to for 2 days (table.exec.state.ttl)",), ("for good",)),
    Case("without a time to live", "flink", "SELECT u, COUNT(*) FROM o GROUP BY u",
         "SELECT u, COUNT(*) FROM o WHERE a > 1 GROUP BY u", ("Wrong for good",), ("until",)),
    Case("until an interval has passed", "flink", INTERVAL, INTERVAL.replace("'1' HOUR", "'4' HOUR"),
         ("Wrong until 4 hours have passed",), ("for good",)),
    Case("accumulators by the aggregates of the query", "flink", OVER.format("SUM(a) OVER w, COUNT(*) OVER w"),
         OVER.format("MAX(a) OVER w, COUNT(*) OVER w"), ("the savepoint has SUM(a), where MAX(a) is expected",),
         ("Retract", "taken back")),
    Case("each finding has its own reason", "flink", "SELECT u, COUNT(*), SUM(a) FROM o GROUP BY u",
         "SELECT u, COUNT(*), AVG(a), MAX(v) FROM o GROUP BY u",
         ("has SUM(a), where AVG(a) is expected", "has no MAX(v)")),
    Case("an expression as SQL has it", "vvr",
         "SELECT u, MAX(CASE WHEN v IS NULL THEN a END), COUNT(*) FROM o GROUP BY u",
         "SELECT u, COUNT(*) FROM o GROUP BY u", ("MAX(CASE WHEN v IS NULL THEN a END) removed",), ("IS(",)),
    Case("columns of one name in two tables", "vvr", "SELECT o.u, COUNT(*) FROM o, c WHERE o.v = c.p GROUP BY o.u",
         "SELECT c.u, COUNT(*) FROM o, c WHERE o.v = c.p GROUP BY c.u", ("column u removed", "column u added"),
         ("->",)),
    Case("a column of one input, and another of the same name of the other one", "flink",
         "SELECT o.u, c.p FROM o JOIN c ON o.v = c.p", "SELECT c.u, c.p FROM o JOIN c ON o.v = c.p",
         ("the stored rows have u, which nothing takes", "the stored rows have no u")),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_words(case: Case) -> None:
    analysis = analyse(JobVersion(TABLES + case.current), JobVersion(TABLES + case.baseline), case.engine)
    findings = analysis.report().findings
    said = " ".join((*map(_words, findings), *(fix.title for n, _ in enumerate(findings) for fix in analysis.fixes(n))))
    assert [words for words in case.has if words not in said] == []
    assert [words for words in case.has_not if words in said] == []


def _words(finding: Finding) -> str:
    return " ".join((finding.message, finding.recovery, finding.advice))
