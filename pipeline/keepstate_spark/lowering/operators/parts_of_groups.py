"""Groups that Flink puts together from parts: aggregates of which no order of rows is known."""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.plan.expressions import AggregateCall, Literal
from keepstate.plan.operators import Aggregate, GroupWindowAggregate, WindowAggregate, WindowKind
from keepstate.plan.types.common_types import TEXT
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.aggregate_columns import BY_ORDER, LISTS
from keepstate_spark.lowering.lowering_context import AggregationSettings, Lowering
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.windows.slice_order import goes_by_slices

_ONE_PHASE = frozenset("FIRST_VALUE LAST_VALUE JSON_ARRAYAGG JSON_OBJECTAGG PERCENTILE SINGLE_VALUE".split())
"""Functions that Flink puts together from no parts: a group with one of them has one phase."""
_UNSPLIT = frozenset("ARRAY_AGG COLLECT JSON_ARRAYAGG JSON_OBJECTAGG PERCENTILE".split())
"""Functions beside which Flink splits no DISTINCT values."""


def refuse_order_of_parts(operator: Aggregate, lowering: Lowering) -> None:
    """Refuse values that depend on the order in which Flink puts parts of a group together. Measured with Flink 2.3.

    Of DISTINCT values the first phase passes on those of a map, by their hashes. In batch mode a text among the
    aggregates makes Flink sort the rows, and sums of FLOAT go by their order.
    """
    if not lowering.streams:
        _refuse_sorted_sums(operator)
    elif isinstance(operator, (WindowAggregate, GroupWindowAggregate)):
        _refuse_parts_of_windows(operator, lowering.aggregation)
    else:
        _refuse_parts_of_batches(operator, lowering)


def _refuse_sorted_sums(operator: Aggregate) -> None:
    sorts = any(call.function in ("MIN", "MAX") and _root(call) in TEXT for call in operator.aggregates)
    for call in operator.aggregates if sorts else ():
        if call.function in ("SUM", "AVG") and _root(call) == "FLOAT":
            sentence = (
                f"Beside MIN or MAX of a text, Flink sorts the rows in batch mode, and {call.function} of FLOAT "
                "goes by their order."
            )
            raise NotLowerable(sentence, call.place)


def _refuse_parts_of_windows(operator: WindowAggregate | GroupWindowAggregate, settings: AggregationSettings) -> None:
    window = operator.window
    if isinstance(operator, WindowAggregate) and settings.splits_distinct and _splits(operator.aggregates):
        _refuse_split(operator.aggregates)
    is_function = isinstance(operator, WindowAggregate)
    has_slices = window.kind is WindowKind.HOP and window.slide != window.size
    for call in operator.aggregates:
        if call.function not in BY_ORDER:
            continue
        in_order = window.kind is WindowKind.SESSION or (window.kind is WindowKind.TUMBLE and not settings.two_phases)
        by_hashes = is_function and not in_order
        if call.distinct and (has_slices or by_hashes):
            sentence = f"Flink takes DISTINCT values in the order of their hashes here, and {call.function} shows it."
            raise NotLowerable(sentence, call.place)
        if is_function and has_slices and call.function not in LISTS:
            raise NotLowerable(f"Flink has no {call.function} in windows of HOP.", call.place)
        if isinstance(operator, WindowAggregate) and goes_by_slices(operator) and _forgets_separator(call):
            raise NotLowerable(_FORGETS, call.place)


def _refuse_parts_of_batches(operator: Aggregate, lowering: Lowering) -> None:
    settings, calls = lowering.aggregation, operator.aggregates
    if not settings.in_batches:
        return
    if settings.splits_distinct and _splits(calls):
        _refuse_split(calls)
    two_phases = settings.two_phases and not _functions(calls) & _ONE_PHASE
    for call in calls:
        name = call.function
        if two_phases and call.distinct and name in BY_ORDER:
            sentence = f"In mini-batches Flink takes DISTINCT values in the order of their hashes, and {name} shows it."
            raise NotLowerable(sentence, call.place)
        if two_phases and name in ("SUM", "AVG") and _root(call) == "FLOAT":
            sentence = f"Flink adds up mini-batches by themselves, and {name} of FLOAT goes by the order."
            raise NotLowerable(sentence, call.place)
        if two_phases and _forgets_separator(call):
            raise NotLowerable(_FORGETS, call.place)


def _functions(calls: Sequence[AggregateCall]) -> set[str]:
    return {call.function.partition(" ")[0] for call in calls}


def _splits(calls: Sequence[AggregateCall]) -> bool:
    """Return whether Flink splits groups with ``calls`` by their DISTINCT values, if its settings say so."""
    return any(call.distinct for call in calls) and not _functions(calls) & _UNSPLIT


def _refuse_split(calls: Sequence[AggregateCall]) -> None:
    for call in calls:
        if call.function in BY_ORDER or (call.function in ("SUM", "AVG") and _root(call) == "FLOAT"):
            raise NotLowerable(
                f"Flink splits the groups by their DISTINCT values, and {call.function} goes by the order of rows.",
                call.place,
            )


_FORGETS = (
    "Of a part of a group without a row for FILTER Flink takes a comma for the separator. Write CASE instead of FILTER."
)


def _forgets_separator(call: AggregateCall) -> bool:
    """Return whether Flink may put another separator between the texts of ``call`` where it merges parts."""
    if call.function not in ("LISTAGG", "STRING_AGG") or call.filter is None or len(call.args) < 2:
        return False
    separator = call.args[1]
    return not (isinstance(separator, Literal) and separator.value == ",")


def _root(call: AggregateCall) -> str | None:
    type_ = type_of(call.args[0])
    return type_.root if type_ is not None else None
