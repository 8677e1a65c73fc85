"""Refusals of Flink's planner: what a stream cannot compute, and changes that a sink does not take.

They follow from the operators of the plan. Flink's planner points nowhere; the place here is the clause.
"""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Call, Column, Ordering
from keepstate.plan.job import Plan
from keepstate.plan.lowering.sink_columns import Target, target_of
from keepstate.plan.metadata.changelog import updates, updating_tables
from keepstate.plan.metadata.connectors import connector_of, sends_updates
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
    IntervalJoin,
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
    WindowAggregate,
    WindowKind,
    WindowTableFunction,
)
from keepstate.plan.provenance import Place
from keepstate.plan.upsert_keys import SinkInput
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.surroundings import Dialect
from keepstate.validation.validity import Problem

_FIRST_WITH_ON_CONFLICT = (2, 3)
_APPEND_ONLY = frozenset({"kafka", "filesystem"})
"""Connectors whose sinks take no updates with plain formats."""
_UPSERTING = frozenset(
    """upsert-kafka jdbc print blackhole elasticsearch-6 elasticsearch-7 elasticsearch-8 mongodb hbase-1.4
    hbase-2.2""".split()
)
"""Connectors whose sinks take updates by their primary key."""


def refusal_of_planner(
    statement: ParsedStatement, plan: Plan, catalog: Catalog, dialect: Dialect, needs_on_conflict: bool
) -> Problem | None:
    """Why Flink does not plan a statement that its validator takes; ``None`` if nothing speaks against it.

    ``needs_on_conflict`` says whether the job keeps Flink's demand to say what becomes of conflicting rows.
    """
    if any(isinstance(operator, Unsupported) for operator in plan.operators):
        return None
    tables = updating_tables(catalog)
    times = frozenset(
        (table.name, column) for table in catalog.tables.values() for column in catalog.time_attributes_of(table)
    )
    for operator in plan.operators:
        found = _of_operator(operator, statement, tables, times)
        if found is not None:
            return found
    target = target_of(statement)
    if target is None or not isinstance(statement.tree, exp.Insert) or target.name not in catalog.tables:
        return None
    return _of_sink(statement, statement.tree, plan, catalog, target, dialect, needs_on_conflict)


Times = frozenset[tuple[str, str]]
"""Tables with those of their columns that have a watermark."""


def _of_operator(
    operator: Operator, statement: ParsedStatement, tables: frozenset[str], times: Times
) -> Problem | None:
    if isinstance(operator, Rank):
        return _of_rank(operator, statement)
    if isinstance(operator, (WindowAggregate, GroupWindowAggregate)):
        return _of_windows(operator, statement)
    if isinstance(operator, OverAggregate):
        order = operator.order[0] if operator.order else None
        if isinstance(order, Ordering) and order.descending:
            message = "Without an upper bound on its number this is an OVER window, which is ordered ascending only."
            return _problem("over-order", operator.place, statement, message)
        time = order.expr if isinstance(order, Ordering) else None
        if not isinstance(time, Column) or (time.table, time.name) not in times:
            return None
    changing = "This reads rows that never change, and these do."
    if isinstance(operator, (OverAggregate, Match, TemporalSort)) and _is_changing_source(operator.input, tables):
        return _problem("changing-rows", operator.place, statement, changing)
    if isinstance(operator, IntervalJoin) and any(_is_changing_source(each, tables) for each in operator.inputs):
        return _problem("changing-rows", operator.place, statement, changing)
    return None


def _is_changing_source(operator: Operator, tables: frozenset[str]) -> bool:
    """Return whether the rows come from a source that changes them, with at most filters in between."""
    while isinstance(operator, Calc):
        operator = operator.input
    return isinstance(operator, TableSourceScan) and operator.table in tables


def changes(operator: Operator, tables: frozenset[str]) -> bool:
    """Return whether an operator surely changes rows that it gave. A ranking of one row by ascending keys may not, nor
    may a join whose bounds on time are not known.
    """
    if isinstance(operator, (Calc, OverAggregate, Correlate, WindowTableFunction)):
        return changes(operator.input, tables)
    if isinstance(operator, Rank):
        one = operator.range is not None and operator.range.end == 1
        rising = all(not key.descending for key in operator.order)
        return updates(operator, tables) and not (one and rising)
    if isinstance(operator, Union):
        return any(changes(each, tables) for each in operator.inputs)
    if type(operator) is Join:
        if any(
            isinstance(node, Call) and node.name in ("<", "<=") for each in operator.conditions for node in each.walk()
        ):
            return any(changes(each, tables) for each in operator.inputs)
        kept = operator.kind not in ("inner", "semi", "scalar")
        return kept or changes(operator.left, tables) or changes(operator.right, tables)
    if isinstance(operator, (Aggregate, SetOperation, Limit, TableSourceScan)):
        return updates(operator, tables)
    return False


def _of_windows(operator: WindowAggregate | GroupWindowAggregate, statement: ParsedStatement) -> Problem | None:
    """FIRST_VALUE and LAST_VALUE cannot put together the parts of windows that overlap or grow."""
    window = operator.window
    if window.kind is WindowKind.TUMBLE:
        return None
    for call in operator.aggregates:
        if call.function in ("FIRST_VALUE", "LAST_VALUE"):
            message = f"{call.function} is not supported in windows of {window.kind.value}."
            return _problem("window-aggregate", call.place or operator.place, statement, message)
    return None


def _of_rank(rank: Rank, statement: ParsedStatement) -> Problem | None:
    if rank.function != "ROW_NUMBER":
        message = f"Streams have no Top-N by {rank.function}: take ROW_NUMBER."
        return _problem("rank-function", rank.function_place or rank.place, statement, message)
    if rank.range is None:
        return None
    place = rank.range_place or rank.place
    if rank.range.end is None and not rank.range.other:
        return _problem("rank-range", place, statement, "A Top-N needs an upper bound of its number, such as rn <= 3.")
    if rank.range.end is not None and rank.range.end < 1:
        return _problem("rank-range", place, statement, "The numbers of a Top-N begin with 1: this keeps no row.")
    return None


def _of_sink(
    statement: ParsedStatement,
    tree: exp.Insert,
    plan: Plan,
    catalog: Catalog,
    target: Target,
    dialect: Dialect,
    needs_on_conflict: bool,
) -> Problem | None:
    table = catalog.tables[target.name]
    options = {**catalog.options_of(table), **{option.key: option for option in target.options}}
    key = frozenset(catalog.primary_key_of(table)[0])
    connector = connector_of(options)
    appends = connector in _APPEND_ONLY and sends_updates(options) is False
    conflict = tree.args.get("conflict")
    if conflict is not None and (appends or (connector and not key)):
        span = Span(*conflict.meta["span"])
        return Problem("on-conflict", span, f"{target.name} takes no updates by a key, so there is no ON CONFLICT.")
    given = SinkInput.of(plan, catalog, target.filled(catalog, plan.names))
    if (appends or (connector == "jdbc" and not key)) and changes(plan.root, updating_tables(catalog)):
        message = f"{target.name} takes new rows only, and this query changes rows that it gave."
        return _problem("append-only-sink", target.place, statement, message)
    if dialect.flink < _FIRST_WITH_ON_CONFLICT or not needs_on_conflict or conflict is not None:
        return None
    if not key or connector not in _UPSERTING or given.keys is None or any(each <= key for each in given.keys):
        return None
    named = ", ".join(sorted(key))
    message = f"Rows of this query are told apart by other columns than the key of {target.name} ({named}): "
    return _problem("upsert-key", target.place, statement, message + "say ON CONFLICT DO ...")


def _problem(rule: str, place: Place | None, statement: ParsedStatement, message: str) -> Problem:
    """A problem at ``place``; one in a view is shown where the statement begins."""
    if place is not None and place.statement is statement:
        return Problem(rule, place.span, message)
    first = statement.tokens[0]
    return Problem(rule, Span(first.start, first.end), message)
