"""State layouts: what each stateful operator keeps, keyed by what, and until when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from keepstate.plan.expressions import AggregateCall, Expr, WindowField
from keepstate.plan.operators import (
    Aggregate,
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TemporalSort,
    Unsupported,
    Window,
    WindowDeduplicate,
    WindowJoin,
    WindowKind,
    WindowRank,
)


@dataclass(frozen=True)
class StateLayout:
    """The state of one operator.

    ``keyed_by`` are the parts of the state key in order; ``keeps`` the parts of the stored value in order; ``until``
    says in words when a key's state goes away.
    """

    operator: str
    title: str
    keyed_by: tuple[str, ...]
    keeps: tuple[str, ...]
    until: str


def layout_of(operator: Operator) -> StateLayout | None:
    """The layout of an operator; ``None`` if it keeps no state."""
    if not operator.stateful:
        return None
    match operator:
        case Aggregate():
            return _aggregate(operator)
        case Rank():
            return _rank(operator)
        case OverAggregate():
            return _layout(operator, "running aggregates", (), (*_names(operator.calls), *_names(operator.row)), _TTL)
        case WindowJoin():
            return _join(operator, "both inputs of every open window", _WINDOW_END)
        case IntervalJoin():
            return _join(
                operator, "both inputs, as long as a partner may come", "the interval has passed on both sides"
            )
        case Join():
            return _join(operator, "all rows of both inputs", _TTL)
        case TemporalSort():
            return _layout(
                operator, "rows that wait for their time", (), _names(operator.row), "the watermark has passed them"
            )
        case Limit():
            return _layout(operator, "the rows within the limit", (), _names(operator.row), _TTL)
        case Match():
            return _layout(
                operator, "partial matches of the pattern", (), ("matched rows",), "the match ends or times out"
            )
        case SetOperation():
            return _layout(operator, "counted rows of both inputs", (), ("number of occurrences",), _TTL)
        case Unsupported():
            return _layout(operator, f"unknown: {operator.construct} is not analysed", (), (), "unknown")
    return _layout(operator, "state", (), (), "unknown")


_TTL = "its time to live (table.exec.state.ttl) has passed, or never"
_WINDOW_END = "the watermark passes the end of the window"


def _layout(operator: Operator, title: str, keyed_by: Sequence[str], keeps: Sequence[str], until: str) -> StateLayout:
    return StateLayout(operator.title, title, tuple(keyed_by), tuple(keeps), until)


def _aggregate(operator: Aggregate) -> StateLayout:
    keys = _names(key for key in operator.keys if not isinstance(key, WindowField))
    keeps = tuple(accumulator(call) for call in operator.aggregates) or ("only that the group exists",)
    if isinstance(operator, GroupAggregate):
        return _layout(operator, "one row of accumulators per group", keys, keeps, _TTL)
    window: Window | None = getattr(operator, "window", None)
    until = _WINDOW_END
    if window is not None and window.kind is WindowKind.SESSION:
        until = f"no row came for {window.gap}, and the watermark has passed that"
    return _layout(operator, "one row of accumulators per group and open window", (*keys, "window"), keeps, until)


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
}


def accumulator(call: AggregateCall) -> str:
    """What one aggregate keeps, in words."""
    kept = _ACCUMULATORS.get(call.function, "the accumulator of the function")
    if call.distinct:
        kept = f"{kept}, and the set of values seen"
    return f"{call}: {kept}"


def _rank(operator: Rank) -> StateLayout:
    end = operator.range.end if operator.range is not None else None
    rows = "the first row" if end == 1 else f"the first {end} rows" if end is not None else "rows"
    until = _WINDOW_END if isinstance(operator, WindowRank) else _TTL
    keyed_by = _names(operator.partition) or ("nothing: one partition",)
    keeps = _names(operator.row)
    if isinstance(operator, (Deduplicate, WindowDeduplicate)):
        first = isinstance(operator, Deduplicate) and operator.proctime and not operator.order[0].descending
        if first:
            return _layout(operator, "which keys were seen", keyed_by, ("that the key was seen",), until)
        return _layout(operator, "the kept row of every key", keyed_by, keeps, until)
    order = ", ".join(str(element) for element in operator.order)
    return _layout(operator, f"{rows} of every partition by {order}", keyed_by, keeps, until)


def _join(operator: Join, title: str, until: str) -> StateLayout:
    keeps = (*_names(operator.left_row), *_names(operator.right_row))
    return _layout(operator, title, _names(operator.conditions), keeps, until)


def _names(exprs: Iterable[Expr]) -> tuple[str, ...]:
    return tuple(str(expr) for expr in exprs)
