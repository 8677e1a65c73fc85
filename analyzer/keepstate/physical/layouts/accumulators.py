"""The accumulators of an aggregation: one row of the fields of its planned calls in order.

Facts: savepoints of Flink 2.3 and 1.20. A call over DISTINCT values keeps a count or a sum like any other, and shares
the set of values (a map) with all calls over the same operand.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from keepstate.physical.layouts.fields import is_nullable, types_below, untyped
from keepstate.physical.layouts.stored_types import stored_element, stored_type
from keepstate.plan.expressions import AggregateCall, Call, Expr, FunctionOrigin, Literal
from keepstate.plan.predicates import TRUE
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate.state.stored_operators import Fields, StoredField

_BIGINT = "BIGINT"
ROW_COUNT = StoredField(("COUNT", (), None, False, ()), _BIGINT)
"""Accumulator of all rows of a group, as of COUNT(*)."""
_NULL = Literal("NULL", "NULL")
_LOOK_BACK = frozenset({"LAG", "LAG IGNORE NULLS"})
_PASS_OVER_NULL = frozenset({"SUM", "COUNT", "SUM for AVG", "COUNT of", "MIN", "MAX"})
"""Parts of accumulators to which a row without a value makes no difference."""
_SEPARATOR = Literal(",", "STRING")
"""The text between the values of a LISTAGG with one argument."""
_OF_VALUES = frozenset({"COLLECT", "ARRAY_AGG"})
"""Functions that keep each value by itself."""
_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT"})


def counted(calls: tuple[AggregateCall, ...]) -> bool:
    """Return whether the calls count all rows."""
    return any(call.function == "COUNT" and not call.args and call.filter is None for call in calls)


def accumulator_row(
    calls: tuple[AggregateCall, ...],
    retracting: bool,
    counts_rows: bool,
    held: Container[AggregateCall] = (),
    growing: Container[AggregateCall] = (),
) -> Fields:
    """The row for ``calls``; ``retracting`` accumulators can take rows back, except for the calls in ``growing``;
    ``counts_rows`` says that the operator wants to know how many rows there are, whether the query asks or not. Nothing
    reads the calls in ``held``.
    """
    fields = [
        replace(field, is_read=call not in held)
        for call in calls
        for field in _fields(call, retracting and call not in growing)
    ]
    # An input that takes rows back needs a count to tell when a group is empty (``RecordCounter``).
    if counts_rows and not counted(calls):
        fields.append(ROW_COUNT)
    elif counts_rows:
        fields = [replace(field, is_read=True) if field.meaning == ROW_COUNT.meaning else field for field in fields]
    return (*fields, *_distinct_views(calls, held))


def _distinct_views(calls: tuple[AggregateCall, ...], held: Container[AggregateCall]) -> Iterator[StoredField]:
    """The sets of values, in the order in which calls first need them."""
    views: dict[tuple[tuple[Expr, ...], tuple[str, ...]], bool] = {}
    for call in calls:
        if call.distinct:
            operand = call.args, call.operands[: len(call.args)]
            views[operand] = views.get(operand, False) or call not in held
    for number, ((args, _), read) in enumerate(views.items()):
        types = [stored_element(arg, is_nullable) for arg in args]
        type_text = None if None in types else f"distinctAcc_{number}<{', '.join(map(str, types))}>"
        meaning = "distinct values of", tuple(map(untyped, args))
        yield StoredField(meaning, type_text, read, operands=() if type_text is not None else _types_of(args))


def _base(type_: LogicalType | None) -> str | None:
    """Return a type as the serializer of a map's keys has it: texts have no length there."""
    if type_ is None:
        return None
    return "STRING" if type_.root in ("CHAR", "VARCHAR") else str(type_)


def _fields(call: AggregateCall, retracting: bool) -> Iterator[StoredField]:
    if call.function in _LOOK_BACK:
        yield _looking_back(call)
        return
    for part, type_ in _parts(call, retracting):
        signature = part, call.args, call.filter, call.distinct
        operands = () if type_ is not None else _types_of(call.args)
        yield StoredField(_meaning(part, call), type_, operands=operands, query_meaning=signature, place=call.place)


def _meaning(part: str, call: AggregateCall) -> tuple[object, ...]:
    """The meaning of a field, the same for all words that make one value of it: a filter or a CASE, a count or a sum
    of ones, a separator or its default.
    """
    args, condition = call.args, None if call.filter == TRUE else call.filter
    if call.function == "LISTAGG" and not call.distinct and args[1:] == (_SEPARATOR,):
        args = args[:1]
    if not call.distinct and len(args) == 1 and condition is None and part in _PASS_OVER_NULL:
        part, args, condition = _without_case(part, args[0])
    elif not call.distinct and part in _PASS_OVER_NULL - {"COUNT"} and tuple(map(_is_there, args)) == (condition,):
        condition = None
    rows = untyped(condition) if condition is not None else None
    return part, _untyped(args), rows, call.distinct, _untyped(call.order)


def _without_case(part: str, value: Expr) -> tuple[str, tuple[Expr, ...], Expr | None]:
    """A part of a call over ``value``, its operands and its filter, in the words that all such calls come down to."""
    condition: Expr | None = None
    if part == "SUM" and _is_one(value):
        # No group is without rows: a sum of ones is a number as soon as it is asked for.
        return "COUNT", (), None
    match value:
        case Call(name="CASE", args=(when, then, otherwise)) if part == "SUM" and _is_one(then) and _is_zero(otherwise):
            return "COUNT", (), when
        case Call(name="CASE", args=(when, then, otherwise)) if otherwise == _NULL:
            value, condition = then, when
    if part == "COUNT" and is_nullable(value) is False:
        return part, (), condition
    if part == "COUNT" and condition is None:
        return part, (), _is_there(value)
    return part, (value,), condition


def _is_there(value: Expr) -> Expr:
    return Call("NOT", (Call("IS", (value, _NULL)),))


def _untyped(exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return tuple(map(untyped, exprs))


def _is_one(expr: Expr) -> bool:
    return _number(expr) == "1"


def _is_zero(expr: Expr) -> bool:
    return _number(expr) == "0"


def _number(expr: Expr) -> str:
    if isinstance(expr, Call) and expr.name == "CAST":
        expr = expr.args[0]
    return expr.value if isinstance(expr, Literal) and expr.type == "NUMBER" else ""


def _looking_back(call: AggregateCall) -> StoredField:
    """Return the field of ``LAG(value, offset, default)``, which stores a list of values of one type, and its other
    arguments as long as it runs.
    """
    value, offset = call.args[:1], call.args[1] if len(call.args) > 1 else Literal("1", "NUMBER")
    type_ = _accumulator_type(value[0]) if value else None
    type_text = f"{call.function}({type_})" if type_ is not None else None
    reach = int(offset.value) if isinstance(offset, Literal) and offset.value.isdecimal() else None
    args = value if reach is not None else (*value, offset)
    meaning = call.function, _untyped(args), None, call.distinct, ()
    return StoredField(meaning, type_text, looks_back=reach, place=call.place)


def _parts(call: AggregateCall, retracting: bool) -> Iterator[tuple[str, str | None]]:
    """Yield the fields of a call's accumulator: a name for the meaning of each field, and its type."""
    name = call.function
    if call.origin is not FunctionOrigin.BUILT_IN:
        known = call.origin is FunctionOrigin.JVM
        typed = [_accumulator_type(arg) for arg in call.args]
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
            # A sum that can be taken back counts its rows: after the last one it is NULL again.
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
            type_ = _accumulator_type(call.args[0]) if call.args else None
            kind = "WithRetract" if retracting else name
            first = "first" if name == "FIRST_VALUE" else "last"
            yield name, type_ if type_ is None else f"ROW<{first}Value {type_}, {first}Order BIGINT> {kind}"
        case "LISTAGG" if not retracting and not call.distinct:
            yield "separator", "STRING"
            yield name, "STRING"
        case "$WELFORD_M2":
            yield name, "WelfordM2Accumulator"
        case _:
            types = [(stored_element if name in _OF_VALUES else stored_type)(arg, is_nullable) for arg in call.args]
            type_text = f"{name}({', '.join(map(str, types))}){' retracting' if retracting else ''}"
            yield name, None if None in types else type_text


def _accumulator_type(expr: Expr) -> str | None:
    return stored_type(expr, is_nullable)


def _types_of(exprs: tuple[Expr, ...]) -> tuple[str, ...]:
    return tuple(type_ for expr in exprs for type_ in types_below(expr))


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
