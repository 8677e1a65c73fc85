"""The pictures of a sweep: the damage of a restart by the hour of the day, and by its time."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from keepstate_lsp.cli.commands.replay.charts import (
    COLORS,
    VARIABLES,
    WORLDS,
    Names,
    date_ticks,
    figure_legend,
    number_ticks,
)
from keepstate_lsp.cli.pictures import FAINT, INK, SOFT, grid_lines, svg
from keepstate_lsp.cli.visible import one_line, shortened
from keepstate_spark.replay.sweeping import SweepPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.2, 2.7


def hours_chart(points: Sequence[SweepPoint], names: Names, zone: str) -> str:
    """Wrong values of a restart, by the hour of the day: the mean of all restarts in it."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for place, world in enumerate(WORLDS):
            means = [_mean([point.wrong[world] for point in points if point.time.hour == hour]) for hour in range(24)]
            axes.bar([hour + (place - 0.5) * 0.4 for hour in range(24)], means, 0.38, color=COLORS[world])
        tried = {point.time.hour for point in points}
        for hour in set(range(24)) - tried:
            # Nothing is known of it, which is not the same as no damage.
            axes.axvspan(hour - 0.5, hour + 0.5, color=FAINT, alpha=0.5, linewidth=0)
        axes.set_xticks(range(0, 24, 2), [f"{hour}:00" for hour in range(0, 24, 2)])
        axes.set_xlim(-0.7, 23.7)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(f"hour of the day ({shortened(one_line(zone), 30)})")
        axes.set_ylabel("wrong values of a restart")
        number_ticks(axes.yaxis, 5)
        grid_lines(axes, "y")
        figure_legend(figure, names)

    return svg(draw, _WIDTH, _HEIGHT, "Damage by hour of day", VARIABLES)


def times_chart(points: Sequence[SweepPoint], names: Names, zone: str, least: SweepPoint) -> str:
    """Wrong values of each restart, by its time; the one with the least damage is marked."""

    def draw(figure: Figure) -> None:
        # It comes without types.
        dates: Any = import_module("matplotlib.dates")
        axes = figure.add_subplot()
        times = dates.date2num([point.time for point in points])
        for world in reversed(WORLDS):
            wrong = [point.wrong[world] for point in points]
            axes.plot(times, wrong, color=COLORS[world], linewidth=1.5 if world == WORLDS[0] else 2.6, clip_on=False)
        at = dates.date2num(least.time)
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
        most = max(point.wrong[world] for point in points for world in WORLDS)
        axes.set_ylim(0, max(most, 1) * 1.25)
        axes.set_xlabel(f"time of the restart ({shortened(one_line(zone), 30)})")
        axes.set_ylabel("wrong values of a restart")
        number_ticks(axes.yaxis, 5)
        grid_lines(axes, "y")
        figure_legend(figure, names)

    return svg(draw, _WIDTH, _HEIGHT, "Damage by time", VARIABLES)


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0
