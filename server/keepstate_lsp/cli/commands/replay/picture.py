"""The picture of a replay for a chat or a pull request: what is wrong after the restart, and until when."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from keepstate_lsp.cli.commands.replay.replay_answers import (
    job_answer,
    replayed,
    short_name,
    size_words,
    world_names,
    worst_first,
    wrong,
)
from keepstate_lsp.cli.commands.replay.replay_charts import (
    WORLDS,
    Bar,
    healing,
    healing_names,
    legend_above,
    paired_bars,
)
from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_lsp.cli.commands.replay.replay_sentences import headline, percent
from keepstate_lsp.cli.terminal.pictures import INK, SOFT, VERDICT_COLORS, png
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_lsp.reporting.effects import with_effect
from keepstate_spark.replay.replaying import QueryReplay
from keepstate_spark.replay.restart_points import restart_time

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_WIDTH, _HEIGHT, _DOTS = 12.0, 6.3, 200
"""Inches, and pixels to each: 2,400 by 1,260, the shape of a card in a chat."""
_LINE, _FOOT = 0.36, 0.42
_MOST_BARS, _MOST_LINES = 6, 9
_LONGEST_LINE = 74
_LEFT = 0.025


def replay_picture(replay: Replay) -> bytes:
    """A PNG, less high without a chart."""
    lines = textwrap.wrap(one_line(job_answer(replay)), _LONGEST_LINE, max_lines=2, placeholder=" …")
    head = 0.85 + _LINE * len(lines)
    anything = any(wrong(query, world) for query in replay.queries for world in WORLDS)
    height = _HEIGHT if anything else head + _LINE * len(_rest(replay)) + _FOOT

    def draw(figure: Figure) -> None:
        parts: Any = figure.subfigures(3, 1, height_ratios=(head, height - head - _FOOT, _FOOT))
        top, middle, bottom = parts
        figure.set_layout_engine("constrained", w_pad=0.2, h_pad=0.06)
        _head(top, replay, lines, head)
        if anything:
            left, right = middle.subfigures(1, 2, width_ratios=(1.08, 1))
            ordered = worst_first(replay.queries)
            _bars(left, ordered)
            _healing(right, ordered[0], replay, len(ordered) > 1)
        else:
            middle.text(_LEFT, 0.95, "\n".join(_rest(replay)), fontsize=12, va="top", linespacing=1.8)
        bottom.text(_LEFT, 0.5, shortened(f"keepstate replay: {size_words(replay)}", 140), fontsize=9.5, color=SOFT)

    return png(draw, _WIDTH, height, _DOTS)


def _head(figure: SubFigure, replay: Replay, lines: Sequence[str], height: float) -> None:
    verdict = replay.report.verdict.value
    figure.text(_LEFT, 1 - 0.22 / height, "\n".join(lines), fontsize=19, fontweight="bold", va="top", linespacing=1.15)
    below = 1 - (0.36 + _LINE * len(lines)) / height
    figure.text(_LEFT, below, "●", fontsize=12, color=VERDICT_COLORS[verdict], va="top")
    words = f"{with_effect(verdict, replay.report.effect)}: {one_line(headline(replay))}"
    figure.text(_LEFT + 0.018, below, shortened(words, 116), fontsize=12, color=INK, va="top")


def _bars(figure: SubFigure, ordered: Sequence[QueryReplay]) -> None:
    """Metrics of the only query, or all queries."""
    if len(ordered) == 1:
        counts = [
            (metric.metric, metric.wrong, metric.results)
            for metric in (ordered[0].figures.metrics if ordered[0].figures is not None else ())
        ]
        counts.sort(key=lambda count: [-count[1][world] for world in WORLDS])
    else:
        counts = [
            (short_name(query), query.figures.wrong, query.figures.results)
            for query in ordered
            if query.figures is not None
        ]
    bars = []
    for name, number, results in counts[:_MOST_BARS]:
        shares = {world: number[world] / max(1, results) for world in WORLDS}
        notes = {world: f"{percent(shares[world])}  ({number[world]:,})" for world in WORLDS}
        bars.append(Bar(name, shares, notes))
    axes = figure.add_subplot()
    paired_bars(axes, bars, "wrong results, %", 26)
    axes.set_xlim(0, 1.45 * max(axes.get_xlim()[1] / 1.3, 1))
    # A few bars are as thick as many.
    axes.set_ylim(max(len(bars), 3) - 0.45, -0.55)
    _title(figure, "What is wrong, by metric" if len(ordered) == 1 else "What is wrong, by query")
    legend_above(axes, world_names(ordered[0].restart.use))
    rest = len(counts) - _MOST_BARS
    if rest > 0:
        axes.annotate(
            f"and {rest} more",
            (1, 0),
            xycoords="axes fraction",
            xytext=(0, -22),
            textcoords="offset points",
            ha="right",
            va="top",
            color=SOFT,
        )


def _healing(figure: SubFigure, query: QueryReplay, replay: Replay, several: bool) -> None:
    figures = query.figures
    assert figures is not None
    time = restart_time(replay.restart_at, query.query.zone)
    names = healing_names(figures, world_names(query.restart.use), time, query.recovers)
    _title(figure, f"Healing of {short_name(query)}" if several else "Healing")
    axes = figure.add_subplot()
    if figures.healing:
        healing(axes, figures, time, query.recovers)
        legend_above(axes, names, columns=1)
    else:
        axes.set_axis_off()
        axes.text(0, 0.9, "Nothing tells when these results come out.", color=SOFT, va="top")


def _title(figure: SubFigure, words: str) -> None:
    figure.suptitle(shortened(words, 54), x=0.05, ha="left", fontsize=13, fontweight="bold")


def _rest(replay: Replay) -> Sequence[str]:
    """No plots of zeros: what was looked at, in words."""
    lines = [f"{short_name(query)}: every result is as expected" for query in replayed(replay.queries)]
    lines += [f"{short_name(query)}: {one_line(query.skipped)}" for query in replay.queries if query.figures is None]
    more = [f"and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return [*(shortened(line, 105) for line in lines[:_MOST_LINES]), *more]
