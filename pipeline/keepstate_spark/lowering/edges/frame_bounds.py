"""Bounds of frames, as numbers. Flink counts distances of a RANGE frame in the type of its key: they wrap around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from pyspark.sql import Column, Window, WindowSpec
from pyspark.sql.types import DecimalType

from keepstate.plan.expressions import CURRENT_ROW, Expr, FrameBound, Literal, Ordering
from keepstate.plan.operators import OverAggregate
from keepstate.plan.provenance import Place
from keepstate.plan.types.common_types import INTEGERS
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame, SortKey
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    WALL_CLOCK,
    choice,
    failing,
    function_call,
    large,
    text,
)

_LONGEST = 18
"""The digits of the longest DECIMAL that a long holds."""
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_WORDS = (
    "The numbers of a RANGE frame are so far apart that their distance is no {}. Flink takes other rows into the frame "
    "then."
)


def _wraps(number: Column, root: str, distances: list[int], partition: WindowSpec) -> Column:
    """The column that ends the query where two numbers of a partition, or a number and the end of its frame, are
    farther apart than their type has numbers; otherwise it is NULL.
    """
    largest = 2 ** (_BITS[root] - 1) - 1
    most, least = (function_call(function, number.cast(BIGINT)).over(partition) for function in ("max", "min"))
    # In BIGINT the difference itself may wrap around: then one is less, and the other is not.
    apart = most - least
    is_far = (apart > large(largest)) | (apart < 0)
    if root == "BIGINT":
        reach = max(map(abs, distances), default=0)
        is_far = is_far | (most > large(largest - reach)) | (least < large(reach - largest - 1))
    return choice(is_far, failing(text(_WORDS.format(root))))


def far_apart(operator: OverAggregate, frame: NamedFrame, partition: list[Column], lowering: Lowering) -> Column | None:
    """The column that ends the query where whole numbers of a RANGE frame with a distance are too far apart."""
    bounds = [bound for bound in (operator.frame.start, operator.frame.end) if bound.offset is not None]
    if not bounds or operator.frame.unit == "ROWS" or len(operator.order) != 1:
        return None
    value = lowering.scalars(frame).value(sort_expr(operator.order[0]))
    if value.type.root not in INTEGERS:
        return None
    return _wraps(
        value.column, value.type.root, [bound_of(each, distance_of) for each in bounds], Window.partitionBy(*partition)
    )


def refuse_distant(operator: OverAggregate, frame: NamedFrame, lowering: Lowering) -> None:
    """Refuse a RANGE frame by a DECIMAL that lies in front of its row, or behind it: Flink finds no row in it."""
    type_ = lowering.scalars(frame).value(sort_expr(operator.order[0])).type
    if type_.root == "DECIMAL":
        raise NotLowerable(
            f"RANGE over a {type_} without its own row cannot be run. Flink leaves rows of such a frame out.",
            operator.frame.place or operator.place,
        )


def digits_of(key: Expr, bounds: Sequence[FrameBound], frame: NamedFrame, lowering: Lowering) -> int:
    """The digits behind the point with which a RANGE frame by a DECIMAL is counted; 0 of any other."""
    type_ = lowering.scalars(frame).value(sort_expr(key)).type
    if type_.root != "DECIMAL":
        return 0
    numbers = (bound.offset.value for bound in bounds if isinstance(bound.offset, Literal))
    return max([type_.scale or 0, *(len(number.partition(".")[2]) for number in numbers)])


def counted(key: Expr, frame: NamedFrame, lowering: Lowering, place: Place | None, digits: int) -> SortKey:
    """The sort key of a RANGE frame as a whole number: milliseconds of a time, and a DECIMAL without its point."""
    ordering = key if isinstance(key, Ordering) else Ordering(key)
    value = lowering.scalars(frame).value(ordering.expr)
    match value.type.root:
        case "TIMESTAMP" | "TIMESTAMP_LTZ" if not lowering.streams:
            raise NotLowerable("Flink cannot compile RANGE with a length of time in batch mode.", place)
        case "DATE":
            number = time_columns.milliseconds(value.column.cast(WALL_CLOCK))
        case "TIME":
            number = value.column
        case "TIMESTAMP":
            number = time_columns.milliseconds(value.column)
        case "TIMESTAMP_LTZ":
            number = function_call("unix_millis", value.column)
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            # So no distance makes a bound wrap around.
            number = value.column.cast(BIGINT) if value.type.root != "BIGINT" else value.column
        case "DECIMAL" if digits < _LONGEST:
            number = _without_point(value.column, digits)
        case "FLOAT" | "DOUBLE":
            raise NotLowerable(
                f"RANGE over a {value.type} cannot be run. Flink rounds the difference of two rows before it compares "
                "this with the distance, and Spark does not.",
                key.place,
            )
        case _:
            raise NotLowerable(f"RANGE over a {value.type} cannot be run.", key.place)
    return SortKey(ordering.expr, number, ordering.descending, ordering.nulls_first)


def _without_point(number: Column, digits: int) -> Column:
    """A DECIMAL in units of the last of its ``digits`` behind the point."""
    units = number.cast(DecimalType(_LONGEST, digits)) * text(str(10**digits)).cast(DecimalType(_LONGEST + 1, 0))
    words = text("A number of a RANGE frame has more than 18 digits, which Spark does not count.")
    return choice(number.isNotNull(), function_call("coalesce", units.cast(BIGINT), failing(words)))


def bound_of(bound: FrameBound, amount: Callable[[Expr], int]) -> int:
    """Return the number of rows, or the distance, behind the current row; less than 0 in front of it."""
    if bound.side == CURRENT_ROW:
        return Window.currentRow
    precedes = bound.side == "PRECEDING"
    if bound.offset is None:
        return Window.unboundedPreceding if precedes else Window.unboundedFollowing
    return -amount(bound.offset) if precedes else amount(bound.offset)


def rows_of(offset: Expr) -> int:
    if isinstance(offset, Literal) and offset.type == "NUMBER" and offset.value.isdecimal():
        return int(offset.value)
    raise NotLowerable(f"{script_text(offset)} is no constant number of rows.", offset.place)


def distance_of(offset: Expr, digits: int = 0) -> int:
    if isinstance(offset, Literal) and offset.type in ("NUMBER", "INTERVAL DAY"):
        return int(Decimal(offset.value).scaleb(digits))
    raise NotLowerable(f"{script_text(offset)} is no constant distance.", offset.place)


def sort_expr(key: Expr) -> Expr:
    """The expression of a sort key."""
    return key.expr if isinstance(key, Ordering) else key
