"""Outcomes of statements, known by all that these read."""

from __future__ import annotations

from collections.abc import Hashable

from keepstate.plan.catalog import define
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement
from keepstate.validation.statement_context import DeclaredObject, Dialect
from keepstate.validation.statements.statement_outcomes import StatementOutcome, outcome_of
from keepstate.validation.values.scopes import RelationColumns

_READING = frozenset({StatementKind.INSERT, StatementKind.QUERY, StatementKind.CREATE_VIEW})
"""Kinds of statements that read a view by its columns alone."""


MOST_NESTED = 6
"""Levels of ROW, ARRAY and MAP up to which columns are compared. Each level takes a frame of Python's stack, and views
over views nest types without end.
"""


class _ViewFacts:
    """The name and the columns of a view: one object for all views that are equal in these."""

    __slots__ = ("__weakref__",)


class OutcomeCache:
    """The outcomes that a memo keeps for the statements of one script.

    The readers of a view are checked again only if the view gives other columns, whatever its query is.
    """

    def __init__(self, memo: Memo) -> None:
        self._memo = memo
        self._view_facts: dict[DeclaredObject, _ViewFacts] = {}

    def of(
        self,
        statement: ParsedStatement,
        dialect: Dialect,
        declarations: tuple[tuple[str, DeclaredObject | None], ...],
        functions: frozenset[str],
        databases: frozenset[str],
    ) -> StatementOutcome:
        """The outcome of a statement, which names ``declarations`` and may call ``functions``."""
        definition = self._memo.of(define, statement)
        is_reading = statement.kind in _READING
        facts = tuple(map(self._facts, declarations)) if is_reading else declarations
        return self._memo.get_or_compute(
            StatementOutcome,
            statement,
            (dialect, facts, functions, databases),
            lambda: outcome_of(statement, definition, dialect, declarations, functions, databases),
        )

    def _facts(self, declaration: tuple[str, DeclaredObject | None]) -> Hashable:
        """The facts of a declaration that a query reads."""
        name, declared = declaration
        if declared is None or not declared.is_plain_view or not _is_shallow(declared.rows):
            return declaration
        if declared not in self._view_facts:
            facts = declared.name, declared.rows, declared.temporary
            # Readers compare one object in place of all columns.
            self._view_facts[declared] = self._memo.shared((_ViewFacts, facts), _ViewFacts)
        return name, self._view_facts[declared]


def _is_shallow(rows: RelationColumns) -> bool:
    types = [column.type for column in rows.columns if column.type is not None]
    for _ in range(MOST_NESTED):
        types = [element for type_ in types for element in type_.elements]
        if not types:
            return True
    return False
