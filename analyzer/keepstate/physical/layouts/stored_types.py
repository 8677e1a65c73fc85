"""Types of stored values as the serializers of open-source Flink compare them.

They have NOT NULL of elements and fields, and names in their own case.

Measured on Flink 2.3 and 1.20: ``ROW<zip INT>`` -> ``ROW<zip INT NOT NULL>`` and ``ROW<zip INT>`` -> ``ROW<Zip INT>``
do not start wherever such a value is stored; a comment of a field changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import repeat

from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Measure,
    Ordering,
    OverCall,
    PatternColumn,
)
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType

IsNullable = Callable[[Expr], "bool | None"]
_OF_ARGUMENT = frozenset({"FIRST_VALUE", "LAST_VALUE", "SINGLE_VALUE", "LAG", "LEAD", "MIN", "MAX"})
_OF_ITS_TYPES = frozenset({"CAST", "TRY_CAST", "COLUMN", ".", "BRACKET", "ELEMENT", "MAP_KEYS", "MAP_VALUES"})
"""Calls for which the inference of types keeps what is written."""
_OF_FIRST = frozenset({"NULLIF", "COMPUTED", "ARRAY_DISTINCT", "ARRAY_REVERSE", "ARRAY_SLICE", "ARRAY_SORT"})
_OF_VALUES = frozenset({"COALESCE", "IFNULL"})


def stored_type(expr: Expr, is_nullable: IsNullable) -> str | None:
    """The type of a value without its own NOT NULL; ``None`` if it is undecidable.

    ``is_nullable`` says of an expression whether its type admits NULL.
    """
    type_ = _Inference(is_nullable).type(expr)
    if type_ is not None:
        return type_.serializable_string
    # A type that is no built-in one is known by its name alone.
    return expr.type if isinstance(expr, Column) and type_of(expr) is None else None


def stored_element(expr: Expr, is_nullable: IsNullable) -> str | None:
    """The type of a value that stands alone in a list or as the key of a map, where the names of its own fields do not
    count.
    """
    type_ = _Inference(is_nullable).type(expr)
    if type_ is None:
        return None
    if type_.root in ("CHAR", "VARCHAR"):
        return "STRING"
    return replace(type_, exact_names=tuple(f"f{index}" for index, _ in enumerate(type_.names))).serializable_string


class _Inference:
    def __init__(self, is_nullable: IsNullable) -> None:
        self._is_nullable = is_nullable

    def type(self, expr: Expr) -> LogicalType | None:
        type_ = type_of(expr)
        return self._nested(expr, type_) if type_ is not None and type_.elements else type_

    def _nested(self, expr: Expr, type_: LogicalType) -> LogicalType | None:
        """The type of a value that has elements; ``type_`` is the one without its NOT NULL."""
        match expr:
            case Column():
                return type_
            case ColumnOfRight() | PatternColumn():
                return self.type(expr.column)
            case OverCall():
                return self.type(expr.call)
            case Measure():
                return self.type(expr.value)
            case Ordering():
                return self.type(expr.expr)
            case ColumnOfUnion():
                return self._common(expr.exprs)
            case AggregateCall(function=function, args=(value, *_)) if function in _OF_ARGUMENT:
                return self.type(value)
            case AggregateCall(function="COLLECT" | "ARRAY_AGG", args=(value, *_)):
                return self._of_elements(type_, [value])
            case Call(name=name, args=args):
                return self._call(name, args, type_)
        return None

    def _call(self, name: str, args: Sequence[Expr], type_: LogicalType) -> LogicalType | None:
        if name in _OF_ITS_TYPES:
            return type_ if name in ("CAST", "TRY_CAST", "COLUMN") else self._part(name, args)
        if name in _OF_FIRST:
            return self.type(args[0])
        if name in _OF_VALUES:
            return self._common(args)
        match name:
            case "CASE":
                return self._common((*args[1::2], args[-1]))
            case "ROW" | "TUPLE":
                return self._of_elements(type_, args)
            case "ARRAY":
                return self._of_common(type_, [args])
            case "MAP":
                return self._of_common(type_, [args[::2], args[1::2]])
        return None

    def _part(self, name: str, args: Sequence[Expr]) -> LogicalType | None:
        """A part of the value that is the first argument."""
        whole = self.type(args[0])
        if whole is None:
            return None
        match name:
            case "." if isinstance(args[-1], Literal):
                return whole.field(args[-1].value)
            case "BRACKET":
                return whole.elements[-1]
            case "ELEMENT":
                return whole.elements[0]
            case "MAP_KEYS" | "MAP_VALUES":
                place = 0 if name == "MAP_KEYS" else 1
                return LogicalType("ARRAY", elements=whole.elements[place:][:1], required=whole.required[place:][:1])
        return None

    def _of_elements(self, type_: LogicalType, values: Sequence[Expr]) -> LogicalType | None:
        """A constructed type with one element for each of ``values``."""
        return self._of_common(type_, [[value] for value in values])

    def _of_common(self, type_: LogicalType, values: Sequence[Sequence[Expr]]) -> LogicalType | None:
        elements: list[LogicalType] = []
        required: list[bool] = []
        for group in values:
            element = self._common(group)
            admits = {self._is_nullable(value) for value in group}
            if element is None or (None in admits and True not in admits):
                return None
            elements.append(element)
            required.append(True not in admits)
        return replace(type_, elements=tuple(elements), required=tuple(required))

    def _common(self, values: Iterable[Expr]) -> LogicalType | None:
        common: LogicalType | None = None
        for value in values:
            if isinstance(value, Literal) and value.type == "NULL":
                continue
            type_ = self.type(value)
            if type_ is None:
                return None
            common = type_ if common is None else _merged(common, type_)
            if common is None:
                return None
        return common


def _merged(first: LogicalType, second: LogicalType) -> LogicalType | None:
    """The common type of two that differ in NOT NULL and the case of names only; ``None`` for any others."""
    if first.serializable_string == second.serializable_string:
        return first
    if first != second or not first.elements:
        return None
    elements = [_merged(*both) for both in zip(first.elements, second.elements, strict=True)]
    known_elements = [element for element in elements if element is not None]
    if len(known_elements) < len(elements):
        return None
    required = tuple(a and b for a, b in zip(_required(first), _required(second), strict=True))
    return replace(first, elements=tuple(known_elements), required=required)


def _required(type_: LogicalType) -> tuple[bool, ...]:
    return type_.required or tuple(repeat(False, len(type_.elements)))
