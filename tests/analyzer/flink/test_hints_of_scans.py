"""OPTIONS hints on one of several reads of a table: Flink makes another source for other hints.

156 pairs were restarted with Flink 2.3.0 from savepoints: reads with the same hints are one source, in whatever order
these have their options, and a hint with the declared options is another one.
"""

from __future__ import annotations

from itertools import product

import pytest

import keepstate
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE t (k STRING, k2 STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.group.id' = 'g');
CREATE TABLE s (k STRING, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE s2 (k STRING, n BIGINT) WITH ('connector' = 'print');
"""
QUERIES = {
    "a self join": "SELECT x.k, x.n, y.n AS m FROM (SELECT k, COUNT(*) AS n FROM t{0} GROUP BY k) AS x "
    "JOIN (SELECT k2, COUNT(*) AS n FROM t{1} GROUP BY k2) AS y ON x.k = y.k2;",
    "a union": "SELECT k, COUNT(*) AS n FROM (SELECT k FROM t{0} UNION ALL SELECT k2 FROM t{1}) GROUP BY k;",
    "two sinks": "EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT k, COUNT(*) FROM t{0} GROUP BY k; "
    "INSERT INTO s2 SELECT k2, COUNT(*) FROM t{1} GROUP BY k2; END;",
    "a view": "CREATE VIEW v AS SELECT k FROM t{0}; EXECUTE STATEMENT SET BEGIN "
    "INSERT INTO s SELECT k, COUNT(*) FROM v GROUP BY k; "
    "INSERT INTO s2 SELECT k2, COUNT(*) FROM t{1} GROUP BY k2; END;",
}


def hint(*options: str) -> str:
    return f" /*+ OPTIONS({', '.join(options)}) */"


EARLY, GROUP, DECLARED = (
    "'scan.startup.mode'='earliest-offset'",
    "'properties.group.id'='h'",
    "'properties.group.id'='g'",
)
ONE_SOURCE = [("", ""), (hint(EARLY), hint(EARLY)), (hint(EARLY, GROUP), hint(GROUP, EARLY))]
TWO_SOURCES = [(hint(EARLY), ""), ("", hint(EARLY)), (hint(EARLY), hint(GROUP)), (hint(DECLARED), "")]


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize(("former", "changed"), list(product(ONE_SOURCE + TWO_SOURCES, repeat=2)))
def test_a_hint_on_one_read_makes_another_source(query: str, former: tuple[str, str], changed: tuple[str, str]) -> None:
    versions = (keepstate.JobVersion(TABLES + query.format(*hints)) for hints in (changed, former))
    found = keepstate.check(*versions, "flink")
    fits = (former in ONE_SOURCE) is (changed in ONE_SOURCE)
    assert found.verdict is (Verdict.COMPATIBLE if fits else Verdict.INCOMPATIBLE)
    assert {finding.rule for finding in found.findings} == (set() if fits else {"operator-ids-changed"})
