"""Rankings and OVER windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Window, WindowSpec

from keepstate.plan.expressions import (
    CURRENT_ROW,
    AggregateCall,
    Call,
    Expr,
    FrameBound,
    Literal,
    WindowField,
    WindowPart,
    is_proctime,
)
from keepstate.plan.expressions import Frame as OverFrame
from keepstate.plan.operators import Operator, OverAggregate, Rank, RankRange
from keepstate_spark.lowering.aggregate_columns import KEEPS_ORDER, ORDERED, Aggregates, may_fill
from keepstate_spark.lowering.deviations import MOMENTS
from keepstate_spark.lowering.edges.extremes import RowIntake
from keepstate_spark.lowering.edges.frame_bounds import (
    bound_of,
    counted,
    digits_of,
    distance_of,
    far_apart,
    refuse_distant,
    rows_of,
    sort_expr,
)
from keepstate_spark.lowering.edges.not_a_number import sortable
from keepstate_spark.lowering.frames import NamedFrame, SortKey, given_out, hint
from keepstate_spark.lowering.functions.signed_zeros import signs, with_signs
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.column_nullability import never_null
from keepstate_spark.lowering.operators.limits import ordered_by_changes, without_changes
from keepstate_spark.lowering.operators.over_constants import refuse_shifted
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    choice,
    failing,
    frame_column,
    function_call,
    large,
    text,
    whole,
)
from keepstate_spark.lowering.windows.distinct_runs import with_runs
from keepstate_spark.lowering.windows.late_over import over_in_time
from keepstate_spark.lowering.windows.open_windows import in_open_windows, without_late
from keepstate_spark.lowering.windows.tied_rows import SortedRows, shown_by_a_rank, unchecked
from keepstate_spark.lowering.windows.window_functions import by_start

_UNFRAMED = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE", "LAG", "LEAD"})
_KEY = "a key of PARTITION BY"
_RANKS = {"ROW_NUMBER": "row_number", "RANK": "rank", "DENSE_RANK": "dense_rank"}


def ranked(rank: Rank, lowering: Lowering) -> NamedFrame:
    """The rows of a ranking, numbered, and those of its range if it has one."""
    return without_changes(_numbered(rank, lowering))


def _numbered(rank: Rank, lowering: Lowering) -> NamedFrame:
    frame = ordered_by_changes(rank.input, rank.order, lowering)
    frame = lowering.without_minus(frame, rank.partition, _KEY, rank.place)
    frame = lowering.with_java(_punctual(rank, frame, lowering), (*rank.partition, *rank.order))
    scalars = lowering.scalars(frame)
    if rank.function not in _RANKS:
        raise NotLowerable(f"{rank.function} cannot be run.", rank.function_place or rank.place)
    row_number = rank.function == "ROW_NUMBER"
    order = lowering.order(
        frame, rank.order, arrival=row_number, last=row_number and keeps_last(rank, lowering),
        sorts_all=row_number and not rank.partition,
    )  # fmt: skip
    order = [*lowering.sign_order(frame, rank.partition), *order]
    partition = _parts(rank, frame, lowering)
    name = lowering.name("rank")
    checked: Callable[[Column], Column] = unchecked
    if row_number:
        sorted_rows = SortedRows(rank, frame, rank.partition, partition, order, rank.function_place or rank.place)
        ties = sorted_rows.in_order(lowering, shown_by_a_rank(rank, lowering))
        frame, order, checked = ties.frame, ties.order, ties.checked
    if lowering.streams:
        # Fewer columns to sort and to hash. In batch mode ties are looked for by the same window, with all keys.
        partition = lowering.keys(frame, by_start(_partition(rank, lowering), rank.input))
    window = _window(partition, order)
    if lowering.streams and not row_number:
        number = function_call("count", whole(1)).over(_up_to_peers(window))
    else:
        number = function_call(_RANKS[rank.function]).over(window).cast(BIGINT)
        number = checked(number)
    frame = frame.holding(frame.rows.select("*", number.alias(name)), {rank.rank_number: name})
    if rank.order_place in lowering.first_rows:
        frame = _first_for_a_time(rank, frame, partition, lowering)
    if rank.range is None or lowering.numbers_all:
        return frame
    if rank.range.end is None:
        refuse_bounds(rank, rank.range.other)
    rows = frame.rows.where(_within(frame_column(name), rank.range))
    scalars = lowering.scalars(frame)
    for condition in rank.range.other:
        rows = rows.where(scalars.column(condition))
    return frame.holding(rows, {})


def _first_for_a_time(rank: Rank, frame: NamedFrame, partition: list[Column], lowering: Lowering) -> NamedFrame:
    """The rows that no former one precedes by their number, each with the number 1 that it had when it came."""
    assert rank.order_place is not None
    turn = lowering.first_rows[rank.order_place]
    order = lowering.order(frame, () if turn is None else (turn,))
    so_far = _window(partition, order).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    name, least = frame.name_of(rank.rank_number), lowering.name("least")
    rows = frame.rows.withColumn(least, function_call("min", frame_column(name)).over(so_far))
    rows = rows.where(frame_column(name) == frame_column(least))
    return replace(frame, rows=rows.withColumn(name, large(1)).drop(least))


def _up_to_peers(window: WindowSpec) -> WindowSpec:
    """The rows of a partition up to those of the same place. A stream counts them for RANK and DENSE_RANK."""
    return window.rangeBetween(Window.unboundedPreceding, Window.currentRow)


def refuse_bounds(operator: Operator, conditions: Iterable[Expr]) -> None:
    """Refuse conditions on a Top-N whose largest rank is a column: ``rn <= n``, as which Flink reads ``rn = n`` too."""
    if not isinstance(operator, Rank) or (operator.range is not None and operator.range.end is not None):
        return
    for condition in conditions:
        is_bound = isinstance(condition, Call) and condition.name in ("=", "<", "<=")
        operands = condition.children()
        if is_bound and operator.rank_number in operands and not any(isinstance(each, Literal) for each in operands):
            raise NotLowerable(
                "Flink takes the column of the first row of each partition as the largest rank: it cannot be run.",
                condition.place or operator.place,
            )


def _punctual(rank: Rank, frame: NamedFrame, lowering: Lowering) -> NamedFrame:
    """The rows that come in time for a ranking: of windows while they are open, not behind the watermark the first of
    a key by event time, and in front of it numbers of all rows by event time. All other rankings take each row.
    """
    if rank.range is None and rank.order and lowering.is_time(rank.order[0].expr):
        return without_late(frame, lowering.scalars(frame).value(rank.order[0].expr), rank, lowering, "OVER")
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
        # In mini-batches another operator corrects the row that it gave.
        and not lowering.aggregation.in_batches
    ):
        time = lowering.scalars(frame).value(key.expr)
        return without_late(frame, time, rank, lowering, "deduplication", takes_mark=True)
    return replace(frame, watermark=None)


def keeps_last(rank: Rank, lowering: Lowering) -> bool:
    """Return whether the last of several rows of equal time is kept: a deduplication that keeps the last row."""
    if rank.range is None or (rank.range.start, rank.range.end) != (1, 1) or len(rank.order) != 1:
        return False
    return rank.order[0].descending and lowering.is_time(rank.order[0].expr)


def _within(number: Column, range_: RankRange) -> Column:
    begun = number >= range_.start
    return begun & (number <= range_.end) if range_.end is not None else begun


def over_aggregated(operator: OverAggregate, lowering: Lowering) -> NamedFrame:
    """Each row with the aggregates over its window."""
    frame = lowering.without_minus(lowering.frame(operator.input), operator.partition, _KEY, operator.place)
    if not lowering.streams:
        refuse_shifted(operator)
    if operator.frame.exclude:
        raise NotLowerable(f"EXCLUDE {operator.frame.exclude} cannot be run.", operator.frame.place or operator.place)
    parts: list[Column] = []
    by_time = bool(operator.order) and lowering.is_time(sort_expr(operator.order[0]))
    if by_time:
        frame, parts = _in_time(operator, frame, lowering)
    frame = lowering.with_java(frame, (*operator.aggregates, *operator.partition, *operator.order))
    scalars = lowering.scalars(frame)
    partition = [*_parts(operator, frame, lowering), *parts]
    first = lowering.sign_order(frame, operator.partition)
    order = [*first, *lowering.order(frame, operator.order)]
    takes_each_row = partial(_takes_each_row, operator)
    checked: Callable[[Column], Column] = unchecked
    one_by_one = next(filter(takes_each_row, operator.aggregates), None)
    if one_by_one is not None:
        of_call = one_by_one.place or operator.place
        ties = SortedRows(operator, frame, operator.partition, partition, order, of_call).in_order(lowering)
        frame, order, checked = ties.frame, ties.order, ties.checked
    framed = _framed(operator, frame, lowering, partition, order)
    numbered = _window(partition, order)
    takes_back = lowering.streams and operator.frame.start.offset is not None
    intake = RowIntake.WITH_RETRACTION if takes_back else RowIntake.IN_ORDER
    so_far = numbered.rowsBetween(Window.unboundedPreceding, Window.currentRow) if takes_back else None
    ranking = _window(partition, [*first, *lowering.order(frame, operator.order, arrival=False)])
    times = None
    goes_by_time = lowering.streams and (by_time or all(is_proctime(sort_expr(key)) for key in operator.order))
    if goes_by_time:
        times = tuple(scalars.column(sort_expr(key)) for key in operator.order if by_time)
    elif order and (frame.arrival if lowering.streams else lowering.refuses_ties):
        place = lowering.name("place")
        frame = frame.holding(frame.rows.select("*", function_call("row_number").over(numbered).alias(place)), {})
        times = (frame_column(place),)
    names: dict[Expr, str] = {}
    columns = []
    stops = _at_both_zeros(operator, frame, lowering) if not (lowering.streams and by_time) else None
    far = far_apart(operator, frame, partition, lowering)
    of_peers: dict[str, Column] = {}

    def filled(expr: Expr) -> bool:
        return never_null(expr, operator.input)

    for call in operator.aggregates:
        function = call.function.partition(" ")[0]
        if function in ("RANK", "DENSE_RANK") and lowering.streams:
            names[call] = lowering.name(hint(call))
            columns.append(function_call("count", whole(1)).over(framed).alias(names[call]))
            continue
        if function in ("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST"):
            over = ranking
        elif function in _UNFRAMED:
            over = numbered
        else:
            over = framed
        names[call] = lowering.name(hint(call))
        aggregates = Aggregates(
            scalars, frame.arrival, over, times, never_null=filled, intake=intake, so_far=so_far,
            by_rows=operator.frame.unit == "ROWS",
        )  # fmt: skip
        if goes_by_time and call.distinct and function in KEEPS_ORDER:
            value = aggregates.argument(call, 0).column
            frame, run = _with_runs(operator, frame, value, partition, numbered, lowering)
            aggregates = replace(aggregates, run=run)
        of_frame = aggregates.column(call)
        if far is not None and function not in _UNFRAMED:
            of_frame = choice(far.isNull(), of_frame)
        own = {names[call]: _unless(stops, of_frame)}
        if takes_each_row(call):
            own[names[call]] = checked(own[names[call]])
        if function in ("LAG", "LEAD") and may_fill(call):
            result = given_out(call)
            names[result] = lowering.name(hint(call))
            own[names[result]] = replace(aggregates, fills=True).column(call)
        if function == "LAG" and by_time and lowering.streams:
            of_peers.update(own)
        else:
            columns += [column.alias(name) for name, column in own.items()]
    rows = frame.rows.select("*", *columns)
    if of_peers:
        time = scalars.column(sort_expr(operator.order[0]))
        peers = _window([*partition, time], lowering.order(frame, operator.order))
        rows = _of_last_peer(rows, of_peers, peers, lowering)
    return frame.holding(rows, names)


def _with_runs(
    operator: OverAggregate, frame: NamedFrame, value: Column, partition: list[Column], numbered: WindowSpec,
    lowering: Lowering,
) -> tuple[NamedFrame, str]:  # fmt: skip
    """``frame`` with a column that orders DISTINCT values in its frames, and the name of the column."""
    key, start = sort_expr(operator.order[0]), operator.frame.start
    by_rows = operator.frame.unit == "ROWS" or is_proctime(key)
    length = None if start.offset is None else abs(bound_of(start, rows_of if by_rows else distance_of))
    if start.side == CURRENT_ROW:
        length = 0
    time = None if by_rows else time_number(lowering.scalars(frame).value(key))
    names = [lowering.name(hint) for hint in ("number", "value", "start", "run")]
    return replace(frame, rows=with_runs(frame.rows, value, partition, numbered, time, length, names)), names[-1]


def _at_both_zeros(operator: OverAggregate, frame: NamedFrame, lowering: Lowering) -> Column | None:
    """The column that fails in a partition with both zeros, if these are in the order on streams, or keys of a RANGE in
    batch mode: Flink sorts the two in one way, and compares them in another. Small tables are read for them first.
    """
    if lowering.streams:
        exprs, sentence = [*map(sort_expr, operator.order)], "Flink stops at an order with both -0.0 and 0.0."
    elif operator.order and operator.frame.unit != "ROWS":
        exprs = [*operator.partition]
        sentence = "In batch mode Flink adds up a partition with both -0.0 and 0.0 in another order."
    else:
        return None
    scalars = lowering.scalars(frame)
    window = Window.partitionBy(*lowering.keys(frame, _partition(operator, lowering)))
    has_both: list[Column] = []
    for expr, minus_sign in signs(exprs).items():
        minus, is_zero = scalars.column(minus_sign), scalars.column(expr) == 0
        has_both.append(function_call("max", minus).over(window) & function_call("max", is_zero & ~minus).over(window))
    if not has_both:
        return None
    stops = reduce(or_, has_both)
    if lowering.looks_first and not lowering.streams:
        name = lowering.name("both")
        if not frame.rows.select(stops.alias(name)).where(frame_column(name)).isEmpty():
            raise NotLowerable(sentence, operator.place)
    return choice(stops, failing(text(sentence)))


def _unless(stops: Column | None, column: Column) -> Column:
    return column if stops is None else choice(stops.isNull(), column)


def _takes_each_row(operator: OverAggregate, call: AggregateCall) -> bool:
    """Return whether a call depends on the order of rows with equal sort keys."""
    function = call.function.partition(" ")[0]
    if function in _UNFRAMED:
        return function in ("ROW_NUMBER", "NTILE", "LAG", "LEAD")
    is_bounded = any(bound.side == CURRENT_ROW or bound.offset is not None for bound in _bounds(operator))
    return (function in ORDERED and function not in MOMENTS) or (operator.frame.unit == "ROWS" and is_bounded)


def _bounds(operator: OverAggregate) -> tuple[FrameBound, FrameBound]:
    return operator.frame.start, operator.frame.end


def _of_last_peer(rows: DataFrame, columns: dict[str, Column], peers: WindowSpec, lowering: Lowering) -> DataFrame:
    """``rows`` with ``columns`` by their names, each with what the last of the rows of one time has: a stream looks at
    all of them at once.
    """
    own = {name: lowering.name(name) for name in columns}
    rows = rows.select("*", *(column.alias(own[name]) for name, column in columns.items()))
    peers = peers.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    last = (function_call("last_value", frame_column(own[name])).over(peers).alias(name) for name in columns)
    return rows.select("*", *last).drop(*own.values())


def _in_time(operator: OverAggregate, frame: NamedFrame, lowering: Lowering) -> tuple[NamedFrame, list[Column]]:
    """The rows that come in time for the operator, and the columns that divide its keys further."""
    scalars, start = lowering.scalars(frame), operator.frame.start
    time = scalars.value(sort_expr(operator.order[0]))
    if start.side != CURRENT_ROW and start.offset is None:
        return without_late(frame, time, operator, lowering, "OVER"), []
    length = None if operator.frame.unit == "ROWS" else abs(bound_of(start, distance_of))
    return over_in_time(
        frame, time, lowering.keys(frame, _partition(operator, lowering)), length, operator, lowering
    )  # fmt: skip


def _partition(operator: Rank | OverAggregate, lowering: Lowering) -> tuple[Expr, ...]:
    """The keys of an operator's partitions: a stream parts rows by the bytes of a key, a batch job by comparisons."""
    return with_signs(operator.partition) if lowering.streams else operator.partition


def _parts(operator: Rank | OverAggregate, frame: NamedFrame, lowering: Lowering) -> list[Column]:
    """The columns of the keys of partitions. A batch job sorts by them, and so NaN among them ends the query."""
    keys = _partition(operator, lowering)
    columns = lowering.keys(frame, keys)
    if lowering.streams:
        return columns
    types = [lowering.scalars(frame).value(key).type for key in keys]
    return [sortable(column, type_) for column, type_ in zip(columns, types, strict=True)]


def _window(partition: list[Column], order: list[SortKey]) -> WindowSpec:
    window = Window.partitionBy(*partition)
    return window.orderBy(*(key.column for key in order)) if order else window


def _framed(
    operator: OverAggregate, frame: NamedFrame, lowering: Lowering, partition: list[Column], order: list[SortKey]
) -> WindowSpec:
    """Return the window with its frame, sorted by the unit of the frame. ``order`` is that of single rows."""
    over = operator.frame
    if not operator.order:
        if over != OverFrame():
            raise NotLowerable("A frame needs an ORDER BY.", over.place or operator.place)
        return _window(partition, [])
    bounds = [bound for bound in (over.start, over.end) if bound.offset is not None]
    if over.unit == "ROWS" or all(is_proctime(sort_expr(key)) for key in operator.order):
        window = _window(partition, order)
        return window.rowsBetween(bound_of(over.start, rows_of), bound_of(over.end, rows_of))
    if not bounds:
        window = _window(partition, lowering.order(frame, operator.order, arrival=False))
        return window.rangeBetween(bound_of(over.start, distance_of), bound_of(over.end, distance_of))
    if len(operator.order) != 1:
        raise NotLowerable("RANGE with a distance needs a single sort key.", operator.place)
    if over.start.side == over.end.side != CURRENT_ROW and len(bounds) == 2:
        refuse_distant(operator, frame, lowering)
    digits = digits_of(operator.order[0], bounds, frame, lowering)
    window = _window(partition, [counted(operator.order[0], frame, lowering, over.place or operator.place, digits)])
    distance = partial(distance_of, digits=digits)
    return window.rangeBetween(bound_of(over.start, distance), bound_of(over.end, distance))
