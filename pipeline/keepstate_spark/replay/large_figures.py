"""Figures of differences that are too many to be looked at one by one: Spark counts them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate_spark.replay.replay_figures import (
    KEYS,
    POINTS,
    WORST,
    CurvePoint,
    KeyFigures,
    MetricFigures,
    PerScenario,
    RecoveryPoint,
    ReplayFigures,
    WrongResult,
    curve_step,
    wrong_result,
)
from keepstate_spark.replay.result_differences import AFTERWARDS
from keepstate_spark.replay.scenarios import Scenario


def figures_on_spark(rows: DataFrame) -> ReplayFigures:
    """The figures of the differences of one query, which are persisted."""
    results = rows.groupBy("key", "window_start", "window_end", "at").agg(
        *(fn.max(_wrong(scenario)).alias(scenario.value) for scenario in AFTERWARDS),
        *(fn.sum(_relative(scenario)).alias(f"{scenario.value}_relative") for scenario in AFTERWARDS),
        fn.count(fn.lit(1)).alias("values"),
    )
    # Results without a key of their own are identified by their rows.
    whole = _row(
        rows,
        fn.countDistinct("key").alias("keys"),
        *(
            fn.countDistinct(fn.when(_wrong(scenario), fn.col("key"))).alias(f"keys_{scenario.value}")
            for scenario in AFTERWARDS
        ),
        *(fn.max(fn.when(_wrong(scenario), fn.col("at"))).alias(f"heals_{scenario.value}") for scenario in AFTERWARDS),
        fn.min("at").alias("first"),
        fn.max("at").alias("last"),
    )
    count = _row(
        results,
        fn.count(fn.lit(1)).alias("results"),
        *(fn.count(fn.when(fn.col(scenario.value), 1)).alias(scenario.value) for scenario in AFTERWARDS),
    )
    moment = _moment(rows, whole["first"], whole["last"])
    metrics = tuple(_metric(row) for row in _by_metric(rows))
    most = max((metric.results for metric in metrics), default=0)
    # Rows of results may be equal; metrics count each of them.
    return ReplayFigures(
        results=max(count["results"], most),
        keys=whole["keys"],
        wrong={
            scenario.value: max([count[scenario.value], *(metric.wrong[scenario.value] for metric in metrics)])
            for scenario in AFTERWARDS
        },
        wrong_keys={scenario.value: whole[f"keys_{scenario.value}"] for scenario in AFTERWARDS},
        heals_at={scenario.value: whole[f"heals_{scenario.value}"] for scenario in AFTERWARDS},
        metrics=metrics,
        curve=tuple(_curve(rows, moment)),
        worst={scenario.value: tuple(_worst(rows, scenario)) for scenario in AFTERWARDS},
        healing=tuple(_recovery(results, moment)),
        worst_keys={scenario.value: tuple(_worst_keys(results, scenario)) for scenario in AFTERWARDS},
    )


def _wrong(scenario: Scenario) -> Column:
    return fn.col(f"{scenario.value}_change") != "same"


def _relative(scenario: Scenario) -> Column:
    error = fn.coalesce(fn.col(f"{scenario.value}_relative"), fn.lit(1.0))
    return fn.when(_wrong(scenario), error).otherwise(fn.lit(0.0))


def _row(rows: DataFrame, *columns: Column) -> dict[str, Any]:
    row = rows.agg(*columns).head()
    assert row is not None
    return row.asDict()


def _counted(scenario: Scenario) -> list[Column]:
    name = scenario.value
    return [
        fn.count(fn.when(_wrong(scenario), 1)).alias(f"wrong_{name}"),
        fn.sum(f"{name}_error").alias(f"error_{name}"),
    ]


def _by_metric(rows: DataFrame) -> list[dict[str, Any]]:
    columns = [fn.count(fn.lit(1)).alias("results"), fn.sum(fn.abs("expected_number")).alias("expected")]
    for scenario in AFTERWARDS:
        name = scenario.value
        columns += _counted(scenario)
        columns += [
            fn.count(fn.when(fn.col(f"{name}_change") == kind, 1)).alias(f"{kind}_{name}")
            for kind in ("missing", "extra")
        ]
        columns += [
            fn.avg(f"{name}_relative").alias(f"mean_relative_{name}"),
            fn.max(f"{name}_relative").alias(f"largest_relative_{name}"),
        ]
    return [row.asDict() for row in rows.groupBy("metric", "fate").agg(*columns).orderBy("metric").collect()]


def _metric(row: dict[str, Any]) -> MetricFigures:
    def each(name: str) -> PerScenario:
        return {scenario.value: row[f"{name}_{scenario.value}"] for scenario in AFTERWARDS}

    return MetricFigures(
        row["metric"],
        row["fate"],
        row["results"],
        each("wrong"),
        each("missing"),
        each("extra"),
        each("mean_relative"),
        each("largest_relative"),
        row["expected"],
        each("error"),
    )


def _moment(rows: DataFrame, first: datetime | None, last: datetime | None) -> Column:
    """Return the time at which a result comes out; for many times, the beginning of an interval of equal length."""
    at = fn.col("at")
    if first is None or last is None or rows.select("at").distinct().limit(POINTS + 1).count() <= POINTS:
        return at
    seconds = curve_step(first, last)
    since = fn.lit(first).cast("timestamp_ntz")
    late = fn.unix_seconds(fn.col("at").cast("timestamp_ltz")) - fn.unix_seconds(since.cast("timestamp_ltz"))
    return fn.timestamp_seconds(fn.unix_seconds(since.cast("timestamp_ltz")) + fn.floor(late / seconds) * seconds).cast(
        "timestamp_ntz"
    )


def _curve(rows: DataFrame, moment: Column) -> list[CurvePoint]:
    columns = [fn.count(fn.lit(1)).alias("results"), fn.sum(fn.abs("expected_number")).alias("expected")]
    columns += [column for scenario in AFTERWARDS for column in _counted(scenario)]
    points = (
        rows.where(fn.col("at").isNotNull()).groupBy("metric", moment.alias("at")).agg(*columns).orderBy("metric", "at")
    )
    return [
        CurvePoint(
            row["metric"],
            row["at"],
            row["results"],
            {scenario.value: row[f"wrong_{scenario.value}"] for scenario in AFTERWARDS},
            row["expected"],
            {scenario.value: row[f"error_{scenario.value}"] for scenario in AFTERWARDS},
        )
        for row in points.collect()
    ]


def _recovery(results: DataFrame, moment: Column) -> list[RecoveryPoint]:
    wrong = [fn.count(fn.when(fn.col(scenario.value), 1)).alias(scenario.value) for scenario in AFTERWARDS]
    counted = (
        results.where(fn.col("at").isNotNull())
        .groupBy(moment.alias("at"))
        .agg(fn.count(fn.lit(1)).alias("results"), *wrong)
    )
    return [
        RecoveryPoint(row["at"], row["results"], {scenario.value: row[scenario.value] for scenario in AFTERWARDS})
        for row in counted.orderBy("at").collect()
    ]


def _worst_keys(results: DataFrame, scenario: Scenario) -> list[KeyFigures]:
    columns = [fn.count(fn.lit(1)).alias("results")]
    for other in AFTERWARDS:
        name = other.value
        columns.append(fn.count(fn.when(fn.col(name), 1)).alias(name))
        columns.append((fn.sum(f"{name}_relative") / fn.sum("values")).alias(f"{name}_relative"))
    name = scenario.value
    keys = results.groupBy("key").agg(*columns).where(fn.col(name) > 0)
    order = [fn.col(f"{name}_relative").desc(), fn.col(name).desc(), fn.col("key")]
    return [
        KeyFigures(
            row["key"],
            row["results"],
            {other.value: row[other.value] for other in AFTERWARDS},
            {other.value: row[f"{other.value}_relative"] for other in AFTERWARDS},
        )
        for row in keys.orderBy(*order).limit(KEYS).collect()
    ]


def _worst(rows: DataFrame, scenario: Scenario) -> list[WrongResult]:
    name = scenario.value
    order = [
        fn.coalesce(fn.col(f"{name}_relative"), fn.lit(1.0)).desc(),
        fn.coalesce(fn.col(f"{name}_error"), fn.lit(0.0)).desc(),
        *map(fn.col, ("key", "window_end", "metric")),
    ]
    worst_rows = rows.where(_wrong(scenario)).orderBy(*order).limit(WORST).collect()
    return [wrong_result(row.asDict()) for row in worst_rows]
