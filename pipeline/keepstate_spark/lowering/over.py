"""Rankings and OVER windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import functions as fn

from keepstate.plan.expressions import (
    CURRENT_ROW,
    Expr,
    FrameBound,
    Literal,
    Ordering,
    WindowField,
    WindowPart,
    is_proctime,
)
from keepstate.plan.expressions import Frame as OverFrame
from keepstate.plan.operators import OverAggregate, Rank, RankRange
from keepstate_spark.lowering import times
from keepstate_spark.lowering.aggregates import Aggregates
from keepstate_spark.lowering.frames import Frame, Lowering, SortKey, hint
from keepstate_spark.lowering.lateness import in_open_windows, maybe_late, without_late
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.spark_types import quoted

_UNFRAMED = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE", "LAG", "LEAD"})
_RANKS = {"ROW_NUMBER": "row_number()", "RANK": "rank()", "DENSE_RANK": "dense_rank()"}


def ranked(rank: Rank, lowering: Lowering) -> Frame:
    """The rows of a ranking, numbered, and those of its range if it has one."""
    frame = _punctual(rank, lowering.frame(rank.input), lowering)
    scalars = lowering.scalars(frame)
    if rank.function not in _RANKS:
        raise Refused(f"{rank.function} cannot be run.", rank.function_place or rank.place)
    row_number = rank.function == "ROW_NUMBER"
    order = lowering.order(frame, rank.order, arrival=row_number, last=row_number and keeps_last(rank, lowering))
    partition = [scalars.text(key).sql for key in rank.partition]
    name = lowering.name("rank")
    number = f"cast({_RANKS[rank.function]} over ({_clauses(partition, order)}) as bigint)"
    frame = frame.holding(frame.rows.select("*", fn.expr(number).alias(name)), {rank.number: name})
    if rank.range is None or lowering.numbers_all:
        return frame
    rows = frame.rows.where(fn.expr(_within(quoted(name), rank.range)))
    scalars = lowering.scalars(frame)
    for condition in rank.range.other:
        rows = rows.where(fn.expr(scalars.text(condition).sql))
    return frame.holding(rows, {})


def _punctual(rank: Rank, frame: Frame, lowering: Lowering) -> Frame:
    """The rows that come in time for a ranking: of windows while they are open, the first of a key by event time in
    front of the watermark. All other rankings take each row.
    """
    parts = {key.part for key in rank.partition if isinstance(key, WindowField)}
    if {WindowPart.START, WindowPart.END} <= parts:
        return in_open_windows(frame, rank.input, lowering)
    key = rank.order[0] if len(rank.order) == 1 else None
    if (
        rank.function == "ROW_NUMBER"
        and rank.range is not None
        and (rank.range.start, rank.range.end) == (1, 1)
        and key is not None
        and not key.descending
        and lowering.is_time(key.expr)
    ):
        return without_late(frame, lowering.scalars(frame).text(key.expr), rank, lowering, "deduplication")
    return replace(frame, watermark=None)


def keeps_last(rank: Rank, lowering: Lowering) -> bool:
    """Whether of rows of equal time the one that came last is kept: a deduplication that keeps the last row."""
    if rank.range is None or (rank.range.start, rank.range.end) != (1, 1) or len(rank.order) != 1:
        return False
    return rank.order[0].descending and lowering.is_time(rank.order[0].expr)


def _within(number: str, range_: RankRange) -> str:
    end = f" and {number} <= {range_.end}" if range_.end is not None else ""
    return f"{number} >= {range_.start}{end}"


def over_aggregated(operator: OverAggregate, lowering: Lowering) -> Frame:
    """Each row with the aggregates over its window."""
    frame = lowering.frame(operator.input)
    if operator.frame.exclude:
        raise Refused(f"EXCLUDE {operator.frame.exclude} cannot be run.", operator.frame.place or operator.place)
    if operator.order and lowering.is_time(_expr(operator.order[0])):
        time = lowering.scalars(frame).text(_expr(operator.order[0]))
        bounded = operator.frame.start.offset is not None
        frame = (maybe_late if bounded else without_late)(frame, time, operator, lowering, "OVER")
    scalars = lowering.scalars(frame)
    partition = [scalars.text(key).sql for key in operator.partition]
    framed = _frame(operator, frame, lowering)
    numbered = _clauses(partition, lowering.order(frame, operator.order))
    ranking = _clauses(partition, lowering.order(frame, operator.order, arrival=False))
    names: dict[Expr, str] = {}
    columns = []
    for call in operator.aggregates:
        function = call.function.partition(" ")[0]
        if function in ("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST"):
            over = ranking
        elif function in _UNFRAMED:
            over = numbered
        else:
            over = f"{_clauses(partition, framed[0])} {framed[1]}"
        text = Aggregates(scalars, frame.arrival, f" over ({over.strip()})").text(call)
        names[call] = lowering.name(hint(call))
        columns.append(fn.expr(text).alias(names[call]))
    return frame.holding(frame.rows.select("*", *columns), names)


def _clauses(partition: list[str], order: list[SortKey]) -> str:
    by = f"partition by {', '.join(partition)} " if partition else ""
    return f"{by}order by {', '.join(map(str, order))}" if order else by.strip()


def _frame(operator: OverAggregate, frame: Frame, lowering: Lowering) -> tuple[list[SortKey], str]:
    """The sort keys that the frame counts by, and the frame."""
    over = operator.frame
    if not operator.order:
        if over != OverFrame():
            raise Refused("A frame needs an ORDER BY.", over.place or operator.place)
        return [], ""
    bounds = [bound for bound in (over.start, over.end) if bound.offset is not None]
    if over.unit == "ROWS" or all(is_proctime(_expr(key)) for key in operator.order):
        words = f"{_bound(over.start, _rows)} and {_bound(over.end, _rows)}"
        return lowering.order(frame, operator.order), f"rows between {words}"
    if not bounds:
        words = f"{_bound(over.start, _rows)} and {_bound(over.end, _rows)}"
        return lowering.order(frame, operator.order, arrival=False), f"range between {words}"
    if len(operator.order) != 1:
        raise Refused("RANGE with a distance needs a single sort key.", operator.place)
    words = f"{_bound(over.start, _distance)} and {_bound(over.end, _distance)}"
    return [_counted(operator.order[0], frame, lowering)], f"range between {words}"


def _counted(key: Expr, frame: Frame, lowering: Lowering) -> SortKey:
    """The sort key of a RANGE frame as a number: milliseconds of a time."""
    ordering = key if isinstance(key, Ordering) else Ordering(key)
    text = lowering.scalars(frame).text(ordering.expr)
    match text.type.root:
        case "TIMESTAMP":
            number = times.milliseconds(text.sql)
        case "TIMESTAMP_LTZ":
            number = f"unix_millis({text.sql})"
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            number = text.sql
        case _:
            raise Refused(f"RANGE over a {text.type} cannot be run.", key.place)
    return SortKey(number, ordering.descending, ordering.nulls_first)


def _expr(key: Expr) -> Expr:
    return key.expr if isinstance(key, Ordering) else key


def _bound(bound: FrameBound, amount: Callable[[Expr], str]) -> str:
    if bound.side == CURRENT_ROW:
        return "current row"
    if bound.offset is None:
        return f"unbounded {bound.side.lower()}"
    return f"{amount(bound.offset)} {bound.side.lower()}"


def _rows(offset: Expr) -> str:
    if isinstance(offset, Literal) and offset.type == "NUMBER" and offset.value.isdecimal():
        return offset.value
    raise Refused(f"{offset} is no constant number of rows.", offset.place)


def _distance(offset: Expr) -> str:
    if isinstance(offset, Literal) and offset.type in ("NUMBER", "INTERVAL DAY"):
        return f"{int(float(offset.value))}L"
    raise Refused(f"{offset} is no constant distance.", offset.place)
