"""Answers for the measured programs: none that Flink takes is called invalid, and few refusals are missed."""

from __future__ import annotations

from functools import cache

import pytest

from keepstate.syntax.script import parse_script
from keepstate.validation import Answer, Validity, validate
from truth import Program, programs


@cache
def _answers() -> tuple[tuple[Program, Validity], ...]:
    return tuple((program, validate(parse_script(program.sql))) for program in programs())


def test_no_program_that_flink_takes_is_called_invalid() -> None:
    taken = ((program, found) for program, found in _answers() if program.accepted)
    assert {program.id: found.problems[0].message for program, found in taken if found.problems} == {}


@pytest.mark.parametrize("engine", ["vvr"])
def test_no_program_that_flink_takes_is_invalid_to_another_engine(engine: str) -> None:
    accepted = [program for program in programs() if program.accepted]
    assert not [program.id for program in accepted if validate(parse_script(program.sql), engine).problems]


def test_most_programs_that_flink_refuses_are_called_invalid() -> None:
    answers = [found.answer for program, found in _answers() if not program.accepted]
    assert answers.count(Answer.INVALID) >= 0.94 * len(answers)
