"""The fate of each state in a drawing: never better than the report, and at the operator that it is about."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check, draw_plan, draw_plans
from keepstate.plan_view.drawn_outcomes import DrawnOutcome, fates
from keepstate.report import Effect, Verdict

JOB = """\
CREATE TABLE o (k BIGINT, c STRING, v BIGINT) WITH ('connector' = 'kafka', 'topic' = 'o');
CREATE TABLE p (k BIGINT, w BIGINT) WITH ('connector' = 'kafka', 'topic' = 'p');
INSERT INTO best SELECT k, c, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS place
  FROM (SELECT o.k, o.c, SUM(o.v) AS n FROM o JOIN p ON o.k = p.k WHERE o.v > 1 GROUP BY o.k, o.c)
) WHERE place <= 3;
"""
COUNTS = "INSERT INTO counts SELECT c, COUNT(*), MAX(v) FROM o GROUP BY c;\n"


def fates_of(was: str, now: str, engine: str) -> dict[str, DrawnOutcome]:
    """By the title of the operator and the pipeline's name, where the job has several."""
    drawing = draw_plans(JobVersion(now), JobVersion(was), engine)
    found = fates(drawing)
    titles = {}
    for pipeline in drawing.pipelines:
        for node in pipeline.nodes():
            operator = node.current or node.baseline
            assert operator is not None
            assert (node.ids in found) is bool(operator.state)
            if node.ids in found:
                prefix = "" if len(drawing.pipelines) == 1 else f"{pipeline.name.split()[-1]} "
                titles[prefix + operator.title.text] = found[node.ids]
    return titles


STATES = ("Rank", "GroupAggregate", "Join")
EDITS = {
    "nothing": ("vvr", "", "", (DrawnOutcome.KEPT, DrawnOutcome.KEPT, DrawnOutcome.KEPT)),
    # The whole query is restored, or not at all.
    "a range": ("vvr", "<= 3", "<= 10", (DrawnOutcome.LOST, DrawnOutcome.LOST, DrawnOutcome.LOST)),
    "a range that Flink keeps": ("flink", "<= 3", "<= 10", (DrawnOutcome.KEPT, DrawnOutcome.KEPT, DrawnOutcome.KEPT)),
    # Operator by operator: what stands above gets wrong rows, what stands below goes on.
    "an aggregate": ("flink", "SUM(o.v)", "MAX(o.v)", (DrawnOutcome.WRONG, DrawnOutcome.WRONG, DrawnOutcome.KEPT)),
    "a join": ("flink", "JOIN p", "LEFT JOIN p", (DrawnOutcome.REFUSED, DrawnOutcome.REFUSED, DrawnOutcome.REFUSED)),
}


@pytest.mark.parametrize(("engine", "was", "now", "expected"), EDITS.values(), ids=EDITS.keys())
def test_fates_of_an_edit(engine: str, was: str, now: str, expected: tuple[DrawnOutcome, ...]) -> None:
    found = fates_of(JOB, JOB.replace(was, now) if was else JOB, engine)
    if engine == "flink" and set(found) != set(STATES):
        found = {title: fate for title, fate in found.items() if title in STATES}
    assert tuple(found[title] for title in STATES) == expected


def test_a_new_metric_and_what_comes_and_goes() -> None:
    more = COUNTS.replace("MAX(v)", "MAX(v), MIN(v)")
    assert fates_of(COUNTS, more, "vvr") == {"GroupAggregate": DrawnOutcome.PARTLY}
    assert fates_of(JOB + COUNTS, JOB, "vvr")["counts GroupAggregate"] is DrawnOutcome.DROPPED
    # Another query with state moves the ids of all, so nothing starts.
    assert set(fates_of(JOB, JOB + COUNTS, "flink").values()) == {DrawnOutcome.REFUSED}


def test_one_version_has_no_fates() -> None:
    assert fates(draw_plan(JobVersion(JOB))) == {}


CHANGES = (
    ("SUM(o.v)", "SUM(o.v + 1)"),
    ("GROUP BY o.k, o.c", "GROUP BY o.c, o.k"),
    ("WHERE o.v > 1", "WHERE o.v > 2"),
    ("WHERE o.v > 1 ", ""),
    ("JOIN p ON o.k = p.k", "LEFT JOIN p ON o.k = p.k"),
    ("PARTITION BY k", "PARTITION BY c"),
    ("<= 3", "<= 10"),
    ("v BIGINT", "v INT"),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("was", "now"), CHANGES)
def test_a_drawing_is_never_better_than_the_report(engine: str, was: str, now: str) -> None:
    current = JOB.replace(was, now)
    report = check(JobVersion(current), JobVersion(JOB), engine)
    found = set(fates_of(JOB, current, engine).values())
    if report.verdict in (Verdict.INCOMPATIBLE, Verdict.UNKNOWN):
        assert found - {DrawnOutcome.KEPT, DrawnOutcome.PARTLY}
    else:
        assert not found & {DrawnOutcome.LOST, DrawnOutcome.REFUSED, DrawnOutcome.WRONG, DrawnOutcome.UNKNOWN}
    if any(finding.effect is Effect.DOES_NOT_START for finding in report.findings):
        assert found <= {DrawnOutcome.REFUSED, DrawnOutcome.DROPPED}
