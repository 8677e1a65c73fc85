"""Two edits, of one pipeline or of two: section 17 of the specification."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from budgets import combinations as budget
from catalogue_of_edits import EDITS
from edits import Edit, said_of, said_of_pipelines
from generated_jobs import Insert, Job, Sink
from kinds import QUERIES, checked, job_of, story
from pending import PENDING_COMBINATIONS
from spelling import PLAIN, Chance

KINDS = sorted({edit.kind for edit in EDITS})
COMBINABLE = {
    kind: [edit for edit in EDITS if edit.kind == kind and edit.part not in ("surroundings", "engine", "settings")]
    for kind in KINDS
}
CASES = [
    pytest.param(kind, marks=[pytest.mark.xfail(strict=True)] if kind in PENDING_COMBINATIONS else [])
    for kind in KINDS
    if len({edit.part for edit in COMBINABLE[kind]}) > 1
]


@pytest.mark.parametrize("kind", CASES)
@budget
@given(source=st.randoms(use_true_random=False))
def test_two_edits_of_one_query(kind: str, source: random.Random) -> None:
    chance = Chance(source)
    edits = COMBINABLE[kind]
    first = chance.pick(*edits)
    second = chance.pick(*(edit for edit in edits if _go_together(first, edit)))
    job = second.prepare(first.prepare(job_of(kind, chance), chance), chance)
    before, between = first.change(job, chance)
    middle, after = second.change(between, chance)
    # The second edit must not need another baseline than the first one.
    assume(_same(middle, between))
    baseline, current = before.script(PLAIN), after.script(chance)
    report = checked(baseline, current, before, after)
    said = f"{first.id} and {second.id}: {said_of(first, second).value}"
    assert report.verdict is said_of(first, second), f"{said}{story(report, baseline, current)}"


def _go_together(first: Edit, second: Edit) -> bool:
    """Different parts of a query of one shape; what an open question and a lost source make, nobody has said."""
    parts = {first.part, second.part}
    if len(parts) == 1 or {first.shape, second.shape} == {"rows", "below"} or parts == {"below", "partition"}:
        return False
    return not (parts & {"source", "sink"} and (first.sticky or second.sticky))


def _same(one: Job, other: Job) -> bool:
    return one.script(PLAIN).text == other.script(PLAIN).text


@budget
@given(source=st.randoms(use_true_random=False))
def test_edits_of_two_queries(source: random.Random) -> None:
    """The worst of both, and items of several kinds count together."""
    chance = Chance(source)
    edits = [chance.pick(*COMBINABLE[chance.pick(*KINDS)]) for _ in range(2)]
    assume(all(edit.part not in ("source", "sink") for edit in edits))
    befores, afters = [], []
    for edit, name in zip(edits, ("results", "further_results"), strict=True):
        job = edit.prepare(Job((Insert(QUERIES[edit.kind](chance), Sink(name)),)), chance)
        before, after = edit.change(job, chance)
        # Settings hold for both queries.
        assume(not before.settings and not after.settings)
        befores.append(before.inserts[0])
        afters.append(after.inserts[0])
    before, after = Job(tuple(befores)), Job(tuple(afters))
    baseline, current = before.script(PLAIN), after.script(chance)
    report = checked(baseline, current, before, after)
    expected = said_of_pipelines(*edits)
    said = f"{edits[0].id} beside {edits[1].id}: {expected.value}"
    assert report.verdict is expected, f"{said}{story(report, baseline, current)}"
