"""Roles in time of what is computed of time attributes, and of the columns of UNION ALL (Flink 1.20 and 2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    keeps = keeps_type(inner, scope)
    if keeps is False:
        return TimeRole.NONE
    # Before, the planner left a time attribute alone that an aggregate over rows gives.
    is_certain = keeps and (flink >= NEWEST or not isinstance(inner, exp.Window))
    if not is_certain:
        return TimeRole.UNKNOWN
    columns = (column for node in inner.find_all(exp.Column) for column in _columns_named(node, scope))
    is_processing = any(column.time.materialized() is TimeRole.PAST_PROC for column in columns)
    return TimeRole.PAST_PROC if is_processing else TimeRole.PAST_ROW


def keeps_type(node: exp.Expr, scope: ValidationScope) -> bool | None:
    """Return whether a value has the type of the time attribute that it is computed of; ``None`` where that is open.

    A choice has the type of its first value, if all have that precision.
    """
    inner = node.unnest()
    if isinstance(inner, exp.Column):
        return _is_typed_as_time(inner, scope)
    if isinstance(inner, (exp.Window, exp.Filter)):
        return keeps_type(inner.this, scope)
    if isinstance(inner, (exp.Add, exp.Sub)):
        return _any(keeps_type(side, scope) for side in (inner.this, inner.expression))
    if isinstance(inner, exp.Case):
        values = [*(branch.args["true"] for branch in inner.args["ifs"]), *filter(None, [inner.args.get("default")])]
        # Of equal values the planner makes one.
        is_one = len(values) > 1 and all(each == values[0] for each in values)
        return None if is_one else _choice(values, scope)
    if isinstance(inner, (exp.Bracket, exp.Subquery)):
        return None
    if not isinstance(inner, exp.Anonymous):
        return False
    function, arguments = str(inner.this).upper(), inner.expressions
    if function in _OF_ARGUMENT and arguments:
        first = arguments[0].expressions[0] if isinstance(arguments[0], exp.Distinct) else arguments[0]
        return keeps_type(first, scope)
    if function in _CHOICES:
        return _choice(arguments[function == "IF" :], scope)
    return None if function in _OF_ELEMENTS else False


_OF_ARGUMENT = frozenset(
    ("CEIL", "CEILING", "FIRST_VALUE", "FLOOR", "LAG", "LAST_VALUE", "LEAD", "MAX", "MIN", "NULLIF", "SINGLE_VALUE")
)
_CHOICES = frozenset(("COALESCE", "GREATEST", "IF", "IFNULL", "LEAST"))
_OF_ELEMENTS = frozenset(("ARRAY_MAX", "ARRAY_MIN", "ELEMENT"))
_PRECISION = 3
"""The precision of all time attributes."""


def _choice(values: Sequence[exp.Expr], scope: ValidationScope) -> bool | None:
    values = [each for each in values if not isinstance(each.unnest(), exp.Null)]
    first = keeps_type(values[0], scope) if values else False
    if not first:
        return first
    return True if all(keeps_type(each, scope) or _has_precision(each, scope) for each in values[1:]) else None


def _any(answers: Iterable[bool | None]) -> bool | None:
    distinct = set(answers)
    return True if True in distinct else None if None in distinct else False


def _is_typed_as_time(column: exp.Column, scope: ValidationScope) -> bool | None:
    roles = {each.time for each in _columns_named(column, scope)}
    if TimeRole.UNKNOWN in roles or len({role.is_plain for role in roles}) > 1:
        return None
    return any(not role.is_plain for role in roles)


def _has_precision(node: exp.Expr, scope: ValidationScope) -> bool:
    inner = node.unnest()
    columns = _columns_named(inner, scope) if isinstance(inner, exp.Column) else []
    types = [each.type for each in columns]
    return bool(types) and all(
        type_ is not None and type_.root == "TIMESTAMP" and type_.precision == _PRECISION for type_ in types
    )


def _columns_named(column: exp.Column, scope: ValidationScope) -> list[RelationColumn]:
    items = [item for item in scope.items if not column.table or item.name == column.table]
    return [each for item in items for each in item.columns_named(column.name)]


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


def mixes_times(one: RelationColumn, other: RelationColumn) -> bool:
    """Return whether Flink's planner refuses a column of UNION: one side alone is a time attribute in the end.

    The left side gives its type. A right side of another type is cast to that, and so becomes a time attribute. A past
    one of that very type becomes a plain timestamp.
    """
    left, right = one.time, other.time
    if left.is_plain or TimeRole.UNKNOWN in (left, right) or one.type is None or other.type is None:
        return False
    if one.type.precision != other.type.precision:
        return False
    are_same = left.materialized() is right.materialized() and not right.is_plain
    if are_same and left in (TimeRole.ROW, TimeRole.PAST_ROW):
        are_same = one.type.root == other.type.root
    return left.is_past is not (are_same and right.is_past)


def is_given(union: exp.Expression, outermost: exp.Expression | None) -> bool:
    """Return whether the outermost query gives the rows of a UNION as they are, on the left of other ones."""
    current = outermost
    while isinstance(current, (exp.SetOperation, exp.Subquery)) and current is not union:
        current = current.this
    return current is union
