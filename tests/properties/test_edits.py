"""Seeded edits: the verdict of the specification, said at the edited clause, whatever else is spelled anew."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgets import FEW
from budgets import edits as budget
from catalogue_of_edits import EDITS, IN_CONTEXT, OF_QUERIES, ON_FLINK
from edits import Edit
from flink_edits import NOT_NEUTRAL_ON_FLINK, FlinkEdit
from keepstate.report import Report, Verdict
from kinds import checked, job_of, story
from pending import PENDING_EDITS
from places import is_unrelated, touches
from spelling import PLAIN, Chance, Script

CASES, CASES_IN_CONTEXT, CASES_ON_FLINK = (
    [
        pytest.param(edit, id=edit.id, marks=[pytest.mark.xfail(strict=not FEW)] if edit.id in PENDING_EDITS else [])
        for edit in edits
    ]
    for edits in (OF_QUERIES, IN_CONTEXT, ON_FLINK)
)


def test_every_edit_has_a_name_of_its_own() -> None:
    names = [edit.id for edit in (*EDITS, *ON_FLINK)]
    assert sorted(set(names)) == sorted(names)
    assert set(names) >= PENDING_EDITS


@pytest.mark.parametrize("edit", CASES_ON_FLINK)
@budget
@given(source=st.randoms(use_true_random=False))
def test_end_of_an_edit_on_flink(edit: FlinkEdit, source: random.Random) -> None:
    """The effect measured on Flink; or that only its planner knows, where that may be the answer."""
    chance = Chance(source, NOT_NEUTRAL_ON_FLINK)
    before, after = edit.change(edit.prepare(job_of(edit.kind, chance), chance), chance)
    for spelling in (PLAIN, chance):
        baseline, current = before.script(PLAIN), after.script(spelling)
        report = checked(baseline, current, before, after, "flink")
        assert not report.problems and not report.baseline_problems, story(report, baseline, current)
        if report.verdict is not Verdict.UNKNOWN or edit.decided:
            wanted = sorted(effect.value for effect in edit.effects)
            assert report.effect in edit.effects, f"{wanted}, not {report.effect}{story(report, baseline, current)}"


@pytest.mark.parametrize("edit", CASES)
@budget
@given(source=st.randoms(use_true_random=False))
def test_verdict_and_place_of_an_edit(edit: Edit, source: random.Random) -> None:
    _check(edit, Chance(source))


@pytest.mark.parametrize("edit", CASES_IN_CONTEXT)
@budget
@given(source=st.randoms(use_true_random=False))
def test_verdict_and_place_of_an_edit_in_context(edit: Edit, source: random.Random) -> None:
    _check(edit, Chance(source))


def _check(edit: Edit, chance: Chance) -> None:
    before, after = edit.change(edit.prepare(job_of(edit.kind, chance), chance), chance)
    for spelling in (PLAIN, chance):
        baseline, current = before.script(PLAIN), after.script(spelling)
        report = checked(baseline, current, before, after)
        assert not report.problems and not report.baseline_problems, story(report, baseline, current)
        wanted = f"{edit.spec}: {edit.verdict.value}"
        assert report.verdict in {edit.verdict, *edit.also}, f"{wanted}{story(report, baseline, current)}"
        related = [one for one in report.findings if not is_unrelated(one, baseline, current)]
        assert related == list(report.findings), f"{wanted} of another query{story(report, baseline, current)}"
        assert not (edit.silent and report.findings), f"{edit.spec}: nothing{story(report, baseline, current)}"
        if edit.rule:
            reported = {one.rule for one in report.findings}
            assert edit.rule in reported, f"{edit.spec}: {edit.rule}{story(report, baseline, current)}"
        if edit.verdict is Verdict.COMPATIBLE:
            loud = [one for one in report.findings if one.verdict is not Verdict.COMPATIBLE]
            assert not loud, story(report, baseline, current)
        elif (spelling is PLAIN or not edit.indirect) and (baseline.touched or current.touched):
            said = f"{edit.spec}: no finding at what was edited, {touched(baseline)} or {touched(current)}"
            assert is_pointed_at(report, baseline, current), f"{said}{story(report, baseline, current)}"


def touched(script: Script) -> list[str]:
    return [script.text[start:end] for start, end in script.touched]


def is_pointed_at(report: Report, baseline: Script, current: Script) -> bool:
    return any(touches(one, baseline, current) for one in report.findings if one.verdict is report.verdict)
