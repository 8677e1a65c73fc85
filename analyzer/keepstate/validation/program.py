"""The statements of a script, validated in their order against what stands above them."""

from __future__ import annotations

from dataclasses import replace

from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.script import Script, Statement
from keepstate.text import Span
from keepstate.validation.parsing import flink_of, refusal_of_parser
from keepstate.validation.validity import Problem, Validity


def validate(script: Script, engine: str = "flink", engine_version: str | None = None) -> Validity:
    """The answers for all statements of ``script``."""
    flink = flink_of(engine_version)
    problems: list[Problem] = []
    unended = _without_semicolon(script)
    for number, statement in enumerate(script.statements, 1):
        found = refusal_of_parser(statement.parsed, flink)
        if found is not None and statement.parsed.stops_at_end and number in unended:
            problems.append(replace(found, span=_first_token(script.statements[number]), statement=number))
        elif found is not None:
            problems.append(found.shift(statement.span.start, number))
        elif number in unended:
            first = _first_token(script.statements[number])
            message = f"A semicolon is missing in front of {first.of(script.text)}."
            problems.append(Problem("missing-semicolon", first, message, number))
    return Validity(tuple(problems))


def _first_token(statement: Statement) -> Span:
    first = statement.parsed.head_tokens[0]
    return Span(first.start, first.end).shift(statement.span.start)


def _without_semicolon(script: Script) -> frozenset[int]:
    """The numbers of the statements behind which another one follows without a semicolon."""
    found = []
    for number, (statement, following) in enumerate(zip(script.statements, script.statements[1:], strict=False), 1):
        if statement.kind is StatementKind.STATEMENT_SET_START:
            continue
        between = Span(statement.span.end, following.span.start)
        if ";" in between.of(script.text):
            continue
        found.append(number)
    return frozenset(found)
