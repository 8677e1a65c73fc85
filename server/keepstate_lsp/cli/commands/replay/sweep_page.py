"""The page of a sweep: when a restart does the least damage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keepstate_lsp.cli.commands.replay.replay_answers import world_names
from keepstate_lsp.cli.commands.replay.replay_page import DARK, LIGHT, STYLE, verdict_words
from keepstate_lsp.cli.commands.replay.replay_sentences import length, percent, time_text
from keepstate_lsp.cli.commands.replay.sweep_charts import hours_chart, times_chart
from keepstate_lsp.cli.commands.replay.sweep_values import Sweep, best_and_worst, by_hour, choice, world_of
from keepstate_lsp.cli.terminal.html_pages import page, table, text
from keepstate_lsp.version import VERSION
from keepstate_spark.replay.replaying import QuerySweep
from keepstate_spark.replay.sweeping import SweepPoint


def sweep_page(sweep: Sweep) -> str:
    """The page; its texts come from untrusted SQL."""
    return page(f"When to restart {sweep.file}", _lines(sweep), STYLE, LIGHT, DARK)


def _lines(sweep: Sweep) -> Iterator[str]:
    yield f"<h1>{text(_answer(sweep))}</h1>"
    report = sweep.report
    words = f"{sweep.file} against {sweep.baseline}, a restart every {length(sweep.every)}"
    yield f'<p class="soft">{verdict_words(report.verdict.value, report.effect)} {text(words)}</p>'
    for query in sweep.queries:
        restart = query.restart
        yield f"<section><h2>{text(query.query.name)} {verdict_words(restart.verdict.value, restart.effect)}</h2>"
        yield from _query(query)
        yield "</section>"
    yield '<p class="soft">The least damage is the smallest sum of errors, then the fewest wrong values. '
    yield "An error is a share of the sum that is expected; without numbers it is the share of wrong values. "
    yield "A wrong value is one metric of one result that is not as it would be if the query had "
    yield "always been running. <code>keepstate replay --restart-at</code> shows what they are.</p>"
    yield f"<footer>Keepstate {VERSION}, engine {text(report.engine)}.</footer>"


def _answer(sweep: Sweep) -> str:
    swept = [query for query in sweep.queries if query.points]
    if not swept:
        return "No restart could be tried"
    if not any(_damage(query.points) for query in swept):
        return "No restart at any of these times does damage"
    if len(swept) > 1:
        return f"When to restart {sweep.file}"
    least, _ = best_and_worst(swept[0].points)
    return f"The restart with the least damage is that at {time_text(least.time)}"


def _damage(points: Sequence[SweepPoint]) -> int:
    return sum(point.wrong[world_of(points)] for point in points)


def _query(query: QuerySweep) -> Iterator[str]:
    points = query.points
    if not points:
        yield f"<p>{text(query.skipped, 600)}</p>"
        return
    if not _damage(points):
        yield f"<p>{len(points):,} restarts were tried. None of them does damage, with the state or without it.</p>"
        return
    yield f"<p>{text(choice(points), 600)}</p>"
    names, zone = world_names(query.restart.use), query.query.zone
    least, _ = best_and_worst(points)
    yield f'<h3>By hour of the day</h3><div class="scroll wide">{hours_chart(points, names, zone)}</div>'
    if len({point.time.hour for point in points}) < 24:
        yield '<p class="soft">Grey: hours at which no restart was tried.</p>'
    if len(points) > 1:
        yield f'<h3>By time</h3><div class="scroll wide">{times_chart(points, names, zone, least)}</div>'
    world = world_of(points)
    rows = [
        (
            f"{hour.hour:02}:00",
            f"{hour.restarts:,}",
            f"{hour.values:,.1f}",
            percent(hour.wrong[world]),
            percent(hour.error),
        )
        for hour in by_hour(points)
    ]
    header = ("hour", "n:restarts", f"n:wrong values of each, {text(names[world])}", "n:share", "n:error")
    yield f"<h3>In numbers</h3>{table(header, rows)}"
