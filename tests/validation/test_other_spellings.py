"""Programs in unusual spellings, each with the answer of Flink 2.3.0."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, Validity, check, validate
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE pings (id BIGINT, host STRING, delay BIGINT, share DOUBLE, spot ROW<x INT, y ROW<z STRING, w INT>>,
  at_time TIMESTAMP(3), seen AS PROCTIME(), WATERMARK FOR at_time AS at_time)
  WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE hosts (id BIGINT, owner STRING) WITH ('connector' = 'jdbc');
CREATE TABLE known (id BIGINT, owner STRING, since TIMESTAMP(3), WATERMARK FOR since AS since,
  PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE shares (share DECIMAL(10, 2)) WITH ('connector' = 'print');
"""
OVER = "PARTITION BY host ORDER BY at_time"
HOUR = f"{OVER} RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"
ONE_WINDOW = [
    (OVER, f"{OVER} ASC NULLS FIRST"),
    (OVER, "PARTITION /* of */ BY `host` -- one\nORDER BY pings . at_time"),
    (OVER, f"{OVER} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
    (OVER, "PARTITION BY host, host, 1 ORDER BY at_time, (at_time), 2"),
    (OVER, "PARTITION BY CAST(host AS STRING) ORDER BY at_time"),
    ("PARTITION BY host, id ORDER BY at_time", "PARTITION BY id, host ORDER BY at_time"),
    ("PARTITION BY UPPER(host) ORDER BY at_time", "PARTITION BY (upper ( host )) ORDER BY (at_time)"),
    ("PARTITION BY host IN ('a', 'b') ORDER BY at_time", "PARTITION BY host IN ('b', 'a') ORDER BY at_time"),
    ("PARTITION BY id BETWEEN 1 AND 2 ORDER BY at_time", "PARTITION BY id >= 1 AND id <= 2 ORDER BY at_time"),
    ("ORDER BY at_time", "PARTITION BY 1 ORDER BY at_time"),
    (f"{OVER} ROWS 3 PRECEDING", f"{OVER} ROWS 1 + 2 PRECEDING"),
    (HOUR, HOUR.replace("HOUR", "HOURS")),
    (HOUR, HOUR.replace("'1'", "'01'")),
    (HOUR, HOUR.replace("'1'", "1")),
    (HOUR, f"{OVER} RANGE INTERVAL '1' HOUR PRECEDING"),
]
"""Two spellings of a window that Flink computes as one."""
EQUALITIES = [
    "NOT (p.id <> o.id)",
    "NOT p.id <> o.id",
    "NOT (p.id <> o.id OR p.host <> o.owner)",
    "NOT (NOT (p.id = o.id))",
    "p.id IN (o.id)",
    "(p.id = o.id) IS TRUE",
    "(p.id <> o.id) IS FALSE",
    "(p.id = o.id) = TRUE",
    "(p.id <> o.id) = FALSE",
    "(p.id = o.id) <> FALSE",
    "CASE WHEN p.id = o.id THEN TRUE ELSE FALSE END",
    "CAST((p.id = o.id) AS BOOLEAN)",
    "(p.id = o.id AND p.host = 'a') OR (p.id = o.id AND p.host = 'b')",
    "p.id = o.id OR FALSE",
    "(p.id, p.host) = (o.id, o.owner)",
    "ROW(p.id, p.host) = ROW(o.id, o.owner)",
    "(p.id, p.host) IN ((o.id, o.owner))",
]
"""Conditions that Flink's planner simplifies to an equality with the key ``id``."""
NULL_SAFE = ["p.id IS NOT DISTINCT FROM o.id", "NOT (p.id IS DISTINCT FROM o.id)"]
"""Equalities for a versioned table alone."""
ACCEPTED = [
    "SELECT z FROM pings",
    "SELECT w + 1 FROM pings",
    "SELECT pings.w FROM pings",
    "SELECT spot.z FROM pings",
    "SELECT a.x FROM pings AS a, hosts AS b",
    "SELECT host, FIRST_VALUE(spot).x FROM pings GROUP BY host",
    "INSERT INTO shares SELECT share FROM pings",
    "SELECT p.host FROM pings AS p, hosts FOR SYSTEM_TIME AS OF p.seen AS h WHERE p.id = h.id",
    f"SELECT SUM(delay) OVER ({OVER}), COUNT(*) OVER (PARTITION BY p.host ORDER BY p.at_time) FROM pings AS p",
    f"SELECT SUM(delay) OVER ({OVER}), COUNT(*) OVER ({OVER} RANGE UNBOUNDED PRECEDING) FROM pings",
    f"SELECT SUM(delay) OVER ({OVER} ROWS 5 PRECEDING), "
    f"COUNT(*) OVER ({OVER} ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM pings",
    "SELECT p.id FROM pings AS p ORDER BY p.at_time",
    *(f"SELECT SUM(delay) OVER ({one}), COUNT(*) OVER ({other}) FROM pings" for one, other in ONE_WINDOW),
    "SELECT SUM(delay) OVER w, COUNT(*) OVER v FROM pings WINDOW w AS (ORDER BY at_time), v AS (w RANGE UNBOUNDED "
    "PRECEDING)",
    f"SELECT ROW_NUMBER() OVER ({OVER}) AS n, SUM(delay) OVER ({OVER} ROWS UNBOUNDED PRECEDING) AS s FROM pings",
    f"SELECT RANK() OVER ({OVER}) AS n, SUM(delay) OVER ({OVER}) AS s FROM pings",
    *(f"SELECT p.host FROM pings AS p JOIN hosts FOR SYSTEM_TIME AS OF p.seen AS o ON {on}" for on in EQUALITIES),
    *(f"SELECT p.host FROM pings AS p LEFT JOIN known FOR SYSTEM_TIME AS OF p.at_time AS o ON {on}"
      for on in (*EQUALITIES, *NULL_SAFE)),
]  # fmt: skip
TWO_WINDOWS = [
    (OVER, f"{OVER} NULLS LAST"),
    (OVER, f"{OVER} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
    (OVER, HOUR),
    (OVER, "ORDER BY at_time"),
    (OVER, "PARTITION BY host, id ORDER BY at_time"),
    (OVER, "PARTITION BY host ORDER BY seen"),
    (HOUR, HOUR.replace("'1'", "'2'")),
    (HOUR, HOUR.replace("'1' HOUR", "'60' MINUTE")),
    (HOUR, HOUR.replace("HOUR", "HOUR(1)")),
    (f"{OVER} ROWS 3 PRECEDING", f"{OVER} ROWS 4 PRECEDING"),
    ("PARTITION BY host = 'a' ORDER BY at_time", "PARTITION BY host = 'A' ORDER BY at_time"),
    ("PARTITION BY id + 1 ORDER BY at_time", "PARTITION BY id + 2 ORDER BY at_time"),
]
NO_EQUALITIES = [
    "p.id <> o.id",
    "NOT (p.id = o.id)",
    "NOT (p.id < o.id OR p.id > o.id)",
    "p.id >= o.id AND p.id <= o.id",
    "p.id BETWEEN o.id AND o.id",
    "p.id = o.id OR p.host = o.owner",
    "(p.id = o.id) IS NOT FALSE",
    "(p.id <> o.id) IS NOT TRUE",
    "(p.id = o.id) IS NOT TRUE",
    "NOT ((p.id = o.id) IS FALSE)",
]
REFUSED = [
    ("SELECT q FROM pings", "unknown-column"),
    ("SELECT pings.q FROM pings", "unknown-column"),
    ("SELECT host, spot.x FROM pings GROUP BY host", "not-grouped"),
    (
        f"SELECT SUM(delay) OVER ({OVER}), COUNT(*) OVER (PARTITION BY id ORDER BY at_time) FROM pings",
        "over-windows",
    ),
    *(
        (f"SELECT SUM(delay) OVER ({one}), COUNT(*) OVER ({other}) FROM pings", "over-windows")
        for one, other in TWO_WINDOWS
    ),
    (f"SELECT ROW_NUMBER() OVER ({OVER}) AS n, SUM(delay) OVER ({OVER}) AS s FROM pings", "over-windows"),
    ("SELECT SUM(delay) OVER (ORDER BY at_time, id) FROM pings", "over-order"),
    *(
        (f"SELECT p.host FROM pings AS p JOIN hosts FOR SYSTEM_TIME AS OF p.seen AS o ON {on}", "temporal-key")
        for on in (*NO_EQUALITIES, *NULL_SAFE)
    ),
    *(
        (f"SELECT p.host FROM pings AS p JOIN known FOR SYSTEM_TIME AS OF p.at_time AS o ON {on}", "temporal-key")
        for on in NO_EQUALITIES
    ),
    ("SELECT p.id FROM pings AS p ORDER BY p.id", "sort"),
    ("SELECT id FROM pings ORDER BY id + 1", "sort"),
    ("SELECT id FROM pings ORDER BY at_time + INTERVAL '1' SECOND", "sort"),
    ("SELECT id FROM pings ORDER BY UPPER(host)", "sort"),
    ("SELECT host, COUNT(*) FROM pings GROUP BY host ORDER BY COUNT(*)", "sort"),
    (
        "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE pings, DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR)) "
        "GROUP BY window_start, window_end",
        "window-arguments",
    ),
]


def answer(query: str) -> Validity:
    return validate(JobVersion(TABLES + query))


@pytest.mark.parametrize("query", ACCEPTED)
def test_flink_takes_it(query: str) -> None:
    assert answer(query).problems == ()


@pytest.mark.parametrize(("query", "rule"), REFUSED)
def test_flink_refuses_it(query: str, rule: str) -> None:
    assert [problem.rule for problem in answer(query).problems] == [rule]


JOB = f"""{TABLES}
CREATE TABLE slow (id BIGINT, n BIGINT) WITH ('connector' = 'print');
CREATE TEMPORARY VIEW late AS SELECT id, delay FROM pings WHERE delay BETWEEN 1 AND 2 AND id IS NOT NULL;
INSERT INTO slow SELECT id, SUM(delay) FROM late GROUP BY id;
"""
WHERE = "WHERE delay BETWEEN 1 AND 2 AND id IS NOT NULL"


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (WHERE, "WHERE id > 2 A"),
        (WHERE, "WHERE id > 2 OR delay = "),
        ("SELECT id, delay FROM", "SELECT id FROM"),
        ("SELECT id, delay FROM", "SELECT id, delay AS waited FROM"),
    ],
)
def test_an_edited_view_that_is_refused_or_breaks_its_reader_invents_nothing(engine: str, old: str, new: str) -> None:
    report = check(JobVersion(JOB.replace(old, new)), JobVersion(JOB), engine)
    assert not report.is_valid and len(report.refusals) == 1
    assert report.findings == ()
    assert [pipeline.verdict for pipeline in report.pipelines] == [Verdict.UNKNOWN]


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_a_refused_statement_of_a_clear_meaning_is_not_compatible(engine: str) -> None:
    report = check(JobVersion(JOB.replace("SUM(delay)", "SUM(delay) AS `count`")), JobVersion(JOB), engine)
    assert report.is_valid
    report = check(JobVersion(JOB.replace("SUM(delay)", "SUM(delay) AS count")), JobVersion(JOB), engine)
    assert [pipeline.verdict for pipeline in report.pipelines] == [Verdict.UNKNOWN]
