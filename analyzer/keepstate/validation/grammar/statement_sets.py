"""Statement sets: what may stand between BEGIN and END."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.script import Script, Statement
from keepstate.text import Span
from keepstate.validation.validity import ValidityProblem

_RULE = "statement-set"
_SETS = frozenset({StatementKind.STATEMENT_SET_START, StatementKind.STATEMENT_SET_END})


@dataclass
class _Open:
    """A set that has begun. ``whole`` says that it is one statement to Flink's parser: EXECUTE STATEMENT SET BEGIN."""

    number: int
    whole: bool
    inserts: int = 0


def refusals_of_sets(script: Script) -> Iterator[ValidityProblem]:
    """Problems of the statement sets of a script, at most one problem for each statement."""
    if not script.of_kind(*_SETS):
        return
    opened: _Open | None = None
    for number, statement in enumerate(script.statements, 1):
        kind = statement.parsed.kind
        if statement.parsed.placeholders and _may_be_more(statement):
            return
        if kind is StatementKind.STATEMENT_SET_START:
            opened = _Open(number, statement.parsed.head_tokens[0].word != "BEGIN")
            semicolon = _semicolon_behind(script, statement)
            if opened.whole and semicolon is not None:
                yield ValidityProblem(_RULE, semicolon, "No semicolon stands behind BEGIN here.", number)
        elif kind is StatementKind.STATEMENT_SET_END:
            if opened is None:
                message = "END closes a statement set, and none has begun: BEGIN STATEMENT SET; comes first."
                yield ValidityProblem(_RULE, statement.span, message, number)
            elif opened.whole and not opened.inserts:
                yield ValidityProblem(_RULE, statement.span, "A statement set has at least one INSERT.", number)
            opened = None
        elif opened is not None:
            if kind is StatementKind.INSERT or _may_stand(statement, opened):
                opened.inserts += 1
            elif kind is not StatementKind.BROKEN:
                first = statement.parsed.head_tokens[0]
                span = Span(first.start, first.end).shift(statement.span.start)
                yield ValidityProblem(
                    _RULE, span, "Only INSERT stands in a statement set: move this in front of it.", number
                )
    if opened is not None and opened.whole and script.statements:
        last = script.statements[-1]
        if last.kind is not StatementKind.BROKEN:
            span = _semicolon_behind(script, last) or Span(last.span.end - 1, last.span.end)
            yield ValidityProblem(_RULE, span, "This statement set has no END.", len(script.statements))


def _may_stand(statement: Statement, opened: _Open) -> bool:
    """Return whether a statement that is no INSERT may stand in a set."""
    tree = statement.tree
    creates = isinstance(tree, exp.Create) and tree.args.get("expression") is not None
    return not opened.whole and creates and statement.kind is StatementKind.CREATE_TABLE


def _may_be_more(statement: Statement) -> bool:
    """Return whether a template may make several statements of this one: how sets go on behind it is not known."""
    if statement.kind is StatementKind.INSERT:
        return any(placeholder.loose for placeholder in statement.parsed.placeholders)
    return any(not placeholder.in_string for placeholder in statement.parsed.placeholders)


def _semicolon_behind(script: Script, statement: Statement) -> Span | None:
    """The semicolon that follows a statement with nothing but blanks in between."""
    at = statement.span.end
    while at < len(script.text) and script.text[at].isspace():
        at += 1
    return Span(at, at + 1) if script.text[at : at + 1] == ";" else None
