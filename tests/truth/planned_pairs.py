"""Pairs of texts that Flink plans alike or apart, as lines of a table, and the check of both directions."""

from __future__ import annotations

from keepstate import ENGINES, JobVersion
from keepstate.report import Verdict
from shared_analyses import check

DDL = """CREATE TABLE t (
  k STRING, a INT, b BIGINT, c STRING, d INT, e DOUBLE, f DECIMAL(10, 2), g BOOLEAN, gn BOOLEAN NOT NULL,
  h INT NOT NULL, dn INT NOT NULL, cn STRING NOT NULL, v10 VARCHAR(10), si SMALLINT, dt DATE, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts
) WITH ('connector' = 'kafka');
CREATE TABLE u (k STRING, a INT, h INT NOT NULL) WITH ('connector' = 'kafka');
"""
FILTER = "SELECT c, COUNT(*) AS n FROM t WHERE {} GROUP BY c;"
CASE = "SELECT k, SUM(CASE WHEN {} THEN d ELSE 0 END) AS y FROM t GROUP BY k;"
VALUE = "SELECT k, MAX({}) AS y, COUNT(*) AS n FROM t GROUP BY k;"
OVER = "SELECT k, SUM({}) OVER (PARTITION BY k ORDER BY ts) AS y, d FROM t;"
HOUR = "INTERVAL '1' HOUR"
WINDOW = f"TUMBLE(TABLE t, DESCRIPTOR(ts), {HOUR})"
KEY = "SELECT {} AS y, COUNT(*) AS n FROM t GROUP BY {};"


def lines(table: str, query: str) -> list[tuple[str, str]]:
    """The pairs of a table, each text put into ``query``."""
    pairs = [line.partition(" | ") for line in table.strip().replace("\n| ", " | ").splitlines()]
    parts = {"{w}": WINDOW, "{h}": HOUR, "{t}": "SELECT k, a, h FROM t", "{u}": "SELECT k, a, h FROM u"}
    found = [(query.replace("{}", one.strip()), query.replace("{}", other.strip())) for one, _, other in pairs]
    for part, words in parts.items():
        found = [(one.replace(part, words), other.replace(part, words)) for one, other in found]
    return found


def check_silence(written: str, planned: str) -> None:
    """Check that no engine finds anything between two texts that Flink plans alike."""
    for engine in ENGINES:
        for before, after in ((written, planned), (planned, written)):
            report = check(JobVersion(DDL + after), JobVersion(DDL + before), engine)
            assert (report.verdict, report.findings) == (Verdict.COMPATIBLE, ()), engine


def check_report(one: str, other: str) -> None:
    """Check that a difference is found between two texts that Flink plans apart."""
    for before, after in ((one, other), (other, one)):
        report = check(JobVersion(DDL + after), JobVersion(DDL + before), "vvr")
        assert report.findings
