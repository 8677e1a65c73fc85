"""The accumulators of an aggregation: one row of the fields of its physical calls in order.

Facts: savepoints of Flink 2.3 and 1.20. Equal calls were merged by the planner; a call over DISTINCT values keeps a
count or a sum like any other, and shares the set of values (a map) with all calls over the same arguments.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from keepstate.physical.fields import Fields, StoredField, untyped
from keepstate.plan.expressions import AggregateCall, Column, Expr, Origin
from keepstate.plan.inference import type_of
from keepstate.plan.logical_types import LogicalType

_BIGINT = "BIGINT"
ROW_COUNT = StoredField(("COUNT", (), None, False, ()), _BIGINT)
"""What counts all rows of a group, as COUNT(*) does."""
_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT"})
_VARIANCES = frozenset({"STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP", "STDDEV", "VARIANCE"})
_SAME_SET = frozenset({"MIN", "MAX"})
"""Functions that give the same over distinct values: the planner drops the word."""


def physical_calls(calls: Iterable[AggregateCall]) -> tuple[AggregateCall, ...]:
    """The calls that the planner is left with, in order: canonical, and each of them once."""
    return tuple(dict.fromkeys(map(_simplified, calls)))


def _simplified(call: AggregateCall) -> AggregateCall:
    if call.function in _SAME_SET and call.distinct:
        return replace(call, distinct=False)
    if call.function == "COUNT" and not call.distinct and call.args and all(map(_never_null, call.args)):
        # COUNT of what is never NULL counts rows.
        return replace(call, args=())
    return call


def _never_null(expr: Expr) -> bool:
    return isinstance(expr, Column) and expr.not_null


def is_reduced(calls: Iterable[AggregateCall]) -> bool:
    """Whether the planner takes calls apart into sums and counts (``AggregateReduceFunctionsRule``): it has to for a
    variance, and it does where a mean shares all that it needs with calls that are there anyway.
    """
    there = tuple(calls)
    if any(call.function in _VARIANCES for call in there):
        return True
    plain = {(call.function, call.args, call.filter, call.distinct) for call in there}
    return any(
        call.function == "AVG"
        and {(other, call.args, call.filter, call.distinct) for other in ("SUM", "COUNT")} <= plain
        for call in there
    )


def reduced(calls: Iterable[AggregateCall]) -> tuple[AggregateCall, ...]:
    """The calls with means and variances taken apart."""
    parts: dict[AggregateCall, None] = {}
    for call in calls:
        if call.function in ("SUM", "AVG"):
            names: tuple[str, ...] = ("SUM", "COUNT")
        elif call.function in _VARIANCES:
            names = ("$WELFORD_M2", "COUNT")
        else:
            names = (call.function,)
        for name in names:
            parts.setdefault(_simplified(replace(call, function=name)))
    return tuple(parts)


def counted(calls: tuple[AggregateCall, ...]) -> bool:
    """Whether the calls count all rows."""
    return any(call.function == "COUNT" and not call.args and call.filter is None for call in calls)


def accumulator_row(
    calls: tuple[AggregateCall, ...], retracting: bool, counts_rows: bool, held: Container[AggregateCall] = ()
) -> Fields:
    """The row for ``calls``; ``retracting`` accumulators can take rows back, ``counts_rows`` says that the operator
    wants to know how many rows there are, whether the query asks or not. Nothing reads the calls in ``held``.
    """
    fields = [replace(field, read=call not in held) for call in calls for field in _fields(call, retracting)]
    if counts_rows and not counted(calls):
        fields.append(ROW_COUNT)
    elif counts_rows:
        fields = [replace(field, read=True) if field.meaning == ROW_COUNT.meaning else field for field in fields]
    return (*fields, *_distinct_views(calls, held))


def _distinct_views(calls: tuple[AggregateCall, ...], held: Container[AggregateCall]) -> Iterator[StoredField]:
    """The sets of values, in the order in which calls first need them."""
    views: dict[tuple[Expr, ...], bool] = {}
    for call in calls:
        if call.distinct:
            views[call.args] = views.get(call.args, False) or call not in held
    for number, (args, read) in enumerate(views.items()):
        types = [_base(type_of(arg)) for arg in args]
        told = None if None in types else f"distinctAcc_{number}<{', '.join(map(str, types))}>"
        yield StoredField(("distinct values of", tuple(map(untyped, args))), told, read)


def _base(type_: LogicalType | None) -> str | None:
    """A type as the serializer of a map's keys knows it: texts have no length there."""
    if type_ is None:
        return None
    return "STRING" if type_.root in ("CHAR", "VARCHAR") else str(type_)


def _fields(call: AggregateCall, retracting: bool) -> Iterator[StoredField]:
    args, order = (tuple(map(untyped, exprs)) for exprs in (call.args, call.order))
    condition = untyped(call.filter) if call.filter is not None else None
    for part, type_ in _parts(call, retracting):
        yield StoredField((part, args, condition, call.distinct, order), type_)


def _parts(call: AggregateCall, retracting: bool) -> Iterator[tuple[str, str | None]]:
    """What a call keeps: a name for the meaning of each field, and its type."""
    name = call.function
    if call.origin is not Origin.BUILT_IN:
        known = call.origin is Origin.JVM
        typed = [_text(type_of(arg)) for arg in call.args]
        yield name, f"{name}({', '.join(map(str, typed))})" if known and None not in typed else None
        return
    argument = type_of(call.args[0]) if call.args else None
    result = type_of(call)
    match name:
        case "COUNT":
            yield name, _BIGINT
        case "ROW_NUMBER":
            # It counts rows, as COUNT(*) does.
            yield "COUNT", _BIGINT
        case "SUM":
            yield name, _text(result)
            if retracting:
                yield "COUNT of", _BIGINT
        case "AVG":
            yield "SUM for AVG", _mean_sum(argument)
            yield "COUNT of", _BIGINT
        case "MIN" | "MAX":
            # Texts have no length here, as long as none is taken back.
            type_ = _text(argument) if retracting else _base(argument)
            yield name, type_ if type_ is None or not retracting else f"{name.title()}WithRetract<{type_}>"
        case "FIRST_VALUE" | "LAST_VALUE":
            type_ = _text(argument)
            kind = "WithRetract" if retracting else name
            first = "first" if name == "FIRST_VALUE" else "last"
            yield name, type_ if type_ is None else f"ROW<{first}Value {type_}, {first}Order BIGINT> {kind}"
        case "LISTAGG" if not retracting and not call.distinct:
            yield "separator", "STRING"
            yield name, "STRING"
        case "$WELFORD_M2":
            yield name, "WelfordM2Accumulator"
        case _:
            types = [_text(type_of(arg)) for arg in call.args]
            told = f"{name}({', '.join(map(str, types))}){' retracting' if retracting else ''}"
            yield name, None if None in types else told


def _text(type_: LogicalType | None) -> str | None:
    return None if type_ is None else str(type_)


def _mean_sum(argument: LogicalType | None) -> str | None:
    if argument is None:
        return None
    if argument.root in _INTEGERS:
        return _BIGINT
    if argument.root == "DECIMAL":
        return f"DECIMAL(38, {argument.scale or 0})"
    return "DOUBLE" if argument.root in ("FLOAT", "DOUBLE") else None
