"""The tables that a job reads, and the places of their rows."""

from __future__ import annotations

import keepstate
from keepstate.report import ReadTable

JOB = """\
CREATE TABLE orders (k STRING, v INT) WITH ('connector' = 'kafka', 'topic' = 'orders');
CREATE TABLE rates (k STRING, r INT) WITH ('connector' = 'filesystem', 'path' = 'rates.csv', 'format' = 'csv');
CREATE TABLE likewise LIKE rates;
CREATE TABLE unread (k STRING) WITH ('connector' = 'datagen');
CREATE VIEW big AS SELECT k, v FROM orders WHERE v > 100;
INSERT INTO a SELECT k, SUM(v) FROM big GROUP BY k;
INSERT INTO b SELECT o.k, r.r FROM orders AS o JOIN likewise AS r ON o.k = r.k JOIN nowhere AS n ON n.k = r.k;
"""


def test_tables_that_queries_read() -> None:
    orders, likewise = keepstate.read_tables(keepstate.JobVersion(JOB))
    assert orders == ReadTable("orders", "kafka", None, (("k", "STRING"), ("v", "INT"))) and not orders.has_files
    rates = (("k", "STRING"), ("r", "INT"))
    assert likewise == ReadTable("likewise", "filesystem", "rates.csv", rates) and likewise.has_files


def test_types_of_columns_have_their_not_null() -> None:
    columns = "k STRING, v ROW<a int not null> NOT NULL, n AS v.a, m BIGINT METADATA, PRIMARY KEY (k) NOT ENFORCED"
    script = f"CREATE TABLE t ({columns}) WITH ('connector' = 'kafka'); SELECT k FROM t;"
    (table,) = keepstate.read_tables(keepstate.JobVersion(script))
    assert table.columns == (("k", "STRING NOT NULL"), ("v", "ROW<a INT NOT NULL> NOT NULL"), ("m", "BIGINT"))
