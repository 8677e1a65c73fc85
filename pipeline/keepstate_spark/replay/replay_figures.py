"""Figures of the differences: their number, their size, the worst ones, and their end.

``small_figures`` and ``large_figures`` compute the same figures in two places: here, and on Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from keepstate_spark.replay.result_differences import AFTERWARDS

WORST = 20
"""Results that are shown as the worst."""
KEYS = 20
"""Keys that are shown as the worst."""
POINTS = 240
"""Points of a curve; times that lie nearer to each other are looked at together."""

PerScenario = Mapping[str, Any]
"""A figure of each scenario after the restart, by its name."""


@dataclass(frozen=True)
class MetricFigures:
    """One metric over the results that the state had to do with."""

    metric: str
    fate: str
    results: int
    wrong: PerScenario
    """Results that are not as expected."""
    missing: PerScenario
    extra: PerScenario
    mean_relative: PerScenario
    """The mean relative error of all results that have one."""
    largest_relative: PerScenario
    expected: float | None
    """The sum of the sizes of the expected values."""
    error: PerScenario
    """The sum of absolute errors."""


@dataclass(frozen=True)
class CurvePoint:
    """All results of a metric that come out at about the same time."""

    metric: str
    at: datetime
    results: int
    wrong: PerScenario
    expected: float | None
    error: PerScenario


@dataclass(frozen=True)
class RecoveryPoint:
    """All results that come out at about the same time, of any metric."""

    at: datetime
    results: int
    wrong: PerScenario


@dataclass(frozen=True)
class KeyFigures:
    """One key over its results. ``relative`` is their mean relative error, in which a wrong value that has none (its
    expected value is 0, NULL or no number) counts as 1.
    """

    key: str
    results: int
    wrong: PerScenario
    relative: PerScenario


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
    change: PerScenario
    relative: PerScenario


@dataclass(frozen=True)
class ReplayFigures:
    """Of one query."""

    results: int
    """Results that the state had to do with."""
    keys: int
    wrong: PerScenario
    """Results with a metric that is not as expected."""
    wrong_keys: PerScenario
    heals_at: PerScenario
    """Time of the last wrong result."""
    metrics: tuple[MetricFigures, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    worst: PerScenario = field(default_factory=dict)
    """``WrongResult``s of each scenario, the worst first."""
    healing: tuple[RecoveryPoint, ...] = ()
    """Points in the order of time, without results whose time is unknown."""
    worst_keys: PerScenario = field(default_factory=dict)
    """``KeyFigures`` of each scenario, the worst first."""


def curve_step(first: datetime, last: datetime) -> int:
    """The seconds that one point of a curve stands for, where there are too many times for one each."""
    return max(1, int((last - first).total_seconds() / POINTS))


def wrong_result(row: Mapping[str, Any]) -> WrongResult:
    """Return a row of the table of differences as a value for reports."""
    return WrongResult(
        row["key"],
        row["window_start"],
        row["window_end"],
        row["metric"],
        row["expected"],
        row["restarted"],
        row["without_state"],
        {scenario.value: row[f"{scenario.value}_change"] for scenario in AFTERWARDS},
        {scenario.value: row[f"{scenario.value}_relative"] for scenario in AFTERWARDS},
    )
