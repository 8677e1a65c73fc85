"""Operators that give results for rows which are taken back later, and never mend them."""

from __future__ import annotations

from keepstate.plan.job import Plan
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.operators import GroupWindowAggregate, LookupJoin, Operator, TemporalJoin, WindowAggregate

FORMER_ROWS = (
    "The rows that come here are taken back later, and what Flink gave for them by then stays. It is not computed here."
)


def keeps_former_rows(plan: Plan, changing: frozenset[str]) -> Operator | None:
    """Return the first operator of a plan whose results hold rows that are taken back later; ``None`` if there is none.
    ``changing`` are the tables with changing rows.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> ranked = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts{}) AS n FROM orders)"
    >>> ddl = "CREATE TABLE orders (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
    >>> sql = ddl + "SELECT TUMBLE_END(ts, INTERVAL '1' DAY) FROM {} WHERE n = 1 GROUP BY TUMBLE(ts, INTERVAL '1' DAY)"
    >>> for order in ("", " DESC"):
    ...     plan = job_of(JobVersion(sql.format(ranked.format(order)))).pipelines[0].plan
    ...     print(type(keeps_former_rows(plan, frozenset())).__name__)
    NoneType
    GroupWindowAggregate
    """
    return next((operator for operator in plan.operators if _keeps(operator, changing)), None)


def _keeps(operator: Operator, changing: frozenset[str]) -> bool:
    if isinstance(operator, (WindowAggregate, GroupWindowAggregate)):
        return updates(operator.input, changing)
    if isinstance(operator, TemporalJoin) and not isinstance(operator, LookupJoin):
        return updates(operator.left, changing)
    return False
