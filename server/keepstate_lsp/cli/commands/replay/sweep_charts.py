"""The pictures of a sweep: the damage of a restart by the hour of the day, and by its time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from keepstate_lsp.cli.commands.replay.replay_charts import (
    COLORS,
    VARIABLES,
    WORLDS,
    Names,
    date_ticks,
    figure_legend,
    number_ticks,
)
from keepstate_lsp.cli.terminal.pictures import FAINT, INK, SOFT, grid_lines, svg
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_spark.replay.sweeping import SweepPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.2, 2.7

Measure = Callable[[SweepPoint, str], float]
"""A measure of a restart in one world."""


def hours_chart(points: Sequence[SweepPoint], names: Names, zone: str) -> str:
    """The damage of a restart by the hour of the day: errors as a share of what is expected, or, where there are no
    numbers, how many values are wrong.
    """
    numeric = _numeric(points)

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for place, world in enumerate(WORLDS):
            inside = [[point for point in points if point.time.hour == hour] for hour in range(24)]
            means = [_error(some, world) if numeric else _wrong(some, world) for some in inside]
            axes.bar([hour + (place - 0.5) * 0.4 for hour in range(24)], means, 0.38, color=COLORS[world])
        tried = {point.time.hour for point in points}
        for hour in set(range(24)) - tried:
            # Nothing is known of it, which is not the same as no damage.
            axes.axvspan(hour - 0.5, hour + 0.5, color=FAINT, alpha=0.5, linewidth=0)
        axes.set_xticks(range(0, 24, 2), [f"{hour}:00" for hour in range(0, 24, 2)])
        axes.set_xlim(-0.7, 23.7)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(f"hour of the day ({shortened(one_line(zone), 30)})")
        axes.set_ylabel("error, % of expected" if numeric else "wrong values of a restart")
        number_ticks(axes.yaxis, 5)
        grid_lines(axes, "y")
        figure_legend(figure, names)

    return svg(draw, _WIDTH, _HEIGHT, "Damage by hour of day", VARIABLES)


def times_chart(points: Sequence[SweepPoint], names: Names, zone: str, least: SweepPoint) -> str:
    """Wrong values of each restart, by its time, and the sum of their errors if they have any; the one with the least
    damage is marked.
    """
    measures: list[tuple[str, Measure]] = [("wrong values", lambda point, world: point.wrong[world])]
    if _numeric(points):
        measures.append(("sum of errors", lambda point, world: point.error[world] or 0.0))

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(measures), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (label, measure) in zip(panels, measures, strict=True):
            _panel(axes, points, measure, least)
            axes.set_ylabel(label)
        panels[-1].set_xlabel(f"time of the restart ({shortened(one_line(zone), 30)})")
        figure_legend(figure, names)

    return svg(draw, _WIDTH, 1.0 + 1.7 * len(measures), "Damage by time", VARIABLES)


def _panel(axes: Axes, points: Sequence[SweepPoint], measure: Measure, least: SweepPoint) -> None:
    # matplotlib comes without types.
    dates: Any = import_module("matplotlib.dates")
    times, at = dates.date2num([point.time for point in points]), dates.date2num(least.time)
    for world in reversed(WORLDS):
        values = [measure(point, world) for point in points]
        axes.plot(times, values, color=COLORS[world], linewidth=1.5 if world == WORLDS[0] else 2.6, clip_on=False)
    axes.axvline(at, color=INK, linewidth=1, linestyle=(0, (2, 2)))
    axes.annotate(
        "least damage",
        (at, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, -2),
        textcoords="offset points",
        va="top",
        fontsize=9,
        color=SOFT,
    )
    date_ticks(axes, 8)
    axes.set_xlim(times[0], times[-1])
    axes.set_ylim(0, max(measure(point, world) for point in points for world in WORLDS) * 1.25 or 1)
    number_ticks(axes.yaxis, 4)
    grid_lines(axes, "y")


def _numeric(points: Sequence[SweepPoint]) -> bool:
    return any(point.expected for point in points)


def _error(points: Sequence[SweepPoint], world: str) -> float:
    """Of all of them together, in percent."""
    expected = sum(point.expected or 0.0 for point in points)
    return 100 * sum(point.error[world] or 0.0 for point in points) / expected if expected else 0.0


def _wrong(points: Sequence[SweepPoint], world: str) -> float:
    """The mean of them."""
    return sum(point.wrong[world] for point in points) / max(1, len(points))
