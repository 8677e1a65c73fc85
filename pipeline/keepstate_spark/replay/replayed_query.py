"""One query, replayed: a row for each result that the state had to do with, with its values in all scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from pyspark.sql import DataFrame, SparkSession

from keepstate.plan.expressions import Call, Expr, Literal, WindowField, WindowPart
from keepstate.plan.job import Plan
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    LookupJoin,
    Operator,
    OverAggregate,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    WindowAggregate,
    WindowTableFunction,
    expressions_of,
)
from keepstate.plan.predicates import TRUE, any_of
from keepstate.plan.provenance import Place
from keepstate.plan.types.builtin_functions import BY_CHANCE
from keepstate.plan.types.logical_types import LogicalType
from keepstate.restart_effects import QueryRestart, StateUse, conditions_below
from keepstate_spark.jobs import Query
from keepstate_spark.lowering.lowering_context import Scan
from keepstate_spark.lowering.operators.plan_frames import lowered, scanning
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.replay.restart_points import (
    Arrivals,
    RowsAtRestart,
    Watch,
    between,
    literal,
    look,
    look_at_files,
    scans_of,
)
from keepstate_spark.replay.scenario_plan import Moment, ScenarioPlan, on_clock
from keepstate_spark.replay.scenario_rewrite import ScenarioRewrite
from keepstate_spark.replay.scenarios import Leveled, Scenario, leveled
from keepstate_spark.sources.scanning import Scanner

_MILLISECOND = timedelta(milliseconds=1)
_BY_CHANCE = "{} gives another value each time it is called, so that each restart would show differences by chance."
START, END, AT = "window_start", "window_end", "at"


class MetricOutcome(Enum):
    """Effect of the restart on a metric, according to the verdict."""

    KEPT = "kept"
    STARTS_EMPTY = "starts empty"
    OTHER_FILTER = "was filtered otherwise"
    """Rows from before the restart passed the former filters."""
    LOST = "lost"


@dataclass(frozen=True)
class Key:
    """A column that names a result."""

    name: str
    column: str
    type: LogicalType


@dataclass(frozen=True)
class Metric:
    """A column whose value a restart may change. It is called ``column`` and the name of the scenario in ``rows``."""

    name: str
    column: str
    type: LogicalType
    fate: MetricOutcome

    def of(self, scenario: Scenario) -> str:
        return f"{self.column}_{scenario.value}"


@dataclass(frozen=True)
class ReplayedQuery:
    """``rows`` has the columns of ``keys`` and ``metrics``; if ``windowed``, ``window_start`` and ``window_end``; if
    ``timed``, ``at``, which is when a result comes out; for each scenario ``present_`` and its name: whether it has the
    result.
    """

    query: Query
    restart: QueryRestart
    rows_at_restart: RowsAtRestart
    rows: DataFrame
    keys: tuple[Key, ...]
    metrics: tuple[Metric, ...]
    windowed: bool
    timed: bool
    recovers: bool
    """The differences end, since each result comes out once."""
    watch: Watch | None = None
    """Observer that computes ``rows_at_restart`` once the rows have been read."""


def present(scenario: Scenario) -> str:
    return f"present_{scenario.value}"


def replayed(
    query: Query,
    restart: QueryRestart,
    session: SparkSession,
    scanner: Scanner,
    arrivals: Arrivals,
    time: datetime,
    summary: RowsAtRestart | None = None,
) -> ReplayedQuery:
    """Return the query, rewritten into scenarios of a restart at ``time`` on the wall clock. ``summary`` are its rows
    there, if they are known. Raises ``NotLowerable`` for a query whose scenarios are undecidable.
    """
    # Before any row is read.
    refuse_undivided(query)
    windows = (WindowTableFunction, GroupWindowAggregate)
    scans = scans_of(query.plan.root)
    if not any(isinstance(operator, windows) for operator in query.plan.operators) and not _holds_rows_back(query):
        plan = divided(query, restart, arrivals, time, RowsAtRestart())
        # To watch the times costs as much for a row as an aggregation.
        summary = summary or look_at_files(query, scans, arrivals, time, scanner)
        if summary is not None:
            return lowered_scenarios(query, restart, session, scanner.scan, plan, summary)
        # Nothing waits for a watermark that rows are ahead of, so that how many rows there are can be seen on the way.
        watch = Watch(query, arrivals, time)
        return replace(
            lowered_scenarios(query, restart, session, watch.scan(scanner.scan), plan, RowsAtRestart()), watch=watch
        )
    summary = summary or look_at_files(query, scans, arrivals, time, scanner)
    if summary is None:
        summary = look(query, scans, arrivals, time, scanning(session, query.zone, scanner.scan))
    plan = divided(query, restart, arrivals, time, summary)
    return lowered_scenarios(query, restart, session, scanner.scan, plan, summary)


def divided(
    query: Query, restart: QueryRestart, arrivals: Arrivals, time: datetime, summary: RowsAtRestart
) -> ScenarioPlan:
    """The plan of the query, divided by a restart, over the rows that its results need."""
    refuse_undivided(query)
    closed = (summary.watermark or time) + _MILLISECOND
    begun = None if arrivals.columns else time
    moment = Moment(
        arrivals.of,
        lambda scan: arrivals.after(scan, time),
        literal(closed),
        literal(begun) if begun is not None else None,
        query.times,
    )
    plan = ScenarioRewrite(restart, moment, conditions_below(query.plan)).of(query.plan.root)
    reach = reach_of(query.plan.root)
    if reach is None or plan.window is None:
        return plan
    high = begun + reach if begun is not None else None
    return replace(plan, operator=pruned(plan.operator, arrivals, closed - reach, high))


def _holds_rows_back(query: Query) -> bool:
    """Return whether rows wait in an operator without windows for a watermark that is behind them."""
    waiting = (OverAggregate, TemporalJoin, TemporalSort)
    if not any(isinstance(operator, waiting) and operator.stateful for operator in query.plan.operators):
        return False
    tables = (query.catalog.tables[scan.table] for scan in scans_of(query.plan.root))
    return any(time != mark for table in tables for time, mark in watermarks_of(table, query.catalog).items())


def refuse_undivided(query: Query) -> None:
    """Refuse tables whose lines are changes, which a restart does not divide into rows. Refuse functions like RAND in
    operators of a query: each of two runs would take other rows for it, or other values. Raises ``NotLowerable``.
    """
    for scan in query.plan.scans:
        place = query.locations.get(scan.table)
        if place is not None and place.changes is not None:
            raise NotLowerable(f"The lines of {scan.table} are changes of rows ({place.changes}).", scan.place)
    for operator in query.plan.operators:
        _refuse_chance(expressions_of(operator), operator.place)


def _refuse_chance(exprs: Iterable[Expr], place: Place | None) -> None:
    for call in calls_by_chance(exprs):
        raise NotLowerable(_BY_CHANCE.format(call.name), call.place or place)


def calls_by_chance(exprs: Iterable[Expr]) -> Iterator[Call]:
    """Yield the calls in ``exprs`` that give another value each time.

    >>> from keepstate.plan.expressions import Column
    >>> [call.name for call in calls_by_chance([Call("-", (Call("RAND", ()), Column("o", "v")))])]
    ['RAND']
    """
    nodes = (node for expr in exprs for node in expr.walk())
    return (node for node in nodes if isinstance(node, Call) and node.name in BY_CHANCE)


def reach_of(operator: Operator) -> timedelta | None:
    """Return the largest distance of a window's rows from the ends of the topmost window; ``None`` if there is no
    limit.
    """
    total = 0
    for below in operator.walk():
        if isinstance(below, (WindowTableFunction, GroupWindowAggregate)):
            if not isinstance(below.window.size, Literal):
                return None
            total += int(float(below.window.size.value))
        elif isinstance(below, Aggregate) and not isinstance(below, WindowAggregate):
            return None
    return timedelta(milliseconds=total) if total else None


def pruned(operator: Operator, arrivals: Arrivals, low: datetime, high: datetime | None) -> Operator:
    """``operator`` over rows between two times only."""
    if isinstance(operator, TableSourceScan):
        time = arrivals.time_of(operator)
        return operator if time is None else Calc(operator, between(time, low, high))
    inputs = list(operator.inputs)
    for index, below in enumerate(inputs):
        if not (isinstance(operator, LookupJoin) and index == 1):
            inputs[index] = pruned(below, arrivals, low, high)
    return operator.with_inputs(tuple(inputs))


class _Columns:
    """The columns of a replayed query: expressions under the names that they get."""

    def __init__(self, query: Query, plan: ScenarioPlan) -> None:
        self.exprs: dict[str, Expr] = {}
        self.keys: list[tuple[str, str]] = []
        self.metrics: list[tuple[str, str, Mapping[Scenario, Expr]]] = []
        self._plan = plan
        if plan.window is not None:
            for part, name in ((WindowPart.START, START), (WindowPart.END, END)):
                self.exprs[name] = WindowField(part, plan.window)
        exprs: set[Leveled] = set()
        for expr, name in (*zip(query.plan.output, query.plan.names, strict=True), *((key, "") for key in plan.keys)):
            if leveled(expr) not in exprs:
                exprs.add(leveled(expr))
                self._add(expr, name or str(expr))
        for scenario, rows in plan.scenarios.items():
            self.exprs[present(scenario)] = rows.present or TRUE
        if plan.at is not None:
            self.exprs[AT] = on_clock(plan.at)

    def _add(self, expr: Expr, name: str) -> None:
        values = {scenario: rows.rewritten(expr) for scenario, rows in self._plan.scenarios.items()}
        if len(set(values.values())) > 1:
            column = f"m{len(self.metrics)}"
            self.metrics.append((name, column, values))
            self.exprs |= {f"{column}_{scenario.value}": value for scenario, value in values.items()}
        elif isinstance(expr, WindowField) and self._plan.window is not None:
            return
        elif expr in self._plan.keys or not self._plan.keys or self._plan.ranked:
            column = f"k{len(self.keys)}"
            self.keys.append((name, column))
            self.exprs[column] = expr


def lowered_scenarios(
    query: Query,
    restart: QueryRestart,
    session: SparkSession,
    scan: Scan,
    rewritten: ScenarioPlan,
    summary: RowsAtRestart,
) -> ReplayedQuery:
    """The scenarios of a divided query side by side, over the rows that ``scan`` gives."""
    columns = _Columns(query, rewritten)
    _refuse_chance(columns.exprs.values(), query.plan.output_place)
    presence = [rows.present for rows in rewritten.scenarios.values() if rows.present is not None]
    # HAVING may hold a result back in each scenario.
    in_any = any_of(presence) if len(presence) == len(rewritten.scenarios) else None
    conditions = tuple(each for each in (rewritten.affected, in_any) if each is not None)
    root = Calc(rewritten.operator, conditions) if conditions else rewritten.operator
    plan = Plan(root, tuple(columns.exprs.values()), tuple(columns.exprs))
    result = lowered(
        plan,
        session,
        query.zone,
        scan,
        query.times,
        query.is_streaming,
        numbers_all=True,
        aggregation=query.aggregation,
    )
    types = dict(zip(columns.exprs, result.types, strict=True))
    metrics = tuple(
        Metric(name, column, types[f"{column}_{Scenario.EXPECTED.value}"], _fate(restart, values))
        for name, column, values in columns.metrics
    )
    return ReplayedQuery(
        query,
        restart,
        summary,
        result.rows.toDF(*columns.exprs),
        tuple(Key(name, column, types[column]) for name, column in columns.keys),
        metrics,
        windowed=rewritten.window is not None,
        timed=rewritten.at is not None,
        recovers=rewritten.recovers,
    )


def _fate(restart: QueryRestart, values: Mapping[Scenario, Expr]) -> MetricOutcome:
    if restart.use in (StateUse.LOST, StateUse.MISREAD):
        return MetricOutcome.LOST
    if values[Scenario.EXPECTED] == values[Scenario.RESTARTED]:
        return MetricOutcome.KEPT
    return (
        MetricOutcome.OTHER_FILTER
        if values[Scenario.RESTARTED] != values[Scenario.WITHOUT_STATE]
        else MetricOutcome.STARTS_EMPTY
    )
