"""Constructs at the edge of what is analysed: never silence about a change, and what is unknown has a name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from keepstate import ENGINES, JobVersion, check

DECLARED = """
CREATE TABLE visits (page STRING, who STRING, secs INT, tags ARRAY<STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE pages (page STRING, title STRING, words INT) WITH ('connector' = 'kafka');
CREATE VIEW short AS SELECT page, secs FROM visits;
"""


@dataclass(frozen=True)
class Edit:
    """``was`` in ``text`` becomes ``now``; a finding at which ``named`` is said has the verdict, in both engines."""

    text: str
    was: str
    now: str
    verdict: str
    named: str


EDITS = (
    # functions that take whole tables
    Edit(
        "SELECT * FROM f(TABLE visits PARTITION BY page)",
        "BY page",
        "BY who",
        "unknown",
        "table function F over a table",
    ),
    Edit(
        "SELECT * FROM f(TABLE visits PARTITION BY page, n => 1)", "1", "2", "unknown", "table function F over a table"
    ),
    Edit("SELECT * FROM f(TABLE visits) AS t (a, b)", "f(", "g(", "unknown", "table function F over a table"),
    Edit(
        "SELECT * FROM f(i => (SELECT page FROM visits) PARTITION BY page)",
        "SELECT page",
        "SELECT who AS page",
        "unknown",
        "F",
    ),
    Edit(
        "SELECT * FROM f(TABLE short PARTITION BY page)", "short", "visits", "unknown", "table function F over a table"
    ),
    Edit("SELECT * FROM f(TABLE visits ORDER BY ts)", "BY ts", "BY secs", "unknown", "table function F over a table"),
    Edit(
        "SELECT v.page FROM visits AS v JOIN LATERAL f(TABLE pages) AS p (page) ON v.page = p.page",
        "v.page = p",
        "v.who = p",
        "unknown",
        "table function F over a table",
    ),
    Edit(
        "SELECT * FROM visits, LATERAL TABLE(VECTOR_SEARCH(TABLE pages, DESCRIPTOR(title), who, 3))",
        "3)",
        "4)",
        "unknown",
        "table function VECTOR_SEARCH over a table",
    ),
    Edit(
        "SELECT page, COUNT(*) FROM ML_PREDICT(TABLE visits, MODEL m, DESCRIPTOR(who)) GROUP BY page",
        "MODEL m",
        "MODEL n",
        "unknown or incompatible",
        "table function in front of the state",
    ),
    # UNNEST, and what joins it
    Edit(
        "SELECT page, COUNT(*) FROM visits CROSS JOIN UNNEST(tags) AS t (tag) GROUP BY page",
        "UNNEST(tags) AS t (tag)",
        "UNNEST(tags) WITH ORDINALITY AS t (tag, n)",
        "unknown or incompatible",
        "table function in front of the state",
    ),
    Edit(
        "SELECT page, COUNT(*) FROM visits JOIN UNNEST(tags) AS t (tag) ON tag = 'x' GROUP BY page",
        "tag = 'x'",
        "tag <> 'x'",
        "incompatible",
        "filter",
    ),
    Edit(
        "SELECT page, COUNT(*) FROM visits LEFT JOIN UNNEST(tags) AS t (tag) ON tag = 'x' GROUP BY page",
        "tag = 'x'",
        "tag <> 'x'",
        "unknown or incompatible",
        "table function in front of the state",
    ),
    # what Flink plans for no stream
    Edit(
        "SELECT page, COUNT(*) FROM visits TABLESAMPLE BERNOULLI (10) GROUP BY page",
        "10",
        "20",
        "unknown",
        "TABLESAMPLE",
    ),
    Edit(
        "SELECT page, COUNT(*) FROM visits FOR SYSTEM_TIME AS OF TIMESTAMP '2026-01-01 00:00:00' GROUP BY page",
        "2026-01",
        "2026-02",
        "unknown",
        "FOR SYSTEM_TIME",
    ),
    Edit("SELECT * FROM pages PIVOT (SUM(words) FOR page IN ('a', 'b'))", "SUM", "MAX", "unknown", "PIVOT"),
    Edit(
        "WITH RECURSIVE r (n) AS (SELECT secs FROM visits UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r",
        "n + 1",
        "n + 2",
        "unknown",
        "recursive query",
    ),
    Edit(
        "SELECT v.who FROM visits AS v JOIN pages AS p ON v.page = p.page AND v.secs = (SELECT MAX(words) FROM pages)",
        "SELECT MAX(words)",
        "SELECT MIN(words)",
        "unknown",
        "subquery in the condition of a join",
    ),
    # statements that are queries, and one that runs a file
    Edit(
        "REPLACE TABLE t WITH ('connector' = 'kafka') AS SELECT page, SUM(secs) AS s FROM visits GROUP BY page",
        "SUM",
        "MAX",
        "incompatible",
        "MAX(secs)",
    ),
    Edit(
        "ALTER MATERIALIZED TABLE t AS SELECT page, SUM(secs) AS s FROM visits GROUP BY page",
        "SUM",
        "MAX",
        "incompatible",
        "MAX(secs)",
    ),
    Edit("EXECUTE PLAN '/plans/a.json'", "a.json", "b.json", "unknown", "EXECUTE PLAN"),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.text[:50])
def test_a_change_is_reported_and_names_what_it_is_about(edit: Edit, engine: str) -> None:
    current = edit.text.replace(edit.was, edit.now)
    assert current != edit.text
    report = check(JobVersion(DECLARED + current), JobVersion(DECLARED + edit.text), engine)
    assert report.verdict.value in edit.verdict.split(" or ")
    words = [finding.change for finding in report.findings] + [refusal.message for refusal in report.refusals]
    assert any(edit.named in each for each in words)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.text[:50])
def test_the_same_construct_in_another_layout_is_no_change(edit: Edit, engine: str) -> None:
    laid_out = edit.text.replace(" FROM ", "\n/* here */ FROM ").replace(", ", ",\n  ")
    report = check(JobVersion(DECLARED + laid_out), JobVersion(DECLARED + edit.text), engine)
    # What Flink does not plan was not compared.
    expected = "unknown" if report.refusals else "compatible"
    assert (report.verdict.value, report.findings) == (expected, ())
    assert bool(report.refusals) == bool(report.baseline_refusals)


def test_equal_to_any_row_of_a_query_is_in_that_query() -> None:
    text = "SELECT who FROM visits WHERE secs = ANY (SELECT words FROM pages)"
    report = check(JobVersion(DECLARED + text.replace("= ANY", "IN")), JobVersion(DECLARED + text))
    assert (report.verdict.value, report.findings) == ("compatible", ())


def test_a_change_without_a_rule_is_named_by_its_kind() -> None:
    """The window fields of a changed key are computed below the aggregation, which no rule of such queries is about."""
    window = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
    text = (
        f"SELECT maker, COUNT(*) FROM (SELECT maker, window_start, window_end FROM {window})"
        " GROUP BY maker, window_start, window_end"
    )
    current = text.replace(
        "window_start, window_end FROM", "window_start + INTERVAL '1' DAY AS window_start, window_end FROM"
    )
    report = check(JobVersion(DECLARED + current), JobVersion(DECLARED + text), "flink")
    assert "window fields in GROUP BY changed" in {finding.change for finding in report.findings}
