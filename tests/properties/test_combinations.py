"""Two edits, of one pipeline or of two: section 17 of the specification."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from budgets import combinations as budget
from combined_edits import KINDS_OF_TWO, Combined, edits_of_one_query, edits_of_two_queries
from kinds import checked, story
from pending import PENDING_COMBINATIONS
from spelling import PLAIN, Chance

CASES = [
    pytest.param(kind, marks=[pytest.mark.xfail(strict=True)] if kind in PENDING_COMBINATIONS else [])
    for kind in KINDS_OF_TWO
]


@pytest.mark.parametrize("kind", CASES)
@budget
@given(source=st.randoms(use_true_random=False))
def test_two_edits_of_one_query(kind: str, source: random.Random) -> None:
    chance = Chance(source)
    _check(edits_of_one_query(chance, kind), chance)


@budget
@given(source=st.randoms(use_true_random=False))
def test_edits_of_two_queries(source: random.Random) -> None:
    """The worst of both, and items of several kinds count together."""
    chance = Chance(source)
    _check(edits_of_two_queries(chance), chance)


def _check(made: Combined | None, chance: Chance) -> None:
    assume(made is not None)
    assert made is not None
    baseline, current = made.before.script(PLAIN), made.after.script(chance)
    report = checked(baseline, current, made.before, made.after)
    assert report.verdict is made.verdict, f"{made.label}{story(report, baseline, current)}"
