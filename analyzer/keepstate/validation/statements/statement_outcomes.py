"""The answer for one statement, from what it reaches."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

from sqlglot import exp

from keepstate.plan.catalog import Definition
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.declarations import declare
from keepstate.validation.inserts import check_insert
from keepstate.validation.queries import QueryCheck
from keepstate.validation.statement_context import DeclaredObject, Dialect, StatementContext
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values.scopes import StatementRefused
from keepstate.value_class import value_class

DECLARING = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW, StatementKind.CREATE_FUNCTION})
_CERTAIN = frozenset({"sink-columns", "sink-type", "bare-null"})
"""Refusals of the planner that hold whatever is not known of the rest of the statement."""


@value_class(frozen=True, eq=False)
class StatementOutcome:
    """The outcome of one statement, with spans of its own text."""

    problem: ValidityProblem | None = None
    unsure: tuple[ValidityProblem, ...] = ()
    declared: DeclaredObject | None = None


def outcome_of(
    statement: ParsedStatement,
    definition: Definition | None,
    dialect: Dialect,
    declarations: tuple[tuple[str, DeclaredObject | None], ...],
    functions: frozenset[str],
    databases: frozenset[str],
) -> StatementOutcome:
    """The answer for a statement, its tables, views and functions being those of ``declarations`` and ``functions``."""
    names: Mapping[str, DeclaredObject] = {name: declared for name, declared in declarations if declared is not None}
    surroundings = StatementContext(names, functions, dialect, databases)
    unsure: list[ValidityProblem] = []
    with closing(QueryCheck(statement, surroundings, unsure)) as queries:
        return _checked(statement, definition, surroundings, queries, unsure)


def _checked(
    statement: ParsedStatement,
    definition: Definition | None,
    surroundings: StatementContext,
    queries: QueryCheck,
    unsure: list[ValidityProblem],
) -> StatementOutcome:
    names, dialect = surroundings.names, surroundings.dialect
    tree = statement.tree
    declared: DeclaredObject | None = None
    try:
        if statement.kind in DECLARING:
            declared = declare(statement, definition, surroundings, queries)
        elif isinstance(tree, exp.Insert):
            check_insert(tree, surroundings, queries)
        elif statement.kind is StatementKind.QUERY and tree is not None:
            for number in range(len(queries.outermost(tree).columns)):
                queries.refuse_mixed_times(number)
    except StatementRefused as refused:
        return StatementOutcome(refused.problem, tuple(unsure))
    except RecursionError:
        # How deep an expression may be depends on how deep the caller is already.
        first = statement.tokens[0]
        message = "This statement is nested too deeply to be validated."
        return StatementOutcome(None, (ValidityProblem("size", Span(first.start, first.end), message, depends="size"),))
    later = [
        problem
        for problem in queries.expressions.later.problems
        if problem.rule in _CERTAIN or not (unsure or dialect.is_batch)
    ]
    if later:
        if declared is not None and declared.kind == "view":
            # A view is planned with the statements that read it.
            return StatementOutcome(None, (), replace(declared, pending=later[0], owner=statement))
        return StatementOutcome(later[0], tuple(unsure))
    if declared is not None and declared.kind == "view":
        broken = next((each for each in names.values() if each.pending is not None), None)
        if broken is not None:
            declared = replace(declared, pending=broken.pending, owner=broken.owner)
    return StatementOutcome(None, tuple(unsure), declared)
