"""Refusals of Flink's planner: what a stream cannot compute, and changes that a sink does not take.

They follow from the operators of the plan. Flink's planner points nowhere; the place here is the clause.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.clauses.grouping_sets import can_be_planned, has_other_spelling
from keepstate.plan.expressions import Call, Expr, Literal, Ordering, WindowField, WindowPart, is_proctime
from keepstate.plan.job import Plan
from keepstate.plan.lowering.sink_columns import InsertTarget, target_of
from keepstate.plan.metadata.connectors import connector_of, sends_updates
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.metadata.time_attributes import Rowtimes, is_materialized
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
    Calc,
    GroupWindowAggregate,
    IntervalJoin,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Unsupported,
    WindowAggregate,
    WindowJoin,
    WindowRank,
    WindowTableFunction,
)
from keepstate.plan.provenance import Place
from keepstate.plan.settings import Settings
from keepstate.plan.upsert_keys import SinkInput
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.changing_rows import Changes
from keepstate.validation.conflicts import is_told_apart
from keepstate.validation.connector_options import refusal_of_sink, refusal_of_write
from keepstate.validation.source_refusals import refusal_of_scan
from keepstate.validation.statement_context import Dialect
from keepstate.validation.times.window_aggregates import (
    refused_aggregate,
    refused_aggregate_in_batch,
    refused_distinct_in_batch,
)
from keepstate.validation.times.window_emission import WindowEmission
from keepstate.validation.validity import ValidityProblem

_MATERIALIZE = "table.exec.sink.upsert-materialize"
_ON_CONFLICT = "table.exec.sink.require-on-conflict"
_FIRST_WITH_ON_CONFLICT = (2, 3)
_APPEND_ONLY = frozenset({"kafka", "filesystem"})
"""Connectors whose sinks take no updates with plain formats."""
_WITHOUT_WATERMARKS = frozenset({"filesystem"})
"""Connectors whose sources leave the watermark to an operator behind them."""
_UPSERTING = frozenset(
    """upsert-kafka jdbc print blackhole elasticsearch-6 elasticsearch-7 elasticsearch-8 mongodb hbase-1.4
    hbase-2.2""".split()
)
"""Connectors whose sinks take updates by their primary key."""
_AS_ASKED = frozenset({"print", "blackhole"})
"""Connectors among them that take new rows only, if the query gives no others."""


@dataclass(frozen=True)
class PlannerSettings:
    """Settings of a job that decide what its planner refuses. ``needs_on_conflict`` says whether the job keeps Flink's
    demand to say what becomes of conflicting rows.
    """

    emission: WindowEmission
    needs_on_conflict: bool

    @staticmethod
    def of(settings: Settings) -> PlannerSettings:
        demand, materialize = settings.get(_ON_CONFLICT), settings.get(_MATERIALIZE)
        demands = demand is None or demand.value.strip().lower() != "false"
        cleans = materialize is None or materialize.value.strip().lower() != "none"
        return PlannerSettings(WindowEmission.of(settings), demands and cleans)


def refusal_of_planner(
    statement: ParsedStatement, plan: Plan, catalog: Catalog, dialect: Dialect, settings: PlannerSettings
) -> ValidityProblem | None:
    """Why Flink does not plan a statement that its validator takes; ``None`` if nothing speaks against it."""
    if any(isinstance(each, Unsupported) and not isinstance(each, AggregatedSubquery) for each in plan.operators):
        return None
    written = _of_write(statement, catalog, dialect)
    if written is not None:
        return written
    if dialect.is_batch:
        return _in_batch(statement, plan)
    changes = Changes.of(catalog, plan, dialect.flink, settings.emission)
    times = Rowtimes.of(catalog)
    for operator in plan.operators:
        problem = _of_operator(operator, statement, changes, times, dialect)
        if problem is not None:
            return problem
    for scan in plan.scans:
        refused = refusal_of_scan(scan, plan, catalog)
        if refused is not None:
            return _problem(refused[0], scan.place, statement, refused[1])
    target = target_of(statement)
    if target is None or not isinstance(statement.tree, exp.Insert) or target.name not in catalog.tables:
        return None
    return _of_sink(statement, statement.tree, plan, changes, target, dialect, settings.needs_on_conflict)


def _of_write(statement: ParsedStatement, catalog: Catalog, dialect: Dialect) -> ValidityProblem | None:
    """Why the connector of a sink does not write as an INSERT asks for."""
    target, tree = target_of(statement), statement.tree
    if target is None or not isinstance(tree, exp.Insert) or target.name not in catalog.tables:
        return None
    overwrites = bool(tree.args.get("overwrite"))
    reason = refusal_of_write(catalog.tables[target.name], catalog, overwrites, dialect.is_batch)
    return _problem("connector-option", target.place, statement, reason) if reason is not None else None


def _of_operator(
    operator: Operator, statement: ParsedStatement, changes: Changes, times: Rowtimes, dialect: Dialect
) -> ValidityProblem | None:
    if isinstance(operator, Rank):
        problem = _of_rank(operator, statement)
        if problem is not None or not isinstance(operator, WindowRank):
            return problem
    if isinstance(operator, (WindowRank, WindowJoin)):
        problem = _of_processing_time(operator, statement)
        if problem is not None:
            return problem
    if isinstance(operator, Aggregate) and not _has_planned_sets(operator):
        message = "Flink does not plan a grouping set that stands here twice beside others: write UNION ALL."
        return _problem("grouping-sets", operator.grouping_place or operator.place, statement, message)
    if isinstance(operator, (WindowAggregate, GroupWindowAggregate)):
        refusal = changes.emission.refusal_of(operator)
        if refusal is not None:
            return _problem("window-emission", operator.window.place or operator.place, statement, refusal)
        refused = refused_aggregate(operator, dialect.flink)
        if refused is not None:
            return _problem("window-aggregate", refused[0].place or operator.place, statement, refused[1])
        return None
    if isinstance(operator, TemporalJoin) and not isinstance(operator, LookupJoin):
        return _of_versions(operator, statement, changes.catalog)
    if isinstance(operator, OverAggregate):
        order = operator.order[0] if operator.order else None
        if isinstance(order, Ordering) and order.descending:
            message = "Without an upper bound on its number this is an OVER window, which is ordered ascending only."
            return _problem("over-order", operator.place, statement, message)
        keys = {each.expr if isinstance(each, Ordering) else each for each in operator.order}
        if sum(not isinstance(key, Literal) for key in keys) > 1:
            message = "Without an upper bound on its number this is an OVER window, which one column orders."
            return _problem("over-order", operator.place, statement, message)
        if not _goes_by_time(operator, times):
            return None
    by_time = isinstance(operator, (OverAggregate, Match, TemporalSort, WindowRank)) or (
        isinstance(operator, IntervalJoin) and not _is_grouped(operator)
    )
    if by_time and any(map(changes.surely, operator.inputs)):
        message = "Flink runs this over rows that only come, and these are changed or taken back later."
        return _problem("changing-rows", operator.place, statement, message)
    return None


def _has_planned_sets(aggregate: Aggregate) -> bool:
    """Return whether Flink plans the grouping sets, as far as the names of their keys tell."""
    return has_other_spelling(aggregate.elements) or can_be_planned(aggregate.elements)


def _is_grouped(join: IntervalJoin) -> bool:
    """Return whether an input groups rows, which makes plain timestamps of their times: then Flink joins regularly.
    Windows in GROUP BY give times again.
    """
    grouping = (each for each in join.walk() if not isinstance(each, GroupWindowAggregate))
    return any(isinstance(each, (Aggregate, SetOperation)) for each in grouping)


def _goes_by_time(operator: OverAggregate, times: Rowtimes) -> bool:
    """Return whether rows are ordered by a time attribute; by anything else they may change."""
    order = operator.order[0] if operator.order else None
    time = order.expr if isinstance(order, Ordering) else None
    if time is None or is_materialized(time, operator.input):
        return False
    if isinstance(time, WindowField):
        return time.part is WindowPart.TIME
    return is_proctime(time) or time in times


def _in_batch(statement: ParsedStatement, plan: Plan) -> ValidityProblem | None:
    """Why Flink does not plan a statement in batch mode, as far as its aggregations tell."""
    for operator in plan.operators:
        if isinstance(operator, (WindowAggregate, GroupWindowAggregate)):
            refused = refused_aggregate_in_batch(operator)
            if refused is not None:
                place = (refused[0] and refused[0].place) or operator.window.place or operator.place
                return _problem("window-aggregate", place, statement, refused[1])
        if isinstance(operator, (Aggregate, OverAggregate)):
            distinct = refused_distinct_in_batch(operator)
            if distinct is not None:
                return _problem("window-aggregate", distinct[0].place or operator.place, statement, distinct[1])
    return None


def _of_rank(rank: Rank, statement: ParsedStatement) -> ValidityProblem | None:
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
    if isinstance(rank, WindowRank) and rank.range.end is None:
        return _problem("rank-range", place, statement, "A column is no bound of a Top-N in windows: write a number.")
    return None


def _of_versions(join: TemporalJoin, statement: ParsedStatement, catalog: Catalog) -> ValidityProblem | None:
    """Why Flink does not join versions: a filter is in front of them, or their keys are compared with constants alone.
    Other connectors than files give the watermark with the rows, and a filter behind that is no obstacle.
    """
    sides = JoinSides.of(join)
    if not any(JoinSide.LEFT in sides.read(condition) for condition in join.conditions):
        for condition in join.conditions:
            is_equation = isinstance(condition, Call) and condition.name == "="
            if is_equation and any(isinstance(operand, Literal) for operand in condition.children()):
                message = "Flink joins no versions by a constant alone: compare a column of the left side."
                return _problem("temporal-key", condition.place or join.place, statement, message)
    below, conditions = join.right, list[Expr]()
    while isinstance(below, Calc):
        conditions += below.conditions
        below = below.input
    table = catalog.tables.get(below.table) if isinstance(below, TableSourceScan) else None
    if table is None or connector_of(catalog.options_of(table)) not in _WITHOUT_WATERMARKS or not conditions:
        return None
    # Flink 1.20 does not filter by a column that equals itself.
    if all(isinstance(each, Call) and len(set(each.args)) < len(each.args) for each in conditions):
        return None
    message = f"Flink takes no filter in front of the versions of {table.name}: filter the rows of the join."
    return _problem("temporal-table", join.right.place or join.as_of_place or join.place, statement, message)


def _of_processing_time(operator: WindowRank | WindowJoin, statement: ParsedStatement) -> ValidityProblem | None:
    """Why Flink does not rank or join the rows of windows, if these are of processing time."""
    windows = (each.window for each in operator.walk() if isinstance(each, (WindowAggregate, WindowTableFunction)))
    window = next((each for each in windows if is_proctime(each.time)), None)
    if window is None:
        return None
    verb = "joins" if isinstance(operator, WindowJoin) else "ranks"
    message = f"Flink {verb} rows of windows by event time only, and these windows are of processing time."
    return _problem("window-time", operator.place or window.place, statement, message)


def _of_sink(
    statement: ParsedStatement,
    tree: exp.Insert,
    plan: Plan,
    changes: Changes,
    target: InsertTarget,
    dialect: Dialect,
    needs_on_conflict: bool,
) -> ValidityProblem | None:
    catalog = changes.catalog
    table = catalog.tables[target.name]
    options = {**catalog.options_of(table), **{option.key: option for option in target.options}}
    reason = refusal_of_sink(table, options)
    if reason is not None:
        return _problem("connector-option", target.place, statement, reason)
    key = frozenset(catalog.primary_key_of(table)[0])
    connector = connector_of(options)
    appends = connector in _APPEND_ONLY and sends_updates(options) is False
    conflict = tree.args.get("conflict")
    if conflict is not None and (appends or (connector and not key)):
        span = Span(*conflict.meta["span"])
        return ValidityProblem(
            "on-conflict", span, f"{target.name} takes no updates by a key, so there is no ON CONFLICT."
        )
    if (appends or (connector == "jdbc" and not key)) and changes.surely(plan.root):
        message = f"{target.name} takes new rows only, and this query changes rows that it gave."
        return _problem("append-only-sink", target.place, statement, message)
    if dialect.flink < _FIRST_WITH_ON_CONFLICT or not needs_on_conflict or conflict is not None:
        return None
    filled = target.filled(catalog, plan.names)
    if not key or connector not in _UPSERTING or is_told_apart(plan, catalog, table, filled):
        return None
    if connector in _AS_ASKED and SinkInput.of(plan, catalog, filled).updates is not True:
        return None
    key_names = ", ".join(sorted(key))
    message = f"The rows of this query have another unique key than {target.name} ({key_names}), or none"
    advice = "write ON CONFLICT DO DEDUPLICATE, NOTHING or ERROR"
    return _problem("upsert-key", target.place, statement, f"{message}: {advice}.")


def _problem(rule: str, place: Place | None, statement: ParsedStatement, message: str) -> ValidityProblem:
    """A problem at ``place``; one in a view is shown where the statement begins."""
    if place is not None and place.statement is statement:
        return ValidityProblem(rule, place.span, message)
    first = statement.tokens[0]
    return ValidityProblem(rule, Span(first.start, first.end), message)
