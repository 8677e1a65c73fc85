"""One edit, one finding: edits that once had two findings, none, a wrong place or a wrong verdict."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from keepstate import JobVersion, check, with_revert
from keepstate.report import Verdict

WINDOW = "TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bid_time), INTERVAL '10' MINUTE))"
KEYS = "GROUP BY channel, window_start, window_end"
RANKED = """
SELECT page, hits FROM (
  SELECT page, region, window_start, window_end, hits,
    ROW_NUMBER() OVER (PARTITION BY window_start, window_end, region ORDER BY hits DESC) AS rn
  FROM (
    SELECT page, region, window_start, window_end, COUNT(*) AS hits
    FROM TABLE(HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
    GROUP BY page, region, window_start, window_end
  )
) WHERE rn <= 10"""
ONE_SELECT = """
SELECT page, hits FROM (
  SELECT page, region, window_start, window_end, COUNT(*) AS hits,
    ROW_NUMBER() OVER (PARTITION BY window_start, window_end, region ORDER BY COUNT(*) DESC) AS rn
  FROM TABLE(HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
  GROUP BY page, region, window_start, window_end
) WHERE rn <= 10"""
RAW_RANKED = """
CREATE TABLE plays (country STRING, track STRING, dur INT, played_at TIMESTAMP(3),
  WATERMARK FOR played_at AS played_at) WITH ('connector' = 'kafka');
SELECT country, track, dur, rk FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, country ORDER BY dur DESC) AS rk
  FROM TABLE(TUMBLE(TABLE plays, DESCRIPTOR(played_at), INTERVAL '1' HOUR))
) WHERE rk <= 3"""
UNION = """
CREATE TEMPORARY VIEW u AS SELECT k, v, ts FROM a UNION ALL SELECT k, v, ts FROM b;
SELECT k, window_start, SUM(v) FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY k, window_start, window_end"""
SHARED_VIEW = """
CREATE TEMPORARY VIEW w AS SELECT k, s, v, window_start, window_end
FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '1' MINUTE));
INSERT INTO s1 SELECT k, SUM(v) FROM w GROUP BY k, window_start, window_end;
INSERT INTO s2 SELECT s, MAX(v) FROM w GROUP BY s, window_start, window_end;"""


@dataclass(frozen=True)
class Edit:
    """``baseline`` with ``what`` replaced by ``by``; the findings as (rule, verdict, text in the current version)."""

    name: str
    baseline: str
    what: str
    by: str
    verdict: str
    findings: tuple[tuple[str, str, str], ...] = ()

    @property
    def current(self) -> str:
        assert self.what in self.baseline, self.name
        return self.baseline.replace(self.what, self.by)


EDITS = (
    Edit(
        "window_time joins the group keys",
        f"SELECT channel, SUM(price) s FROM {WINDOW} {KEYS}",
        KEYS,
        f"{KEYS}, window_time",
        "compatible",
    ),
    Edit(
        "DISTINCT put into a call",
        f"SELECT SUM(price) s, COUNT(bidder) c FROM {WINDOW} {KEYS}",
        "COUNT(bidder)",
        "COUNT(DISTINCT bidder)",
        "incompatible",
        (("distinct-aggregate-changed", "incompatible", "COUNT(DISTINCT bidder)"),),
    ),
    Edit(
        "DISTINCT taken out of a call",
        f"SELECT SUM(price) s, COUNT(DISTINCT bidder) c FROM {WINDOW} {KEYS}",
        "COUNT(DISTINCT bidder)",
        "COUNT(bidder)",
        "incompatible",
        (("distinct-aggregate-changed", "incompatible", "COUNT(bidder)"),),
    ),
    Edit(
        "every aggregate replaced under other names",
        f"SELECT SUM(price) s, COUNT(*) c FROM {WINDOW} {KEYS}",
        "SUM(price) s, COUNT(*) c",
        "MIN(price) x, MAX(price) y",
        "incompatible",
        (
            ("all-aggregates-replaced", "incompatible", "MIN(price)"),
            ("all-aggregates-replaced", "incompatible", "MAX(price)"),
        ),
    ),
    Edit(
        "the unit of a difference of times",
        f"SELECT COUNT(*) c, MAX((bid_time - made_at) DAY) age FROM {WINDOW} {KEYS}",
        "(bid_time - made_at) DAY",
        "(bid_time - made_at) MONTH",
        "partial",
        (("aggregate-changed", "partial", "MAX((bid_time - made_at) MONTH)"),),
    ),
    Edit(
        "the unit of a difference of times in the plural",
        f"SELECT COUNT(*) c, MAX((bid_time - made_at) DAY TO SECOND(3)) age FROM {WINDOW} {KEYS}",
        "(bid_time - made_at) DAY",
        "((bid_time - made_at)) days",
        "compatible",
    ),
    Edit("ranking in the query of the aggregation", RANKED, RANKED, ONE_SELECT, "compatible"),
    Edit(
        "N of a ranking in the query of the aggregation",
        ONE_SELECT,
        "rn <= 10",
        "rn <= 5",
        "incompatible",
        (("rank-range-changed", "incompatible", "rn <= 5"),),
    ),
    Edit("rank bound with a cast", RANKED, "rn <= 10", "rn <= CAST(10 AS BIGINT)", "compatible"),
    Edit(
        "group keys swapped below a ranking",
        RANKED,
        "GROUP BY page, region",
        "GROUP BY region, page",
        "incompatible",
        (("group-keys-reordered", "incompatible", "GROUP BY region, page, window_start, window_end"),),
    ),
    Edit(
        "other columns of a ranking over plain rows", RAW_RANKED, "country, track, dur, rk", "dur, track", "compatible"
    ),
    Edit(
        "window size as a product",
        "SELECT SUM(a) FROM t GROUP BY k, TUMBLE(et, INTERVAL '5' MINUTE)",
        "INTERVAL '5' MINUTE",
        "INTERVAL '1' MINUTE * 5",
        "compatible",
    ),
    Edit(
        "an input more in a union below the window",
        UNION,
        "FROM b",
        "FROM b UNION ALL SELECT k, v, ts FROM c",
        "incompatible",
        (("input-added", "incompatible", "SELECT k, v, ts FROM c"),),
    ),
    Edit(
        "window size in a view that two queries read",
        SHARED_VIEW,
        "INTERVAL '1' MINUTE",
        "INTERVAL '2' MINUTE",
        "incompatible",
        (("window-size-changed", "incompatible", "INTERVAL '2' MINUTE"),),
    ),
    Edit(
        "a column named like a unit of time",
        f"SELECT SUM(seconds) s, COUNT(*) c FROM {WINDOW} {KEYS}",
        "SUM(seconds)",
        "SUM(minutes)",
        "partial",
        (("aggregate-changed", "partial", "SUM(minutes)"),),
    ),
    Edit(
        "kept filter on a window field under a changed ranking",
        RANKED.replace("    GROUP BY", "    WHERE window_start > TIMESTAMP '2026-01-01 00:00:00'\n    GROUP BY"),
        "rn <= 10",
        "rn <= 5",
        "incompatible",
        (
            ("window-field-filtered", "unknown", "window_start > TIMESTAMP '2026-01-01 00:00:00'"),
            ("rank-range-changed", "incompatible", "rn <= 5"),
        ),
    ),
    Edit(
        "catalog switched",
        f"USE CATALOG x; SELECT SUM(price) s FROM {WINDOW} {KEYS}",
        "USE CATALOG x",
        "USE CATALOG y",
        "unknown",
        (("surroundings-changed", "unknown", "USE CATALOG y"),),
    ),
    Edit(
        "template as a size",
        f"SELECT SUM(price) s FROM {WINDOW} {KEYS}",
        "INTERVAL '10' MINUTE",
        "INTERVAL '${size}' MINUTE",
        "unknown",
        (("window-size-changed", "unknown", "INTERVAL '${size}' MINUTE"),),
    ),
)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_edit(edit: Edit) -> None:
    report = check(JobVersion(edit.current), JobVersion(edit.baseline))
    found = tuple((finding.rule, finding.verdict.value, finding.current.text) for finding in report.findings)
    assert found == edit.findings
    assert report.verdict.value == edit.verdict


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_reverting_what_the_report_names_is_compatible(edit: Edit) -> None:
    versions = JobVersion(edit.current), JobVersion(edit.baseline)
    report = with_revert(*versions, check(*versions))
    assert (report.verdict is Verdict.COMPATIBLE) == (report.revert_to_be_compatible == ())
    assert set(report.revert_to_be_compatible) <= set(range(len(report.findings)))


def test_engine_builds_of_one_flink_version_are_one() -> None:
    text = f"SELECT SUM(price) s FROM {WINDOW} {KEYS}"
    older = JobVersion(text, engine_version="vvr-8.0.10-flink-1.17")
    assert check(JobVersion(text, engine_version="vvr-8.0.11-flink-1.17"), older).verdict is Verdict.COMPATIBLE
    assert check(JobVersion(text, engine_version="vvr-11.1-flink-1.20"), older).verdict is Verdict.UNKNOWN


def test_a_name_declared_twice_means_the_declaration_before_the_query() -> None:
    query = f"INSERT INTO one SELECT channel, SUM(price) FROM {WINDOW} {KEYS};".replace("TABLE bids", "TABLE v")
    tail = "\nDROP VIEW v;\nCREATE VIEW v AS SELECT * FROM others;\nINSERT INTO two SELECT channel FROM v;"
    baseline = f"CREATE VIEW v AS SELECT * FROM bids;\n{query}{tail}"
    current = baseline.replace("SELECT * FROM bids", "SELECT channel, price + 1 AS price, bid_time FROM bids")
    report = check(JobVersion(current), JobVersion(baseline))
    assert [finding.current.text for finding in report.findings] == ["price + 1 AS price"]
    assert report.findings[0].pipeline == "INSERT INTO one"


@pytest.mark.parametrize("broken_side", ["baseline", "current"])
@pytest.mark.parametrize(
    ("clause", "rules"),
    [("WHERE (( ", set()), ("WHERE {{ a }} (( ", {"statement-not-read"})],
    ids=["refused", "unread"],
)
def test_a_query_that_cannot_be_read_has_neither_come_nor_gone(clause: str, rules: set[str], broken_side: str) -> None:
    fine = f"INSERT INTO s SELECT channel, SUM(price) FROM {WINDOW} {KEYS};\nINSERT INTO t SELECT * FROM bids;"
    broken = fine.replace("GROUP BY", f"{clause}GROUP BY")
    sides = {"baseline": fine, "current": fine, broken_side: broken}
    report = check(JobVersion(sides["current"]), JobVersion(sides["baseline"]))
    assert report.verdict is Verdict.UNKNOWN
    assert {finding.rule for finding in report.findings} == rules


def test_words_in_another_case_are_no_edit() -> None:
    """The edit is where a person edited, also when the whole script was put into lower case on the way."""
    baseline = """CREATE TABLE b (Id BIGINT, Ts TIMESTAMP(3), WATERMARK FOR Ts AS Ts) WITH ('connector' = 'x');
    SELECT Id FROM b ORDER BY Ts, Id DESC"""
    current = """create table b (Id bigint, Ts timestamp(3), watermark for Ts as Ts) with ('connector' = 'x');
    select Id from b order by Ts, Id"""
    report = check(JobVersion(current), JobVersion(baseline))
    assert [current[finding.current.span.start :] for finding in report.findings] == ["Id"]
