"""Top-1 queries whose first rows Flink never takes back.

From Flink 2.1 on the planner takes each first row for one that stays, but for that of a single descending key. The
ranking still writes each better row, so that its result is each row that was the first one for a time: a count of its
rows counts all of these. Only a sink that is keyed by the partition ends with the rows that a ranking should give.
"""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.expressions import Expr, WindowField, WindowPart
from keepstate.plan.job import Plan
from keepstate.plan.metadata.changelog import RANKS_AS_FIRST_ROWS, updates
from keepstate.plan.operators import (
    Calc,
    Deduplicate,
    GroupAggregate,
    GroupWindowAggregate,
    Limit,
    Operator,
    Rank,
    SetOperation,
    TableSourceScan,
    Union,
    WindowAggregate,
    WindowKind,
    WindowRank,
)

NOTICE = "Flink 2.1 and later write each row that was the first one for a time, and take none of them back."
REASON = (
    f"{NOTICE} Which ones these are is not certain here. "
    "A sink with the keys of PARTITION BY as its PRIMARY KEY keeps the last one."
)
_IN_ORDER = frozenset({TableSourceScan, Calc, Rank})
"""Operators that send rows on as they come from the files."""
_TAKES_ALL = frozenset({Calc, Rank, GroupAggregate, Union, SetOperation, Limit})
"""Operators that take each row as a new one, at whatever event time it comes. The state of a join has a later first row
in the place of the former one: which rows of the other side met that one depends on the pace of both.
"""
_BY_START = frozenset({WindowKind.TUMBLE, WindowKind.HOP})
_BY_END = _BY_START | {WindowKind.CUMULATE}
"""Windows that close one after another: by their ends, and if they are of one length by their starts as well."""


def uncorrected_ranks(
    plan: Plan, changing: frozenset[str], versions: Iterable[str | None], keys: frozenset[Expr]
) -> tuple[Rank, ...]:
    """Return the rankings of a streaming query that give other rows in Flink than the first ones, in each of the
    ``versions`` (``None``: the newest). ``changing`` are its tables with changing rows, and ``keys`` what fills the key
    of its sink.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> ranked = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v{}) AS n FROM orders)"
    >>> for order in ("", " DESC"):
    ...     plan = job_of(JobVersion(f"SELECT k, v FROM {ranked.format(order)} WHERE n = 1")).pipelines[0].plan
    ...     [len(uncorrected_ranks(plan, frozenset(), each, frozenset())) for each in (["2.3"], ["2.3", "1.20"])]
    [1, 0]
    [0, 0]
    """
    plans = [None if version is None else EngineVersion.of(version).flink for version in versions]
    if any(flink is not None and flink < RANKS_AS_FIRST_ROWS for flink in plans):
        return ()
    ranks = (
        operator
        for operator in plan.operators
        if isinstance(operator, Rank)
        and not isinstance(operator, (Deduplicate, WindowRank))
        and operator.keeps_first_row
        and not updates(operator.input, changing, RANKS_AS_FIRST_ROWS)
    )
    return tuple(rank for rank in ranks if not (keys and keys == frozenset(rank.partition) and is_result(plan, rank)))


def is_result(plan: Plan, rank: Rank) -> bool:
    """Return whether the result of a query has the rows of a rank, as they come from it."""
    below: Operator = plan.root
    while isinstance(below, Calc):
        below = below.input
    return below is rank


def is_certain(plan: Plan, rank: Rank) -> bool:
    """Return whether it is known which rows of a rank were the first ones for a time, and what is made of them."""
    above = (operator for operator in plan.operators if operator is not rank and rank in operator.walk())
    in_order = all(type(below) in _IN_ORDER for below in rank.input.walk())
    return (in_order or turn_of(rank) is not None) and all(type(operator) in _TAKES_ALL for operator in above)


def turn_of(rank: Rank) -> WindowField | None:
    """Return the part of a window by which rows come to a rank, if no partition has two rows of one window; ``None``
    for rows of no window, and where their order is not known.
    """
    below = rank.input
    while isinstance(below, Calc):
        below = below.input
    if not isinstance(below, (WindowAggregate, GroupWindowAggregate)) or below.elements:
        return None
    of_groups = {key for key in below.keys if not isinstance(key, WindowField)}
    if not of_groups <= set(rank.partition):
        return None
    fields = below.fields if isinstance(below, GroupWindowAggregate) else below.keys
    kinds = {WindowPart.END: _BY_END, WindowPart.START: _BY_START}
    turns = (
        field
        for field in fields
        if isinstance(field, WindowField)
        and field.depth == below.depth
        and below.window.kind in kinds.get(field.part, frozenset())
    )
    return next(turns, None)
