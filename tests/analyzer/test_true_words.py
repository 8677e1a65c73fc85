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
         ("state that was not written to for 6 hours is dropped", "begin anew"),
         ("its state is dropped", "All other results stay exact", "no longer wanted")),
    Case("a filter that went", "flink", "SELECT u, MAX(a) FROM o WHERE a > 1 GROUP BY u",
         "SELECT u, MAX(a) FROM o GROUP BY u", ("held back are missing",), ("stay in the state",)),
    Case("a filter that lets more pass beside one that came", "flink",
         "SELECT u, MAX(a) FROM o WHERE a > 1 AND v = 'x' GROUP BY u",
         "SELECT u, MAX(a) FROM o WHERE a > 1 AND v = 'y' GROUP BY u", ("stay in the state",), ("are missing",)),
    Case("an interval join that becomes a regular one", "vvr", INTERVAL, INTERVAL.partition(" AND ")[0],
         ("which makes a regular join of the interval join", "until these are sent again"), ("interval has passed",)),
    Case("an interval join that stays one", "vvr", INTERVAL, INTERVAL.replace("o.u = c.u", "o.v = c.u"),
         ("until the interval has passed once",), ("which makes",)),
    Case("grouping sets without a window", "vvr", "SELECT u, COUNT(*) FROM o GROUP BY u, v",
         "SELECT u, COUNT(*) FROM o GROUP BY CUBE (u, v)", ("all state is lost; it is kept per key and grouping set",),
         ("window",)),
    Case("grouping sets that went", "vvr", "SELECT u, COUNT(*) FROM o GROUP BY CUBE (u, v)",
         "SELECT u, COUNT(*) FROM o GROUP BY u, v", ("all state is lost; it is kept per key and grouping set",),
         ("window",)),
    Case("one order of rows", "flink", TOP.format("a"), TOP.format("a, v"), ("the sort order in the savepoint is (",),
         ("order in the savepoint are",)),
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
