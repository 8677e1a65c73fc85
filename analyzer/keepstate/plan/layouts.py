"""State layouts: what each stateful operator keeps, keyed by what, and until when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import TypeAlias

from keepstate.plan.expressions import AggregateCall, Call, Expr, duration_words, is_proctime
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
from keepstate.plan.sides import Sides
from keepstate.plan.values import asked_once


class PartKind(Enum):
    """What a part of a state is, as far as engines tell parts apart."""

    KEY = "key"
    WINDOW = "window"
    ACCUMULATOR = "accumulator"
    DISTINCT_ACCUMULATOR = "distinct accumulator"
    FOREIGN_ACCUMULATOR = "accumulator of a foreign function"
    COLUMN = "stored column"
    MATCH = "partial match"
    MARKER = "marker"
    """Something without content: that a group exists, that a key was seen, how often a row occurred."""


@dataclass(frozen=True)
class StatePart:
    """One thing that is stored: ``value`` is what it is about in the plan, ``words`` say what is kept of that."""

    kind: PartKind
    value: Expr | Window | None = None
    words: str = ""

    def spelled(self, spell: Callable[[Expr], str]) -> str:
        """The part in words, with its expression as ``spell`` writes it."""
        if not isinstance(self.value, Expr):
            return self.words
        return f"{spell(self.value)}: {self.words}" if self.words else spell(self.value)

    def __str__(self) -> str:
        return self.spelled(str)


@dataclass(frozen=True)
class StateLayout:
    """The state of one operator.

    ``keyed_by`` are the parts of the state key in order; ``keeps`` the parts of the stored value in order; ``until``
    says in words when a key's state goes away.
    """

    operator: str
    title: str
    keyed_by: tuple[StatePart, ...]
    keeps: tuple[StatePart, ...]
    until: str


@asked_once
def layout_of(operator: Operator) -> StateLayout | None:
    """The layout of an operator; ``None`` if it keeps no state."""
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


Part: TypeAlias = StatePart | Expr | str


def _layout(operator: Operator, title: str, keyed_by: Iterable[Part], keeps: Iterable[Part], until: str) -> StateLayout:
    """A layout of parts, of expressions (which are keys, or columns of stored rows), and of words."""
    keys = tuple(_part(part, PartKind.KEY, PartKind.KEY) for part in keyed_by)
    kept = tuple(_part(part, PartKind.COLUMN, PartKind.MARKER) for part in keeps)
    return StateLayout(operator.title, title, keys, kept, until)


def _part(part: Part, expression: PartKind, words: PartKind) -> StatePart:
    if isinstance(part, str):
        return StatePart(words, words=part)
    return StatePart(expression, part) if isinstance(part, Expr) else part


def _aggregate(operator: Aggregate) -> StateLayout:
    keys = operator.plain_keys
    keeps = tuple(accumulator(call) for call in operator.aggregates) or ("only that the group exists",)
    if isinstance(operator, GroupAggregate):
        title = "one row of accumulators per group" if operator.aggregates else "the groups that were seen"
        return _layout(operator, title, keys, keeps, _TTL)
    window: Window | None = getattr(operator, "window", None)
    until = _WINDOW_END
    if window is not None and window.kind is WindowKind.SESSION:
        until = f"no row came for {window.gap}, and the watermark has passed that"
    keyed_by: tuple[Part, ...] = (*keys, StatePart(PartKind.WINDOW, window, "window"))
    return _layout(operator, "one row of accumulators per group and open window", keyed_by, keeps, until)


_ACCUMULATORS = {
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


def accumulator(call: AggregateCall) -> StatePart:
    """What one aggregate keeps, over a group or over an OVER window."""
    kept = _ACCUMULATORS.get(call.function, "the accumulator of the function")
    if call.opaque:
        return StatePart(PartKind.FOREIGN_ACCUMULATOR, call, kept)
    if call.distinct:
        return StatePart(PartKind.DISTINCT_ACCUMULATOR, call, f"{kept}, and the set of values seen")
    return StatePart(PartKind.ACCUMULATOR, call, kept)


def _over(operator: OverAggregate) -> StateLayout:
    """The rows themselves are stored as long as they wait for the watermark, or may still leave the frame."""
    keyed_by: tuple[Part, ...] = operator.partition or (_ONE_PARTITION,)
    accumulators = tuple(map(accumulator, operator.aggregates))
    bounded = operator.frame.start.offset is not None
    by_processing_time = any(is_proctime(node) for element in operator.order for node in element.children())
    if by_processing_time and not bounded:
        return _layout(operator, "running aggregates of every partition", keyed_by, accumulators, _TTL)
    rows = "the rows of their frame" if bounded else "the rows that wait for the watermark"
    keeps: tuple[Part, ...] = (*accumulators, *operator.row)
    return _layout(operator, f"running aggregates of every partition, and {rows}", keyed_by, keeps, _TTL)


def _match(operator: Match) -> StateLayout:
    keyed_by: tuple[Part, ...] = operator.partition or (_ONE_PARTITION,)
    started = StatePart(PartKind.MATCH, words=f"started matches of {operator.pattern}")
    until = f"the match ends, or {operator.within} went by" if operator.within is not None else "the match ends"
    title = "started matches with their rows, and the rows that wait for their time"
    return _layout(operator, title, keyed_by, (started, *operator.row), until)


def _rank(operator: Rank) -> StateLayout:
    windowed = isinstance(operator, WindowRank)
    keyed_by: tuple[Part, ...] = operator.partition or (_ONE_PARTITION,)
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
    """Which rows a range of ranks needs; lower ranks are counted, so that they are kept as well."""
    ranks = operator.range
    if ranks is None or ranks.end is None:
        ends = [str(condition.children()[-1]) for condition in ranks.other] if ranks is not None else []
        return f"as many rows as {' and '.join(ends)} says" if ends else "all rows"
    return "the first row" if ranks.end == 1 else f"the first {ranks.end} rows"


def _join(operator: Join) -> StateLayout:
    """A join keeps the rows of either input apart, by the columns that its condition equates."""
    keys: tuple[Part, ...] = tuple(_equations(operator)) or (_ONE_PARTITION,)
    keeps = (*operator.left_row, *operator.right_row)
    match operator:
        case WindowJoin():
            keys = (*_equations(operator), StatePart(PartKind.WINDOW, words="window"))
            return _layout(operator, "both inputs of every open window", keys, keeps, _WINDOW_END)
        case IntervalJoin():
            title = "both inputs, as long as a partner may come"
            return _layout(operator, title, keys, keeps, _interval_end(operator))
        case TemporalJoin():
            title = "left rows that wait for the watermark, and the versions of right rows that they may ask for"
            return _layout(operator, title, keys, keeps, _TTL)
    counted = ", with the number of partners of each" if operator.kind not in ("inner", "scalar") else ""
    return _layout(operator, f"all rows of both inputs{counted}", keys, keeps, _TTL)


def _equations(operator: Join) -> Iterator[Expr]:
    """The conditions of a join that equate something of the one input with something of the other."""
    sides = Sides.of(operator)
    for condition in operator.conditions:
        if isinstance(condition, Call) and condition.name == "=":
            read = [sides.read(operand) for operand in condition.args]
            if all(len(side) == 1 for side in read) and read[0] != read[1]:
                yield condition


def _interval_end(operator: IntervalJoin) -> str:
    """A left row has partners until ``lower`` below its time is over on the right, and the other way round."""
    left = max(-Decimal(operator.lower.value), Decimal(0))
    right = max(Decimal(operator.upper.value), Decimal(0))
    clock = "processing time" if is_proctime(operator.left_time) else "watermark"
    return (
        f"the {clock} is {duration_words(left)} past the time of a left row, "
        f"{duration_words(right)} past that of a right row"
    )
