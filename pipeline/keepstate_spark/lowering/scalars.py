"""Scalar expressions as columns of Spark with Flink's meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, FunctionOrigin, Literal, Opaque, Unresolved
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion, CorrelatedColumn, SubqueryValue, is_made_column
from keepstate.plan.types.common_types import APPROXIMATE, NUMERIC
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import BOOLEAN, BYTES, LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.edges.not_a_number import has_nan, is_nan
from keepstate_spark.lowering.functions.java_math import java_function
from keepstate_spark.lowering.functions.signed_zeros import is_constant
from keepstate_spark.lowering.plain_functions import plain_function
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.spark_columns import BOOLEAN as SPARK_BOOLEAN
from keepstate_spark.lowering.spark_columns import (
    DOUBLE,
    STRING,
    all_true,
    choice,
    failing,
    frame_column,
    function_call,
    nothing,
    text,
    true,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type

NULL_TYPE = LogicalType("NULL")
"""The type of a bare NULL, which takes on any other."""
AMBIGUOUS = ""
"""Stands for the column of an answer that belongs to two queries."""
_COMPARING = frozenset(
    """
    ARRAY_CONTAINS ARRAY_POSITION ARRAY_MAX ARRAY_MIN ARRAY_DISTINCT ARRAY_UNION ARRAY_EXCEPT ARRAY_INTERSECT
    ARRAY_REMOVE
    """.split()
)
"""Functions that compare elements of arrays."""
_OF_PLANS = frozenset({"ALL", "COLUMN", "COMPUTED", "DIFFERENCE", "FIXED", "NEGATE", "NULLSAFEEQ"})
"""Names of calls that plans have, and scripts write otherwise."""
_TIME_OF_DAY = re.compile(r"(\d{1,2}):([0-5]?\d)(?::([0-5]?\d))?")


class SparkValue(NamedTuple):
    """A column of Spark and the Flink type of its values."""

    column: SparkColumn
    type: LogicalType


@dataclass(frozen=True)
class ColumnNames:
    """Columns of a frame: the name of each expression that the frame holds.

    ``levels`` distinguish aggregates from equal ones of queries below. ``marked`` are the columns of right inputs of
    joins under the marks that stand around them in expressions, ``subqueries`` the answers of queries within
    expressions, ``outer`` the columns of the query around one of these.
    """

    columns: Mapping[Expr, str] = field(default_factory=dict)
    marked: Mapping[Expr, ColumnNames] = field(default_factory=dict)
    subqueries: Mapping[Expr, str] = field(default_factory=dict)
    levels: Mapping[tuple[Expr, int], str] = field(default_factory=dict)
    outer: ColumnNames | None = None

    @classmethod
    def of(cls, columns: Mapping[Expr, str]) -> ColumnNames:
        """Of an aggregation's ``columns``, aggregates among them."""
        levels: dict[tuple[Expr, int], str] = {
            (expr, expr.level): name for expr, name in columns.items() if isinstance(expr, AggregateCall)
        }
        return cls(columns, levels=levels)

    def find(self, expr: Expr) -> str | None:
        """The column that holds ``expr``."""
        if isinstance(expr, AggregateCall):
            name = self.levels.get((expr, expr.level))
            if name is not None:
                return name
            if any(other == expr for other, _ in self.levels):
                return None
        return self.columns.get(expr)


Rule = Callable[["ColumnBuilder", Call, LogicalType], SparkColumn]
"""From a call and its type to a column."""


@dataclass(frozen=True)
class ColumnBuilder:
    """Builds expressions over the columns of one frame; ``zone`` is the session time zone of the job."""

    names: ColumnNames
    zone: str
    rules: Mapping[str, Rule]
    """The functions that depend on more than their arguments, by the names of calls."""
    maps_in_order: bool = False
    """The entries of MAPs in columns of tables have the order of Flink."""
    calls_java: bool = False
    """Functions of Java may stand in the expressions."""

    def value(self, expr: Expr) -> SparkValue:
        """Return ``expr`` with its type. Raises ``NotLowerable`` for an expression that Spark cannot compute with
        Flink's meaning.
        """
        name = self.names.find(expr)
        if name is not None:
            return SparkValue(frame_column(name), known_type(expr))
        match expr:
            case Literal():
                return constant(expr)
            case Call():
                return self._call(expr)
            case ColumnOfRight() if expr.mark in self.names.marked:
                return replace(self, names=self.names.marked[expr.mark]).value(expr.column)
            case CorrelatedColumn() if self.names.outer is not None:
                return replace(self, names=self.names.outer).value(expr.column)
            case SubqueryValue() if expr in self.names.subqueries and len(expr.row) < 2:
                return SparkValue(self.answer(expr), known_type(expr.row[0]) if expr.row else BOOLEAN)
            case SubqueryValue() | CorrelatedColumn() | ColumnOfRight():
                raise NotLowerable("A query in this place of an expression cannot be run.", expr.place)
            case ColumnOfUnion():
                raise NotLowerable("A column of UNION cannot be told from another one.", expr.place)
            case Column():
                sentence = f"The column {expr.name} of {expr.table} is not to be had here."
                if known_type(expr).root in APPROXIMATE:
                    sentence += " Products of FLOAT and DOUBLE in several orders differ, and are no one key."
                raise NotLowerable(sentence, expr.place)
            case Unresolved():
                raise NotLowerable(f"No table in sight has a column {expr.name}.", expr.place)
            case Opaque():
                raise NotLowerable(f"{script_text(expr)} cannot be run.", expr.place)
            case AggregateCall() if expr.origin is not FunctionOrigin.BUILT_IN:
                raise NotLowerable(f"{expr.function} is no aggregate function of Flink's own.", expr.place)
        raise NotLowerable(f"{script_text(expr)} is not to be had here.", expr.place)

    def answer(self, query: Expr) -> SparkColumn:
        """Return the column with the answer of a query within an expression. Raises ``NotLowerable`` if it has none."""
        name = self.names.subqueries.get(query)
        if name is None:
            raise NotLowerable("A query in this place of an expression cannot be run.", query.place)
        if name == AMBIGUOUS:
            raise NotLowerable("Two queries in expressions, one around the other, are not told apart.", query.place)
        return frame_column(name)

    def column(self, expr: Expr, type_: LogicalType | None = None) -> SparkColumn:
        """``expr``, as a value of ``type_`` if one is given; Flink converts it by itself there."""
        value = self.value(expr)
        return value.column if type_ is None else self.converted(value, type_, expr)

    def converted(self, value: SparkValue, type_: LogicalType, expr: Expr) -> SparkColumn:
        if value.type == NULL_TYPE:
            return nothing(held_as(type_, expr))
        converted = cast(with_its_digits(value, type_, expr), value.type, type_, self.zone, strict=False)
        if converted is None:
            raise NotLowerable(f"A {value.type} does not become a {type_} here.", expr.place)
        return converted

    def condition(self, *conditions: Expr) -> SparkColumn:
        """Return the column that is true if all of ``conditions`` are."""
        return all_true(*(self.column(condition, BOOLEAN) for condition in conditions))

    def _call(self, call: Call) -> SparkValue:
        rule = self.rules.get(call.name)
        type_ = known_type(call)
        column = rule(self, call, type_) if rule is not None else self._plain(call, type_)
        if type_.root in APPROXIMATE and is_constant(call):
            # Flink's planner computes constants, and keeps them as decimals: a zero loses its minus.
            column = column + text("0.0").cast(DOUBLE).cast(held_as(type_, call))
        return SparkValue(column, type_)

    def _plain(self, call: Call, type_: LogicalType) -> SparkColumn:
        function = java_function(call) if self.calls_java else None
        function = function or plain_function(call.name, len(call.args))
        if function is None:
            raise unknown_function(call)
        values = [self.value(arg) for arg in call.args]
        result = as_type(function(*(value.column for value in values)), type_)
        if call.name in _COMPARING and values[0].type.root == "ARRAY" and has_nan(values[0].type.elements[0]):
            words = text(f"{call.name} meets NaN, which Flink compares in several ways.")
            odd = function_call("coalesce", fn.exists(values[0].column, is_nan), ~true())
            return choice(odd, failing(words), result)
        return result


def with_its_digits(value: SparkValue, type_: LogicalType, expr: Expr) -> SparkColumn:
    """The column of ``value``, which becomes a ``type_``. Of a constant FLOAT that becomes a DOUBLE it is the number
    that its digits spell: Flink's planner keeps such a constant as a decimal.
    """
    if value.type.root == "FLOAT" and type_.root == "DOUBLE" and is_constant(expr):
        return value.column.cast(STRING).cast(DOUBLE)
    return value.column


def constant(literal: Literal) -> SparkValue:
    """The value of a constant. Raises ``NotLowerable`` for one that there is not, such as the 30th of February."""
    if literal.type == "NULL":
        return SparkValue(nothing(), NULL_TYPE)
    type_ = known_type(literal)
    match literal.type:
        case "STRING":
            return SparkValue(text(literal.value), type_)
        case "NUMBER" if type_.root == "INT":
            return SparkValue(whole(int(literal.value)), type_)
        case "NUMBER":
            # By way of text: no digit is lost.
            return SparkValue(text(literal.value).cast(held_as(type_, literal)), type_)
        case "DOUBLE":
            return SparkValue(text(literal.value).cast(DOUBLE), type_)
        case "BOOLEAN":
            truth = {"TRUE": true(), "FALSE": ~true(), "UNKNOWN": nothing(SPARK_BOOLEAN)}.get(literal.value.upper())
            if truth is not None:
                return SparkValue(truth, type_)
        case "DATE" | "TIMESTAMP" if not time_columns.exists(literal.value):
            raise NotLowerable(f"There is no {literal}.", literal.place)
        case "DATE" | "TIMESTAMP":
            return SparkValue(text(literal.value).cast(held_as(type_, literal)), type_)
        case "TIME":
            return SparkValue(whole(_of_day(literal)), type_)
        case "INTERVAL DAY" | "INTERVAL YEAR":
            return SparkValue(_length(literal), type_)
    raise NotLowerable(f"{literal} cannot be run.", literal.place)


def _of_day(literal: Literal) -> int:
    """Return the milliseconds of the day of ``10:11:12``."""
    match = _TIME_OF_DAY.fullmatch(literal.value)
    if match is None or int(match[1]) > 23:
        raise NotLowerable(f"There is no {literal}.", literal.place)
    return ((int(match[1]) * 60 + int(match[2])) * 60 + int(match[3] or 0)) * 1000


def _length(literal: Literal) -> SparkColumn:
    """Milliseconds or months."""
    try:
        number = Decimal(literal.value)
    except InvalidOperation as error:
        raise NotLowerable(f"{literal} is no length of time.", literal.place) from error
    return whole(int(number)) if number == int(number) else fn.lit(number)


def as_type(column: SparkColumn, type_: LogicalType) -> SparkColumn:
    """A number in the type that Flink gives it; anything else as it is."""
    if type_.root not in NUMERIC:
        return column
    held_in = spark_type(type_)
    assert held_in is not None
    return column.cast(held_in)


def known_type(expr: Expr) -> LogicalType:
    """Return the type of ``expr``. Raises ``NotLowerable`` if the script does not determine it."""
    type_ = type_of(expr)
    if type_ is not None:
        return type_
    if isinstance(expr, Call) and expr.name == "ENCODE":
        # Earlier versions of Flink say BINARY(1) of the same bytes.
        return BYTES
    for node in expr.walk():
        if isinstance(node, Unresolved):
            raise NotLowerable(f"No table in sight has a column {node.name}.", node.place or expr.place)
    if isinstance(expr, Call) and is_made_column(expr):
        raise NotLowerable(f"The columns of {expr.args[0]} cannot be told.", expr.place)
    if isinstance(expr, Call) and expr.name in ("CAST", "TRY_CAST") and _is_precise_time(expr.args[-1]):
        raise NotLowerable("A TIME with fractions of a second cannot be run: Flink 1.20 drops them.", expr.place)
    if isinstance(expr, Call) and expr.name[0].isalpha() and all(_has_type(arg) for arg in expr.args):
        raise unknown_function(expr)
    raise NotLowerable(f"The type of {script_text(expr)} cannot be told.", expr.place)


def _is_precise_time(target: Expr) -> bool:
    type_ = LogicalType.parse(target.value) if isinstance(target, Literal) else None
    return type_ is not None and type_.has_precise_time


def _has_type(expr: Expr) -> bool:
    return isinstance(expr, Literal) or type_of(expr) is not None


def unknown_function(call: Call) -> NotLowerable:
    words = call.place.words if call.place is not None else (call.name, "(")
    name = call.name
    if name in ("PARSE_JSON", "TRY_PARSE_JSON"):
        return NotLowerable(f"{script_text(call)} is a VARIANT, and no value of that type can be run.", call.place)
    if name not in words and words[1:2] == ("(",):
        name = words[0]
    elif name not in words and name in _OF_PLANS:
        return NotLowerable(f"{script_text(call)} cannot be run: its type is not known here.", call.place)
    return NotLowerable(
        f"The function {name} with {len(call.args)} argument{'' if len(call.args) == 1 else 's'} of these types "
        "is not known here.",
        call.place,
    )


def held_as(type_: LogicalType, expr: Expr) -> DataType:
    """The Spark type for ``type_``. Raises ``NotLowerable`` if there is none."""
    type_name = spark_type(type_)
    if type_name is None:
        why = "Spark keeps microseconds" if type_.root.startswith("TIMESTAMP") else "Spark has no such type"
        raise NotLowerable(f"{script_text(expr)} is a {type_}, and {why}.", expr.place)
    return type_name
