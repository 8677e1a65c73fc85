"""Conditions and aggregates of a pattern: columns that Spark computes for each row, and the rest for the search.

An expression that looks at one row only is a column of Spark, with Flink's value of every function. One that looks at
several rows is put together of ``evaluation``'s parts, and refused where these have no equal of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pyspark.sql import Column

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal, PatternColumn
from keepstate.plan.types.common_types import INTEGERS, NUMERIC, TEXT
from keepstate.plan.types.logical_types import BOOLEAN, DOUBLE, LogicalType
from keepstate_spark.lowering.matching import evaluation as parts
from keepstate_spark.lowering.matching.evaluation import ALL, Part, Value
from keepstate_spark.lowering.matching.folding import BITS, LISTS, SENT, TIMES, fold
from keepstate_spark.lowering.matching.row_navigation import Row, navigated, rewritten
from keepstate_spark.lowering.matching.row_pattern import Variable
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.scalars import NULL_TYPE, ColumnBuilder, SparkValue, known_type
from keepstate_spark.lowering.spark_columns import INSTANT, WALL_CLOCK, function_call

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
}
_UNITS = {"SECOND": 1_000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000}
_WITH_CONSTANT = (*LISTS, "PERCENTILE")
"""Aggregates with a constant behind their argument."""
_LARGEST_SINGLE = 2**24
"""Up to here each whole number is a FLOAT."""


@dataclass
class PartBuilder:
    """Builds parts for the search over rows whose single columns ``scalars`` builds; ``columns`` are those that it
    needs of each row.
    """

    scalars: ColumnBuilder
    variables: Sequence[Variable]
    is_filled: Callable[[Expr], bool]
    """Tells the columns of the input that are NOT NULL."""
    defined: Sequence[str] = ()
    """Variables with a condition; Flink takes those that the pattern does not have, and no row belongs to them."""
    columns: list[Column] = field(default_factory=list)
    _indices: dict[tuple[Expr, bool], int] = field(default_factory=dict)
    _aggregates: int = 0

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the variables. A variable that the pattern does not have begins at no row of a match, so its
        number is behind all of these.
        """
        numbers = {variable.name: number for number, variable in enumerate(self.variables)}
        absent = sorted(set(self.defined) - set(numbers))
        return {**numbers, **{name: number for number, name in enumerate(absent, len(numbers) + 1)}}

    def condition(self, variable: int, condition: Expr) -> Part:
        """Return the condition under which a row belongs to ``variable``."""
        expr, rows = navigated(condition, self.numbers)
        return _Builder(self, rows, variable).part(expr, BOOLEAN)

    def aggregate(self, call: AggregateCall) -> Part:
        """Return an aggregate over the rows of a variable. Raises ``NotLowerable`` for one that the search does not
        have.
        """
        variables = {node.variable for node in _outside_of_columns(call) if isinstance(node, PatternColumn)}
        is_longer = len(call.args) > (2 if call.function in _WITH_CONSTANT else 1)
        if call.distinct or call.filter is not None or call.order or is_longer or len(variables) > 1:
            raise NotLowerable(f"{script_text(call)} in a pattern cannot be run.", call.place)
        variable = next((self.numbers.get(name, ALL) for name in variables if name), ALL)
        argument = call.args[0] if call.args else None
        type_ = known_type(call)
        step, result = fold(call, type_, None if argument is None else known_type(argument))
        index = None if argument is None else self.index(argument)
        self._aggregates += 1
        keeps_nulls = call.function == "ARRAY_AGG"
        return parts.aggregate(self._aggregates, variable, index, step, result, keeps_nulls)

    def index(self, expr: Expr, known: bool = False) -> int:
        """Return the number of the column with the value that ``expr`` has in a row, where its columns have no
        variable; with ``known`` of a condition, false for NULL.
        """
        key = rewritten(expr, lambda node: node.column if isinstance(node, PatternColumn) else node), known
        if key not in self._indices:
            value = self.scalars.value(key[0])
            column = (
                function_call("coalesce", self.scalars.converted(value, BOOLEAN, expr))
                if known
                else _search_value(value, expr)
            )
            self._indices[key] = len(self.columns)
            self.columns.append(column)
        return self._indices[key]


@dataclass(frozen=True)
class _Builder:
    """Builds one condition, whose columns have the names of ``rows`` in the place of variables."""

    parts: PartBuilder
    rows: dict[str, Row]
    variable: int

    def part(self, expr: Expr, type_: LogicalType | None = None) -> Part:
        """Return the value of ``expr``, converted to ``type_`` if one is given."""
        part = self._plain(expr)
        if type_ is None:
            return part
        return _converted(part, self._type(expr), type_, expr)

    def _type(self, expr: Expr) -> LogicalType:
        if isinstance(expr, Literal) and expr.type == "NULL":
            return NULL_TYPE
        return known_type(expr)

    def _plain(self, expr: Expr) -> Part:
        row = self._one_row(expr)
        if row is not None:
            at = parts.position(row.variable, row.first, row.offset)
            is_filled = isinstance(expr, PatternColumn) and self.parts.is_filled(expr.column)
            return parts.column(self.parts.index(expr), parts.required(at) if is_filled else at)
        match expr:
            case AggregateCall():
                return self.parts.aggregate(expr)
            case Literal() if expr.type == "NULL":
                return parts.constant(None)
            case Literal() if expr.type == "INTERVAL DAY":
                return parts.constant(int(Decimal(expr.value)) * 1_000)
            case Literal():
                return parts.constant(_constant(expr))
            case Call():
                return self._call(expr)
        raise _unknown(expr)

    def _one_row(self, expr: Expr) -> Row | None:
        """Return the row that all columns of ``expr`` are of, if Spark may compute the expression there: the row has
        to be there, since its value may not be NULL without it.
        """
        names = set()
        for node in _outside_of_columns(expr):
            if isinstance(node, AggregateCall):
                return None
            if isinstance(node, PatternColumn):
                names.add(node.variable)
        if len(names) != 1:
            return None
        row = self.rows[names.pop()]
        return row if isinstance(expr, PatternColumn) or self._is_there(row) else None

    def _is_there(self, row: Row) -> bool:
        if row.offset:
            return False
        if row.variable in (self.variable, ALL):
            return True
        return row.variable < self.variable and self.parts.variables[row.variable].low > 0

    def _call(self, call: Call) -> Part:
        args = call.args
        match call.name:
            case "AND" | "OR":
                combine = parts.both if call.name == "AND" else parts.either
                return combine(*(self.part(arg, BOOLEAN) for arg in args))
            case "NOT":
                return parts.strict(operator.not_, self.part(args[0], BOOLEAN))
            case "IS" if isinstance(args[1], Literal) and args[1].type in ("NULL", "BOOLEAN"):
                truth = {"TRUE": True, "FALSE": False}.get(args[1].value.upper())
                return parts.is_same(self.part(args[0]), truth)
            case "CASE":
                return self._case(call)
            case "NULLSAFEEQ" | "NULLSAFENEQ":
                is_same = parts.null_safe(*self._operands(call))
                return is_same if call.name == "NULLSAFEEQ" else parts.strict(operator.not_, is_same)
            case "NULLIF":
                return parts.choice([(self._compared(call), parts.constant(None))], self.part(args[0]))
            case "GREATEST" | "LEAST":
                extreme = max if call.name == "GREATEST" else min
                return parts.strict(extreme, *self._operands(call, known_type(call)))
            case "COALESCE" | "IFNULL":
                return parts.first_known(*(self.part(arg, known_type(call)) for arg in args))
            case "=" | "<>" | "<" | "<=":
                return self._compared(call)
            case "+" | "-" | "*" | "/" | "%" | "MOD" if len(args) == 2:
                return self._calculated(call)
            case "ABS":
                return self._limited(known_type(call), parts.strict(_absolute, self.part(args[0])), call)
            case "CAST":
                return self.part(args[0], known_type(call))
            case "TIMESTAMPDIFF":
                return self._difference(call)
            case "LIKE":
                return parts.strict(parts.matches_like, *self._texts(call))
            case "||" | "CONCAT":
                return parts.strict(parts.in_one_text, *self._texts(call))
        raise _unknown(call)

    def _texts(self, call: Call) -> list[Part]:
        if not {self._type(arg).root for arg in call.args} <= {*TEXT, NULL_TYPE.root}:
            raise _unknown(call)
        return [self.part(arg) for arg in call.args]

    def _case(self, call: Call) -> Part:
        type_ = known_type(call)
        branches = [
            (self.part(when, BOOLEAN), self.part(then, type_))
            for when, then in zip(call.args[:-1:2], call.args[1::2], strict=True)
        ]
        return parts.choice(branches, self.part(call.args[-1], type_))

    def _compared(self, call: Call) -> Part:
        return parts.strict(_COMPARISONS.get(call.name, operator.eq), *self._operands(call))

    def _operands(self, call: Call, type_: LogicalType | None = None) -> list[Part]:
        """Return the operands of a comparison, as values of ``type_`` if one is given."""
        roots = {self._type(arg).root for arg in call.args if not _is_small(arg)} - {NULL_TYPE.root}
        same = len(roots) < 2 or roots <= set(TEXT) or roots <= NUMERIC - {"FLOAT"}
        if not (same and roots <= SENT):
            raise _unknown(call)
        common = DOUBLE if type_ is None and "DOUBLE" in roots else type_
        return [self.part(arg, common) for arg in call.args]

    def _calculated(self, call: Call) -> Part:
        sign = "%" if call.name == "MOD" else call.name
        type_ = known_type(call)
        kinds = [self._type(arg).root for arg in call.args]
        values = [self.part(arg) for arg in call.args]
        if type_.root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
            if "INTERVAL SECOND" not in kinds or sign not in "+-" or (kinds[0] == "INTERVAL SECOND" and sign == "-"):
                raise _unknown(call)
            return parts.strict(parts.in_whole_numbers(sign), *values)
        if not set(kinds) <= NUMERIC or "FLOAT" in (*kinds, type_.root):
            raise _unknown(call)
        if type_.root in INTEGERS:
            calculated = parts.strict(parts.in_whole_numbers(sign), *values)
        elif type_.root == "DECIMAL":
            calculated = parts.strict(parts.exactly(sign), *values)
        elif sign != "%":
            return parts.strict(parts.approximately(sign), *values)
        else:
            raise _unknown(call)
        return self._limited(type_, calculated, call)

    def _limited(self, type_: LogicalType, part: Part, call: Call) -> Part:
        """``part`` as a value of a numeric type, which may be too small for it."""
        if type_.root in BITS:
            return parts.strict(parts.wrapped(BITS[type_.root]), part)
        if type_.root == "DECIMAL":
            return parts.strict(parts.fitted(type_.precision or 0, type_.scale or 0), part)
        if type_.root == "DOUBLE":
            return part
        raise _unknown(call)

    def _difference(self, call: Call) -> Part:
        unit, first, second = call.args
        name = next((node.value.upper() for node in unit.walk() if isinstance(node, Literal)), "")
        name = name.removeprefix("THIS=")
        kinds = {known_type(arg).root for arg in (first, second)}
        if name not in _UNITS or len(kinds) != 1 or not kinds <= {"TIMESTAMP", "TIMESTAMP_LTZ"}:
            raise _unknown(call)
        length = _UNITS[name]

        def passed(one: int, other: int) -> int:
            return parts.quotient(other // 1_000 - one // 1_000, length)

        return parts.strict(passed, self.part(first), self.part(second))


def _is_small(expr: Expr) -> bool:
    """Return whether an expression is a constant that is the same number as a FLOAT."""
    if not (isinstance(expr, Literal) and expr.type == "NUMBER" and expr.value.lstrip("-").isdecimal()):
        return False
    return abs(int(expr.value)) <= _LARGEST_SINGLE


def _outside_of_columns(expr: Expr) -> Iterator[Expr]:
    """Yield ``expr`` and all in it, but not what a column of the input is computed of."""
    yield expr
    if not isinstance(expr, PatternColumn):
        for child in expr.children():
            yield from _outside_of_columns(child)


def _absolute(number: Value) -> Value:
    # ``abs`` rounds a decimal to 28 digits.
    return number.copy_abs() if isinstance(number, Decimal) else abs(number)


def _unknown(expr: Expr) -> NotLowerable:
    return NotLowerable("This looks at several rows of a pattern, and is not computed there.", expr.place)


def _constant(literal: Literal) -> Any:
    type_ = known_type(literal)
    if literal.type == "STRING":
        return literal.value
    if literal.type == "BOOLEAN" and literal.value.upper() in ("TRUE", "FALSE"):
        return literal.value.upper() == "TRUE"
    if literal.type == "NUMBER" and type_.root in (*INTEGERS, "DECIMAL"):
        return int(literal.value) if type_.root in INTEGERS else Decimal(literal.value)
    if literal.type == "DOUBLE":
        return float(literal.value)
    raise _unknown(literal)


def _converted(part: Part, source: LogicalType, target: LogicalType, expr: Expr) -> Part:
    """``part`` as a value of the type ``target``."""
    if source in (target, NULL_TYPE) or (source.root in TEXT and target.root == "VARCHAR"):
        return part
    if source.root in TIMES and (source.root, source.precision) == (target.root, target.precision):
        return part
    exact = source.root in (*INTEGERS, "DECIMAL")
    if target.root == "DOUBLE" and source.root in (*INTEGERS, "DECIMAL", "DOUBLE"):
        return parts.strict(float, part)
    if target.root == "DECIMAL" and exact:
        return parts.strict(parts.fitted(target.precision or 0, target.scale or 0), part)
    if target.root in BITS and source.root in BITS:
        return parts.strict(parts.wrapped(BITS[target.root]), part)
    raise NotLowerable(f"This {source} does not become a {target} where a pattern looks at several rows.", expr.place)


def _search_value(value: SparkValue, expr: Expr) -> Column:
    """A value of a row as the search takes it."""
    if value.type.root not in SENT:
        raise NotLowerable(
            f"{script_text(expr)} is a {value.type}, which a pattern cannot look at in several rows.", expr.place
        )
    if value.type.root in TIMES:
        return function_call("unix_micros", value.column.cast(WALL_CLOCK).cast(INSTANT))
    return value.column
