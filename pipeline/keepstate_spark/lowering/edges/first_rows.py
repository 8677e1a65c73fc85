"""Top-1 queries whose first rows Flink never takes back.

From Flink 2.1 on the planner takes each first row for one that stays, but for that of a single descending key. The
ranking still writes each better row, so a count of its rows counts all that were first for a time. Only a sink that is
keyed by the partition ends with the rows that a ranking should give.
"""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Plan
from keepstate.plan.metadata.changelog import RANKS_AS_FIRST_ROWS, updates
from keepstate.plan.operators import Calc, Deduplicate, Operator, Rank, WindowRank

REASON = (
    "Flink 2.1 and later write each row that was the first one for a time, and take none of them back. "
    "A sink with the keys of PARTITION BY as its PRIMARY KEY keeps the last one."
)


def uncorrected_rank(
    plan: Plan, changing: frozenset[str], versions: Iterable[str | None], keys: frozenset[Expr]
) -> Rank | None:
    """Return the first ranking of a streaming query that gives other rows in Flink than the first ones, in each of the
    ``versions`` (``None``: the newest). ``changing`` are its tables with changing rows, and ``keys`` what fills the key
    of its sink.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> ranked = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v{}) AS n FROM orders)"
    >>> for order in ("", " DESC"):
    ...     plan = job_of(JobVersion(f"SELECT k, v FROM {ranked.format(order)} WHERE n = 1")).pipelines[0].plan
    ...     ranks = [uncorrected_rank(plan, frozenset(), each, frozenset()) for each in (["2.3"], ["2.3", "1.20"])]
    ...     [rank is not None for rank in ranks]
    [True, False]
    [False, False]
    """
    plans = [None if version is None else EngineVersion.of(version).flink for version in versions]
    if any(flink is not None and flink < RANKS_AS_FIRST_ROWS for flink in plans):
        return None
    ranks = (
        operator
        for operator in plan.operators
        if isinstance(operator, Rank)
        and not isinstance(operator, (Deduplicate, WindowRank))
        and operator.keeps_first_row
        and not updates(operator.input, changing, RANKS_AS_FIRST_ROWS)
    )
    return next((rank for rank in ranks if not _is_corrected(plan, rank, keys)), None)


def _is_corrected(plan: Plan, rank: Rank, keys: frozenset[Expr]) -> bool:
    """Return whether a sink takes the rows of a rank, and keeps the last one of each partition."""
    below: Operator = plan.root
    while isinstance(below, Calc):
        below = below.input
    return below is rank and bool(keys) and keys == frozenset(rank.partition)
