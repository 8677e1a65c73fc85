"""A hundred programs with the answers of real Flink: half of them taken, half of them one change away from that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from keepstate.syntax.script import parse_script
from keepstate.validation import Answer, validate

_TABLES, *_PARTS = re.split(
    r"(?m)^-- (taken|open|refused .+)$", Path(__file__).with_name("airport.sql").read_text("utf-8")
)
PROGRAMS = [(answer, text.strip()) for answer, text in zip(_PARTS[::2], _PARTS[1::2], strict=True)]


@pytest.mark.parametrize(("answer", "text"), PROGRAMS, ids=[text[:60] for _, text in PROGRAMS])
def test_a_program_has_the_answer_of_flink(answer: str, text: str) -> None:
    found = validate(parse_script(_TABLES + text))
    word, _, rule = answer.partition(" ")
    expected = {"taken": Answer.VALID, "open": Answer.UNDECIDED, "refused": Answer.INVALID}[word]
    assert (found.answer, found.problems[0].rule if found.problems else "") == (expected, rule)


def test_as_many_programs_are_taken_as_refused() -> None:
    words = [answer.split()[0] for answer, _ in PROGRAMS]
    assert min(words.count("taken"), words.count("refused")) > len(words) // 3
