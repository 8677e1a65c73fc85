"""Aggregates over rows of a pattern: the steps that the search takes for each, and the types that it can have."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from keepstate.plan.expressions import AggregateCall, Call, Literal
from keepstate.plan.types.common_types import NUMERIC, TEXT
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.deviations import MOMENTS
from keepstate_spark.lowering.matching import aggregate_steps
from keepstate_spark.lowering.matching import evaluation as parts
from keepstate_spark.lowering.refusals import NotLowerable, script_text

BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
TIMES = ("TIMESTAMP", "TIMESTAMP_LTZ", "DATE")
LISTS = ("LISTAGG", "STRING_AGG")
SENT = frozenset({"BOOLEAN", *BITS, "DECIMAL", "FLOAT", "DOUBLE", *TEXT, *TIMES})
"""Types of values that the search can have."""
_SQUARED_DIGITS, _SQUARED_SCALE = 19, 3
"""Digits of a DECIMAL whose square, and that of a sum, Flink does not round."""

Fold = tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]


def fold(call: AggregateCall, type_: LogicalType, argument: LogicalType | None) -> Fold:
    """Return how an aggregate adds a value, and what it makes of the values."""
    if call.function == "COUNT":
        return aggregate_steps.counted, lambda sum_: sum_ or 0
    if argument is not None and call.function in ("MIN", "MAX") and argument.root in SENT:
        return (aggregate_steps.least if call.function == "MIN" else aggregate_steps.greatest), lambda value: value
    if argument is not None and call.function in ("FIRST_VALUE", "LAST_VALUE") and argument.root in SENT:
        keep = aggregate_steps.earliest if call.function == "FIRST_VALUE" else aggregate_steps.latest
        return keep, lambda value: value
    if argument is not None and call.function in ("ARRAY_AGG", "COLLECT") and argument.root in SENT.difference(TIMES):
        return (
            aggregate_steps.append_value,
            aggregate_steps.counts if call.function == "COLLECT" else lambda values: values and list(values),
        )
    if argument is not None and call.function == "PERCENTILE" and argument.root in NUMERIC:
        return aggregate_steps.append_value, aggregate_steps.percentiles(*_shares(call))
    if argument is not None and call.function in LISTS and argument.root in TEXT:
        return aggregate_steps.text_joiner(_separator(call)), lambda value: value
    if argument is not None and call.function in MOMENTS:
        return _dispersion(call, type_, argument)
    if argument is None or call.function not in ("SUM", "AVG") or argument.root not in NUMERIC:
        raise NotLowerable(f"{script_text(call)} over rows of a pattern cannot be run.", call.place)
    average = call.function == "AVG"
    if type_.root == "DECIMAL":
        fit = parts.fitted(type_.precision or 0, type_.scale or 0)
        divide = parts.exactly("/")
        return aggregate_steps.add, lambda sum_: sum_ and fit(divide(*sum_) if average else sum_[0])
    if type_.root == "FLOAT" and not average:
        return aggregate_steps.add_single, lambda sum_: sum_ and sum_[0]
    if type_.root == "FLOAT":
        return aggregate_steps.add, lambda sum_: sum_ and aggregate_steps.single(sum_[0] / sum_[1])
    if type_.root == "DOUBLE":
        return aggregate_steps.add, lambda sum_: sum_ and (sum_[0] / sum_[1] if average else sum_[0])
    wrap = parts.wrapped(BITS[type_.root])
    return aggregate_steps.add, lambda sum_: sum_ and wrap(parts.quotient(*sum_) if average else sum_[0])


def _separator(call: AggregateCall) -> str:
    separator = call.args[1] if len(call.args) > 1 else Literal(",", "STRING")
    if isinstance(separator, Literal) and separator.type == "STRING":
        return separator.value
    raise NotLowerable(f"{call.function} needs a constant separator.", call.place)


def _shares(call: AggregateCall) -> tuple[list[float], bool]:
    """Return the constant percentages of PERCENTILE, and whether they are an array."""
    share = call.args[1] if len(call.args) == 2 else None
    is_list = isinstance(share, Call) and share.name == "ARRAY"
    shares = [each for each in (share.children() if is_list and share is not None else (share,)) if each is not None]
    if not shares or not all(isinstance(each, Literal) and each.type in ("NUMBER", "DOUBLE") for each in shares):
        raise NotLowerable("PERCENTILE in a pattern needs constant percentages and no frequency.", call.place)
    return [float(each.value) for each in shares if isinstance(each, Literal)], is_list


def _dispersion(call: AggregateCall, type_: LogicalType, argument: LogicalType) -> Fold:
    """Return how a variance or deviation is computed, of the types that are measured."""
    is_sample, is_root = not call.function.endswith("_POP"), call.function.startswith("STDDEV")
    if argument.root == "FLOAT":
        quotient = parts.approximately("/")
        variance = aggregate_steps.variance(
            aggregate_steps.single, lambda one, other: aggregate_steps.single(quotient(one, other)), is_sample
        )
        steps = aggregate_steps.moments(aggregate_steps.single)
        return steps, lambda sum_: _root(variance(sum_), aggregate_steps.single) if is_root else variance(sum_)
    if argument.root == "DOUBLE":
        variance = aggregate_steps.variance(float, parts.approximately("/"), is_sample)
        return aggregate_steps.moments(float), lambda sum_: _root(variance(sum_), float) if is_root else variance(sum_)
    if argument.root in ("INT", "BIGINT"):
        wrap = parts.wrapped(BITS[argument.root])
        variance = aggregate_steps.variance(wrap, parts.quotient, is_sample)
        return aggregate_steps.moments(wrap), lambda sum_: _root(variance(sum_), _whole) if is_root else variance(sum_)
    precision, scale = argument.precision or 0, argument.scale or 0
    if argument.root == "DECIMAL" and precision <= _SQUARED_DIGITS and scale <= _SQUARED_SCALE:
        fit = parts.fitted(type_.precision or 0, type_.scale or 0)
        divide = parts.exactly("/")
        variance = aggregate_steps.variance(
            lambda number: number, lambda one, other: fit(divide(one, other)), is_sample
        )
        return aggregate_steps.moments(
            lambda number: number
        ), lambda sum_: _root(variance(sum_), lambda number: fit(Decimal(repr(number)))) if is_root else variance(sum_)
    raise NotLowerable(f"{script_text(call)} over rows of a pattern cannot be run.", call.place)


def _root(variance: Any, of_type: Callable[[float], Any]) -> Any:
    return None if variance is None else of_type(aggregate_steps.root(variance))


def _whole(number: float) -> int:
    return 0 if number != number else int(number)
