"""What a person wants to know of the differences: how many, how large, where the worst ones are, when they end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate_spark.replay.differences import AFTERWARDS
from keepstate_spark.replay.worlds import World

_WORST = 20
"""Results that are shown as the worst."""
_KEYS = 20
"""Keys that are shown as the worst."""
_POINTS = 240
"""Points of a curve; times that lie nearer to each other are looked at together."""

PerWorld = Mapping[str, Any]
"""A figure of each world after the restart, by its name."""


@dataclass(frozen=True)
class MetricFigures:
    """One metric over the results that the state had to do with."""

    metric: str
    fate: str
    results: int
    wrong: PerWorld
    """Results that are not as expected."""
    missing: PerWorld
    extra: PerWorld
    mean_relative: PerWorld
    """The mean relative error of all results that have one."""
    largest_relative: PerWorld
    expected: float | None
    """The sum of the sizes of the expected values."""
    error: PerWorld
    """The sum of absolute errors."""


@dataclass(frozen=True)
class CurvePoint:
    """All results of a metric that come out at about the same time."""

    metric: str
    at: datetime
    results: int
    wrong: PerWorld
    expected: float | None
    error: PerWorld


@dataclass(frozen=True)
class HealingPoint:
    """All results that come out at about the same time, whatever their metrics."""

    at: datetime
    results: int
    wrong: PerWorld


@dataclass(frozen=True)
class KeyFigures:
    """One key over its results. ``relative`` is their mean relative error, in which a wrong value that has none (its
    expected value is 0, NULL or no number) counts as 1.
    """

    key: str
    results: int
    wrong: PerWorld
    relative: PerWorld


@dataclass(frozen=True)
class WrongResult:
    """One result that is not as expected."""

    key: str
    window_start: datetime | None
    window_end: datetime | None
    metric: str
    expected: str | None
    restarted: str | None
    without_state: str | None
    change: PerWorld
    relative: PerWorld


@dataclass(frozen=True)
class Figures:
    """Of one query."""

    results: int
    """Results that the state had to do with."""
    keys: int
    wrong: PerWorld
    """Results with a metric that is not as expected."""
    wrong_keys: PerWorld
    heals_at: PerWorld
    """When the last wrong result comes out."""
    metrics: tuple[MetricFigures, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    worst: PerWorld = field(default_factory=dict)
    """``WrongResult``s of each world, the worst first."""
    healing: tuple[HealingPoint, ...] = ()
    """In the order of time, without results of which nothing tells when they come out."""
    worst_keys: PerWorld = field(default_factory=dict)
    """``KeyFigures`` of each world, the worst first."""


def figures(rows: DataFrame) -> Figures:
    """The figures of the differences of one query."""
    results = rows.groupBy("key", "window_start", "window_end", "at").agg(
        *(fn.max(_wrong(world)).alias(world.value) for world in AFTERWARDS),
        *(fn.sum(_relative(world)).alias(f"{world.value}_relative") for world in AFTERWARDS),
        fn.count(fn.lit(1)).alias("values"),
    )
    # Results without a key of their own are told apart by the rows that they are.
    whole = _row(
        rows,
        fn.countDistinct("key").alias("keys"),
        *(fn.countDistinct(fn.when(_wrong(world), fn.col("key"))).alias(f"keys_{world.value}") for world in AFTERWARDS),
        *(fn.max(fn.when(_wrong(world), fn.col("at"))).alias(f"heals_{world.value}") for world in AFTERWARDS),
        fn.min("at").alias("first"),
        fn.max("at").alias("last"),
    )
    count = _row(
        results,
        fn.count(fn.lit(1)).alias("results"),
        *(fn.count(fn.when(fn.col(world.value), 1)).alias(world.value) for world in AFTERWARDS),
    )
    moment = _moment(rows, whole["first"], whole["last"])
    metrics = tuple(_metric(row) for row in _by_metric(rows))
    most = max((metric.results for metric in metrics), default=0)
    # Rows of results may be equal; metrics count each of them.
    return Figures(
        results=max(count["results"], most),
        keys=whole["keys"],
        wrong={
            world.value: max([count[world.value], *(metric.wrong[world.value] for metric in metrics)])
            for world in AFTERWARDS
        },
        wrong_keys={world.value: whole[f"keys_{world.value}"] for world in AFTERWARDS},
        heals_at={world.value: whole[f"heals_{world.value}"] for world in AFTERWARDS},
        metrics=metrics,
        curve=tuple(_curve(rows, moment)),
        worst={world.value: tuple(_worst(rows, world)) for world in AFTERWARDS},
        healing=tuple(_healing(results, moment)),
        worst_keys={world.value: tuple(_worst_keys(results, world)) for world in AFTERWARDS},
    )


def _wrong(world: World) -> Column:
    return fn.col(f"{world.value}_change") != "same"


def _relative(world: World) -> Column:
    error = fn.coalesce(fn.col(f"{world.value}_relative"), fn.lit(1.0))
    return fn.when(_wrong(world), error).otherwise(fn.lit(0.0))


def _row(rows: DataFrame, *columns: Column) -> dict[str, Any]:
    row = rows.agg(*columns).head()
    assert row is not None
    return row.asDict()


def _counted(world: World) -> list[Column]:
    name = world.value
    return [
        fn.count(fn.when(_wrong(world), 1)).alias(f"wrong_{name}"),
        fn.sum(f"{name}_error").alias(f"error_{name}"),
    ]


def _by_metric(rows: DataFrame) -> list[dict[str, Any]]:
    columns = [fn.count(fn.lit(1)).alias("results"), fn.sum(fn.abs("expected_number")).alias("expected")]
    for world in AFTERWARDS:
        name = world.value
        columns += _counted(world)
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
    def each(name: str) -> PerWorld:
        return {world.value: row[f"{name}_{world.value}"] for world in AFTERWARDS}

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
    """When a result comes out; of many times, the beginning of a stretch of equal ones."""
    at = fn.col("at")
    if first is None or last is None or rows.select("at").distinct().limit(_POINTS + 1).count() <= _POINTS:
        return at
    seconds = max(1, int((last - first).total_seconds() / _POINTS))
    since = fn.lit(first).cast("timestamp_ntz")
    late = fn.unix_seconds(fn.expr("cast(at as timestamp_ltz)")) - fn.unix_seconds(since.cast("timestamp_ltz"))
    return fn.timestamp_seconds(fn.unix_seconds(since.cast("timestamp_ltz")) + fn.floor(late / seconds) * seconds).cast(
        "timestamp_ntz"
    )


def _curve(rows: DataFrame, moment: Column) -> list[CurvePoint]:
    columns = [fn.count(fn.lit(1)).alias("results"), fn.sum(fn.abs("expected_number")).alias("expected")]
    columns += [column for world in AFTERWARDS for column in _counted(world)]
    found = rows.where("at is not null").groupBy("metric", moment.alias("at")).agg(*columns).orderBy("metric", "at")
    return [
        CurvePoint(
            row["metric"],
            row["at"],
            row["results"],
            {world.value: row[f"wrong_{world.value}"] for world in AFTERWARDS},
            row["expected"],
            {world.value: row[f"error_{world.value}"] for world in AFTERWARDS},
        )
        for row in found.collect()
    ]


def _healing(results: DataFrame, moment: Column) -> list[HealingPoint]:
    wrong = [fn.count(fn.when(fn.col(world.value), 1)).alias(world.value) for world in AFTERWARDS]
    counted = (
        results.where("at is not null").groupBy(moment.alias("at")).agg(fn.count(fn.lit(1)).alias("results"), *wrong)
    )
    return [
        HealingPoint(row["at"], row["results"], {world.value: row[world.value] for world in AFTERWARDS})
        for row in counted.orderBy("at").collect()
    ]


def _worst_keys(results: DataFrame, world: World) -> list[KeyFigures]:
    columns = [fn.count(fn.lit(1)).alias("results")]
    for other in AFTERWARDS:
        name = other.value
        columns.append(fn.count(fn.when(fn.col(name), 1)).alias(name))
        columns.append((fn.sum(f"{name}_relative") / fn.sum("values")).alias(f"{name}_relative"))
    name = world.value
    found = results.groupBy("key").agg(*columns).where(fn.col(name) > 0)
    order = [fn.col(f"{name}_relative").desc(), fn.col(name).desc(), fn.col("key")]
    return [
        KeyFigures(
            row["key"],
            row["results"],
            {other.value: row[other.value] for other in AFTERWARDS},
            {other.value: row[f"{other.value}_relative"] for other in AFTERWARDS},
        )
        for row in found.orderBy(*order).limit(_KEYS).collect()
    ]


def _worst(rows: DataFrame, world: World) -> list[WrongResult]:
    name = world.value
    order = [
        fn.coalesce(fn.col(f"{name}_relative"), fn.lit(1.0)).desc(),
        fn.coalesce(fn.col(f"{name}_error"), fn.lit(0.0)).desc(),
        *map(fn.col, ("key", "window_end", "metric")),
    ]
    found = rows.where(_wrong(world)).orderBy(*order).limit(_WORST).collect()
    return [
        WrongResult(
            row["key"],
            row["window_start"],
            row["window_end"],
            row["metric"],
            row["expected"],
            row["restarted"],
            row["without_state"],
            {other.value: row[f"{other.value}_change"] for other in AFTERWARDS},
            {other.value: row[f"{other.value}_relative"] for other in AFTERWARDS},
        )
        for row in found
    ]
