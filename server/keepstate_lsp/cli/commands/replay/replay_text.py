"""A replay for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_lsp.cli.commands.replay.replay_sentences import (
    RESTARTED,
    WITHOUT_STATE,
    arrival_words,
    claim_words,
    counted,
    damage,
    headline,
    percent,
    read_again,
    rows_words,
    state_words,
    time_text,
    witness_words,
)
from keepstate_lsp.cli.terminal.rendering import rendered
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_lsp.reporting.effects import with_effect
from keepstate_spark.replay.replay_figures import MetricFigures, WrongResult
from keepstate_spark.replay.replaying import QueryReplay
from keepstate_spark.replay.restart_points import restart_time

_COLORS = {"compatible": "green", "partial": "yellow", "unknown": "magenta", "incompatible": "red"}
_WORST = 5


def replay_text(replay: Replay, width: int, color: bool) -> str:
    """The summary, with ANSI colours if they are wanted."""
    return rendered(_parts(replay), width, color)


def _parts(replay: Replay) -> Iterator[RenderableType]:
    yield Text(headline(replay), style="bold")
    yield Text(arrival_words(replay), style="dim")
    for query in replay.queries:
        yield ""
        yield from _query(query, replay)


def _query(query: QueryReplay, replay: Replay) -> Iterator[RenderableType]:
    verdict = query.restart.verdict.value
    words = with_effect(verdict, query.restart.effect)
    yield Text.assemble((one_line(query.query.name), "bold"), "  ", (words, _COLORS[verdict]))
    if query.figures is None:
        yield _indented(Text(query.skipped))
        yield from _witness(query)
        return
    time = restart_time(replay.restart_at, query.query.zone)
    yield _indented(Text(state_words(query)))
    yield _indented(Text(rows_words(query)))
    if not query.figures.results:
        return
    yield ""
    yield _indented(_metrics(query.figures.metrics))
    yield ""
    for name, world in (("After the restart", RESTARTED), ("Without state", WITHOUT_STATE)):
        yield _indented(Text.assemble((f"{name}: ", "bold"), damage(query, world, time)))
    yield _indented(Text.assemble(("Read again: ", "bold"), read_again(query, time)))
    if claim := claim_words(query):
        yield _indented(Text.assemble(("What is kept: ", "bold"), claim))
    yield from _worst(query, time)
    yield from _witness(query)


def _witness(query: QueryReplay) -> Iterator[RenderableType]:
    """The few rows that are enough to see what goes wrong."""
    witness = query.witness
    if witness is None:
        return
    yield ""
    rows = counted(len(witness.rows), "made-up row" if witness.generated else "row")
    yield _indented(Text(f"Seen with {rows} alone", style="bold"))
    table = _table()
    for _ in range(3):
        table.add_column(overflow="fold")
    for row in witness.rows:
        values = ", ".join(f"{name} = {'NULL' if value is None else value}" for name, value in row.values.items())
        table.add_row("after" if row.after else "before", _name(row.table), _name(values))
    yield _indented(table)
    yield _indented(Text(witness_words(witness)))


def _metrics(metrics: tuple[MetricFigures, ...]) -> Table:
    table = _table()
    for name in ("metric", "verdict says", "", "wrong after", "mean error", "", "wrong without state", "mean error"):
        table.add_column(name, justify="left" if name in ("metric", "verdict says", "") else "right")
    for metric in metrics:
        cells: list[RenderableType] = [_name(metric.metric), metric.fate]
        for world in (RESTARTED, WITHOUT_STATE):
            wrong = metric.wrong[world]
            style = "red" if wrong else "green"
            cells += ["", Text(f"{wrong:,} of {metric.results:,}", style=style), percent(metric.mean_relative[world])]
        table.add_row(*cells)
    return table


def _worst(query: QueryReplay, time: datetime) -> Iterator[RenderableType]:
    figures = query.figures
    assert figures is not None
    world = RESTARTED if figures.wrong[RESTARTED] else WITHOUT_STATE
    rows: tuple[WrongResult, ...] = figures.worst[world][:_WORST]
    if not rows:
        return
    yield ""
    yield _indented(Text("Worst after the restart" if world == RESTARTED else "Worst without state", style="bold"))
    table = _table()
    windowed = any(row.window_end is not None for row in rows)
    for name in ("key", *(("window",) if windowed else ()), "metric", "expected", "restarted", "without state"):
        table.add_column(name, justify="left" if name in ("key", "window", "metric") else "right", overflow="fold")
    for row in rows:
        window = [f"{time_text(row.window_start)} to {time_text(row.window_end)}"] if windowed else []
        values = [_name(value) if value is not None else Text("–", style="dim") for value in _values(row)]
        table.add_row(_name(row.key), *window, _name(row.metric), *values)
    yield _indented(table)


def _values(row: WrongResult) -> tuple[str | None, ...]:
    return row.expected, row.restarted, row.without_state


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))


def _name(text: str) -> Text:
    """An untrusted text, for a cell: it is no markup."""
    return Text(shortened(one_line(text), 80))
