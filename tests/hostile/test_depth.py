"""Texts that nest: however deep, each question is answered, and past the bound by `unknown`.

The caller's own stack is deep as well, as it is in an editor's server: the same text gets the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import pytest

import keepstate
from deep_texts import SHAPES
from keepstate import JobVersion
from keepstate.plan.growth import MOST_LEVELS
from keepstate.syntax.grammar.token_cursor import MAX_DEPTH
from night import by_night
from test_large_statements import QUESTIONS, Versions

FRAMES = 250
"""Of Python's stack, that a caller has used."""
WAY_PAST = 400
T = TypeVar("T")


SIZES = (MAX_DEPTH // 4, MAX_DEPTH - 10, MAX_DEPTH + 1, MOST_LEVELS - 6, MOST_LEVELS + 1, WAY_PAST)
ASKED = [
    (shape, engine)
    for number, shape in enumerate(SHAPES)
    for engine in by_night(keepstate.ENGINES, keepstate.ENGINES[number % len(keepstate.ENGINES) :][:1])
]
"""Each shape for each engine by night, and for one of them otherwise, in turn."""
LEFT_OPEN = ("views with MATCH_RECOGNIZE", "a pattern")
"""Unknown at an ordinary depth already."""


def from_a_deep_stack(ask: Callable[[], T], frames: int = FRAMES) -> T:
    return from_a_deep_stack(ask, frames - 1) if frames else ask()


def edited(text: str) -> str:
    at = max(text.rfind("SUM("), text.rfind("LAST_VALUE("))
    assert at >= 0
    return text[:at] + "MAX" + text[text.index("(", at) :]


@pytest.mark.parametrize(("shape", "engine"), ASKED)
def test_every_question_about_a_deep_text_is_answered(shape: str, engine: str) -> None:
    seen = []
    for size in SIZES:
        was = SHAPES[shape](size)
        asked = Versions(JobVersion(edited(was)), JobVersion(was), engine)
        # One after the other, as an editor asks: what the first one computes serves the rest.
        questions = QUESTIONS if size in (MAX_DEPTH - 10, MOST_LEVELS - 6, WAY_PAST) else ("check",)
        for name in questions:
            from_a_deep_stack(partial(QUESTIONS[name], asked))
        seen.append(asked.analysis().report().verdict.value)
        same = replace(asked, now=asked.was)
        report = from_a_deep_stack(same.analysis).report()
        assert report.unchanged and not report.findings
    decided = ["incompatible" in verdict or "partial" in verdict for verdict in seen]
    assert decided[0] or shape in LEFT_OPEN, "an ordinary depth is judged"
    # What is past a bound stays past it, and is never milder.
    assert set(seen) <= {"incompatible", "partial", "unknown"}
    assert decided == sorted(decided, reverse=True), seen
