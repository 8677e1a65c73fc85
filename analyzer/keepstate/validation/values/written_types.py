"""Data types as they are written: known names, and numbers that fit."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.values.scopes import refuse

_T = exp.DType
_LARGEST = 2147483647


def check_type(type_: exp.Expression, span: Callable[[exp.Expression], Span]) -> None:
    """Refuse a type that Flink does not have.

    Raises:
        Refused: it has no such name, or a number that does not fit.
    """
    if isinstance(type_, exp.ColumnDef):
        check_type(type_.args["kind"], span)
        return
    if not isinstance(type_, exp.DataType):
        return
    kind = type_.this
    if kind is _T.USERDEFINED and not type_.args.get("nested") and str(type_.args.get("kind")) not in ("RAW", "ANY"):
        name = str(type_.args.get("kind"))
        if name.upper() != "BITMAP" and "." not in name:
            refuse("unknown-type", span(type_), f"{name} is no data type of Flink.")
        return
    numbers = [int(each.this.name) for each in type_.expressions if _is_number(each)]
    if numbers and max(numbers) > _LARGEST:
        refuse("type-number", span(type_), f"A number of a type is at most {_LARGEST}.")
    if kind is _T.DECIMAL and numbers and (numbers[0] < 1 or (len(numbers) > 1 and numbers[1] > numbers[0])):
        refuse("type-number", span(type_), "DECIMAL has 1 to 38 digits, and at most as many of them behind the point.")
    names = [each.name for each in type_.expressions if isinstance(each, exp.ColumnDef)]
    if len(set(names)) < len(names):
        refuse("type-fields", span(type_), "Two fields of the ROW have one name.")
    for inner in type_.expressions:
        check_type(inner, span)


def _is_number(param: exp.Expression) -> bool:
    return isinstance(param, exp.DataTypeParam) and isinstance(param.this, exp.Literal) and param.this.name.isdecimal()
