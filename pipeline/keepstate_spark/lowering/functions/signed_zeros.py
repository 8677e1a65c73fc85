"""Zeros with a sign: to Flink, ``-0.0`` and ``0.0`` are two keys, and to Spark they are one.

Flink compares keys of groups, joins and streams by their bytes. So each key that is a FLOAT or a DOUBLE gets a second
one, which is true for ``-0.0``. Spark gives ``0.0`` for both keys, so that the sign is put back behind a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.expressions import Column as TableColumn
from keepstate.plan.predicates import conjuncts
from keepstate.plan.references import ColumnOfRight, is_made_column
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.spark_columns import DOUBLE, choice, frame_column, function_call, text, true

_DOUBLE_TYPE = Literal("DOUBLE", "TYPE")
_RANGES = frozenset({"BETWEEN", "<=", ">="})
_ZERO, _BELOW = Literal("0.0", "DOUBLE"), Literal("-1.0", "DOUBLE")


def has_sign(expr: Expr) -> bool:
    """Return whether an expression is a FLOAT or a DOUBLE.

    >>> has_sign(Literal("1.5", "DOUBLE")), has_sign(Literal("1.5", "NUMBER"))
    (True, False)
    """
    type_ = type_of(expr)
    return type_ is not None and type_.root in APPROXIMATE


def sign(expr: Expr) -> Expr:
    """The expression that is true where ``expr``, a FLOAT or a DOUBLE, is ``-0.0``."""
    number = Call("CAST", (expr, _DOUBLE_TYPE))
    below = Call("<", (Call("POWER", (number, _BELOW)), _ZERO))
    # No equation: Spark puts the constant of one in place of the column, which loses the sign.
    return Call("AND", (below, Call("NOT", (Call("<", (number, _ZERO)),))))


def signs(keys: Iterable[Expr]) -> dict[Expr, Expr]:
    """The signs of those of ``keys`` that have one."""
    return {key: sign(key) for key in keys if has_sign(key)}


def with_signs(keys: Sequence[Expr]) -> tuple[Expr, ...]:
    """``keys``, and the signs of those that have one."""
    return (*keys, *signs(keys).values())


def equal_signs(condition: Expr) -> Expr | None:
    """The condition on signs beside ``condition`` of a join, if it compares numbers of which one has a sign."""
    if not (isinstance(condition, Call) and condition.name == "=" and len(condition.args) == 2):
        return None
    if any(is_constant(arg) for arg in condition.args):
        return None
    of_operands = [sign(arg) for arg in condition.args if has_sign(arg)]
    match of_operands:
        case [one, other]:
            return Call("=", (one, other), place=condition.place)
        case [one]:
            return Call("NOT", (one,), place=condition.place)
    return None


def joined_signs(conditions: Iterable[Expr]) -> Iterator[tuple[Call, Expr]]:
    """Yield those ``conditions`` of a filter over joins that equate FLOATs or DOUBLEs of two tables, each with the
    condition on the signs beside it: the planner makes keys of the joins of them.
    """
    for condition in conditions:
        sources = [_sources(arg) for arg in condition.children()]
        if len(sources) == 2 and all(len(each) == 1 for each in sources) and sources[0] != sources[1]:
            equal = equal_signs(condition)
            if equal is not None:
                assert isinstance(condition, Call)
                yield condition, equal


def _sources(expr: Expr) -> frozenset[tuple[Expr | None, str]]:
    """The tables that an expression reads, each with the mark of a right input of a join."""
    if isinstance(expr, ColumnOfRight):
        return frozenset((expr.mark, table) for _, table in _sources(expr.column))
    if isinstance(expr, TableColumn):
        return frozenset({(None, expr.table)})
    return frozenset(source for child in expr.children() for source in _sources(child))


def members(parts: Sequence[Expr], word: str) -> frozenset[Expr]:
    """The ``parts`` that Flink makes one set of constants of: ``x = 0 OR x = 1``, and with the word ``AND``
    ``x <> 0 AND x <> 1``. The set has ``0.0`` and no ``-0.0``, and ranges of the same value leave no set.
    """
    sign_, points, ranges = {"OR": "=", "AND": "<>"}[word], dict[Expr, dict[Expr, Expr]](), set[Expr]()
    for part in parts:
        if not (isinstance(part, Call) and len(part.args) == 2):
            continue
        for value, constant in (part.args, part.args[::-1]):
            if is_constant(value) or not is_constant(constant) or not has_sign(value):
                continue
            if part.name != sign_:
                ranges.add(value)
            elif not (isinstance(constant, Literal) and constant.type == "NULL"):
                points.setdefault(value, {})[part] = constant
    sets = (
        equations
        for value, equations in points.items()
        if value not in ranges and len(set(map(_number, equations.values()))) > 1
    )
    return frozenset(part for equations in sets for part in equations)


def as_member(part: Expr) -> Expr:
    """One of ``members`` as the set decides it: ``-0.0`` equals none of its constants."""
    assert isinstance(part, Call)
    value, constant = part.args if is_constant(part.args[1]) else part.args[::-1]
    type_, minus = type_of(value), sign(value)
    if type_ is not None and type_.root == "FLOAT":
        # A set of FLOATs has its constants as FLOATs, and a comparison takes DOUBLEs.
        part = Call(part.name, (value, Call("CAST", (constant, Literal("FLOAT", "TYPE")))), place=part.place)
    if part.name == "<>":
        return Call("OR", (part, minus))
    left, right = part.args
    return Call("AND", (Call("<=", (left, right)), Call("<=", (right, left)), Call("NOT", (minus,))))


def _number(constant: Expr) -> object:
    if isinstance(constant, Call) and constant.name == "CAST":
        return _number(constant.args[0])
    if isinstance(constant, Literal) and constant.type in ("NUMBER", "DOUBLE"):
        return float(constant.value)
    return constant


def is_constant(expr: Expr) -> bool:
    """Return whether an expression reads no row."""
    return all(isinstance(node, (Literal, Call)) and not is_made_column(node) for node in expr.walk())


def sign_column(value: Column) -> Column:
    """The column that is true where ``value`` is ``-0.0``, and false, or NULL, elsewhere."""
    number = value.cast(DOUBLE)
    return (number == 0) & (function_call("power", number, text("-1").cast(DOUBLE)) < 0)


def has_number(type_: LogicalType) -> bool:
    """Return whether a type is FLOAT or DOUBLE, or has one inside.

    >>> has_number(LogicalType("ARRAY", elements=(LogicalType("DOUBLE"),))), has_number(LogicalType("INT"))
    (True, False)
    """
    return type_.root in APPROXIMATE or any(map(has_number, type_.elements))


def inner_minus(value: Column, type_: LogicalType) -> Column | None:
    """The column that is true where a number inside of ``value``, an ARRAY, a MAP or a ROW, is ``-0.0``; ``None`` if no
    FLOAT or DOUBLE is in there.
    """
    return None if type_.root in APPROXIMATE else any_minus(value, type_)


def any_minus(value: Column, type_: LogicalType) -> Column | None:
    """The column that is true where ``value`` is ``-0.0`` or has one inside; ``None`` if it has no FLOAT or DOUBLE."""
    if type_.root in APPROXIMATE:
        return function_call("coalesce", sign_column(value), ~true())
    if type_.root == "ROW":
        fields = zip(type_.names, type_.elements, strict=True)
        parts = [part for name, of in fields if (part := any_minus(value.getField(name), of)) is not None]
        return reduce(or_, parts) if parts else None
    if type_.root not in ("ARRAY", "MAP") or not has_number(type_.elements[-1]):
        return None
    values, element = (function_call("map_values", value) if type_.root == "MAP" else value), type_.elements[-1]

    def of_element(each: Column) -> Column:
        minus = any_minus(each, element)
        return ~true() if minus is None else minus

    return function_call("coalesce", fn.exists(values, of_element), ~true())


def with_sign_of(value: Column, number: Column) -> Column:
    """``number``, the rounded ``value``, as a DOUBLE: ``-0.0`` where it is zero and ``value`` has a minus."""
    return choice((number == 0) & ((value < 0) | sign_column(value)), text("-0.0").cast(DOUBLE), number)


def zeros(condition: Expr) -> Iterator[Expr]:
    """Yield the columns that are ``0.0`` in the rows of a filter or of an inner join: the planner puts the constant in
    place of a column that the condition compares with it, and so ``-0.0`` has lost its sign.
    """
    for part in conjuncts(condition):
        if isinstance(part, Call) and part.name == "=" and len(part.args) == 2:
            for column, constant in (part.args, part.args[::-1]):
                source = column.column if isinstance(column, ColumnOfRight) else column
                if isinstance(source, TableColumn) and has_sign(column) and is_zero(constant):
                    yield column


def one_value_ranges(conditions: Iterable[Expr]) -> Iterator[tuple[Expr, Literal]]:
    """Yield the FLOATs and DOUBLEs that a range of one number holds fast, such as ``x BETWEEN 0 AND 0``, each with that
    number. In a plan such a range is an equation.
    """
    for part in (part for condition in conditions for part in conjuncts(condition)):
        words = part.place.words if part.place is not None else ("BETWEEN",)
        if isinstance(part, Call) and part.name == "=" and not _RANGES.isdisjoint(words):
            for value, constant in (part.args, part.args[::-1]):
                if has_sign(value) and not is_constant(value) and isinstance(constant, Literal):
                    yield value, constant


def is_zero(expr: Expr) -> bool:
    """Return whether an expression is a number that is zero.

    >>> is_zero(Literal("0.0", "NUMBER")), is_zero(Literal("0", "STRING")), is_zero(Literal("0.5", "NUMBER"))
    (True, False, False)
    """
    if isinstance(expr, Call) and expr.name == "CAST" and has_sign(expr):
        return is_zero(expr.args[0])
    return isinstance(expr, Literal) and expr.type in ("NUMBER", "DOUBLE") and not float(expr.value)


def put_signs_back(rows: DataFrame, sign_names: Mapping[str, str]) -> DataFrame:
    """``rows`` with ``-0.0`` in columns where the sign, whose name is the value of ``sign_names``, is true."""
    if not sign_names:
        return rows
    types = {field.name: field.dataType for field in rows.schema.fields}

    def with_sign(name: str) -> Column:
        column = frame_column(name)
        if name not in sign_names:
            return column
        return choice(frame_column(sign_names[name]), text("-0.0").cast(types[name]), column).alias(name)

    return rows.select(*map(with_sign, rows.columns))
