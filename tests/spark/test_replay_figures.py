"""Figures of differences: counted here and counted by Spark, they are the same."""

from __future__ import annotations

import random
from dataclasses import asdict
from datetime import date, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.replay.large_figures import figures_on_spark
from keepstate_spark.replay.replay_figures import POINTS
from keepstate_spark.replay.replayed_query import Key, Metric, MetricOutcome, ReplayedQuery, present
from keepstate_spark.replay.result_differences import AFTERWARDS, ROW, SCHEMA, differences, differences_of
from keepstate_spark.replay.scenarios import Scenario
from keepstate_spark.replay.small_figures import figures_of

BEGIN = datetime(2026, 3, 1, 10)


def difference(chance: random.Random, result: int, metric: str, times: int) -> dict[str, Any]:
    at = BEGIN + timedelta(seconds=61 * (result % times)) if result % 11 else None
    expected = None if chance.random() < 0.1 or metric == ROW else float(chance.randint(-4, 9))
    row: dict[str, Any] = dict.fromkeys(SCHEMA)
    row |= {"query": "q", "key": f"k = {result % 7}", "window_start": at, "window_end": at, "at": at}
    row |= {"metric": metric, "fate": "kept" if metric == "n" else "lost", "expected_number": expected}
    row["expected"] = None if expected is None else str(expected)
    for scenario in AFTERWARDS:
        name = scenario.value
        change = chance.choice(["same", "same", "differs", "missing", "extra"])
        error = None if expected is None else 0.0 if change == "same" else float(chance.randint(0, 5))
        row |= {f"{name}_change": change, f"{name}_error": error, name: str(chance.randint(0, 9))}
        row[f"{name}_relative"] = error / abs(expected) if error is not None and expected else None
    return row


@pytest.mark.parametrize(("results", "times"), [(60, 12), (POINTS + 90, POINTS + 60), (1, 1), (0, 1)])
def test_both_count_alike(results: int, times: int, spark: SparkSession) -> None:
    chance = random.Random(results)
    rows = [difference(chance, result, metric, times) for result in range(results) for metric in ("n", "total", ROW)]
    schema = ", ".join(f"{name} {type_}" for name, (type_, _) in SCHEMA.items())
    table = spark.createDataFrame([tuple(row[name] for name in SCHEMA) for row in rows], schema)
    here, there = asdict(figures_of(rows)), asdict(figures_on_spark(table))
    assert here.keys() == there.keys()
    for name, value in here.items():
        assert value == pytest.approx(there[name]) if name == "results" else close(value, there[name]), name


def close(ours: Any, theirs: Any) -> bool:
    """Return whether two figures are the same but for the last digits of numbers."""
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return bool(ours == pytest.approx(theirs))
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(close(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    return bool(ours == theirs)


# Values of types by the type that Spark gives them.
VALUES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "BIGINT": ("bigint", (0, -7, 2**53 + 1, 2**63 - 1)),
    "INT": ("int", (0, 1, -(2**31))),
    "VARCHAR(20)": ("string", ("", "ä, b", "NULL")),
    "CHAR(2)": ("string", ("ab", "c ")),
    "BOOLEAN": ("boolean", (True, False)),
    "DATE": ("date", (date(2026, 3, 1), date(7, 12, 31))),
    "TIMESTAMP(6)": (
        "timestamp_ntz",
        (datetime(2026, 3, 1), datetime(999, 3, 1, 10, 0, 0, 120), datetime(2026, 3, 1, 1, 2, 3, 100_000)),
    ),
    "DECIMAL(38, 9)": ("decimal(38, 9)", tuple(map(Decimal, ("0E-9", "-1.500000000", "0.000000001", "9" * 29)))),
    "DECIMAL(12, 2)": ("decimal(12, 2)", tuple(map(Decimal, ("0.00", "12345.67", "-9999999999.99")))),
}
OTHERS = {"DOUBLE": ("double", (0.0, 1e21)), "FLOAT": ("float", (0.5,)), "TIMESTAMP_LTZ(3)": ("timestamp", (BEGIN,))}


def replayed_rows(types: list[str], spark: SparkSession, with_times: bool) -> ReplayedQuery:
    """Rows with a key and a metric of each of ``types``."""
    chance, all_types = random.Random(len(types)), VALUES | OTHERS
    typed = [(LogicalType.declared(type_), *all_types[type_]) for type_ in types]
    keys = tuple(Key(f"k {i}", f"k{i}", type_) for i, (type_, _, _) in enumerate(typed) if type_ is not None)
    metrics = tuple(
        Metric(f"m {i}", f"m{i}", type_, MetricOutcome.LOST)
        for i, (type_, _, _) in enumerate(typed)
        if type_ is not None
    )
    times = ("window_start", "window_end", "at") if with_times else ()
    fields = [f"{name} timestamp_ntz" for name in times] + [f"{present(each)} boolean" for each in Scenario]
    values: list[tuple[Any, ...]] = [(BEGIN, None)] * len(times) + [(True, True, False, None)] * len(Scenario)
    for number, (_, of_spark, some) in enumerate(typed):
        names = [f"k{number}", *(metrics[number].of(each) for each in Scenario)]
        fields += [f"{name} {of_spark}" for name in names]
        values += [(*some, None)] * len(names)
    rows = [tuple(map(chance.choice, values)) for _ in range(400)]
    frame = spark.createDataFrame(rows, ", ".join(fields))
    query: Any = SimpleNamespace(name="q", zone="UTC")
    nothing: Any = None
    return ReplayedQuery(query, nothing, nothing, frame, keys, metrics, with_times, with_times, True)


@pytest.mark.parametrize("with_times", [True, False])
@pytest.mark.parametrize("types", [*([type_] for type_ in VALUES), [*VALUES], []])
def test_few_differences_are_those_of_spark(types: list[str], with_times: bool, spark: SparkSession) -> None:
    replayed = replayed_rows(types, spark, with_times)
    ours = differences_of(replayed, replayed.rows.collect())
    assert ours == [row.asDict() for row in differences(replayed).collect()]
    assert len(ours) == 400 * max(len(types), 1)


@pytest.mark.parametrize("type_", OTHERS)
def test_values_that_java_writes_in_its_own_way_are_left_to_spark(type_: str, spark: SparkSession) -> None:
    replayed = replayed_rows([type_], spark, True)
    assert differences_of(replayed, replayed.rows.collect()) is None
