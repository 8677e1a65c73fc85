"""Data types as they are written: known names, and numbers that fit."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.scopes import refuse

_T = exp.DType
_MOST = {
    _T.DECIMAL: 38,
    _T.TIME: 9,
    _T.TIMESTAMP: 9,
    _T.TIMESTAMPLTZ: 9,
}


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
    if kind is _T.TIMESTAMPTZ:
        refuse("unknown-type", span(type_), "Flink has no TIMESTAMP WITH TIME ZONE: take TIMESTAMP_LTZ.")
    numbers = [int(each.this.name) for each in type_.expressions if _is_number(each)]
    if kind in _MOST and numbers:
        most = _MOST[kind]
        if numbers[0] > most or (kind is _T.DECIMAL and numbers[0] < 1):
            refuse("type-number", span(type_), f"The precision of {_name(kind)} is at most {most}.")
        if len(numbers) > 1 and numbers[1] > numbers[0]:
            refuse("type-number", span(type_), "DECIMAL has at most as many digits behind the point as in all.")
    if kind in (_T.CHAR, _T.VARCHAR, _T.BINARY, _T.VARBINARY) and numbers and numbers[0] < 1:
        refuse("type-number", span(type_), f"The length of {_name(kind)} is at least 1.")
    for inner in type_.expressions:
        check_type(inner, span)


def _is_number(param: exp.Expression) -> bool:
    return isinstance(param, exp.DataTypeParam) and isinstance(param.this, exp.Literal) and param.this.name.isdecimal()


def _name(kind: object) -> str:
    return {_T.TIMESTAMPLTZ: "TIMESTAMP_LTZ"}.get(kind, str(getattr(kind, "value", kind)))  # type: ignore[call-overload]
