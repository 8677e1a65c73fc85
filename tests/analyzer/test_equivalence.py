"""Pairs that Flink planned: no alarm at equal plans, no silence at another state, beyond what the budgets let stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from equivalence_budgets import ENGINES, MEASURES, budgets, lowered, measure_of, over, under, wrong
from equivalence_silences import SILENCES, idle, silences, unexplained
from keepstate.report import Verdict
from night import by_night
from truth import PlannedPair, planned_pairs

TRUTH = Path(__file__).parents[1] / "truth"
ACCURACY = Path(__file__).parents[2] / "docs" / "accuracy.md"
# Each engine judges all pairs once: in one worker, not in each of them.
JUDGED = by_night(ENGINES, ("flink",))
"""The planner says what flink has to say; the budgets of vvr are held by night."""
WRITE = "python tests/truth/equivalence_budgets.py --write"


@pytest.mark.parametrize("engine", JUDGED)
def test_no_kind_is_over_its_budget(engine: str) -> None:
    allowed = budgets()[engine]
    assert allowed.keys() == MEASURES.keys()
    exceeded = {measure: over(kinds, allowed[measure]) for measure, kinds in wrong(engine).items()}
    assert not any(exceeded.values()), exceeded


@pytest.mark.parametrize("engine", JUDGED)
def test_no_budget_is_larger_than_it_has_to_be(engine: str) -> None:
    spare = {measure: under(wrong(engine)[measure], number) for measure, number in budgets()[engine].items()}
    assert not any(spare.values()), f"{WRITE} lowers them: {spare}"


@pytest.mark.parametrize("engine", JUDGED)
def test_each_silence_has_a_reason(engine: str) -> None:
    assert unexplained(engine) == []
    assert idle(engine) == []


def test_reasons_on_vvr_are_rows_of_the_specification() -> None:
    text = (TRUTH / "spec" / "rules.md").read_text("utf-8")
    rows = {row for silence in SILENCES["vvr"] for row in silence.rows}
    assert all(silence.rows for silence in SILENCES["vvr"])
    assert [row for row in sorted(rows) if f"\n| {row} |" not in text] == []


def test_the_page_lists_the_silences() -> None:
    page = ACCURACY.read_text("utf-8")
    assert [line for line in silences() if line not in page] == []


def test_budgets_are_of_kinds_that_exist() -> None:
    kinds = {pair.kind for pair in planned_pairs()}
    assert {kind for by in budgets().values() for allowed in by.values() for kind in allowed} <= kinds


@pytest.mark.parametrize(
    ("plan", "state", "ids", "alarm", "silence"),
    [
        (True, True, True, "alarms", None),
        (False, True, True, "alarms behind the state", None),
        (True, True, False, None, "silent"),
        (False, True, False, None, "silent"),
        (False, False, True, None, "silent"),
    ],
)
def test_each_verdict_is_counted_by_what_is_equal(
    plan: bool, state: bool, ids: bool, alarm: str | None, silence: str | None
) -> None:
    pair = PlannedPair("q1", "edit:a", "topn", "", "", plan, state, ids, state, state)
    assert measure_of(pair, Verdict.COMPATIBLE) == silence
    for verdict in (Verdict.PARTIAL, Verdict.INCOMPATIBLE, Verdict.UNKNOWN):
        assert measure_of(pair, verdict) == alarm


def test_a_budget_is_lowered_and_never_raised() -> None:
    counted, allowed = (
        {"edit:a": ["q1"], "edit:b": ["q2", "q3"], "edit:d": ["q4"]},
        {"edit:a": 2, "edit:b": 1, "edit:c": 1},
    )
    assert lowered(counted, allowed) == {"edit:a": 1, "edit:b": 1}
    assert list(over(counted, allowed)) == ["edit:b", "edit:d"]
    assert list(under(counted, allowed)) == ["edit:a", "edit:c"]
