"""Operators whose rows belong to windows, as the planner of Flink knows it (``FlinkRelMdWindowProperties``).

Window fields are plain columns above others: there an aggregation or a ranking by them is one without windows. Measured
on 1.20 and 2.3.
"""

from __future__ import annotations

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
    WindowAggregate,
    WindowJoin,
    WindowTableFunction,
    any_operator,
    unhandled,
)

_ENDS = {WindowPart.START, WindowPart.END}


def bears_windows(operator: Operator) -> bool:
    """Return whether the planner knows the windows of an operator's rows. It loses sight of them in joins, except in
    those of windows, and above a limit or a ranking without windows.

    >>> windows = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"
    >>> queries = f"SELECT * FROM {windows}", f"SELECT * FROM {windows} WHERE id IN (SELECT id FROM orders)"
    >>> [bears_windows(root(query)) for query in queries]
    [True, False]
    """
    operator = any_operator(operator)
    match operator:
        case WindowTableFunction() | WindowAggregate() | WindowJoin():
            return True
        case Calc() | Correlate() | OverAggregate():
            return bears_windows(operator.input)
        case Union():
            return all(map(bears_windows, operator.branches))
        case SetOperation():
            return all(map(bears_windows, operator.inputs))
        case Deduplicate():
            return False
        case Rank():
            return bears_windows(operator.input) if operator.range is None else ranks_in_windows(operator)
        case Aggregate() | Join() | Limit() | Match() | TableSourceScan() | TemporalSort() | Unsupported() | Values():
            return False
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
