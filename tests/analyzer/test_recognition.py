"""Texts that show Flink SQL, and those of other dialects, which are left alone."""

from __future__ import annotations

import pytest

from keepstate import looks_like_flink

FLINK = {
    "options of a catalog's table": "CREATE TABLE t (a INT) WITH ('changelog.mode' = 'append')",
    "options of an own connector": "CREATE TABLE t (a INT) WITH (\n  'Connector.type'='kafka')",
    "a catalog": "CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = 'w')",
    "CREATE TABLE AS": "CREATE TABLE t WITH ('value.format' = 'avro') AS SELECT a FROM u",
    "rows of a type": "CREATE VIEW v AS SELECT CAST(a AS ROW<b STRING, c INT>) FROM t",
    "a column of rows": "CREATE TABLE t (a ROW<`b` STRING>)",
    "buckets": "CREATE TABLE t (a INT) DISTRIBUTED BY (a) INTO 4 BUCKETS",
    "buckets by hash": "CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a, b)\nINTO 4 BUCKETS",
    "buckets alone": "CREATE TABLE t (a INT) DISTRIBUTED INTO 4 BUCKETS",
    "a key": "CREATE TABLE t (a INT, PRIMARY KEY (a) NOT ENFORCED)",
    "a comment in the options": "CREATE TABLE t (a INT) WITH ( -- where it is\n 'path' = 'p')",
}
OTHERS = {
    "ClickHouse": "CREATE TABLE t (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 1",
    "Kafka engine of ClickHouse": "CREATE TABLE t (a Int32) ENGINE = Kafka SETTINGS kafka_broker_list = 'b:9092'",
    "StarRocks": "CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) BUCKETS 3 PROPERTIES ('replication_num' = '1')",
    "StarRocks with rows": "CREATE TABLE t (a STRUCT<b INT>) DISTRIBUTED BY RANDOM BUCKETS 3",
    "Hive": "CREATE TABLE t (a INT) CLUSTERED BY (a) INTO 4 BUCKETS TBLPROPERTIES ('transactional' = 'true')",
    "a serializer of Hive": "CREATE TABLE t (a INT) ROW FORMAT SERDE 's' WITH SERDEPROPERTIES ('separatorChar' = ',')",
    "Spark": "CREATE TABLE t USING kafka OPTIONS ('subscribe' = 'a')",
    "Trino": "CREATE TABLE t (a ROW(b INTEGER)) WITH (format = 'ORC', partitioned_by = ARRAY['a'])",
    "RisingWave": "CREATE SOURCE t (a INT) WITH (connector = 'kafka', topic = 'a') FORMAT PLAIN ENCODE JSON",
    "RisingWave with a watermark": "CREATE SOURCE s (a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - "
    "INTERVAL '5 SECOND') WITH (connector = 'kafka', topic = 't') FORMAT PLAIN ENCODE JSON; "
    "CREATE MATERIALIZED VIEW m AS SELECT a, COUNT(*) FROM s GROUP BY a",
    "RisingWave with tables": "CREATE TABLE s (a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) APPEND ONLY WITH "
    "(connector = 'kafka') FORMAT PLAIN ENCODE JSON",
    "RisingWave with a closing window": "CREATE SINK k AS SELECT window_start, COUNT(*) FROM TUMBLE(s, ts, INTERVAL "
    "'1 MINUTE') GROUP BY window_start EMIT ON WINDOW CLOSE",
    "ksqlDB": "CREATE STREAM t (a INT) WITH (KAFKA_TOPIC = 'a', VALUE_FORMAT = 'JSON')",
    "PostgreSQL": "CREATE TABLE t (a INT PRIMARY KEY) WITH (fillfactor = 70)",
    "a loop of PL/SQL": "CURSOR c IS SELECT * FROM t; r c%ROWTYPE; IF r.a < 1 THEN NULL; END IF",
    "a comparison of rows": "SELECT ROW < b FROM t",
    "BigQuery": "CREATE TABLE t (a STRUCT<b INT64>) OPTIONS (description = 'x')",
    "LIKE": "CREATE TABLE t LIKE u",
    "a comment": "SELECT a -- WITH ('connector' = 'kafka')\nFROM t",
    "a WITH clause": "WITH ('a') AS (SELECT 1) SELECT 2",
}


@pytest.mark.parametrize("text", FLINK.values(), ids=FLINK)
def test_flink_is_recognised(text: str) -> None:
    assert looks_like_flink(text) and looks_like_flink(text.lower())


def test_flink_beside_a_statement_of_another_dialect_is_recognised() -> None:
    table = "CREATE TABLE t (a INT) WITH ('connector' = 'kafka');"
    assert looks_like_flink(f"{table} CREATE MATERIALIZED VIEW v AS SELECT a FROM t")


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_dialects_are_left_alone(text: str) -> None:
    assert not looks_like_flink(text) and not looks_like_flink(text.lower())
