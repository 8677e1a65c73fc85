"""Scalar expressions as Spark SQL text with Flink's meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from keepstate.plan.common_types import NUMERIC
from keepstate.plan.expressions import (
    OF_INPUT,
    OF_OUTER,
    SUBQUERY,
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Origin,
    Unresolved,
)
from keepstate.plan.inference import type_of
from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering.casts import cast
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.spark_types import quoted, spark_type, string

NULL_TYPE = LogicalType("NULL")
"""The type of a bare NULL, which takes on any other."""


class Text(NamedTuple):
    """Spark SQL text and the Flink type of what it gives."""

    sql: str
    type: LogicalType


@dataclass(frozen=True)
class Names:
    """The columns of a frame: which expression is held under which name.

    ``levels`` tells aggregates from equal ones of queries below. ``marked`` are the columns of right inputs of joins
    under the marks that stand around them in expressions, ``subqueries`` those of queries within expressions.
    """

    columns: Mapping[Expr, str] = field(default_factory=dict)
    marked: Mapping[Expr, Names] = field(default_factory=dict)
    subqueries: Mapping[Expr, str] = field(default_factory=dict)
    levels: Mapping[tuple[Expr, int], str] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[Expr, str]) -> Names:
        """Of an aggregation's ``columns``, aggregates among them."""
        told: dict[tuple[Expr, int], str] = {
            (expr, expr.level): name for expr, name in columns.items() if isinstance(expr, AggregateCall)
        }
        return cls(columns, levels=told)

    def find(self, expr: Expr) -> str | None:
        """The column that holds ``expr``."""
        if isinstance(expr, AggregateCall):
            name = self.levels.get((expr, expr.level))
            if name is not None:
                return name
            if any(other == expr for other, _ in self.levels):
                return None
        return self.columns.get(expr)


Rule = Callable[["Scalars", Call, LogicalType], str]
"""From a call and its type to text."""


@dataclass(frozen=True)
class Scalars:
    """Writes expressions over the columns of one frame; ``zone`` is the session time zone of the job."""

    names: Names
    zone: str

    def text(self, expr: Expr) -> Text:
        """``expr`` as text. Raises ``Refused`` for what Spark cannot be asked for with Flink's meaning."""
        name = self.names.find(expr)
        if name is not None:
            return Text(quoted(name), known_type(expr))
        match expr:
            case Literal():
                return self._literal(expr)
            case Call():
                return self._call(expr)
            case Column():
                raise Refused(f"The column {expr.name} of {expr.table} is not to be had here.", expr.place)
            case Unresolved():
                raise Refused(f"No table in sight has a column {expr.name}.", expr.place)
            case Opaque():
                raise Refused(f"{expr} cannot be run.", expr.place)
            case AggregateCall() if expr.origin is not Origin.BUILT_IN:
                raise Refused(f"{expr.function} is no aggregate function of Flink's own.", expr.place)
        raise Refused(f"{expr} is not to be had here.", expr.place)

    def sql(self, expr: Expr, type_: LogicalType | None = None) -> str:
        """``expr`` as text, as a value of ``type_`` if one is given; Flink converts it by itself there."""
        text = self.text(expr)
        return text.sql if type_ is None else self.converted(text, type_, expr)

    def converted(self, text: Text, type_: LogicalType, expr: Expr) -> str:
        if text.type == NULL_TYPE:
            return f"cast(null as {spark_name(type_, expr)})"
        found = cast(text.sql, text.type, type_, self.zone, strict=False)
        if found is None:
            raise Refused(f"A {text.type} does not become a {type_} here.", expr.place)
        return found

    def _literal(self, literal: Literal) -> Text:
        if literal.type == "NULL":
            return Text("null", NULL_TYPE)
        type_ = known_type(literal)
        match literal.type:
            case "STRING":
                return Text(string(literal.value), type_)
            case "NUMBER":
                suffix = {"BIGINT": "L", "INT": ""}.get(type_.root)
                if suffix is not None:
                    return Text(
                        f"{literal.value}{suffix}" if literal.value[0] != "-" else f"({literal.value}{suffix})", type_
                    )
                return Text(f"cast('{literal.value}' as {spark_type(type_)})", type_)
            case "DOUBLE":
                return Text(f"double('{literal.value}')", type_)
            case "BOOLEAN":
                return Text(literal.value.lower(), type_)
            case "DATE":
                return Text(f"date{string(literal.value)}", type_)
            case "TIME":
                return Text(self._time(literal), type_)
            case "TIMESTAMP":
                spark_name(type_, literal)
                return Text(f"timestamp_ntz{string(literal.value)}", type_)
            case "INTERVAL DAY" | "INTERVAL YEAR":
                return Text(literal.value, type_)
        raise Refused(f"{literal} cannot be run.", literal.place)

    def _time(self, literal: Literal) -> str:
        hours, minutes, seconds = (int(part) for part in (literal.value + ":0:0").split(":")[:3])
        return str(((hours * 60 + minutes) * 60 + seconds) * 1000)

    def _call(self, call: Call) -> Text:
        if call.name == OF_INPUT:
            mark, inner = call.args
            names = self.names.marked.get(mark)
            if names is not None:
                return Scalars(names, self.zone).text(inner)
        if call.name == SUBQUERY and len(call.args) == 2 and call.args[1] in self.names.subqueries:
            return Text(quoted(self.names.subqueries[call.args[1]]), known_type(call.args[1]))
        if call.name in (SUBQUERY, OF_OUTER, OF_INPUT):
            raise Refused("A query in this place of an expression cannot be run.", call.place)
        from keepstate_spark.lowering.functions.table import RULES

        rule = RULES.get(call.name)
        type_ = known_type(call)
        if rule is not None:
            return Text(rule(self, call, type_), type_)
        return Text(self._by_template(call, type_), type_)

    def _by_template(self, call: Call, type_: LogicalType) -> str:
        from keepstate_spark.lowering.functions.templates import filled, template

        text = template(call.name, len(call.args))
        if text is None:
            raise unknown_function(call)
        return as_type(filled(text, [self.text(arg).sql for arg in call.args]), type_)


def as_type(sql: str, type_: LogicalType) -> str:
    """Text of a number in the type that Flink gives it; anything else as it is."""
    return f"cast({sql} as {spark_type(type_)})" if type_.root in NUMERIC else sql


def known_type(expr: Expr) -> LogicalType:
    """The type of ``expr``. Raises ``Refused`` if the script does not tell it."""
    type_ = type_of(expr)
    if type_ is not None:
        return type_
    for node in expr.walk():
        if isinstance(node, Unresolved):
            raise Refused(f"No table in sight has a column {node.name}.", node.place or expr.place)
    if isinstance(expr, Call) and expr.name == "COLUMN":
        raise Refused(f"The columns of {expr.args[0]} cannot be told.", expr.place)
    if isinstance(expr, Call) and expr.name[0].isalpha() and all(_has_type(arg) for arg in expr.args):
        raise unknown_function(expr)
    raise Refused(f"The type of {expr} cannot be told.", expr.place)


def _has_type(expr: Expr) -> bool:
    return isinstance(expr, Literal) or type_of(expr) is not None


def unknown_function(call: Call) -> Refused:
    return Refused(
        f"The function {call.name} with {len(call.args)} argument{'' if len(call.args) == 1 else 's'} of these types "
        "is not known here.",
        call.place,
    )


def spark_name(type_: LogicalType, expr: Expr) -> str:
    """The Spark type for ``type_``. Raises ``Refused`` if there is none."""
    name = spark_type(type_)
    if name is None:
        why = "Spark keeps microseconds" if type_.root.startswith("TIMESTAMP") else "Spark has no such type"
        raise Refused(f"{expr} is a {type_}, and {why}.", expr.place)
    return name
