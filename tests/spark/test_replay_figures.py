"""Figures of differences: counted here and counted by Spark, they are the same."""

from __future__ import annotations

import random
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.replay.large_figures import figures_on_spark
from keepstate_spark.replay.replay_figures import POINTS
from keepstate_spark.replay.result_differences import AFTERWARDS, ROW, SCHEMA
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
