"""The page of a replay: one HTML file that needs nothing else, neither network nor scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from keepstate.report import Effect, Finding
from keepstate.restart_effects import StateUse
from keepstate_lsp.cli.commands.replay.replay_answers import answer, job_answer, world_names, worst_first, wrong
from keepstate_lsp.cli.commands.replay.replay_charts import (
    COLORS,
    MOST_KEYS,
    MOST_METRICS,
    MOST_PANELS,
    error_chart,
    healing_chart,
    keys_chart,
    metrics_chart,
)
from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_lsp.cli.commands.replay.replay_sentences import (
    RESTARTED,
    WITHOUT_STATE,
    arrival_words,
    claim_words,
    counted,
    damage,
    headline,
    length,
    percent,
    read_again,
    rows_words,
    state_words,
    time_text,
    witness_words,
)
from keepstate_lsp.cli.terminal.html_pages import code, page, table, text
from keepstate_lsp.cli.terminal.pictures import VERDICT_COLORS
from keepstate_lsp.reporting.effects import with_effect
from keepstate_lsp.version import VERSION
from keepstate_spark.replay.replay_figures import KeyFigures, MetricFigures, ReplayFigures, WrongResult
from keepstate_spark.replay.replaying import QueryReplay
from keepstate_spark.replay.restart_points import restart_time
from keepstate_spark.replay.witnesses import ReplayWitness, WitnessRow

_WORST = 10
_MOST_DRAWN = 12
"""Queries with pictures, the worst ones: each takes a second, and a page with hundreds is not looked at."""
_LONGEST_CLAUSE = 160
STYLE = """
.verdict { white-space: nowrap; font-size: .9rem; font-weight: 600; } h2 .verdict { margin-left: .6rem; }
.verdict i { border-radius: 50%; } p > .verdict:first-child { margin-right: .4rem; }
.answers { list-style: none; padding: 0; margin: 1.2rem 0 0; }
.answers li { padding: .55rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.answers a { color: inherit; font-weight: 600; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); gap: 0 2rem; }
.two > div { min-width: 0; } .two svg { max-width: 30rem; } .wide svg { min-width: 34rem; }
h3 { font-size: .95rem; margin: 1.1rem 0 .4rem; }
.finding { border-left: 4px solid; padding: .1rem 0 .1rem .8rem; margin: 0 0 1rem; } .finding p { margin: .2rem 0; }
.was, .none { color: var(--soft); } .scroll { overflow-x: auto; } .scroll td { min-width: 4.5rem; }
.when { white-space: nowrap; } th { vertical-align: bottom; } .scroll th { white-space: normal; }
dl { margin: .4rem 0; } dt { font-weight: 600; margin-top: .6rem; } dd { margin: 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: .84rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace;
  background: var(--ground); border-radius: 8px; padding: .7rem .9rem; margin: .4rem 0 0; }
details summary { cursor: pointer; color: var(--soft); }
@media print { .two { grid-template-columns: 1fr 1fr; } }
"""
LIGHT = f"--restarted: {COLORS[RESTARTED]}; --without-state: {COLORS[WITHOUT_STATE]};"
DARK = "--restarted: #5fb0f7; --without-state: #f0a35a;"


def replay_page(replay: Replay) -> str:
    """The page; its texts come from untrusted SQL and rows."""
    return page(f"Restart of {replay.file}", _lines(replay), STYLE, LIGHT, DARK)


def _lines(replay: Replay) -> Iterator[str]:
    yield f"<h1>{text(job_answer(replay))}</h1>"
    report = replay.report
    yield f'<p class="soft">{verdict_words(report.verdict.value, report.effect)} {text(headline(replay))}</p>'
    if len(replay.queries) > 1:
        yield '<ul class="answers">'
        for query in replay.queries:
            name = f'<a href="#q{query.query.number}">{text(query.query.name, 120)}</a>'
            yield f"<li>{name} {_verdict_of(query)}<br>{text(answer(query, replay))}</li>"
        yield "</ul>"
    pictured = [query.query.number for query in worst_first(replay.queries)[:_MOST_DRAWN]]
    for query in replay.queries:
        yield f'<section id="q{query.query.number}"><h2>{text(query.query.name)} {_verdict_of(query)}</h2>'
        yield from _query(query, replay, query.query.number in pictured)
        yield "</section>"
    yield from _method(replay)
    if len(replay.queries) > _MOST_DRAWN:
        yield f"<footer>Pictures are drawn for {_MOST_DRAWN} queries, those with the most wrong results.</footer>"
    yield f"<footer>Keepstate {VERSION}, engine {text(report.engine)}.</footer>"


def verdict_words(verdict: str, effect: Effect) -> str:
    dot = f'<i class="key" style="background: {VERDICT_COLORS[verdict]}"></i>'
    return f'<span class="verdict">{dot}{text(with_effect(verdict, effect))}</span>'


def _verdict_of(query: QueryReplay) -> str:
    return verdict_words(query.restart.verdict.value, query.restart.effect)


def _query(query: QueryReplay, replay: Replay, is_drawn: bool) -> Iterator[str]:
    figures = query.figures
    if figures is None:
        yield f"<p>{text(query.skipped, 600)}</p>"
        yield from _findings(query)
        yield from _witness(query.witness)
        return
    time, names = restart_time(replay.restart_at, query.query.zone), world_names(query.restart.use)
    yield "<dl>"
    if figures.results:
        for world, name in names.items():
            key = f'<i class="key" style="background: var(--{world.replace("_", "-")})"></i>'
            yield f"<dt>{key}{name[0].upper()}{name[1:]}</dt><dd>{_sentence(damage(query, world, time))}</dd>"
        yield f"<dt>Read again from the beginning</dt><dd>{text(read_again(query, time), 600)}</dd>"
        if claim := claim_words(query):
            yield f"<dt>What is kept</dt><dd>{_sentence(claim)}</dd>"
    yield "</dl>"
    yield f'<p class="soft">{text(" ".join((state_words(query), rows_words(query))), 600)}</p>'
    pictures = _pictures(query, figures, names, time) if is_drawn else _findings(query)
    details = "".join((*pictures, *_metrics(figures, names), *_worst(figures, names)))
    details += "".join(_witness(query.witness))
    if figures.wrong[RESTARTED] or query.restart.use is StateUse.OPEN or not any(figures.wrong.values()):
        yield details
        return
    # The world that does not happen is folded.
    yield f"<details><summary>What a start without state would do</summary>{details}</details>"


def _sentence(words: str) -> str:
    return text(words[:1].upper() + words[1:], 600)


def _pictures(query: QueryReplay, figures: ReplayFigures, names: Mapping[str, str], time: datetime) -> Iterator[str]:
    """The findings, and beside them what comes of them; no picture where nothing could be wrong."""
    if not any(figures.wrong.values()):
        yield from _findings(query)
        return
    yield '<div class="two"><div>'
    yield from _findings(query)
    yield _over_time(query, figures, names, time)
    yield "</div><div>"
    yield f"<h3>Error by metric</h3>{metrics_chart(figures.metrics, names)}{_more(figures)}"
    chart = healing_chart(figures, names, time, query.recovers)
    if chart:
        yield f"<h3>Healing</h3>{chart}{_healing_words(query, figures)}"
    world = _worse(figures)
    keys: tuple[KeyFigures, ...] = figures.worst_keys.get(world, ())
    if figures.keys > 1 and keys:
        wrong_keys = counted(figures.wrong_keys[world], "key")
        words = (
            f"{min(len(keys), MOST_KEYS)} of {wrong_keys} with wrong results." if figures.wrong_keys[world] > 1 else ""
        )
        yield f'<h3>Worst keys {names[world]}</h3>{keys_chart(keys, names)}<p class="soft">{words}</p>'
    yield "</div></div>"


def _over_time(query: QueryReplay, figures: ReplayFigures, names: Mapping[str, str], time: datetime) -> str:
    chart = error_chart(figures, names, time, query.query.zone, query.recovers)
    if chart:
        return f"<h3>Error over time</h3>{chart}{_error_words(query, figures)}"
    times = {point.at for point in figures.healing}
    if len(times) != 1:
        return ""
    (at,) = times
    words = (
        f"All results that the state had to do with come out at {time_text(at)}, {length(at - time)} after the restart."
    )
    return f'<h3>Error over time</h3><p class="soft">{words}</p>'


def _worse(figures: ReplayFigures) -> str:
    """The world whose worst results are shown."""
    return RESTARTED if figures.wrong[RESTARTED] else WITHOUT_STATE


def _more(figures: ReplayFigures) -> str:
    rest = len(figures.metrics) - MOST_METRICS
    words = "Wrong results, and where there are numbers the sum of errors as a share of the sum that is expected."
    rest_words = f" {counted(rest, 'metric')} more in the table below." if rest > 0 else ""
    return f'<p class="soft">{words}{rest_words}</p>'


def _error_words(query: QueryReplay, figures: ReplayFigures) -> str:
    wrong = sum(any(metric.wrong.values()) for metric in figures.metrics)
    fine = len(figures.metrics) - wrong
    parts = [] if query.recovers else ["How far off results are in the end, by when they change first."]
    if wrong > MOST_PANELS:
        parts.append(f"The {MOST_PANELS} metrics with the most wrong results, of {wrong}.")
    if fine:
        parts.append(f"{counted(fine, 'metric')} {'is' if fine == 1 else 'are'} never wrong.")
    return f'<p class="soft">{" ".join(parts)}</p>' if parts else ""


def _healing_words(query: QueryReplay, figures: ReplayFigures) -> str:
    if query.recovers:
        words = "How many of the results that come out next are wrong."
    else:
        words = "Results that are wrong in the end, by when they first came out after the restart. "
        words += (
            f"A key that rests for {query.time_to_live} begins anew, and is right from then on."
            if query.time_to_live
            else "They stay wrong: their state never starts anew."
        )
    timeless = figures.results - sum(point.results for point in figures.healing)
    left_out = f" Of {counted(timeless, 'result')} nothing tells when they come out." if timeless > 0 else ""
    return f'<p class="soft">{text(words + left_out)}</p>'


def _findings(query: QueryReplay) -> Iterator[str]:
    findings = query.restart.findings
    yield "<h3>What the analyzer finds</h3>"
    if not findings:
        yield '<p class="none">Nothing about this query.</p>'
    for finding in findings:
        yield f'<div class="finding" style="border-color: {VERDICT_COLORS[finding.verdict.value]}">'
        yield f"<p>{verdict_words(finding.verdict.value, finding.effect)} {code(finding.rule)}</p>"
        yield f"<p>{text(finding.message, 600)}</p><p>{_clause(finding)}</p>"
        if finding.recovery:
            yield f'<p class="soft">{text(finding.recovery, 600)}</p>'
        yield "</div>"


def _clause(finding: Finding) -> str:
    was = code(finding.baseline.text, _LONGEST_CLAUSE) if finding.baseline is not None else ""
    if finding.removed:
        return f'<span class="was">was</span> {was}'
    now = code(finding.current.text, _LONGEST_CLAUSE)
    return f'<span class="was">was</span> {was} <span class="was">is</span> {now}' if was else now


def _metrics(figures: ReplayFigures, names: Mapping[str, str]) -> Iterator[str]:
    if not figures.metrics or not figures.results:
        return
    header = ["metric", "verdict says", "n:results"]
    for name in names.values():
        header += [f"n:wrong {text(name)}", "n:mean error", "n:largest error"]
    rows = [_metric(metric, names) for metric in figures.metrics]
    body = f'<div class="scroll">{table(header, rows)}</div>'
    yield f"<h3>By metric</h3>{body}" if len(rows) <= MOST_METRICS else _folded(f"{len(rows)} metrics", body)


def _folded(title: str, content: str) -> str:
    return f"<h3>By metric</h3><details><summary>{title}</summary>{content}</details>"


def _metric(metric: MetricFigures, names: Mapping[str, str]) -> list[str]:
    cells = [code(metric.metric, 80), text(metric.fate), f"{metric.results:,}"]
    for world in names:
        kinds = ((metric.missing[world], "missing"), (metric.extra[world], "too many"))
        notes = "".join(f'<br><span class="none">{number:,} {kind}</span>' for number, kind in kinds if number)
        cells.append(f"{metric.wrong[world]:,}{notes}")
        cells += [percent(metric.mean_relative[world]), percent(metric.largest_relative[world])]
    return cells


def _worst(figures: ReplayFigures, names: Mapping[str, str]) -> Iterator[str]:
    world = _worse(figures)
    rows: tuple[WrongResult, ...] = figures.worst.get(world, ())
    if not rows:
        return
    windowed = any(row.window_end is not None for row in rows)
    header = ["key", *(["window"] if windowed else []), "metric", "n:expected"]
    header += [f"n:{text(name)}" for name in names.values()]
    cells = []
    for row in rows[:_WORST]:
        window = (
            [f'<span class="when">{time_text(row.window_start)}<br>{time_text(row.window_end)}</span>']
            if windowed
            else []
        )
        cells.append([code(row.key, 120), *window, code(row.metric, 80), *_values(row)])
    title = f"Worst results {text(names[world])}"
    yield f'<h3>{title}</h3><div class="scroll">{table(header, cells)}</div>'
    if figures.wrong[world] > _WORST:
        yield '<p class="soft">All of them are in <code>differences.parquet</code>.</p>'


def _values(row: WrongResult) -> Iterator[str]:
    """The expected value, and those of the worlds: a value, NULL, or no result at all."""
    absent = "extra" in row.change.values()
    yield _value(row.expected, absent)
    for world, value in ((RESTARTED, row.restarted), (WITHOUT_STATE, row.without_state)):
        change = row.change[world]
        yield _value(value, change == "missing" or (absent and change == "same"))


def _value(value: str | None, absent: bool) -> str:
    if absent:
        return '<span class="none">no result</span>'
    return '<span class="none">NULL</span>' if value is None else text(value, 60)


def _witness(witness: ReplayWitness | None) -> Iterator[str]:
    """The few rows that are enough to see what goes wrong, those of one table in its columns."""
    if witness is None or not witness.rows:
        return
    kind = "made-up row" if witness.generated else "row"
    yield f"<h3>Seen with {counted(len(witness.rows), kind)} alone</h3>"
    if len({row.table for row in witness.rows}) == 1:
        names = list(dict.fromkeys(name for row in witness.rows for name in row.values))
        header = ["the row comes", *(text(name, 60) for name in names)]
        cells = [[_side(row), *(_value(row.values.get(name), False) for name in names)] for row in witness.rows]
    else:
        header = ["the row comes", "table", "values"]
        cells = []
        for row in witness.rows:
            values = (f"{name} = {'NULL' if value is None else value}" for name, value in row.values.items())
            cells.append([_side(row), code(row.table, 60), text(", ".join(values))])
    yield f'<div class="scroll">{table(header, cells)}</div><p>{text(witness_words(witness), 600)}</p>'


def _side(row: WitnessRow) -> str:
    return "after the restart" if row.after else "before the restart"


def _method(replay: Replay) -> Iterator[str]:
    parts = {
        "Expected": "the results if the current query had always been running, over all rows.",
        "After the restart": "what came before the restart counts as far as the verdict says that its state is reused, "
        "what came after it in any case. A metric that starts empty has only what came after.",
        "Without state": "only what came after the restart counts.",
        "When rows come": arrival_words(replay),
        "What is open": "windows that end after the watermark of the rows before the restart. Results of windows that "
        "were closed, or begin later, are not touched and not counted.",
        "Error": "the distance to the expected number, as a share of it; a missing result is off by all of its "
        "size. In the mean of a key, a wrong value without such a share counts as 100 %.",
        "Not modelled": "how long the restart takes, rows in flight, the expiry of state, what other jobs make of the "
        "results, and a sink that cannot take results a second time.",
    }
    if not any(query.windowed for query in replay.queries):
        del parts["What is open"]
    yield "<section><h2>How this was computed</h2><dl>"
    for name, words in parts.items():
        yield f"<dt>{name}</dt><dd>{text(words[0].upper() + words[1:], 600)}</dd>"
    yield "</dl>"
    if any(wrong(query, world) for query in replay.queries for world in (RESTARTED, WITHOUT_STATE)):
        yield "<p><code>differences.parquet</code>, beside this page, has a row for each wrong value.</p>"
    if replay.command:
        yield f"<h3>Made with</h3><pre>{text(replay.command, 4000)}</pre>"
    yield "</section>"
