"""Common type of several types, as for a CASE, an ARRAY or a column of UNION ALL."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from keepstate.plan.types.logical_types import DOUBLE, LogicalType, decimal

MAX_PRECISION = 38
INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
APPROXIMATE = ("FLOAT", "DOUBLE")
NUMERIC = frozenset({*INTEGERS, *APPROXIMATE, "DECIMAL"})
TEXT = ("CHAR", "VARCHAR")
BINARY = ("BINARY", "VARBINARY")
DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 19}


class TypeMergeRule(Enum):
    """Rule for the common type. The rules agree but for FLOAT, DOUBLE and DECIMAL among each other, and for times with
    and without a time zone.
    """

    IN_ORDER = auto()
    """Calcite's ``leastRestrictive`` (CASE, ARRAY): of FLOAT and DOUBLE the first one, whichever that is."""
    UNORDERED = auto()
    """The same for operands in canonical order, of which the written order is lost: here the type is undecidable."""
    GENERAL = auto()
    """Flink's ``LogicalTypeMerging`` (COALESCE, GREATEST)."""


def common_type(
    types: Iterable[LogicalType | None], merging: TypeMergeRule = TypeMergeRule.IN_ORDER
) -> LogicalType | None:
    """The common type of ``types`` (of which there is at least one); ``None`` if one is unknown or there is none.

    >>> types = [LogicalType.parse(text) for text in ("INT", "DECIMAL(10, 2)")]
    >>> str(common_type(types)), common_type([*types, LogicalType.parse("DATE")])
    ('DECIMAL(12,2)', None)
    """
    common: LogicalType | None = None
    for position, type_ in enumerate(types):
        if type_ is None:
            return None
        if position == 0:
            common = type_
        elif common != type_:
            common = _common(common, type_, merging) if common is not None else None
            if common is None:
                return None
    return common


def as_decimal(type_: LogicalType) -> LogicalType | None:
    """An exact number as the DECIMAL that holds all its values.

    >>> str(as_decimal(LogicalType.parse("INT"))), as_decimal(LogicalType.parse("DOUBLE"))
    ('DECIMAL(10,0)', None)
    """
    if type_.root == "DECIMAL":
        return type_
    digits = _DIGITS.get(type_.root)
    return decimal(digits, 0) if digits is not None else None


def _common(first: LogicalType, second: LogicalType, merging: TypeMergeRule) -> LogicalType | None:
    if first.root in NUMERIC and second.root in NUMERIC:
        return _common_number(first, second, merging)
    for fixed, varying in (TEXT, BINARY):
        if {first.root, second.root} <= {fixed, varying}:
            return LogicalType(varying, length=max(first.length or 0, second.length or 0))
    if {first.root, second.root} == {"TIMESTAMP", "TIMESTAMP_LTZ"} and merging is TypeMergeRule.GENERAL:
        return LogicalType("TIMESTAMP_LTZ", precision=max(first.precision or 0, second.precision or 0))
    if first.root == second.root and first.precision is not None and second.precision is not None:
        return first if first.precision >= second.precision else second
    if first.elements and (first.root, first.names) == (second.root, second.names):
        pairs = zip(first.elements, second.elements, strict=True)
        elements = [element for pair in pairs if (element := common_type(pair, merging)) is not None]
        complete = len(elements) == len(first.elements)
        return LogicalType(first.root, elements=tuple(elements), names=first.names) if complete else None
    return None


def _common_number(first: LogicalType, second: LogicalType, merging: TypeMergeRule) -> LogicalType | None:
    roots = (first.root, second.root)
    if first.root in APPROXIMATE and second.root in APPROXIMATE:
        return {TypeMergeRule.IN_ORDER: first, TypeMergeRule.UNORDERED: None, TypeMergeRule.GENERAL: DOUBLE}[merging]
    if first.root in APPROXIMATE or second.root in APPROXIMATE:
        if second.root == "DECIMAL" or (first.root == "DECIMAL" and merging is not TypeMergeRule.GENERAL):
            return DOUBLE
        return first if first.root in APPROXIMATE else second
    if "DECIMAL" not in roots:
        return first if INTEGERS.index(first.root) >= INTEGERS.index(second.root) else second
    one, other = as_decimal(first), as_decimal(second)
    if one is None or other is None:
        return None
    scales = (one.scale or 0, other.scale or 0)
    whole = max((one.precision or 0) - scales[0], (other.precision or 0) - scales[1])
    scale = min(max(scales), MAX_PRECISION - whole)
    return decimal(whole + scale, scale)
