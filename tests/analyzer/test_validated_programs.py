"""Programs that Flink takes are read without complaint, and those that it refuses are answered as well."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from keepstate import JobVersion
from keepstate.report import Report, Verdict
from night import by_night
from shared_analyses import check
from truth import Program, programs

BASES = {program.id: program for program in programs() if program.kind == "base"}
ENGINES = ("flink", "vvr")
CALL = re.compile(r"\b[A-Z][A-Z_0-9]*\(([^()]*)\)")
"""A call without calls in it."""


def test_each_program_is_an_edit_of_one_that_flink_takes() -> None:
    assert {program.base for program in programs()} == BASES.keys()
    assert all(base.accepted for base in BASES.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_no_accepted_program_is_called_unreadable(engine: str) -> None:
    accepted = [program for program in programs() if program.accepted]
    reports = {program.id: _against_base(program, engine) for program in accepted}
    assert {id_: report.problems for id_, report in reports.items() if report.problems} == {}


@pytest.mark.parametrize("engine", by_night(ENGINES, ("flink",)))
def test_every_edit_is_compared_in_both_directions(engine: str) -> None:
    """No script makes the analysis fail; Flink's refusals are as good as its consents here."""
    for program in programs():
        base = BASES[program.base]
        for was, now in ((base.sql, program.sql), (program.sql, base.sql)):
            assert check(JobVersion(now), JobVersion(was), engine).verdict in Verdict


@pytest.mark.parametrize("engine", ENGINES)
def test_a_call_that_has_no_arguments_yet_is_answered(engine: str) -> None:
    for base in BASES.values():
        for typed in _without_arguments(base.sql):
            assert check(JobVersion(typed), JobVersion(base.sql), engine).verdict in Verdict


def _against_base(program: Program, engine: str) -> Report:
    return check(JobVersion(program.sql), JobVersion(BASES[program.base].sql), engine)


def _without_arguments(sql: str) -> Iterator[str]:
    for call in CALL.finditer(sql):
        yield sql[: call.start(1)] + sql[call.end(1) :]
