"""Restarts at many times: when the damage is least."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from keepstate.report import Report
from keepstate_lsp.cli.commands.replay.document import DOCUMENT_VERSION, plain
from keepstate_lsp.cli.commands.replay.folder import SWEEP_PAGE, ReplayFolder, can_draw
from keepstate_lsp.cli.commands.replay.words import RESTARTED, WITHOUT_STATE, counted, length, percent, shown
from keepstate_lsp.cli.output import Output
from keepstate_lsp.cli.render_json import pretty
from keepstate_lsp.cli.rendering import rendered
from keepstate_lsp.cli.visible import one_line
from keepstate_lsp.effects import with_effect
from keepstate_lsp.version import VERSION
from keepstate_spark.replay.replaying import QuerySweep
from keepstate_spark.replay.sweeping import SweepPoint

_BAR = 24


@dataclass(frozen=True)
class Sweep:
    """What restarts of one file at many times would do."""

    file: str
    baseline: str
    every: timedelta
    report: Report
    queries: Sequence[QuerySweep]


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
    found = []
    for hour, inside in sorted(hours.items()):
        results = sum(point.results for point in inside)
        wrong = {world: sum(point.wrong[world] for point in inside) for world in (RESTARTED, WITHOUT_STATE)}
        share = {world: number / results if results else 0.0 for world, number in wrong.items()}
        world = world_of(points)
        expected = sum(point.expected or 0.0 for point in inside)
        error = sum(point.error[world] or 0.0 for point in inside) / expected if expected else share[world]
        found.append(HourOfDay(hour, len(inside), share, wrong[world] / len(inside), error))
    return found


def world_of(points: Sequence[SweepPoint]) -> str:
    """The world to choose a time by: what the verdict says, or that without state if that does no damage."""
    return RESTARTED if any(point.wrong[RESTARTED] for point in points) else WITHOUT_STATE


def best(points: Sequence[SweepPoint]) -> tuple[SweepPoint, SweepPoint]:
    """The restarts with the least damage and with the most."""
    world = world_of(points)

    def damage(point: SweepPoint) -> tuple[float, float]:
        return point.error[world] or 0.0, float(point.wrong[world])

    return min(points, key=damage), max(points, key=damage)


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


def choice(points: Sequence[SweepPoint]) -> str:
    """When to restart, and when not."""
    world = world_of(points)
    least, most = best(points)
    words = "with the state" if world == RESTARTED else "without the state (with it nothing is wrong)"
    return (
        f"{counted(len(points), 'restart')} from {shown(points[0].time)} to {shown(points[-1].time)}, {words}. Least "
        f"damage at {shown(least.time)}: {_wrong(least, world)}. Most at {shown(most.time)}: {_wrong(most, world)}."
    )


def _wrong(point: SweepPoint, world: str) -> str:
    return f"{point.wrong[world]:,} of {counted(point.results, 'value')}"
