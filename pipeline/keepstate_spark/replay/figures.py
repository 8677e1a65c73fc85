"""What a person wants to know of the differences: how many, how large, where the worst ones are, when they end.

``small_figures`` and ``large_figures`` count them, the same way in two places: here, and on Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from keepstate_spark.replay.differences import AFTERWARDS

WORST = 20
"""Results that are shown as the worst."""
KEYS = 20
"""Keys that are shown as the worst."""
POINTS = 240
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


def curve_step(first: datetime, last: datetime) -> int:
    """The seconds that one point of a curve stands for, where there are too many times for one each."""
    return max(1, int((last - first).total_seconds() / POINTS))


def wrong_result(row: Mapping[str, Any]) -> WrongResult:
    """A row of the table of differences as a person is told of it."""
    return WrongResult(
        row["key"],
        row["window_start"],
        row["window_end"],
        row["metric"],
        row["expected"],
        row["restarted"],
        row["without_state"],
        {world.value: row[f"{world.value}_change"] for world in AFTERWARDS},
        {world.value: row[f"{world.value}_relative"] for world in AFTERWARDS},
    )
