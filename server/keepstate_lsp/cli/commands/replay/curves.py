"""The figures of a replay as curves: what is drawn, without how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import groupby
from typing import TypeVar

from keepstate_lsp.cli.commands.replay.replay_sentences import RESTARTED, WITHOUT_STATE
from keepstate_spark.replay.replay_figures import CurvePoint, RecoveryPoint, ReplayFigures

_WORLDS = (RESTARTED, WITHOUT_STATE)
_MOST_POINTS = 72
"""Most points of a curve; a line of more points jumps, and shows no more."""

Point = TypeVar("Point", CurvePoint, RecoveryPoint)


class Unit(Enum):
    """The unit of the error of a metric, as an axis names it."""

    RELATIVE = "error, % of expected"
    ABSOLUTE = "absolute error"
    WRONG = "wrong results, %"


@dataclass(frozen=True)
class Series:
    """The error of a metric over time, in each world."""

    metric: str
    unit: Unit
    times: Sequence[datetime]
    values: Mapping[str, Sequence[float | None]]


def error_series(figures: ReplayFigures) -> list[Series]:
    """One for each metric that is ever wrong, those with the most wrong results first."""
    wrong = {metric.metric: [-metric.wrong[world] for world in _WORLDS] for metric in figures.metrics}
    result = []
    for metric, points in groupby(figures.curve, key=lambda point: point.metric):
        together = _together(list(points))
        if any(point.wrong[world] for point in together for world in _WORLDS):
            result.append(_series(metric, together))
    return sorted(result, key=lambda series: wrong.get(series.metric, [0, 0]))


def _series(metric: str, points: Sequence[CurvePoint]) -> Series:
    unit = _unit(points)

    def value(point: CurvePoint, world: str) -> float | None:
        if unit is Unit.WRONG:
            return 100 * float(point.wrong[world]) / max(1, point.results)
        error = point.error[world]
        if error is None:
            return None
        if unit is Unit.ABSOLUTE:
            return float(error)
        return 100 * float(error) / point.expected if point.expected else 0.0

    return Series(
        metric,
        unit,
        [point.at for point in points],
        {world: [value(point, world) for point in points] for world in _WORLDS},
    )


def _unit(points: Sequence[CurvePoint]) -> Unit:
    """An error where 0 is expected is no share of anything."""
    errors = [(point, point.error[world]) for point in points for world in _WORLDS]
    if not any(error for _, error in errors):
        return Unit.WRONG
    return Unit.RELATIVE if all(point.expected for point, error in errors if error) else Unit.ABSOLUTE


def _together(points: Sequence[CurvePoint]) -> list[CurvePoint]:
    """Not too many of them, by putting together what lies near."""
    return [
        CurvePoint(
            group[0].metric,
            group[0].at,
            sum(point.results for point in group),
            {world: sum(point.wrong[world] for point in group) for world in _WORLDS},
            _sum(point.expected for point in group),
            {world: _sum(point.error[world] for point in group) for world in _WORLDS},
        )
        for group in _groups(points)
    ]


def binned(points: Sequence[RecoveryPoint]) -> list[RecoveryPoint]:
    """Points of results, in stretches named by their last point."""
    return [
        RecoveryPoint(
            group[-1].at,
            sum(point.results for point in group),
            {world: sum(point.wrong[world] for point in group) for world in _WORLDS},
        )
        for group in _groups(points)
    ]


def healing_steps(points: Sequence[RecoveryPoint], world: str, time: datetime) -> list[tuple[float, float]]:
    """Seconds since the restart, and from then on the share of wrong ones among the next results to come out: after the
    last of them none is, for windows that begin later have nothing in the state.
    """
    ends = [max(0.0, (point.at - time).total_seconds()) for point in points]
    shares = [point.wrong[world] / max(1, point.results) for point in points]
    beginnings = [0.0, *ends[:-1]]
    last = ends[-1]
    room = last * 0.12 or 1.0
    return [*zip(beginnings, shares, strict=True), (last, 0.0), (last + room, 0.0)]


def wrong_so_far(
    points: Sequence[RecoveryPoint], world: str, time: datetime, results: int
) -> list[tuple[float, float]]:
    """Seconds since the restart, and the share of all results that have been wrong by then."""
    steps, total = [(0.0, 0.0)], 0
    for point in points:
        total += point.wrong[world]
        steps.append((max(0.0, (point.at - time).total_seconds()), total / max(1, results)))
    last, share = steps[-1]
    return [*steps, (last * 1.05 or 1.0, share)]


def _groups(points: Sequence[Point]) -> list[list[Point]]:
    """Stretches of equal length, those with points."""
    if len(points) <= _MOST_POINTS:
        return [[point] for point in points]
    first, span = points[0].at, points[-1].at - points[0].at

    def stretch(point: Point) -> int:
        return int((point.at - first) / span * (_MOST_POINTS - 1))

    return [list(group) for _, group in groupby(points, key=stretch)]


def _sum(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None
