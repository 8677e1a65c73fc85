"""Answers of the validation, as values: problems with their places, and what the script cannot tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from keepstate.report import RelatedInformation
from keepstate.text import Span
from keepstate.value_class import value_class


class Answer(str, Enum):
    """An answer for one statement."""

    VALID = "valid"
    INVALID = "invalid"
    UNDECIDED = "undecided"


@value_class(frozen=True, slots=True)
class ValidityProblem:
    """One refusal of Flink, or one reason why the script does not tell whether Flink would refuse."""

    rule: str
    """In kebab case, such as ``unknown-column``."""
    span: Span
    """The token at which Flink points, or where Flink points nowhere the clause that is wrong."""
    message: str
    """One sentence in plain English."""
    statement: int = 0
    """The number of the statement in the script, from 1."""
    related: tuple[RelatedInformation, ...] = ()
    depends: str | None = None
    """The part that decides instead of the script: ``catalog``, ``function``, ``template``, ``engine``, ``vendor`` (of
    the engine, which takes more there than open-source Flink), ``statement`` (one that is invalid itself) or ``size``;
    ``None`` where the script alone decides.
    """
    subject: str = ""
    """The name that is not known, where there is one."""

    def shift(self, by: int, statement: int) -> ValidityProblem:
        """The problem of a statement's text as one of the script in which it begins at offset ``by``."""
        span = Span(self.span.start + by, self.span.end + by)
        return ValidityProblem(self.rule, span, self.message, statement, self.related, self.depends, self.subject)


@dataclass(frozen=True, slots=True)
class Validity:
    """The answers for a script, in its order; at most one problem for each statement, the one that Flink meets first.

    A statement is invalid if ``problems`` names its number, else undecided if ``undecided`` does, else valid. One that
    reads an invalid view has no problem of its own: it is among the undecided with ``depends`` ``statement``.

    >>> from keepstate import JobVersion, validate
    >>> validity = validate(JobVersion("SELECT a FROM t; SELECT a FROM (VALUES (1)) AS v (b)"))
    >>> [validity.of(number).value for number in (1, 2)], validity.answer.value
    (['undecided', 'invalid'], 'invalid')
    """

    problems: tuple[ValidityProblem, ...] = ()
    undecided: tuple[ValidityProblem, ...] = ()

    def of(self, statement: int) -> Answer:
        """The answer for the statement with this number."""
        if any(problem.statement == statement for problem in self.problems):
            return Answer.INVALID
        if any(problem.statement == statement for problem in self.undecided):
            return Answer.UNDECIDED
        return Answer.VALID

    @property
    def answer(self) -> Answer:
        """The answer for the whole script: invalid if any statement is, else undecided if any is."""
        if self.problems:
            return Answer.INVALID
        return Answer.UNDECIDED if self.undecided else Answer.VALID

    def behind(self, start: int, statements: int) -> Validity:
        """The answers behind ``start`` and behind so many statements, with places and numbers counted from there."""
        return Validity(_behind(self.problems, start, statements), _behind(self.undecided, start, statements))


def _behind(problems: Iterable[ValidityProblem], start: int, statements: int) -> tuple[ValidityProblem, ...]:
    """The problems behind ``start`` and behind so many statements, with places and numbers counted from there."""
    return tuple(
        replace(
            problem.shift(-start, problem.statement - statements),
            related=tuple(
                replace(each, span=each.span.shift(-start)) for each in problem.related if each.span.start >= start
            ),
        )
        for problem in problems
        if problem.statement > statements
    )
