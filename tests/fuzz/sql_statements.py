"""Scripts with what is rare: every kind of statement, call, condition and row source (``statements.txt``)."""

from __future__ import annotations

from pathlib import Path

_TABLE = """CREATE TABLE t (
  k STRING NOT NULL, a INT, b DECIMAL(10, 2) COMMENT 'it''s', r ROW<x INT, y ARRAY<MAP<STRING, BIGINT>>>,
  m MULTISET<INT>, d AS a * 2, o BIGINT METADATA FROM 'offset' VIRTUAL, ts TIMESTAMP_LTZ(3), p AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, CONSTRAINT pk PRIMARY KEY (k) NOT ENFORCED
) COMMENT 'c' DISTRIBUTED BY HASH(k) INTO 4 BUCKETS PARTITIONED BY (k) WITH ('connector' = 'upsert-kafka', 'x' = 'y');
"""
_SCRIPTS = {
    "type": "CREATE TABLE y (c {}, d BIGINT) WITH ('a' = 'b'); INSERT INTO s SELECT c, SUM(d) FROM y GROUP BY c;",
    "call": _TABLE + "SELECT k, {} FROM t GROUP BY k;",
    "where": _TABLE + "INSERT INTO s SELECT k, SUM(a) FROM t WHERE {} GROUP BY k;",
    "from": _TABLE + "INSERT INTO s SELECT COUNT(*), MAX(a) FROM {};",
    "also": _TABLE + "{}",
}


def _scripts() -> tuple[str, ...]:
    lines = (Path(__file__).with_name("statements.txt")).read_text("utf-8").splitlines()
    pairs = (line.partition(": ") for line in lines if not line.startswith("#"))
    return tuple(_SCRIPTS[kind].replace("{}", text) for kind, _, text in pairs)


STATEMENTS = _scripts()
