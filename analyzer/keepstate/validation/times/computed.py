"""Roles in time of what is computed of time attributes, and of the columns of UNION ALL (Flink 1.20 and 2.3)."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.types.builtin_functions import LEGACY_WINDOWS
from keepstate.validation.surroundings import NEWEST
from keepstate.validation.values.families import TIMESTAMP, family_of
from keepstate.validation.values.scopes import Column, Scope, Time
from keepstate.validation.values.value import Value


def computed_time(body: exp.Expression, value: Value, scope: Scope, flink: tuple[int, int] = NEWEST) -> Time:
    """The role of the value of ``body``: what is computed of a time attribute has its type for some operators."""
    inner = body.unnest()
    if value.time is not Time.NONE or family_of(value.type) not in (None, TIMESTAMP) or not holds_time(body, scope):
        return value.time
    if isinstance(inner, exp.Cast):
        return Time.CAST
    if isinstance(inner, exp.Anonymous) and str(inner.this).upper().rpartition("_")[0] in LEGACY_WINDOWS:
        return value.time
    # Before, the planner left a time attribute alone that an aggregate over rows gives.
    return Time.UNKNOWN if isinstance(inner, exp.Window) and flink < NEWEST else Time.PAST_ROW


def holds_time(node: exp.Expression, scope: Scope) -> bool:
    """Return whether ``node`` names a column with the type of a time attribute; a cast below it gives a plain one."""
    outermost = node.unnest()
    waiting = [outermost]
    while waiting:
        current = waiting.pop()
        if isinstance(current, exp.Cast) and current is not outermost:
            continue
        if isinstance(current, exp.Column):
            named = (column for item in scope.items for column in item.columns_named(current.name))
            if any(not column.time.is_plain for column in named):
                return True
        waiting += list(current.iter_expressions())
    return False


def united_time(one: Column, other: Column) -> Time:
    """The role of a column of UNION ALL: the left side gives its type, and with a past time attribute of that very type
    on the right it is one itself.
    """
    ours, theirs = one.time, other.time
    if ours.is_plain:
        return ours if ours is theirs else Time.NONE
    if ours is Time.UNKNOWN or theirs is Time.UNKNOWN:
        return Time.UNKNOWN
    if ours is Time.PAST_PROC:
        return ours if theirs in (Time.PROC, Time.PAST_PROC) else Time.UNKNOWN
    if ours.is_past or theirs is not ours.materialized():
        return ours
    if one.type is None or other.type is None:
        return Time.UNKNOWN
    return theirs if one.type.root == other.type.root else ours
