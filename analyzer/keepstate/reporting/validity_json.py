"""Answers of the validation in the JSON format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from keepstate.reporting.file_json import Json, text_range
from keepstate.text import LineIndex, Span

if TYPE_CHECKING:
    from keepstate.validation.validity import Validity


def validity_json(validity: Validity, lines: LineIndex, file_of: Callable[[Span], str] | None = None) -> Json:
    """The answer for a program: the refusals in the order of the script, or what leaves it open. Those of a file are
    with the file that they are in, which may be another one of the job.

    >>> from keepstate import JobVersion, validate
    >>> validity_json(validate(JobVersion("SELECT 1 + TRUE")), LineIndex("SELECT 1 + TRUE"))["validity"]
    'invalid'
    """
    return {
        "validity": validity.answer.value,
        "problems": [
            {
                "check": problem.rule,
                "message": problem.message,
                **({} if file_of is None else {"file": file_of(problem.span)}),
                "range": text_range(lines, problem.span),
            }
            for problem in sorted(validity.problems or validity.undecided, key=lambda problem: problem.span)
        ],
    }
