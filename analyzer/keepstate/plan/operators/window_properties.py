"""Operators whose rows belong to windows, as the planner of Flink knows it (``FlinkRelMdWindowProperties``).

Window fields are plain columns above others: there an aggregation or a ranking by them is one without windows. Measured
on 1.20 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.plan.expressions import WindowField, WindowPart
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Deduplicate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    Window,
    WindowAggregate,
    WindowJoin,
    WindowTableFunction,
    any_operator,
    unhandled,
)

_ENDS = {WindowPart.START, WindowPart.END}


def bears_windows(operator: Operator) -> bool:
    """Return whether the planner knows the windows of an operator's rows. It loses sight of them in joins, except in
    those of windows, above a limit or a ranking without windows, and in a union of rows in different windows.

    >>> windows = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"
    >>> queries = f"SELECT * FROM {windows}", f"SELECT * FROM {windows} WHERE id IN (SELECT id FROM orders)"
    >>> [bears_windows(root(query)) for query in queries]
    [True, False]
    """
    return window_of_rows(operator) is not None


def same_windows(windows: Iterable[Window | None]) -> bool:
    """Return whether the planner takes the windows of several inputs for those of their union: all assign the same, be
    their times TIMESTAMP or TIMESTAMP_LTZ.

    >>> hours = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '{}' HOUR))"
    >>> windows = [root(f"SELECT * FROM {hours.format(hour)}").window for hour in (1, 1, 2)]
    >>> same_windows(windows[:2]), same_windows(windows)
    (True, False)
    """
    first, *others = windows
    return first is not None and all(other is not None and first.assigns_as(other) for other in others)


def window_of_rows(operator: Operator) -> Window | None:
    """The window to which the rows of an operator belong, as the planner knows it; ``None`` if it knows none.

    >>> windows = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"
    >>> window_of_rows(root(f"SELECT id FROM {windows}")).kind.value
    'TUMBLE'
    """
    operator = any_operator(operator)
    match operator:
        case WindowTableFunction() | WindowAggregate():
            return operator.window
        case WindowJoin():
            return window_of_rows(operator.left)
        case Calc() | Correlate() | OverAggregate():
            return window_of_rows(operator.input)
        case Union():
            windows = list(map(window_of_rows, operator.branches))
            return windows[0] if same_windows(windows) else None
        case SetOperation():
            windows = list(map(window_of_rows, operator.inputs))
            return windows[0] if same_windows(windows) else None
        case Deduplicate():
            return None
        case Rank():
            is_passed = operator.range is None or ranks_in_windows(operator)
            return window_of_rows(operator.input) if is_passed else None
        case Aggregate() | Join() | Limit() | Match() | TableSourceScan() | TemporalSort() | Unsupported() | Values():
            return None
        case other:
            unhandled(other)


def ranks_in_windows(rank: Rank) -> bool:
    """Return whether a ranking is one in windows: by both of their ends, of rows whose windows the planner knows. It
    knows none above an OVER window.
    """
    parts = {key.part for key in rank.partition if isinstance(key, WindowField)}
    below = rank.input
    while isinstance(below, Calc):
        below = below.input
    is_numbered = isinstance(below, OverAggregate) or (isinstance(below, Rank) and below.range is None)
    return parts >= _ENDS and not is_numbered and bears_windows(below)
