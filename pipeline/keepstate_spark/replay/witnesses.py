"""A witness: the fewest rows around a restart that demonstrate the damage."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations, product
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from keepstate.plan.expressions import Column, Expr, Literal
from keepstate.plan.operators import TableSourceScan, expressions_of
from keepstate.restart_effects import QueryRestart
from keepstate_spark.jobs import Query
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lowering_context import Lowering, Scan
from keepstate_spark.lowering.operators.plan_frames import scanning
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnNames, held_as, known_type
from keepstate_spark.printed_values import writer
from keepstate_spark.replay.replayed_query import END, START, ReplayedQuery, divided, lowered_scenarios, present
from keepstate_spark.replay.restart_points import Arrivals, RowsAtRestart, between, scans_of
from keepstate_spark.replay.result_differences import ROW, differences
from keepstate_spark.replay.scenarios import Scenario
from keepstate_spark.replay.trials import TRIAL, apart

_NEAREST = 6
"""Rows on either side of the restart that are tried."""
_MOST_TRIALS = 400
_NUMBERS = range(1, 9)


@dataclass(frozen=True)
class WitnessRow:
    """One row of a table. ``values`` are those of the columns that the query reads, as text; ``at`` is when it came."""

    table: str
    after: bool
    at: str
    values: Mapping[str, str | None]


@dataclass(frozen=True)
class ReplayWitness:
    """Minimal rows that demonstrate the damage.

    With only these ``rows``, in the order in which they came, ``metric`` of a result is ``expected``, and after the
    restart it is ``restarted`` (``None``: there is no such result). ``generated`` rows are invented.
    """

    rows: tuple[WitnessRow, ...]
    key: str
    window: tuple[datetime, datetime] | None
    metric: str
    expected: str | None
    restarted: str | None
    generated: bool = False


@dataclass(frozen=True)
class _Candidate:
    scan: int
    """The number of the table in the plan."""
    after: bool
    row: tuple[Any, ...]


def witness(
    replayed: ReplayedQuery,
    session: SparkSession,
    trying: SparkSession,
    scan: Scan,
    arrivals: Arrivals,
    time: datetime,
) -> ReplayWitness | None:
    """The fewest rows of the tables that show a wrong result after the restart; ``None`` if there is none.

    The tables are read in ``session``; the few rows of trials are in ``trying``.
    """
    wrong = _wrong_result(replayed)
    if wrong is None:
        return None
    scans = scans_of(replayed.query.plan.root)
    tables = scanning(session, replayed.query.zone, scan)
    candidates: list[_Candidate] = []
    columns: list[tuple[Column, ...]] = []
    for number, table in enumerate(scans):
        frame = tables.scan(table, tables)
        read_columns = _columns(table, replayed.query)
        columns.append(read_columns)
        candidates += _nearest(frame, table, read_columns, number, replayed, wrong, tables, arrivals, time)
    sources = _Tables(scans, columns, candidates, replayed.query.zone, scan)
    return _witness(replayed.query, replayed.restart, trying, sources, arrivals, time, replayed.rows_at_restart)


def generated_witness(
    query: Query, restart: QueryRestart, session: SparkSession, arrivals: Arrivals, time: datetime
) -> ReplayWitness | None:
    """The same of rows that are made up, around a restart at ``time``."""
    scans = scans_of(query.plan.root)
    columns = [_columns(scan, query) for scan in scans]
    words = _literals(query)
    chance = random.Random(0)
    candidates = []
    for number, (scan, read_columns) in enumerate(zip(scans, columns, strict=True)):
        arrival = arrivals.of(scan)
        for place in range(2 * _NEAREST):
            after = place >= _NEAREST
            moment = time + timedelta(seconds=7 * (place - _NEAREST) + (1 if after else 0))
            row = tuple(
                _invented_value(column, column == arrival, moment, place, words, chance) for column in read_columns
            )
            candidates.append(_Candidate(number, after, row))
    summary = RowsAtRestart(_NEAREST, _NEAREST, None, None, time - timedelta(minutes=1))
    sources = _Tables(scans, columns, candidates, query.zone, None)
    return _witness(query, restart, session, sources, arrivals, time, summary)


def _columns(scan: TableSourceScan, query: Query) -> tuple[Column, ...]:
    """The columns of a table that the query reads, of the file and not computed."""
    columns: set[Expr] = set()
    for operator in query.plan.operators:
        for expr in (*expressions_of(operator), *query.plan.output):
            columns.update(node for node in expr.walk() if isinstance(node, Column))
    for expr in query.times:
        columns.update(node for node in expr.walk() if isinstance(node, Column))
    return tuple(expr for expr in scan.columns if isinstance(expr, Column) and expr in columns)


def _wrong_result(replayed: ReplayedQuery) -> Mapping[str, Any] | None:
    """One result that is not as expected, one that is there on both sides if possible."""
    scenario = Scenario.RESTARTED
    is_there = fn.col(present(scenario)) & fn.col(present(Scenario.EXPECTED))
    differs = fn.col(present(scenario)) != fn.col(present(Scenario.EXPECTED))
    for metric in replayed.metrics:
        differs = differs | ~fn.col(metric.of(scenario)).eqNullSafe(fn.col(metric.of(Scenario.EXPECTED)))
    row = replayed.rows.where(differs).orderBy(is_there.desc()).head()
    return row.asDict() if row is not None else None


def _nearest(
    frame: NamedFrame,
    scan: TableSourceScan,
    columns_read: tuple[Column, ...],
    number: int,
    replayed: ReplayedQuery,
    wrong: Mapping[str, Any],
    lowering: Lowering,
    arrivals: Arrivals,
    time: datetime,
) -> Iterator[_Candidate]:
    """The rows next to the restart that the wrong result may be made of."""
    scalars = lowering.scalars(frame)
    rows = frame.rows
    keys = {key.name: wrong[key.column] for key in replayed.keys}
    outputs = dict(zip(replayed.query.plan.names, replayed.query.plan.output, strict=True))
    for name, value in keys.items():
        expr = outputs.get(name)
        if expr in columns_read:
            rows = rows.where(scalars.column(expr).eqNullSafe(fn.lit(value)))
    event_time = arrivals.time_of(scan)
    if replayed.windowed and event_time is not None:
        bounds = between(event_time, wrong[START] - timedelta(milliseconds=1), wrong[END])
        for condition in bounds:
            rows = rows.where(scalars.column(condition))
    arrival = scalars.column(arrivals.of(scan))
    is_after = fn.coalesce(scalars.column(arrivals.after(scan, time)), fn.lit(False))
    values = [scalars.column(column).alias(f"c{index}") for index, column in enumerate(columns_read)]
    for after in (False, True):
        side = rows.where(is_after if after else ~is_after).orderBy(arrival.asc() if after else arrival.desc())
        picked = side.limit(_NEAREST).select(*values).collect()
        yield from (_Candidate(number, after, tuple(row)) for row in picked)


def _trials(candidates: Sequence[_Candidate]) -> list[tuple[int, ...]]:
    """Sets of candidates by number: pairs, then triples of both sides, then one row from before, then all rows."""
    before = [number for number, candidate in enumerate(candidates) if not candidate.after]
    after = [number for number, candidate in enumerate(candidates) if candidate.after]
    pairs = list(product(before, after))
    triples = [(*two, one) for two in combinations(before, 2) for one in after]
    triples += [(one, *two) for one in before for two in combinations(after, 2)]
    everything = [(*before, *after)]
    return [*pairs, *triples, *((one,) for one in before), *everything][:_MOST_TRIALS]


def _witness(
    query: Query,
    restart: QueryRestart,
    session: SparkSession,
    tables: _Tables,
    arrivals: Arrivals,
    time: datetime,
    summary: RowsAtRestart,
) -> ReplayWitness | None:
    trials = _trials(tables.candidates)
    if not trials:
        return None
    plan = query.plan
    marked = replace(plan, root=apart(plan.root), output=(*plan.output, TRIAL), names=(*plan.names, str(TRIAL)))
    tried = replace(query, plan=marked)
    scenario_plan = divided(tried, restart, replace(arrivals, query=tried), time, summary)
    lowered = lowered_scenarios(tried, restart, session, tables.scan(session, trials), scenario_plan, summary)
    trial = next(key.column for key in lowered.keys if key.name == str(TRIAL))
    keys = tuple(key for key in lowered.keys if key.column != trial)
    results = differences(replace(lowered, keys=keys), [trial])
    wrong = results.where(fn.col("restarted_change") != "same").orderBy(trial).head()
    if wrong is None:
        return None
    picked = sorted((tables.candidates[number] for number in trials[wrong[trial]]), key=lambda row: row.after)
    return ReplayWitness(
        tuple(tables.row(candidate, arrivals) for candidate in picked),
        wrong["key"],
        (wrong[START], wrong[END]) if wrong[START] is not None else None,
        wrong["metric"] if wrong["metric"] != ROW else "",
        wrong["expected"],
        wrong["restarted"],
        tables.others is None,
    )


@dataclass(frozen=True)
class _Tables:
    """Rows that are tried. ``columns`` are those that each of ``scans`` is read for; ``others`` reads the tables of
    lookup joins, with all of their rows.
    """

    scans: Sequence[TableSourceScan]
    columns: Sequence[tuple[Column, ...]]
    candidates: Sequence[_Candidate]
    zone: str
    others: Scan | None

    def scan(self, session: SparkSession, trials: Sequence[tuple[int, ...]]) -> Scan:
        """Reads each table with the candidates of it, once for each trial that they are in."""
        numbers = iter(range(len(self.scans)))

        def scan(operator: TableSourceScan, lowering: Lowering) -> NamedFrame:
            # Tables are read in the order in which the plan has them, one that is joined with itself twice.
            if operator not in self.scans:
                if self.others is None:
                    raise NotLowerable(f"Rows of {operator.table} are not made up: a lookup asks it.", operator.place)
                return self.others(operator, lowering)
            number = next(numbers)
            names: dict[Expr, str] = {column: lowering.name(column.name) for column in self.columns[number]}
            trial, arrival = lowering.name("trial"), lowering.name("arrival")
            fields = [StructField(name, held_as(known_type(column), column)) for column, name in names.items()]
            fields += [StructField(trial, IntegerType()), StructField(arrival, LongType())]
            rows = [
                (*self.candidates[place].row, index, place)
                for index, trial in enumerate(trials)
                for place in trial
                if self.candidates[place].scan == number
            ]
            frame = session.createDataFrame(rows, StructType(fields))
            return NamedFrame(frame, ColumnNames({**names, TRIAL: trial}), (arrival,))

        return scan

    def row(self, candidate: _Candidate, arrivals: Arrivals) -> WitnessRow:
        values = {
            column.name: None if value is None else str(writer(known_type(column), self.zone)(value))
            for column, value in zip(self.columns[candidate.scan], candidate.row, strict=True)
        }
        scan = self.scans[candidate.scan]
        arrival = arrivals.of(scan)
        at = values.get(arrival.name) if isinstance(arrival, Column) else None
        return WitnessRow(scan.table, candidate.after, at or "", values)


def _literals(query: Query) -> dict[str, list[str]]:
    """The constants of a query by their type: rows that pass its filters have some of them."""
    values: dict[str, list[str]] = {}
    for operator in query.plan.operators:
        for expr in expressions_of(operator):
            for node in expr.walk():
                if isinstance(node, Literal) and node.type in ("STRING", "NUMBER"):
                    values.setdefault(node.type, []).append(node.value)
    return values


def _invented_value(
    column: Column, is_time: bool, moment: datetime, place: int, words: dict[str, list[str]], chance: random.Random
) -> Any:
    """Return an invented value for a column."""
    type_ = known_type(column)
    match type_.root:
        case "TIMESTAMP" | "TIMESTAMP_LTZ":
            return moment
        case "BOOLEAN":
            return bool(place % 2)
        case "CHAR" | "VARCHAR" | "STRING":
            return chance.choice([*words.get("STRING", []), "a"])
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            numbers = [int(float(number)) for number in words.get("NUMBER", [])]
            return chance.choice(_NUMBERS) + (numbers[0] if numbers and place % 2 else 0)
        case "FLOAT" | "DOUBLE":
            return float(chance.choice(_NUMBERS))
        case "DATE":
            return moment.date()
    return None
