"""The branches of UNION ALL: a column belongs to the rows of its branch, and so does a filter."""

from __future__ import annotations

import pytest

from keepstate import JobVersion
from keepstate.report import Report, Verdict
from shared_analyses import check

TABLES = (
    "CREATE TABLE ev (k STRING, u STRING, kind STRING, v BIGINT, w BIGINT, ts TIMESTAMP(3), pt AS PROCTIME(),"
    " WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'ev', 'format' = 'json');\n"
    "CREATE TABLE price (u STRING, p BIGINT) WITH ('connector' = 'kafka', 'topic' = 'price', 'format' = 'json');\n"
)
IMPRESSION = "SELECT k, u, v AS shown, CAST(0 AS BIGINT) AS clicked, ts, pt FROM ev WHERE kind = 'impression'"
CLICK = "SELECT k, u, CAST(0 AS BIGINT), v, ts, pt FROM ev WHERE kind = 'click'"
WINDOWED = "TABLE(TUMBLE(TABLE b, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
READERS = {
    "group": "SELECT k, SUM({0}) FROM b GROUP BY k",
    "window": f"SELECT k, SUM({{0}}) FROM {WINDOWED} GROUP BY k, window_start, window_end",
    "key": "SELECT {0}, COUNT(*) FROM b GROUP BY {0}",
    "window-key": f"SELECT {{0}}, COUNT(*) FROM {WINDOWED} GROUP BY {{0}}, window_start, window_end",
    "distinct": "SELECT k, COUNT(DISTINCT {0}) FROM b GROUP BY k",
    "select-distinct": "SELECT DISTINCT {0} FROM b",
    "filter": "SELECT k, COUNT(*) FROM b WHERE {0} > 3 GROUP BY k",
    "aggregate-filter": "SELECT k, COUNT(*) FILTER (WHERE {0} > 3) FROM b GROUP BY k",
    "case": "SELECT k, SUM(CASE WHEN {0} > 3 THEN 1 ELSE 0 END) FROM b GROUP BY k",
    "join-key": "SELECT b.k, p.p FROM b JOIN price AS p ON b.{0} = p.p",
    "partition": "SELECT k FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY {0} ORDER BY u) AS n FROM b) WHERE n <= 2",
    "order": "SELECT k, n FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {0}) AS n FROM b) WHERE n <= 2",
    "dedup": "SELECT k, u FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {0} ORDER BY pt) AS n FROM b) WHERE n = 1",
    "over": "SELECT k, SUM({0}) OVER (PARTITION BY k ORDER BY ts) FROM b",
    "over-partition": "SELECT k, COUNT(*) OVER (PARTITION BY {0} ORDER BY ts) FROM b",
    "intersect": "SELECT {0} FROM b INTERSECT SELECT p FROM price",
    "semi-join": "SELECT k FROM b WHERE {0} IN (SELECT p FROM price)",
    "cascade": "SELECT s, COUNT(*) FROM (SELECT k, SUM({0}) AS s FROM b GROUP BY k) GROUP BY s",
    "statement-set": (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO s1 SELECT k, SUM({0}) FROM b GROUP BY k;"
        " INSERT INTO s2 SELECT u, COUNT(*) FROM b GROUP BY u; END"
    ),
}


def job(*branches: str, reader: str) -> JobVersion:
    return JobVersion(f"{TABLES}CREATE VIEW b AS {' UNION ALL '.join(branches)};\n{reader};")


def compared(current: JobVersion, baseline: JobVersion, engine: str) -> Report:
    report = check(current, baseline, engine)
    assert not report.problems
    return report


@pytest.mark.spec("WTVF-04", "GA-04")
@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_columns_of_two_branches_of_one_table_are_two(reader: str, engine: str) -> None:
    shown, clicked = (job(IMPRESSION, CLICK, reader=reader.format(column)) for column in ("shown", "clicked"))
    for baseline, current in ((shown, clicked), (clicked, shown)):
        report = compared(current, baseline, engine)
        assert report.verdict is Verdict.INCOMPATIBLE
        assert any("shown" in finding.current.text or "clicked" in finding.current.text for finding in report.findings)


@pytest.mark.spec("UA-01")
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_branches_that_change_places_as_a_whole_are_no_change(reader: str) -> None:
    click = CLICK.replace("CAST(0 AS BIGINT), v", "CAST(0 AS BIGINT) AS shown, v AS clicked")
    baseline, current = (
        job(*both, reader=reader.format("clicked")) for both in ((IMPRESSION, click), (click, IMPRESSION))
    )
    report = compared(current, baseline, "vvr")
    assert report.findings == () and report.unchanged


@pytest.mark.spec("WTVF-01", "GA-01")
@pytest.mark.parametrize("window", [False, True])
def test_an_aggregate_over_the_other_branch_is_added(window: bool) -> None:
    reader = READERS["window" if window else "group"].format("shown")
    baseline = job(IMPRESSION, CLICK, reader=reader)
    current = job(IMPRESSION, CLICK, reader=reader.replace("SUM(shown)", "SUM(shown), SUM(clicked)"))
    report = compared(current, baseline, "vvr")
    assert [(finding.rule, finding.current.text) for finding in report.findings] == [
        ("aggregate-added", "SUM(clicked)")
    ]


EDITS = {
    "filters exchanged": ({"'impression'": "'click'"}, {"'click'": "'impression'"}),
    "a condition moved to the other branch": ({" AND w > 2": ""}, {"'click'": "'click' AND w > 2"}),
    "a filter moved to a branch without one": (
        {"kind = 'impression' AND": ""},
        {"'click'": "'click' AND kind = 'impression'"},
    ),
}


@pytest.mark.spec("WH-01")
@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("reader", ["group", "window", "key", "order", "over", "join-key", "intersect"])
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_filter_belongs_to_its_branch(edit: tuple[dict[str, str], dict[str, str]], reader: str, engine: str) -> None:
    before = [f"{IMPRESSION} AND w > 2", CLICK]
    after = list(before)
    for position, replaced in enumerate(edit):
        for was, now in replaced.items():
            assert was in after[position]
            after[position] = after[position].replace(was, now)
    versions = [job(*branches, reader=READERS[reader].format("shown")) for branches in (before, after)]
    report = compared(versions[1], versions[0], engine)
    assert report.verdict is Verdict.INCOMPATIBLE
    assert report.findings


@pytest.mark.spec("UA-02")
@pytest.mark.parametrize(
    "third", [CLICK.replace("'click'", "'view'"), "SELECT u, u, p, p, NOW(), PROCTIME() FROM price"]
)
@pytest.mark.parametrize("reader", ["group", "key", "distinct", "order", "over"])
def test_a_branch_more_is_one_finding(reader: str, third: str) -> None:
    texts = [
        job(*branches, reader=READERS[reader].format("clicked"))
        for branches in ((IMPRESSION, CLICK), (IMPRESSION, CLICK, third))
    ]
    assert [finding.rule for finding in compared(texts[1], texts[0], "vvr").findings] == ["input-added"]
    assert [finding.rule for finding in compared(texts[0], texts[1], "vvr").findings] == ["input-removed"]


@pytest.mark.spec("WH-01")
def test_a_changed_filter_of_one_branch_is_one_finding() -> None:
    """The canonical order of the branches follows their filters; no column may seem to change with it."""
    for value in ("'a'", "'zzz'"):
        versions = [
            job(IMPRESSION, CLICK.replace("'click'", kind), reader=READERS["group"].format("clicked"))
            for kind in ("'click'", value)
        ]
        report = compared(versions[1], versions[0], "vvr")
        assert [(finding.rule, finding.current.text) for finding in report.findings] == [
            ("filter-changed", f"kind = {value}")
        ]


@pytest.mark.spec("WTVF-06", "GA-06")
@pytest.mark.parametrize("reader", ["group", "window"])
def test_branches_that_exchange_what_they_give_compute_the_inputs_differently(reader: str) -> None:
    text = READERS[reader].format("shown").replace("SUM(shown)", "SUM(shown), SUM(clicked)")
    exchanged = (
        IMPRESSION.replace("v AS shown, CAST(0 AS BIGINT) AS clicked", "CAST(0 AS BIGINT) AS shown, v AS clicked"),
        CLICK.replace("CAST(0 AS BIGINT), v", "v, CAST(0 AS BIGINT)"),
    )
    report = compared(job(*exchanged, reader=text), job(IMPRESSION, CLICK, reader=text), "vvr")
    assert report.verdict is Verdict.INCOMPATIBLE
    moved = compared(
        job(IMPRESSION, CLICK, reader=text.replace("SUM(shown), SUM(clicked)", "SUM(clicked), SUM(shown)")),
        job(IMPRESSION, CLICK, reader=text),
        "vvr",
    )
    assert moved.verdict is Verdict.COMPATIBLE


@pytest.mark.spec("STR-02", "STR-04")
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_column_that_nothing_reads_does_not_order_the_branches(reader: str) -> None:
    wider = [
        branch.replace("SELECT k,", f"SELECT '{name}' AS extra, k,")
        for name, branch in (("z", IMPRESSION), ("a", CLICK))
    ]
    baseline, current = (job(*branches, reader=reader.format("shown")) for branches in ((IMPRESSION, CLICK), wider))
    report = compared(current, baseline, "vvr")
    if "SELECT *" not in reader:
        assert report.findings == ()
        # What stands below a ranking is there whether anything reads it or not.
        assert report.unchanged or "ROW_NUMBER" in reader
