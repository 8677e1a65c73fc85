"""Rows that may still change: sources and operators that send updates and deletions, not only new rows.

Rankings depend on it. Flink deduplicates by a time attribute only rows that never change, and a Top-N over other rows
has to keep more than it outputs (seen in the plans of 1.20 and 2.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from keepstate.plan.catalog import Catalog
from keepstate.plan.metadata.connectors import sends_updates
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
    Calc,
    Correlate,
    Deduplicate,
    GroupWindowAggregate,
    IntervalJoin,
    Join,
    Limit,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowAggregate,
    WindowJoin,
    WindowRank,
    WindowTableFunction,
    any_operator,
    is_one_row,
    unhandled,
)


def updating_tables(catalog: Catalog, names: Iterable[str] | None = None) -> frozenset[str]:
    """Return the declared tables whose rows may change, according to their options.

    A question about one query gives the ``names`` of the tables that it reads: a job has hundreds of others.

    >>> sorted(updating_tables(catalog()))
    ['buyers']
    >>> updating_tables(catalog(), ["orders"])
    frozenset()
    """
    tables = catalog.tables
    selection = tables if names is None else (name for name in names if name in tables)
    return frozenset(name for name in selection if sends_updates(catalog.options_of(tables[name])))


def updating_on_one_side(baseline: Catalog, current: Catalog, tables: Mapping[str, str]) -> frozenset[str]:
    """Return those of ``tables``, by their names in the baseline and today, whose rows may change on one side only.

    >>> was = catalog("CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'format' = 'json')")
    >>> now = catalog("CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'format' = 'debezium-json')")
    >>> updating_on_one_side(was, now, {"t": "t", "buyers": "buyers"})
    frozenset({'t'})
    """
    declared = frozenset(current.declared_otherwise(baseline))
    # One declaration sends what it sent.
    candidates = {was: now for was, now in tables.items() if was != now or now in declared or was not in current.tables}
    before, after = updating_tables(baseline, candidates), updating_tables(current, candidates.values())
    return frozenset(now for was, now in candidates.items() if (was in before) is not (now in after))


Version = tuple[int, int]
FIRST_ROWS_WAIT: Version = (2, 1)
"""From this version on the first row by event time waits for the watermark; before, an earlier one replaced it."""
RANKS_AS_FIRST_ROWS: Version = (2, 1)
"""From this version on the planner takes each first row for one that stays, even if it is ordered by no time."""


def updates(operator: Operator, tables: frozenset[str], flink: Version | None = None) -> bool:
    """Return whether ``operator`` may change or take back rows that it gave; ``tables`` are the sources that may.

    ``flink`` is the version that plans the query. Without one, the first row by event time stays, and a Top-1 does not.

    >>> total = root("SELECT buyer, SUM(price) FROM orders GROUP BY buyer")
    >>> updates(total, frozenset()), updates(total.input, frozenset()), updates(total.input, frozenset({"orders"}))
    (True, False, True)
    """
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            return operator.table in tables
        case WindowAggregate() | GroupWindowAggregate() | WindowRank() | WindowJoin() | IntervalJoin() | Match():
            return False
        case Deduplicate():
            waits = flink is None or flink >= FIRST_ROWS_WAIT
            return not operator.keeps_first or not (waits or operator.proctime)
        case Rank():
            stays = flink is not None and flink >= RANKS_AS_FIRST_ROWS and operator.keeps_first_row
            return not stays or updates(operator.input, tables, flink)
        case Aggregate() | SetOperation():
            return True
        case Limit():
            return bool(operator.order) or updates(operator.input, tables, flink)
        case LookupJoin() | TemporalJoin():
            return updates(operator.left, tables, flink)
        case Join():
            # The value that a query gives to an expression is that of no row at first.
            keeps_unmatched = operator.kind not in ("inner", "semi")
            return keeps_unmatched or updates(operator.left, tables, flink) or updates(operator.right, tables, flink)
        case Calc() | Correlate() | WindowTableFunction() | OverAggregate() | TemporalSort():
            return updates(operator.input, tables, flink)
        case AggregatedSubquery():
            # The result for all rows that came so far: each row may bring another one.
            return not is_one_row(operator.rows)
        case Union() | Values() | Unsupported():
            return any(updates(child, tables, flink) for child in operator.inputs)
        case other:
            unhandled(other)
