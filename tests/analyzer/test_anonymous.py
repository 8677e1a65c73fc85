"""Texts with names and words replaced: what is left of the names, and what the analyzer sees."""

from __future__ import annotations

import re

import pytest

import keepstate
from keepstate import JobVersion
from measured import MeasuredPair, given_pairs, own_pairs
from night import by_night
from shared_analyses import check


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("SELECT price FROM orders", "SELECT c1 FROM t1"),
        ("SELECT o.`the price` FROM `shop`.orders AS o", "SELECT r1.`c1` FROM `n1`.t1 AS r1"),
        ("SELECT a, window_start FROM default_catalog.db.t", "SELECT c1, window_start FROM default_catalog.n1.t1"),
        ("SELECT my_udf(a), SUM(a) FROM t", "SELECT f1(c1), SUM(c1) FROM t1"),
        (
            "SELECT TUMBLE_START(ts, INTERVAL '10' MINUTE) FROM t",
            "SELECT TUMBLE_START(c1, INTERVAL '10' MINUTE) FROM t1",
        ),
        (
            "SELECT a FROM t WHERE b = 'Ann Lee' OR b LIKE 'Ann%'",
            "SELECT c1 FROM t1 WHERE c2 = 's01 s02' OR c2 LIKE 's01%'",
        ),
        (
            "SELECT DATE_FORMAT(ts, 'yyyy-MM-dd'), DATE '2026-01-02'",
            "SELECT DATE_FORMAT(c1, 'yyyy-MM-dd'), DATE '2026-01-02'",
        ),
        ("SELECT JSON_VALUE(j, '$.user.name') FROM t", "SELECT JSON_VALUE(c1, '$.s001.s002') FROM t1"),
        ("SELECT a -- salary of Ann\nFROM t /* secret */", "SELECT c1 \nFROM t1  "),
        ("SELECT a FROM t -- last", "SELECT c1 FROM t1 "),
        (
            "CREATE TABLE t (pay INT) WITH ('connector' = 'kafka', 'topic' = 'acme-pay', 'format' = 'json')",
            "CREATE TABLE t1 (c1 INT) WITH ('connector' = 'kafka', 'topic' = 's001-s02', 'format' = 'json')",
        ),
        (
            "CREATE TABLE t (pay INT) WITH ('connector' = 'datagen', 'fields.pay.min' = '1', 'fields.pay.x' = 'rand')",
            "CREATE TABLE t1 (c1 INT) WITH ('connector' = 'datagen', 'fields.c1.min' = '1', 'fields.c1.x' = 's001')",
        ),
        (
            "SELECT /*+ STATE_TTL('orders' = '6h') */ a FROM orders JOIN items ON a = b",
            "SELECT /*+ STATE_TTL('t1' = '6h') */ c1 FROM t1 JOIN t2 ON c1 = c2",
        ),
        ("SET 'table.exec.state.ttl' = '36 h'", None),
        ("SET 'pipeline.name' = 'payroll of acme'", "SET 'pipeline.name' = 's000001 s2 s003'"),
        ("SET 'table.local-time-zone' = 'Asia/Shanghai'", None),
        ("SET 'state.checkpoints.dir' = 's3://acme/x'", "SET 'state.checkpoints.dir' = 's1://s002/x'"),
        (
            "INSERT INTO s SELECT a FROM t ON CONFLICT DO DEDUPLICATE",
            "INSERT INTO t1 SELECT c1 FROM t2 ON CONFLICT DO DEDUPLICATE",
        ),
        ("SELECT a FROM ${schema}.t", "SELECT c1 FROM ${p1}.c2"),
        ("", ""),
        ("SELECT 'unfinished FROM t", None),
    ],
)
def test_a_text(text: str, other: str | None) -> None:
    assert keepstate.anonymous([text]) == (text if other is None else other,)


def test_equal_names_are_equal_in_all_texts() -> None:
    was, now = keepstate.anonymous(["SELECT k, SUM(a) FROM t GROUP BY k", "SELECT k, SUM(b), 'kk' FROM t GROUP BY k"])
    assert (was, now) == ("SELECT c1, SUM(c2) FROM t1 GROUP BY c1", "SELECT c1, SUM(c3), 's1' FROM t1 GROUP BY c1")


PAIRS = (*given_pairs("pairs"), *given_pairs("pairs-2"), *own_pairs())


def findings(pair: MeasuredPair, current: str, baseline: str) -> object:
    parameters = dict(pair.setting.parameters)
    report = check(JobVersion(current, parameters), JobVersion(baseline, parameters), "flink")
    return report.effect, [finding.rule for finding in report.findings]


@pytest.mark.parametrize("chosen", range(8))
def test_the_analyzer_sees_the_same(chosen: int) -> None:
    """Other names change no finding, but for a name that a version of Flink reserves."""
    others = []
    for pair in PAIRS[chosen :: by_night(8, 24)]:
        was, now = keepstate.anonymous([pair.baseline, pair.current])
        if findings(pair, now, was) != findings(pair, pair.current, pair.baseline):
            others.append(pair.id)
    assert set(others) <= {"reserved_word/source_column_user_added"}


def test_no_name_of_a_job_is_left() -> None:
    text = JOB
    (other,) = keepstate.anonymous([text])
    secret = re.compile(r"acme|salar|payroll|ann|lee|employee|dept|vault|hq", re.IGNORECASE)
    assert secret.findall(other) == []
    assert secret.findall(text)


JOB = """-- payroll of Acme
SET 'table.exec.state.ttl' = '1 d';
CREATE CATALOG vault WITH ('type' = 'paimon', 'warehouse' = 's3://acme-vault/x');
CREATE TABLE vault.hq.salaries (
  employee ROW<ann STRING, lee MAP<STRING, INT>> COMMENT 'as Ann has it', dept STRING, `salary in acme` DECIMAL(10, 2),
  ts TIMESTAMP(3) METADATA FROM 'acme-time', proc AS PROCTIME(), PRIMARY KEY (dept) NOT ENFORCED,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) COMMENT 'payroll' PARTITIONED BY (dept) WITH (
  'connector' = 'kafka', 'topic' = 'acme.payroll', 'properties.bootstrap.servers' = 'hq.acme.com:9092',
  'properties.sasl.jaas.config' = 'password="lee"');
CREATE TEMPORARY FUNCTION acme_tax AS 'com.acme.Tax' LANGUAGE JAVA;
CREATE VIEW payroll AS SELECT dept, employee.ann AS ann, acme_tax(`salary in acme`) AS tax FROM vault.hq.salaries
WHERE dept IN ('hq', 'acme') AND employee.lee['ann'] > 1;
INSERT INTO payroll_sink (dept, tax) SELECT p.dept, SUM(p.tax) FILTER (WHERE p.ann <> 'Lee') FROM payroll AS p
GROUP BY p.dept HAVING SUM(p.tax) > 3;
"""
