"""Lists in the order of the text are canonical again after a rewrite of the plan: only the edit is reported."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check

WITH = "WITH ('connector' = 'kafka', 'topic' = 'rows', 'format' = 'json')"
COLUMNS = "(site STRING, metric STRING, shop STRING, reading DOUBLE)"
FIXED = f"CREATE TABLE middle {COLUMNS} {WITH};\n"
RANKED = (
    "SELECT site, reading FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY {order}) AS place "
    "FROM {rows}) WHERE place <= 3"
)
QUERIES = {
    "join": "SELECT a.site, middle.reading FROM {t} AS a "
    "JOIN middle ON a.site = middle.site AND a.reading < middle.reading",
    "ranked-join": RANKED.format(
        keys="a.site, UPPER(middle.shop)", order="a.reading", rows="{t} AS a JOIN middle ON a.site = middle.site"
    ),
    "union": "SELECT site, COUNT(*) FROM (SELECT site FROM {t} UNION ALL SELECT site FROM middle) GROUP BY site",
    "filtered-union": "SELECT site, COUNT(*) FROM (SELECT site, metric FROM {t} "
    "UNION ALL SELECT site, metric FROM middle) WHERE site <> metric GROUP BY site",
    "intersection": "SELECT site FROM {t} INTERSECT SELECT site FROM middle",
    "semi-join": "SELECT site FROM {t} AS a WHERE site IN (SELECT site FROM middle WHERE middle.metric = a.metric)",
    "over": "SELECT a.site, SUM(a.reading) OVER (PARTITION BY a.site, middle.shop ORDER BY PROCTIME()) "
    "FROM {t} AS a JOIN middle ON a.site = middle.site",
}


@pytest.mark.spec("SRC-08")
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize(("was", "now"), [("early", "zulu"), ("zulu", "early"), ("early", "first")])
def test_a_renamed_table_is_one_finding(query: str, was: str, now: str) -> None:
    baseline, current = (
        f"CREATE TABLE {name} {COLUMNS} {WITH};\n{FIXED}{query.format(t=name)};" for name in (was, now)
    )
    report = check(JobVersion(current), JobVersion(baseline))
    assert [finding.rule for finding in report.findings] == ["source-renamed"]


@pytest.mark.spec("UA-02")
@pytest.mark.parametrize("keys", ["site, UPPER(shop)", "UPPER(shop), metric, site", "site || shop, metric"])
def test_an_input_more_below_a_ranking_is_one_finding(keys: str) -> None:
    tables = FIXED + FIXED.replace("middle", "other")
    one = "SELECT site, metric, shop, reading FROM middle"
    both = f"{one} UNION ALL {one.replace('middle', 'other')}"
    versions = [
        JobVersion(tables + RANKED.format(keys=keys, order="reading", rows=f"({rows})")) for rows in (one, both)
    ]
    assert [finding.rule for finding in check(versions[1], versions[0]).findings] == ["input-added"]
    assert [finding.rule for finding in check(versions[0], versions[1]).findings] == ["input-removed"]


@pytest.mark.spec("UA-02")
@pytest.mark.parametrize(
    "rest",
    [
        "FROM ({rows}) WHERE site <> 'x' AND reading > 3 GROUP BY site",
        "FROM ({rows}), LATERAL TABLE(split(metric)) AS piece(word) WHERE site IN ('x', 'y') GROUP BY site",
    ],
)
def test_a_filter_above_a_union_is_not_reported_with_its_inputs(rest: str) -> None:
    tables = FIXED + FIXED.replace("middle", "other")
    one = "SELECT site, metric, reading FROM middle"
    both = f"{one} UNION ALL {one.replace('middle', 'other')}"
    versions = [JobVersion(f"{tables}SELECT site, COUNT(*) {rest.format(rows=rows)};") for rows in (one, both)]
    assert [finding.rule for finding in check(versions[1], versions[0]).findings] == ["input-added"]
    assert [finding.rule for finding in check(versions[0], versions[1]).findings] == ["input-removed"]


@pytest.mark.spec("WTVF-25")
def test_a_filter_above_a_union_is_not_reported_with_a_table_function() -> None:
    text = (
        f"CREATE TABLE middle (site STRING, reading INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) {WITH};\n"
        f"CREATE TABLE other (site STRING, reading INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) {WITH};\n"
        "CREATE VIEW v AS SELECT * FROM middle UNION ALL SELECT * FROM other;\n"
        "SELECT site, COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '1' HOUR)){function} "
        "WHERE site IN ('x', 'y') AND reading <> 7 GROUP BY site, window_start, window_end;"
    )
    with_function = text.format(function=", LATERAL TABLE(split(site)) AS piece(word)")
    report = check(JobVersion(with_function), JobVersion(text.format(function="")))
    assert [finding.rule for finding in report.findings] == ["table-function-on-window"]


@pytest.mark.spec("EQ-01")
@pytest.mark.parametrize("delay", ["INTERVAL '5' SECONDS", "INTERVAL '00:05' MINUTE TO SECOND"])
def test_a_watermark_is_compared_by_its_meaning(delay: str) -> None:
    job = (
        "CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - {0}) "
        f"{WITH};\nINSERT INTO s SELECT a FROM t ORDER BY ts;"
    )
    baseline = JobVersion(job.format("INTERVAL '5' SECOND"))
    assert check(JobVersion(job.format(delay)), baseline, "flink").unchanged
    assert not check(JobVersion(job.format("INTERVAL '6' SECOND")), baseline, "flink").unchanged
