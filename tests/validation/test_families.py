"""Families of programs with the answers of real Flink: tables first, then one program behind each answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from keepstate.syntax.script import parse_script
from keepstate.validation import Answer, validate

_FOLDER = Path(__file__).with_name("families")
_LEAST = 8
"""Programs that each family has of either answer."""


def _family(path: Path) -> tuple[str, list[tuple[str, str]]]:
    """The tables of a family, and its programs, each with its answer."""
    tables, *parts = re.split(r"(?m)^-- (taken|refused .+)$", path.read_text("utf-8"))
    return tables, [(answer, text.strip()) for answer, text in zip(parts[::2], parts[1::2], strict=True)]


FAMILIES = {path.stem: _family(path) for path in sorted(_FOLDER.glob("*.sql"))}
PROGRAMS = [(name, answer, text) for name, (_, programs) in FAMILIES.items() for answer, text in programs]


@pytest.mark.parametrize(("name", "answer", "text"), PROGRAMS, ids=[f"{name}: {text}" for name, _, text in PROGRAMS])
def test_a_program_has_the_answer_of_flink(name: str, answer: str, text: str) -> None:
    found = validate(parse_script(FAMILIES[name][0] + text))
    word, _, rule = answer.partition(" ")
    expected = Answer.VALID if word == "taken" else Answer.INVALID
    assert (found.answer, found.problems[0].rule if found.problems else "") == (expected, rule)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_programs_of_either_answer(name: str) -> None:
    words = [answer.split()[0] for answer, _ in FAMILIES[name][1]]
    assert min(words.count("taken"), words.count("refused")) >= _LEAST
