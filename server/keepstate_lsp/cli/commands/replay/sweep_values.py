"""The effects of restarts at many times, and the best time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from keepstate.report import Report
from keepstate_lsp.cli.commands.replay.replay_sentences import RESTARTED, WITHOUT_STATE, counted, time_text
from keepstate_spark.replay.replaying import QuerySweep
from keepstate_spark.replay.sweeping import SweepPoint


@dataclass(frozen=True)
class Sweep:
    """The effects of restarts of one file at many times."""

    file: str
    baseline: str
    every: timedelta
    report: Report
    queries: Sequence[QuerySweep]


@dataclass(frozen=True)
class HourOfDay:
    """All restarts within one hour of the day. ``wrong`` is the share of wrong values in each world."""

    hour: int
    restarts: int
    wrong: dict[str, float]
    values: float
    """Wrong values of one restart."""
    error: float
    """The sum of absolute errors by the sum of the sizes of expected values; the share of wrong values if none of them
    is a number.
    """


def by_hour(points: Sequence[SweepPoint]) -> list[HourOfDay]:
    """The damage by the hour of the day."""
    hours: dict[int, list[SweepPoint]] = {}
    for point in points:
        hours.setdefault(point.time.hour, []).append(point)
    result = []
    for hour, inside in sorted(hours.items()):
        results = sum(point.results for point in inside)
        wrong = {world: sum(point.wrong[world] for point in inside) for world in (RESTARTED, WITHOUT_STATE)}
        share = {world: number / results if results else 0.0 for world, number in wrong.items()}
        world = world_of(points)
        expected = sum(point.expected or 0.0 for point in inside)
        error = sum(point.error[world] or 0.0 for point in inside) / expected if expected else share[world]
        result.append(HourOfDay(hour, len(inside), share, wrong[world] / len(inside), error))
    return result


def world_of(points: Sequence[SweepPoint]) -> str:
    """The world to choose a time by: that of the verdict, or the one without state if the verdict's does no damage."""
    return RESTARTED if any(point.wrong[RESTARTED] for point in points) else WITHOUT_STATE


def best_and_worst(points: Sequence[SweepPoint]) -> tuple[SweepPoint, SweepPoint]:
    """The restarts with the least damage and with the most."""
    world = world_of(points)

    def damage(point: SweepPoint) -> tuple[float, float]:
        return point.error[world] or 0.0, float(point.wrong[world])

    return min(points, key=damage), max(points, key=damage)


def choice(points: Sequence[SweepPoint]) -> str:
    """The best and the worst time of a restart."""
    world = world_of(points)
    least, most = best_and_worst(points)
    words = "with the state" if world == RESTARTED else "without the state (with it nothing is wrong)"
    return (
        f"{counted(len(points), 'restart')} from {time_text(points[0].time)} to {time_text(points[-1].time)}, {words}. "
        f"Least damage at {time_text(least.time)}: {_wrong(least, world)}. "
        f"Most at {time_text(most.time)}: {_wrong(most, world)}."
    )


def _wrong(point: SweepPoint, world: str) -> str:
    return f"{point.wrong[world]:,} of {counted(point.results, 'value')}"
