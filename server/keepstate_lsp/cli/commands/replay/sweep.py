"""Restarts at many times: when the damage is least."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from keepstate_lsp.cli.commands.replay.replay_document import DOCUMENT_VERSION, plain
from keepstate_lsp.cli.commands.replay.replay_files import SWEEP_PAGE, ReplayFolder, can_draw
from keepstate_lsp.cli.commands.replay.replay_sentences import length, percent
from keepstate_lsp.cli.commands.replay.sweep_values import Sweep, by_hour, choice, world_of
from keepstate_lsp.cli.formats.json import pretty
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.rendering import rendered
from keepstate_lsp.cli.terminal.sanitize import one_line
from keepstate_lsp.reporting.effects import with_effect
from keepstate_lsp.version import VERSION
from keepstate_spark.replay.replaying import QuerySweep

_BAR = 24


def tell_sweep(arguments: argparse.Namespace, sweep: Sweep, folder: ReplayFolder) -> None:
    """Write a sweep as the command line asks for it."""
    from keepstate_lsp.cli.commands.replay.sweep_page import sweep_page

    folder.write_sweep(sweep_document(sweep), lambda: sweep_page(sweep))
    with Output(color=arguments.color) as output:
        if arguments.format == "json":
            output.write(pretty(sweep_document(sweep)))
        else:
            output.write_text(rendered(_parts(sweep), output.width, output.color))
            if arguments.output is not None:
                output.write_text(f"\n{arguments.output / SWEEP_PAGE if can_draw() else arguments.output}\n")


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """The document of ``--format json`` and of ``sweep.json``."""
    return {
        "version": DOCUMENT_VERSION,
        "tool": {"name": "keepstate", "version": VERSION},
        "file": sweep.file,
        "baseline": sweep.baseline,
        "every_seconds": sweep.every.total_seconds(),
        "engine": sweep.report.engine,
        "verdict": sweep.report.verdict.value,
        "effect": sweep.report.effect.value,
        "queries": [
            {
                "number": query.query.number,
                "name": query.query.name,
                "zone": query.query.zone,
                "verdict": query.restart.verdict.value,
                "state": query.restart.use.value,
                "skipped": query.skipped or None,
                "points": [plain(asdict(point)) for point in query.points],
            }
            for query in sweep.queries
        ],
    }


def _parts(sweep: Sweep) -> Iterator[RenderableType]:
    yield Text(f"{sweep.file} against {sweep.baseline}, restarts every {length(sweep.every)}", style="bold")
    for query in sweep.queries:
        yield ""
        verdict = with_effect(query.restart.verdict.value, query.restart.effect)
        yield Text.assemble((one_line(query.query.name), "bold"), "  ", verdict)
        for part in _query(query):
            yield Padding(part, (0, 0, 0, 2))


def _query(query: QuerySweep) -> Iterator[RenderableType]:
    points = query.points
    if not points:
        yield Text(query.skipped)
        return
    world = world_of(points)
    yield Text(choice(points))
    yield ""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for name in ("hour", "restarts", "wrong values of each", "share", "error", ""):
        table.add_column(name, justify="left" if name in ("hour", "") else "right")
    hours = by_hour(points)
    largest = max(hour.error for hour in hours) or 1.0
    for hour in hours:
        figures = (f"{hour.restarts:,}", f"{hour.values:,.1f}", percent(hour.wrong[world]), percent(hour.error))
        table.add_row(f"{hour.hour:02}:00", *figures, Text("█" * round(_BAR * hour.error / largest)))
    yield table
