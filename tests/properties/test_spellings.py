"""One job in two spellings: never a finding, whatever the kind of query and however the spellings are combined."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgets import spellings
from keepstate.report import Verdict
from kinds import KINDS, checked, job_of, story
from pending import PENDING_SPELLINGS
from spelling import PLAIN, Chance

CASES = [
    pytest.param(kind, marks=[pytest.mark.xfail(strict=True)] if kind in PENDING_SPELLINGS else []) for kind in KINDS
]


@pytest.mark.parametrize("kind", CASES)
@spellings
@given(source=st.randoms(use_true_random=False))
def test_two_spellings_of_one_job(kind: str, source: random.Random) -> None:
    chance = Chance(source)
    job = job_of(kind, chance)
    baseline = job.script(PLAIN)
    current = job.script(chance)
    for one, other in ((baseline, current), (current, baseline)):
        report = checked(one, other)
        assert not report.problems and not report.baseline_problems, story(report, one, other)
        assert not report.findings and report.verdict is Verdict.COMPATIBLE, story(report, one, other)
