"""Which rows may still change: sources and operators that send updates and deletions, not only new rows.

Rankings ask for it: Flink deduplicates by a time attribute only rows that never change, and a Top-N over others has to
keep more than it shows (seen in the plans of 1.20 and 2.3).
"""

from __future__ import annotations

from keepstate.plan.catalog import Catalog
from keepstate.plan.metadata.connectors import sends_updates
from keepstate.plan.operators import (
    Aggregate,
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
    unhandled,
)


def updating_tables(catalog: Catalog) -> frozenset[str]:
    """The declared tables whose rows may change, as far as their options tell."""
    return frozenset(name for name, table in catalog.tables.items() if sends_updates(catalog.options_of(table)))


def updates(operator: Operator, tables: frozenset[str], earlier_rows: bool = False) -> bool:
    """Whether ``operator`` may change or take back rows that it gave; ``tables`` are the sources that may.

    ``earlier_rows`` says that the first row by event time gives way to one that comes late and is earlier: so it does
    up to Flink 1.20, while 2.3 waits for the watermark.
    """
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            return operator.table in tables
        case WindowAggregate() | GroupWindowAggregate() | WindowRank() | WindowJoin() | IntervalJoin() | Match():
            return False
        case Deduplicate():
            return not operator.keeps_first or (earlier_rows and not operator.proctime)
        case Aggregate() | Rank() | SetOperation():
            return True
        case Limit():
            return bool(operator.order) or updates(operator.input, tables, earlier_rows)
        case LookupJoin() | TemporalJoin():
            return updates(operator.left, tables, earlier_rows)
        case Join():
            keeps_unmatched = operator.kind not in ("inner", "semi", "scalar")
            return (
                keeps_unmatched
                or updates(operator.left, tables, earlier_rows)
                or updates(operator.right, tables, earlier_rows)
            )
        case Calc() | Correlate() | WindowTableFunction() | OverAggregate() | TemporalSort():
            return updates(operator.input, tables, earlier_rows)
        case Union() | Values() | Unsupported():
            return any(updates(child, tables, earlier_rows) for child in operator.inputs)
        case other:
            unhandled(other)
