"""The pictures of a replay: what is wrong, by metric, by time, by key, and when it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from keepstate_lsp.cli.commands.replay.curves import Series, Unit, binned, error_series, healing_steps, wrong_so_far
from keepstate_lsp.cli.commands.replay.replay_sentences import RESTARTED, WITHOUT_STATE, length, percent
from keepstate_lsp.cli.terminal.pictures import FAINT, INK, SOFT, grid_lines, svg
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_spark.replay.replay_figures import KeyFigures, MetricFigures, ReplayFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

WORLDS = (RESTARTED, WITHOUT_STATE)
COLORS: Mapping[str, str] = {RESTARTED: "#1267b1", WITHOUT_STATE: "#d9822b"}
"""Blue and orange: distinct for all kinds of colour vision, on paper by their lightness."""
VARIABLES: Mapping[str, str] = {COLORS[RESTARTED]: "--restarted", COLORS[WITHOUT_STATE]: "--without-state"}
MOST_METRICS, MOST_PANELS, MOST_KEYS = 10, 3, 8
_WIDTH = 5.2
"""Inches: half of a page, or the whole of a phone."""
_FEW = 15
"""Points that are marked one by one."""
_LONGEST_METRIC, _LONGEST_KEY = 20, 28
_LEGEND: Any = {"frameon": False, "handlelength": 1, "handleheight": 0.8}

Names = Mapping[str, str]
"""Names of the worlds."""


@dataclass(frozen=True)
class Bar:
    """One thing in each world; shares are 0 to 1, ``None`` for none. ``notes`` stand behind the bars."""

    name: str
    shares: Mapping[str, float | None]
    notes: Mapping[str, str]


def metrics_chart(metrics: Sequence[MetricFigures], names: Names) -> str:
    """By metric how many results are wrong, and by how much where there are numbers."""
    worst = sorted(metrics, key=lambda metric: [-metric.wrong[world] for world in WORLDS])[:MOST_METRICS]
    sizes = [_size_of_error(metric) for metric in worst]
    panels = [("wrong results, %", [_wrong_bar(metric) for metric in worst])]
    if any(share is not None for bar in sizes for share in bar.shares.values()):
        panels.append(("error, % of sum", sizes))

    def draw(figure: Figure) -> None:
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axis, (label, bars) in zip(axes, panels, strict=True):
            paired_bars(axis, bars, label, _LONGEST_METRIC)
            axis.tick_params(axis="y", length=0)
        figure_legend(figure, names)

    return svg(draw, _WIDTH, 1.05 + 0.46 * len(worst), "Error by metric", VARIABLES)


def _wrong_bar(metric: MetricFigures) -> Bar:
    shares = {world: metric.wrong[world] / max(1, metric.results) for world in WORLDS}
    return Bar(metric.metric, shares, {world: percent(share) for world, share in shares.items()})


def _size_of_error(metric: MetricFigures) -> Bar:
    shares = {world: metric.error[world] / metric.expected if metric.expected else None for world in WORLDS}
    shares = {world: share if metric.error[world] is not None else None for world, share in shares.items()}
    return Bar(metric.metric, shares, {world: percent(share) for world, share in shares.items()})


def keys_chart(keys: Sequence[KeyFigures], names: Names) -> str:
    """The mean error of the worst keys."""
    worst = keys[:MOST_KEYS]

    def draw(figure: Figure) -> None:
        bars = [
            Bar(key.key or "(no key)", key.relative, {world: percent(key.relative[world]) for world in WORLDS})
            for key in worst
        ]
        paired_bars(figure.add_subplot(), bars, "mean error of the values of a key, %", _LONGEST_KEY)
        figure_legend(figure, names)

    return svg(draw, _WIDTH, 1.05 + 0.4 * len(worst), "Worst keys", VARIABLES)


def paired_bars(axes: Axes, bars: Sequence[Bar], label: str, longest: int) -> None:
    """Two bars for each, from zero; what is no number has none."""
    for place, world in enumerate(WORLDS):
        positions = [number + (place - 0.5) * 0.38 for number in range(len(bars))]
        lengths = [100 * (bar.shares[world] or 0) for bar in bars]
        axes.barh(positions, lengths, 0.34, color=COLORS[world])
        for position, width, bar in zip(positions, lengths, bars, strict=True):
            axes.annotate(
                bar.notes[world],
                (width, position),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                color=INK if bar.shares[world] else SOFT,
            )
    most = max((100 * (bar.shares[world] or 0) for bar in bars for world in WORLDS), default=0)
    axes.set_yticks(range(len(bars)), [shortened(one_line(bar.name), longest) for bar in bars])
    axes.set_ylim(len(bars) - 0.45, -0.55)
    axes.set_xlim(0, max(most, 1) * 1.3)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_color(FAINT)
    _percent_ticks(axes, "x", most)
    axes.set_xlabel(label, fontsize=9.5)
    grid_lines(axes, "x")


def error_chart(figures: ReplayFigures, names: Names, time: datetime, zone: str, heals: bool) -> str:
    """The error of the metrics that have most of it, by the time at which results come out; empty if there are not two
    of these.
    """
    series = error_series(figures)[:MOST_PANELS]
    if not any(len(one.times) > 1 for one in series):
        return ""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
        for axes, one in zip(panels, series, strict=True):
            _error_panel(axes, one, time, heals)
        label = "end of the window" if heals else "first change after the restart"
        panels[-1].set_xlabel(f"{label} ({shortened(one_line(zone), 30)})")
        figure_legend(figure, names)

    return svg(draw, _WIDTH, 1.0 + 1.55 * len(series), "Error over time", VARIABLES)


def _error_panel(axes: Axes, series: Series, time: datetime, is_joined: bool) -> None:
    # matplotlib comes without types.
    dates: Any = import_module("matplotlib.dates")
    at = dates.date2num(time)
    low, high = min(time, series.times[0]), max(time, series.times[-1])
    room = max(high - low, timedelta(seconds=10)) * 0.06
    times = dates.date2num(list(series.times))
    equal = series.values[RESTARTED] == series.values[WITHOUT_STATE]
    for world in reversed(WORLDS):
        _line(axes, times, series.values[world], world, is_joined, equal)
    axes.axvline(at, color=INK, linewidth=1, linestyle=(0, (2, 2)))
    axes.annotate(
        "restart",
        (at, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, -2),
        textcoords="offset points",
        va="top",
        fontsize=8.5,
        color=SOFT,
    )
    date_ticks(axes, 6)
    axes.set_xlim(dates.date2num(low - room), dates.date2num(high + room))
    most = max(value for world in WORLDS for value in series.values[world] if value is not None)
    # Above all of it is room for the word.
    axes.set_ylim(0, max(most, 1e-9) * 1.3)
    axes.set_title(shortened(one_line(series.metric), 32), loc="left", fontsize=10, fontweight="bold")
    axes.set_title(series.unit.value, loc="right", fontsize=9, color=SOFT)
    if series.unit is Unit.ABSOLUTE:
        number_ticks(axes.yaxis, 4)
    else:
        _percent_ticks(axes, "y", most)
    grid_lines(axes, "y")


def _line(
    axes: Axes, times: Sequence[float], values: Sequence[float | None], world: str, is_joined: bool, equal: bool
) -> None:
    """Both are seen where they are equal: what lies under the other is wider. Without ``is_joined``, they are
    points: one does not lead to the next.
    """
    under = world == WITHOUT_STATE
    few = len(times) <= _FEW
    axes.plot(
        times,
        [float("nan") if value is None else value for value in values],
        color=COLORS[world],
        linewidth=3.4 if under else 1.8,
        linestyle="none" if not is_joined else (0, (3, 3)) if equal and not under and not few else "solid",
        marker=("s" if under else "o") if few or not is_joined else None,
        markersize=6.5 if under else 3.5,
        clip_on=False,
        zorder=2 if under else 3,
    )


def healing_chart(figures: ReplayFigures, names: Names, time: datetime, heals: bool) -> str:
    """The share of wrong results by the time since the restart; empty where no result has a time."""
    if not figures.healing:
        return ""

    def draw(figure: Figure) -> None:
        healing(figure.add_subplot(), figures, time, heals)
        figure_legend(figure, healing_names(figures, names, time, heals), columns=1)

    return svg(draw, _WIDTH, 3.1, "Healing", VARIABLES)


def healing_names(figures: ReplayFigures, names: Names, time: datetime, heals: bool) -> Names:
    """With the time that it takes until all is right again."""
    labels = {}
    for world, name in names.items():
        last = figures.heals_at[world]
        if not figures.wrong[world]:
            end = "nothing is wrong"
        elif not heals:
            end = "does not heal by itself"
        else:
            end = f"heals after {length(last - time)}" if last is not None else "nothing tells when it heals"
        labels[world] = f"{name}: {end}"
    return labels


def healing(axes: Axes, figures: ReplayFigures, time: datetime, heals: bool) -> None:
    """Of results that come out once, how many of the next ones are wrong: none when the last wrong one is out. Of
    results that go on changing, how many have been wrong by then.
    """
    points = binned(figures.healing)
    size, unit = _unit(max(points[-1].at - time, timedelta(seconds=1)))
    last = 0.0
    for world in reversed(WORLDS):
        steps = healing_steps(points, world, time) if heals else wrong_so_far(points, world, time, figures.results)
        hours = [seconds / size for seconds, _ in steps]
        shares = [100 * share for _, share in steps]
        last = max(last, hours[-1])
        under = world == WITHOUT_STATE
        axes.step(
            hours,
            shares,
            where="post",
            color=COLORS[world],
            linewidth=3.2 if under else 1.6,
            clip_on=False,
            zorder=2 if under else 3,
        )
        if not under:
            axes.fill_between(hours, shares, step="post", color=COLORS[world], alpha=0.12, linewidth=0)
    axes.set_xlim(0, last)
    axes.set_ylim(0, 105)
    axes.set_yticks(range(0, 101, 25))
    axes.set_xlabel(f"time since the restart, {unit}")
    number_ticks(axes.xaxis, 7)
    axes.set_ylabel("wrong results, %" if heals else "wrong results so far, %")
    grid_lines(axes, "y")


def _unit(span: timedelta) -> tuple[int, str]:
    """The unit of an axis of time, with its seconds."""
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if span.total_seconds() >= 3 * size:
            return size, name
    return 1, "seconds"


def figure_legend(figure: Figure, names: Names, columns: int = 2) -> None:
    figure.legend(handles=patches(names), loc="outside upper left", ncols=columns, **_LEGEND, fontsize=9.5)


def legend_above(axes: Axes, names: Names, columns: int = 2) -> None:
    axes.legend(
        handles=patches(names), loc="lower left", bbox_to_anchor=(-0.01, 1), ncols=columns, **_LEGEND, fontsize=10.5
    )


def patches(names: Names) -> list[Patch]:
    from matplotlib.patches import Patch

    return [Patch(color=COLORS[world], label=names[world]) for world in WORLDS]


def _percent_ticks(axes: Axes, direction: str, most: float) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator

    axis = axes.xaxis if direction == "x" else axes.yaxis
    # Nothing is more than all of it, unless it is an error.
    axis.set_major_locator(FixedLocator([0, 50, 100]) if 60 < most <= 100 else MaxNLocator(4, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(_plain_number)


def date_ticks(axes: Axes, most: int) -> None:
    dates: Any = import_module("matplotlib.dates")
    locator = dates.AutoDateLocator(minticks=3, maxticks=most)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def number_ticks(axis: Axis, most: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(_plain_number)


def _plain_number(value: float, _: float = 0) -> str:
    """Without trailing zeros; of large numbers the first digits."""
    for size, sign in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:,.6g} {sign}" if abs(value) < 1e15 else f"{value:.1e}"
    return f"{value:,.6g}" if abs(value) < 1e3 else f"{value:,.0f}"
