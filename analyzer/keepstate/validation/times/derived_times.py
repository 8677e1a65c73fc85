"""Roles in time of what is computed of time attributes, and of the columns of UNION ALL (Flink 1.20 and 2.3)."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.types.builtin_functions import LEGACY_WINDOWS
from keepstate.validation.statement_context import NEWEST
from keepstate.validation.values.families import TIMESTAMP, family_of
from keepstate.validation.values.scopes import RelationColumn, TimeRole, ValidationScope
from keepstate.validation.values.value import ValueFacts


def computed_time(
    body: exp.Expression, value: ValueFacts, scope: ValidationScope, flink: tuple[int, int] = NEWEST
) -> TimeRole:
    """The role of the value of ``body``: what is computed of a time attribute has its type for some operators."""
    inner = body.unnest()
    if value.time is not TimeRole.NONE or family_of(value.type) not in (None, TIMESTAMP) or not holds_time(body, scope):
        return value.time
    if isinstance(inner, exp.Cast):
        return TimeRole.CAST
    if isinstance(inner, exp.Anonymous) and str(inner.this).upper().rpartition("_")[0] in LEGACY_WINDOWS:
        return value.time
    # Before, the planner left a time attribute alone that an aggregate over rows gives.
    return TimeRole.UNKNOWN if isinstance(inner, exp.Window) and flink < NEWEST else TimeRole.PAST_ROW


def holds_time(node: exp.Expression, scope: ValidationScope) -> bool:
    """Return whether ``node`` names a column with the type of a time attribute; a cast below it gives a plain one."""
    outermost = node.unnest()
    waiting = [outermost]
    while waiting:
        current = waiting.pop()
        if isinstance(current, exp.Cast) and current is not outermost:
            continue
        if isinstance(current, exp.Column):
            columns = (column for item in scope.items for column in item.columns_named(current.name))
            if any(not column.time.is_plain for column in columns):
                return True
        waiting += list(current.iter_expressions())
    return False


def united_time(one: RelationColumn, other: RelationColumn) -> TimeRole:
    """The role of a column of UNION ALL: the left side gives its type, and with a past time attribute of that very type
    on the right it is one itself.
    """
    first, second = one.time, other.time
    if first.is_plain:
        return first if first is second else TimeRole.NONE
    if first is TimeRole.UNKNOWN or second is TimeRole.UNKNOWN:
        return TimeRole.UNKNOWN
    if first is TimeRole.PAST_PROC:
        return first if second in (TimeRole.PROC, TimeRole.PAST_PROC) else TimeRole.UNKNOWN
    if first.is_past or second is not first.materialized():
        return first
    if one.type is None or other.type is None:
        return TimeRole.UNKNOWN
    return second if one.type.root == other.type.root else first
