"""The types that Flink's built-in aggregate functions give."""

from __future__ import annotations

from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS, MAX_PRECISION
from keepstate.plan.types.logical_types import BIGINT, DOUBLE, LogicalType, array, decimal, varchar

_JSON = varchar(2000)
"""Type that Calcite gives to the JSON aggregates, unchanged in Flink."""
_FIXED = {
    "COUNT": BIGINT,
    "APPROX_COUNT_DISTINCT": BIGINT,
    "ROW_NUMBER": BIGINT,
    "RANK": BIGINT,
    "DENSE_RANK": BIGINT,
    "NTILE": BIGINT,
    "PERCENT_RANK": DOUBLE,
    "CUME_DIST": DOUBLE,
    "JSON_OBJECTAGG": _JSON,
    "JSON_ARRAYAGG": _JSON,
}
_OF_ARGUMENT = frozenset("MIN MAX FIRST_VALUE LAST_VALUE SINGLE_VALUE LAG LEAD LISTAGG".split())
_AVERAGES = frozenset("AVG STDDEV STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP".split())
_LEAST_SCALE = 6


def aggregate_type(function: str, types: tuple[LogicalType | None, ...]) -> LogicalType | None:
    """The type of a built-in aggregate over arguments of ``types``.

    >>> str(aggregate_type("SUM", (LogicalType.parse("DECIMAL(10, 2)"),))), str(aggregate_type("COUNT", ()))
    ('DECIMAL(38,2)', 'BIGINT')
    """
    fixed = _FIXED.get(function)
    if fixed is not None:
        return fixed
    value = types[0] if types else None
    if value is None:
        return None
    if function in _OF_ARGUMENT:
        return value
    if function in _AVERAGES or function == "SUM":
        return _total(value, function in _AVERAGES)
    if function == "COLLECT":
        return LogicalType("MULTISET", elements=(value,))
    if function == "ARRAY_AGG":
        return array(value)
    if function == "PERCENTILE" and len(types) > 1 and types[1] is not None:
        return array(DOUBLE) if types[1].root == "ARRAY" else DOUBLE
    return None


def _total(value: LogicalType, average: bool) -> LogicalType | None:
    """SUM and AVG keep the type of a number, but for the digits of a DECIMAL."""
    if value.root in INTEGERS or value.root in APPROXIMATE:
        return value
    if value.root != "DECIMAL":
        return None
    scale = value.scale or 0
    return decimal(MAX_PRECISION, max(scale, _LEAST_SCALE) if average else scale)
