"""State of each operator, its key, and its end, as far as the meaning of a query determines them.

The layout of an engine is not part of this model: fields have no types, and states no names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from keepstate.plan.duration_words import duration_words
from keepstate.plan.expressions import AggregateCall, Expr, is_proctime
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.job import Plan
from keepstate.plan.metadata.equi_join_keys import equations_of
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    RankStrategy,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    Window,
    WindowDeduplicate,
    WindowJoin,
    WindowKind,
    WindowRank,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.settings import Settings
from keepstate.state.lifetimes import lifetime_words
from keepstate.state.stored_operators import StatePart, StoredField, StoredOperator, StoredState


def logical_states(plan: Plan, settings: Settings) -> dict[int, StoredOperator]:
    """Return the state of a plan's operators, by their numbers. ``settings`` determine its time to live.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> [state.title for state in logical_states(pipeline.plan, pipeline.settings).values()]
    ['GroupAggregate']
    """
    states: dict[int, StoredOperator] = {}
    for operator in plan.operators:
        state = logical_state(operator)
        if state is not None:
            until = lifetime_words(operator, settings) or state.until
            states[operator.number] = replace(state, number=operator.number, until=until)
    return states


@asked_once
def logical_state(operator: Operator) -> StoredOperator | None:
    """Return the state of an operator; ``None`` if it has none.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> logical_state(pipeline.plan.root).title
    'GroupAggregate'
    """
    if not operator.stateful:
        return None
    operator = any_operator(operator)
    match operator:
        case Aggregate():
            return _aggregate(operator)
        case Rank():
            return _rank(operator)
        case OverAggregate():
            return _over(operator)
        case Join():
            return _join(operator)
        case TemporalSort():
            until = "their millisecond is over" if operator.proctime else "the watermark has passed them"
            return _layout(operator, "rows that wait for their time", (), operator.row, until)
        case Limit():
            order = ", ".join(map(str, operator.order))
            title = f"the first rows by {order}" if order else "the rows within the limit"
            return _layout(operator, title, (), operator.row, _TTL)
        case Match():
            return _match(operator)
        case SetOperation():
            counted = ("how often each row came from the left and from the right",)
            return _layout(operator, "the rows of both inputs", operator.left_row, counted, _TTL)
        case Unsupported():
            return _layout(operator, f"unknown: {operator.construct} is not analysed", (), (), "unknown")
        case WindowTableFunction() | TableSourceScan() | Values() | Calc() | Correlate() | Union():
            return _layout(operator, "state", (), (), "unknown")
        case other:
            unhandled(other)


_TTL = "its time to live (table.exec.state.ttl) has passed, or never"
_WINDOW_END = "the watermark passes the end of the window"
_ONE_PARTITION = "nothing: one partition"


Piece: TypeAlias = StoredState | StoredField | Expr | str


def _layout(
    operator: Operator, title: str, keyed_by: Iterable[Piece], keeps: Iterable[Piece], until: str
) -> StoredOperator:
    """Return a stored operator with states, expressions (keys, or columns of stored rows) and words."""
    key = tuple(_field(piece) for piece in keyed_by)
    return StoredOperator(operator.title, key=key, states=tuple(_states(keeps)), summary=title, until=until)


def _states(pieces: Iterable[Piece]) -> Iterator[StoredState]:
    """Runs of columns are rows; words stand for something without content."""
    row: list[StoredField] = []
    for piece in pieces:
        if isinstance(piece, Expr):
            row.append(StoredField(piece))
            continue
        if row:
            yield StoredState("", StatePart.ROWS, tuple(row))
            row = []
        yield piece if isinstance(piece, StoredState) else StoredState("", StatePart.KIND, (_field(piece),))
    if row:
        yield StoredState("", StatePart.ROWS, tuple(row))


def _field(piece: Piece) -> StoredField:
    assert not isinstance(piece, StoredState)
    return piece if isinstance(piece, StoredField) else StoredField(piece)


def _aggregate(operator: Aggregate) -> StoredOperator:
    keys = operator.plain_keys
    keeps: tuple[Piece, ...] = _accumulators(operator.aggregates) or ("only that the group exists",)
    if isinstance(operator, GroupAggregate):
        title = "one row of accumulators per group" if operator.aggregates else "the groups that were seen"
        return _layout(operator, title, keys, keeps, _TTL)
    window: Window | None = getattr(operator, "window", None)
    until = _WINDOW_END
    # A session has no end of its own: each row within the gap moves it.
    if window is not None and window.kind is WindowKind.SESSION:
        until = f"no row came for {window.gap}, and the watermark has passed that"
    layout = _layout(operator, "one row of accumulators per group and open window", keys, keeps, until)
    return _by_window(layout, window)


def _by_window(layout: StoredOperator, window: Window | None = None) -> StoredOperator:
    """The layout filed under windows as well; ``window`` is given where the operator itself makes them."""
    return replace(layout, namespace="window", meanings=((StatePart.WINDOW, window),))


_KEPT_BY = {
    "COUNT": "a count",
    "SUM": "a sum and whether there was a value",
    "AVG": "a sum and a count",
    "MIN": "the smallest value so far",
    "MAX": "the largest value so far",
    "FIRST_VALUE": "the first value and its order",
    "LAST_VALUE": "the last value and its order",
    "LISTAGG": "the concatenated text",
    "COLLECT": "all values with their counts",
    "LAG": "the values of the rows before",
    "ROW_NUMBER": "the number of rows so far",
    "RANK": "the rank of the last row",
    "DENSE_RANK": "the rank of the last row",
}


def _accumulators(calls: tuple[AggregateCall, ...]) -> tuple[StoredState, ...]:
    """Return the states of calls, over groups or over OVER windows."""
    fields = tuple(map(_accumulator, calls))
    return (StoredState("", StatePart.ACCUMULATORS, fields),) if fields else ()


def _accumulator(call: AggregateCall) -> StoredField:
    value = _KEPT_BY.get(call.function, "the accumulator of the function")
    is_set = call.distinct and not call.opaque
    return StoredField(call, note=f"{value}, and the set of values seen" if is_set else value, place=call.place)


def _over(operator: OverAggregate) -> StoredOperator:
    """The rows themselves are stored as long as they wait for the watermark, or may still leave the frame."""
    keyed_by: tuple[Piece, ...] = operator.partition or (_ONE_PARTITION,)
    accumulators = _accumulators(operator.aggregates)
    bounded = operator.frame.start.offset is not None
    by_processing_time = any(is_proctime(node) for element in operator.order for node in element.children())
    # By processing time a row is in order when it comes: its result is sent at once, and no row is kept.
    if by_processing_time and not bounded:
        return _layout(operator, "running aggregates of every partition", keyed_by, accumulators, _TTL)
    rows = "the rows of their frame" if bounded else "the rows that wait for the watermark"
    keeps: tuple[Piece, ...] = (*accumulators, *operator.row)
    return _layout(operator, f"running aggregates of every partition, and {rows}", keyed_by, keeps, _TTL)


def _match(operator: Match) -> StoredOperator:
    keyed_by: tuple[Piece, ...] = operator.partition or (_ONE_PARTITION,)
    started = StoredState("", StatePart.CONDITION, (StoredField(f"started matches of {operator.pattern}"),))
    until = f"the match ends, or {operator.within} went by" if operator.within is not None else "the match ends"
    title = "started matches with their rows, and the rows that wait for their time"
    return _layout(operator, title, keyed_by, (started, *operator.row), until)


def _rank(operator: Rank) -> StoredOperator:
    windowed = isinstance(operator, WindowRank)
    keyed_by: tuple[Piece, ...] = operator.partition or (_ONE_PARTITION,)
    # The first row by processing time is the one that came first: a flag is enough to drop all others.
    if isinstance(operator, Deduplicate) and operator.keeps_keys_only:
        return _layout(operator, "which keys were seen", keyed_by, ("that the key was seen",), _TTL)
    order = ", ".join(map(str, operator.order))
    if isinstance(operator, (Deduplicate, WindowDeduplicate)):
        which = "first" if operator.keeps_first else "last"
        whose = "every key in every open window" if windowed else "every key"
        title = f"the {which} row of {whose} by {operator.order[0].expr}"
    else:
        whose = "every partition in every open window" if windowed else "every partition"
        title = f"{_ranked(operator)} of {whose} by {order}"
        if operator.strategy is RankStrategy.RETRACT:
            title = f"all rows of {whose}, of which {_ranked(operator)} by {order} are sent"
        elif operator.upsert_key:
            title += f", found again by {', '.join(map(str, operator.upsert_key))}"
    return _layout(operator, title, keyed_by, operator.row, _WINDOW_END if windowed else _TTL)


def _ranked(operator: Rank) -> str:
    """Return the rows that a range of ranks needs, in words. Lower ranks are counted, so that their rows are stored as
    well.
    """
    ranks = operator.range
    if ranks is None or ranks.end is None:
        ends = [str(condition.children()[-1]) for condition in ranks.other] if ranks is not None else []
        return f"as many rows as {' and '.join(ends)} says" if ends else "all rows"
    return "the first row" if ranks.end == 1 else f"the first {ranks.end} rows"


def _join(operator: Join) -> StoredOperator:
    """A join keeps the rows of either input apart, by the columns that its condition equates."""
    keys: tuple[Piece, ...] = tuple(equations_of(operator, JoinSides.of(operator))) or (_ONE_PARTITION,)
    keeps = (*operator.left_row, *operator.right_row)
    match operator:
        case WindowJoin():
            keys = tuple(equations_of(operator, JoinSides.of(operator)))
            return _by_window(_layout(operator, "both inputs of every open window", keys, keeps, _WINDOW_END))
        case IntervalJoin():
            title = "both inputs, as long as a partner may come"
            return _layout(operator, title, keys, keeps, _interval_end(operator))
        case TemporalJoin():
            title = "left rows that wait for the watermark, and the versions of right rows that they may ask for"
            return _layout(operator, title, keys, keeps, _TTL)
    # A row of an outer side is sent with NULLs again when its last partner goes, so partners are counted.
    counted = ", with the number of partners of each" if operator.kind_in_plan != "inner" else ""
    return _layout(operator, f"all rows of both inputs{counted}", keys, keeps, _TTL)


def _interval_end(operator: IntervalJoin) -> str:
    """A left row has partners until ``lower`` below its time is over on the right, and the other way round."""
    duration = max(-Decimal(operator.lower.value), Decimal(0))
    right = max(Decimal(operator.upper.value), Decimal(0))
    clock = "processing time" if is_proctime(operator.left_time) else "watermark"
    return (
        f"the {clock} is {duration_words(duration)} past the time of a left row, "
        f"{duration_words(right)} past that of a right row"
    )
