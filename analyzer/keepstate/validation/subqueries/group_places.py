"""Places of columns among groups, as queries in HAVING read them.

For a column of the query around it Flink takes its place in FROM, and reads that place of a group: its keys, then its
aggregates. Measured on Flink 2.3: without such a place its planner ends with a NullPointerException, and with a value
of another type there it finds no join.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.values.builtin_signatures import is_aggregate, is_built_in
from keepstate.validation.values.families import can_be_compared
from keepstate.validation.values.scopes import (
    FromItem,
    RelationColumn,
    ResolvedColumn,
    StatementRefused,
    ValidationScope,
)

_SETS = (exp.GroupingSets, exp.Cube, exp.Rollup)


@dataclass(frozen=True)
class GroupPlaces:
    """The columns of FROM and the keys of the groups that HAVING sees. ``calls`` is the largest number of aggregates
    that a group may have.
    """

    items: Sequence[FromItem]
    keys: Sequence[RelationColumn | None]
    calls: int

    @staticmethod
    def of(node: exp.Select, scope: ValidationScope, functions: frozenset[str]) -> GroupPlaces | None:
        """The places of a query with HAVING; ``None`` if they are not known. ``functions`` are those of the script."""
        group = node.args.get("group")
        listed = group.expressions if group is not None else []
        is_plain = group is None or not any(group.args.get(name) for name in ("grouping_sets", "cube", "rollup"))
        if scope.common or not is_plain or any(isinstance(key, _SETS) for key in listed):
            return None
        if not all(item.rows.complete for item in scope.items):
            return None
        keys = [_column_of(key, scope) for key in listed]
        known_keys = [(key.owner, key.column.name) for key in keys if key is not None]
        if len(set(known_keys)) < len(known_keys):
            # A repeated key is one.
            return None
        order = node.args.get("order")
        clauses = [*node.expressions, node.args["having"], *([order] if order is not None else [])]
        calls = (
            each
            for clause in clauses
            for each in clause.walk(prune=lambda inner: isinstance(inner, exp.Query))
            if isinstance(each, exp.Anonymous) and _may_aggregate(str(each.this).upper(), functions)
        )
        columns = tuple(key.column if key is not None else None for key in keys)
        return GroupPlaces(scope.items, columns, sum(1 for _ in calls))

    def is_lost(self, number: int, name: str) -> bool:
        """Return whether Flink surely finds no value to compare at the place of a column of the relation ``number``."""
        own = [column.name for column in self.items[number].rows.columns]
        if name not in own:
            return False
        place = sum(len(item.rows.columns) for item in self.items[:number]) + own.index(name)
        if place >= len(self.keys):
            return place >= len(self.keys) + self.calls
        key, column = self.keys[place], self.items[number].rows.columns[own.index(name)]
        return key is not None and not can_be_compared(key.type, column.type, equality=True, joining=True)


def _may_aggregate(name: str, functions: frozenset[str]) -> bool:
    return name in functions or not is_built_in(name) or is_aggregate(name, functions)


def _column_of(key: exp.Expression, scope: ValidationScope) -> ResolvedColumn | None:
    """The column that a group key is; ``None`` for another expression."""
    if not isinstance(key, exp.Column) or isinstance(key.this, exp.Star):
        return None
    try:
        found = scope.resolve(
            tuple(part.name for part in key.parts), tuple(Span(*part.meta["span"]) for part in key.parts)
        )
    except StatementRefused:
        return None
    return found if found is not None and not found.rest and found.owner[0] == 0 else None
