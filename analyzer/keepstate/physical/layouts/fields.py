"""Fields of stored rows: the type that a serializer writes, and the meaning of the value."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from keepstate.physical.layouts.stored_types import stored_type
from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    RankNumber,
    WindowField,
    WindowPart,
    is_proctime,
)
from keepstate.plan.hashed_value import asked_once, with_fields
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion
from keepstate.plan.simplification.nullability import nullable as nullable_as_planned
from keepstate.plan.simplification.ranges import Ranges, intersection, ranges_of
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate.state.stored_operators import Fields, StoredField

NOT_NULL = " NOT NULL"
_CONSTRUCTORS = frozenset({"ARRAY", "MAP", "ROW", "TUPLE"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "NEGATE", "COMPUTED"})
"""Calls that give a value wherever all their operands are values."""


@dataclass(frozen=True)
class Filter:
    """A condition that rows passed; ``columns`` are those that it reads. ``ranges`` are the values that one of them has
    then, where the condition compares it with constants only.
    """

    condition: Expr
    ranges: Ranges | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def of(condition: Expr) -> Filter:
        """The filter by a condition, without the types of its columns.

        >>> [Filter.of(expr(each)).narrows(Filter.of(expr("id > 5"))) for each in ("id > 7", "id > 3", "price > 7")]
        [True, False, False]
        """
        return Filter(untyped(condition), ranges_of(condition))

    def narrows(self, other: Filter) -> bool:
        """Return whether each value that passes this filter passes ``other``, a filter of the same column."""
        if self.ranges is None or other.ranges is None:
            return False
        is_same = untyped(self.ranges.operand) == untyped(other.ranges.operand)
        return is_same and intersection(self.ranges.sets, other.ranges.sets) == self.ranges.sets

    @property
    def columns(self) -> frozenset[Expr]:
        return frozenset(node for node in self.condition.walk() if not node.children() and not is_constant(node))


@asked_once
def column_field(expr: Expr) -> StoredField:
    """An expression as a field of a key or of a stored row."""
    # A column of the right input of a join is the column that this input gives.
    column = expr.column if isinstance(expr, ColumnOfRight) else expr
    if is_proctime(column):
        return StoredField(expr, "TIMESTAMP_LTZ(3) NOT NULL")
    type_ = stored_type(column, is_nullable)
    nullable = is_nullable(column)
    if type_ is None or nullable is None:
        return StoredField(untyped(expr), None, operands=types_below(column))
    return StoredField(untyped(expr), type_ if nullable else f"{type_}{NOT_NULL}")


def types_below(expr: Expr) -> tuple[str, ...]:
    """The types that an expression is made of, in order; where it has an undecidable one, they say which."""
    if not expr.children():
        return ()
    return tuple(
        _as_declared(node)
        for node in expr.walk()
        if isinstance(node, Column) or (isinstance(node, Literal) and node.type == "TYPE")
    )


def _as_declared(node: Column | Literal) -> str:
    canonical = node.type if isinstance(node, Column) else node.value
    type_ = LogicalType.as_written(node.written_type) if node.written_type is not None else None
    required = node.not_null if isinstance(node, Column) else _is_required(node)
    return f"{type_.serializable_string if type_ is not None else canonical}{NOT_NULL * required}"


def _is_required(type_: Literal) -> bool:
    return (type_.written_type or "").endswith(NOT_NULL)


def without_copy(expr: Expr) -> Expr:
    """The column that a computed copy means (``plan/scalars/window_operands``); any other expression as it is."""
    return expr.args[0] if isinstance(expr, Call) and expr.name == "COMPUTED" else expr


def untyped(expr: Expr) -> Expr:
    """Return the meaning of an expression without types of columns: those are compared by the stored types. A column
    that is computed again means that column, and CONCAT is ``||``.

    >>> expr("price").type, untyped(expr("price")).type
    ('DECIMAL(10,2)', None)
    """

    def step(node: Expr) -> Expr:
        if isinstance(node, Column):
            return with_fields(node, type=None)
        if isinstance(node, Call) and node.name == "CONCAT" and len(node.args) > 1:
            return reduce(lambda text, more: Call("||", (text, more)), node.args)
        return without_copy(node)

    return expr.rewrite(step)


def nullable(field: StoredField) -> StoredField:
    """The field where it may be NULL as well."""
    return replace(field, type=field.type.removesuffix(" NOT NULL") if field.type is not None else None)


def row_of(exprs: Iterable[Expr], held: Container[Expr] = ()) -> Fields:
    """The fields of a row; nothing reads those of ``held``."""
    return tuple(replace(column_field(expr), is_read=expr not in held) for expr in exprs)


@asked_once
def is_nullable(expr: Expr) -> bool | None:
    """Return whether a value may be NULL as far as its type says; ``None`` if that is undecidable."""
    match expr:
        case Column():
            return not expr.not_null
        case Literal():
            return expr.value.upper() == "NULL"
        case WindowField():
            # The ends of a window are always there, and so is a time attribute with a watermark in front of it.
            return False if expr.part is not WindowPart.TIME else None
        case RankNumber():
            return False
        case AggregateCall():
            return False if expr.function == "COUNT" else _any(expr.args)
        case ColumnOfUnion():
            return _any(expr.exprs)
        case Call():
            if expr.name in ("IS NULL", "IS NOT NULL") or expr.name in _CONSTRUCTORS:
                return False
            if expr.name == ".":
                return _of_field(expr)
            if expr.name == "COLUMN" and isinstance(expr.args[-1], Literal) and expr.args[-1].type == "TYPE":
                # A LEFT JOIN may add rows without values.
                return None if _is_required(expr.args[-1]) else True
            if expr.name in ("COALESCE", "IFNULL") and any(is_nullable(arg) is False for arg in expr.args):
                return False
            if expr.name == "CASE":
                return _of_case(expr)
            nullable = _any(expr.args)
            return nullable if nullable or expr.name in _ARITHMETIC else None
    return None


def _of_field(field: Call) -> bool | None:
    """A field of a row is NOT NULL where both are."""
    row, name = field.args[0], field.args[-1]
    whole = type_of(row)
    of_row = is_nullable(row)
    if of_row is not False:
        return of_row
    if whole is None or not isinstance(name, Literal) or name.value.upper() not in whole.names:
        return None
    return not (whole.required and whole.required[whole.names.index(name.value.upper())])


def _of_case(case: Call) -> bool | None:
    """The conditions count where it is written as IF."""
    values = _any((*case.args[1::2], *case.args[-1:]))
    if not case.is_function or values:
        return values
    condition = nullable_as_planned(case.args[0])
    return condition if condition or values is False else None


def _any(exprs: tuple[Expr, ...]) -> bool | None:
    answers = {is_nullable(expr) for expr in exprs}
    if True in answers:
        return True
    return None if None in answers or not answers else False


def same_types(before: Fields, after: Fields) -> bool | None:
    """Return whether a serializer for the one row accepts the other; ``None`` if that is undecidable.

    >>> number, other_number, text = (row_of([expr(column)]) for column in ("id", "id + 1", "buyer"))
    >>> same_types(number, other_number), same_types(number, text)
    (True, False)
    """
    if len(before) != len(after):
        return False
    certain = True
    for was, now in zip(before, after, strict=True):
        if was.type is None or now.type is None:
            certain = certain and was.type is now.type and (was.meaning, was.operands) == (now.meaning, now.operands)
        elif was.type != now.type:
            return False
    return True if certain else None


def same_meaning(before: Fields, after: Fields) -> bool:
    """Return whether all fields that are read have the same meaning.

    >>> price, double = (row_of([expr(each)]) for each in ("price", "price + price"))
    >>> same_meaning(price, price), same_meaning(price, double)
    (True, False)
    """
    if len(before) != len(after):
        return False
    return all(_goes_on(was, now) for was, now in zip(before, after, strict=True) if now.is_read)


def _goes_on(before: StoredField, after: StoredField) -> bool:
    """Return whether the stored field serves as the other field.

    A call that looks back drops excess rows, and has one more row by the time of its next result.
    """
    reach = before.looks_back, after.looks_back
    if reach[0] is not None and reach[1] is not None and reach[1] > reach[0] + 1:
        return False
    return before.meaning == after.meaning
