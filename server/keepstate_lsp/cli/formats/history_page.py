"""A history as a page: a timeline of the changes of a job, and their findings below, without scripts and network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone

from keepstate.report import Effect, Finding, Verdict
from keepstate_lsp.cli.formats.history_formats import about, assumed
from keepstate_lsp.cli.result.file_result import FileStatus
from keepstate_lsp.cli.result.history_rows import HistoryOutcome, HistoryRow, Tally
from keepstate_lsp.cli.terminal.html_pages import code, page, section, text
from keepstate_lsp.cli.terminal.pictures import VERDICT_COLORS
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.reporting.effects import EFFECT_WORDS, alarm
from keepstate_lsp.reporting.finding_groups import leaders
from keepstate_lsp.version import VERSION

_MEANINGS: Mapping[HistoryOutcome, str] = {
    HistoryOutcome.LOST: "the state is lost, the job does not start, or its numbers are wrong",
    HistoryOutcome.UNKNOWN: "only the restart would have shown it",
    HistoryOutcome.PARTIAL: "a part of the state is kept, new parts start empty",
    HistoryOutcome.KEPT: "results go on as if nothing had happened",
    HistoryOutcome.NOT_COMPARED: "could not be read or judged",
    HistoryOutcome.NEW: "a job without a former version",
    HistoryOutcome.DELETED: "the job ended",
}
_COLORS: Mapping[HistoryOutcome, str] = {
    HistoryOutcome.LOST: VERDICT_COLORS["incompatible"],
    HistoryOutcome.UNKNOWN: VERDICT_COLORS["unknown"],
    HistoryOutcome.PARTIAL: VERDICT_COLORS["partial"],
    HistoryOutcome.KEPT: VERDICT_COLORS["compatible"],
    HistoryOutcome.NOT_COMPARED: "var(--soft)",
    HistoryOutcome.NEW: "var(--soft)",
    HistoryOutcome.DELETED: "var(--soft)",
}
_RING = '<circle cx="10" cy="10" r="7.5" fill="var(--paper)" stroke="currentColor" stroke-width="2.5"{}/>'
_STROKE = '<path d="{}" fill="none" stroke="{}" stroke-width="2.5" stroke-linecap="round"/>'
_DISC = '<circle cx="10" cy="10" r="9" fill="currentColor"/>'
_SHAPES: Mapping[HistoryOutcome, str] = {
    HistoryOutcome.LOST: _DISC + _STROKE.format("M6.5 6.5l7 7M13.5 6.5l-7 7", "#fff"),
    HistoryOutcome.UNKNOWN: '<path d="M10 0l10 10-10 10L0 10z" fill="currentColor"/>'
    + _STROKE.format("M7.6 8a2.4 2.4 0 1 1 3.6 2.1q-1.2.7-1.2 1.7M10 14.6v.1", "#fff"),
    HistoryOutcome.PARTIAL: _RING.format("") + '<path d="M10 1a9 9 0 0 0 0 18z" fill="currentColor"/>',
    HistoryOutcome.KEPT: _DISC + _STROKE.format("M6 10.4l2.8 2.8L14 7.4", "#fff"),
    HistoryOutcome.NOT_COMPARED: _RING.format(' stroke-dasharray="3 2.5"'),
    HistoryOutcome.NEW: _RING.format(""),
    HistoryOutcome.DELETED: _RING.format("") + _STROKE.format("M6.5 10h7", "currentColor"),
}
"""Marks differ in shape too, for readers who see no colours and for print."""
_TICKS = (0, 25, 50, 75, 100)
"""Dates below the lanes, in percent of the time."""
_STYLE = """
.mark { width: 1.25rem; height: 1.25rem; flex: none; }
.lane { display: flex; align-items: center; min-height: 1.7rem; } .lane > span { flex: none; width: 7rem; }
.track { position: relative; flex: 1; height: 1.7rem; margin-right: 1.4rem; }
.lane:not(.dates) .track::before { content: ""; position: absolute; left: 0; right: -1.25rem; top: 50%;
  border-top: 1px solid var(--line); }
.track a { position: absolute; top: .22rem; opacity: .85; line-height: 0; }
.track a:hover, .track a:focus { opacity: 1; z-index: 1; outline: 2px solid var(--ink); border-radius: 50%; }
.dates div span { position: absolute; white-space: nowrap; font-size: .82rem;
  transform: translateX(calc(.625rem - 50%)); }
.dates div span:first-child { transform: none; }
.dates div span:last-child:not(:first-child) { transform: translateX(calc(1.4rem - 100%)); }
.keys { list-style: none; padding: 0; margin: .9rem 0 0; color: var(--soft); font-size: .88rem; }
.keys li { display: flex; gap: .45rem; align-items: center; padding: .1rem 0; } .keys b { color: var(--ink); }
.timeline { list-style: none; padding: 0; margin: .8rem 0 0; }
.timeline li { position: relative; padding: 0 0 1.05rem 2.1rem; overflow-wrap: anywhere; }
.timeline li::before { content: ""; position: absolute; left: .57rem; top: 1.5rem; bottom: 0;
  border-left: 2px solid var(--faint); }
.timeline li:last-child { padding-bottom: 0; } .timeline li:last-child::before { display: none; }
.timeline .mark { position: absolute; left: 0; top: .13rem; }
.timeline li:target, section:target { outline: 2px solid var(--soft); outline-offset: .3rem; border-radius: 6px; }
time, .timeline code { white-space: nowrap; } .timeline b { margin: 0 .3rem; } a { color: inherit; }
.finding { border-left: 4px solid; padding: .1rem 0 .1rem .8rem; margin: .9rem 0; } .finding p { margin: .2rem 0; }
@media (max-width: 46rem) { .dates div span:nth-child(even) { display: none; } }
"""


def history_page(rows: Sequence[HistoryRow], path: str, engine: str) -> str:
    """The page of a history, the newest change first; its texts come from untrusted repositories."""
    return page(f"History of {path}", _lines(rows, path, engine), _STYLE)


def _lines(rows: Sequence[HistoryRow], path: str, engine: str) -> Iterator[str]:
    yield f"<h1>{_lead(Tally.of(rows))}</h1>"
    yield f'<p class="soft">{text(Tally.of(rows).words(path), 600)} Engine {text(engine)}.</p>'
    if rows:
        yield _shapes(rows)
        yield from section("By date", "", _lanes(rows) + _legend(rows))
        entries = "".join(_entry(number, row) for number, row in enumerate(rows))
        yield from section("Each change, the newest first", "", f'<ol class="timeline">{entries}</ol>')
    for number, row in enumerate(rows):
        if _has_details(row):
            yield from _details(number, row)
    yield f"<footer>Keepstate {VERSION}. Each verdict is what a restart with that commit would have meant, by the SQL "
    yield "and the keepstate.toml of the commit. Whether the job was restarted, git does not know.</footer>"


def _lead(tally: Tally) -> str:
    if not tally.changes:
        return "No change of this job"
    changes = f"{tally.changes:,} change{'' if tally.changes == 1 else 's'}"
    if tally.state_losses:
        return f"{tally.state_losses:,} of {changes} would have lost state"
    left_open = tally.verdicts[Verdict.UNKNOWN] + tally.not_compared
    return f"{left_open:,} of {changes} cannot be decided" if left_open else "No change would have lost state"


# ------------------------------------------------------------------------------------------------ by date


def _lanes(rows: Sequence[HistoryRow]) -> str:
    """A lane for each outcome with a mark at the date of each change; each mark leads to its entry."""
    times = [_time(row.change.commit.date) for row in rows]
    known_times = [time for time in times if time is not None]
    if not known_times:
        return "<p>No commit has a date that can be read.</p>"
    first, length = min(known_times), max(known_times) - min(known_times)
    lanes: dict[HistoryOutcome, list[str]] = {row.outcome: [] for row in sorted(rows, key=_lane)}
    for number, (row, time) in enumerate(zip(rows, times, strict=True)):
        if time is not None:
            # The middle, if all changes are of one moment.
            place = 100 * (time - first) / length if length else 50
            words = text(f"{_day(row)}, {row.change.commit.short}, {_word(row)}: {_reason(row)}")
            lanes[row.outcome].append(
                f'<a href="#c{number}" style="left: {place:.2f}%" title="{words}" aria-label="{words}">'
                f"{_mark(row.outcome)}</a>"
            )
    parts = [
        f'<div class="lane"><span>{outcome.value}</span><div class="track">{"".join(marks)}</div></div>'
        for outcome, marks in lanes.items()
    ]
    days = {
        percent: datetime.fromtimestamp(first + length * percent / 100, timezone.utc).strftime("%Y-%m-%d")
        for percent in _TICKS
    }
    if days[0] == days[_TICKS[-1]]:
        days = {50: days[0]}
    ticks = "".join(f'<span style="left: {percent}%">{day}</span>' for percent, day in days.items())
    undated = len(times) - len(known_times)
    note = f"<p>{undated:,} without a date that can be read: only in the list.</p>" if undated else ""
    dates = f'<div class="lane dates" aria-hidden="true"><span></span><div class="track">{ticks}</div></div>'
    return f'<nav aria-label="Changes by date">{"".join(parts)}{dates}</nav>{note}'


def _lane(row: HistoryRow) -> int:
    return list(HistoryOutcome).index(row.outcome)


def _time(date: str) -> float | None:
    """Seconds of a date of git; ``None`` for one that no calendar has."""
    try:
        return datetime.fromisoformat(date.replace("Z", "+00:00")).astimezone(timezone.utc).timestamp()
    except (ValueError, OverflowError):
        return None


def _legend(rows: Sequence[HistoryRow]) -> str:
    outcomes = dict.fromkeys(row.outcome for row in sorted(rows, key=_lane))
    keys = "".join(f"<li>{_mark(one)}<span><b>{one.value}</b>: {_MEANINGS[one]}</span></li>" for one in outcomes)
    return f'<ul class="keys">{keys}</ul>'


def _mark(outcome: HistoryOutcome) -> str:
    """The mark of an outcome; words stand beside it, so readers of the page aloud skip it."""
    symbol = f'<use href="#m-{outcome.name.lower()}"/>'
    return f'<svg class="mark" style="color: {_COLORS[outcome]}" aria-hidden="true">{symbol}</svg>'


def _shapes(rows: Sequence[HistoryRow]) -> str:
    """The shapes of marks, once: entries refer to them."""
    symbols = "".join(
        f'<symbol id="m-{outcome.name.lower()}" viewBox="0 0 20 20">{_SHAPES[outcome]}</symbol>'
        for outcome in dict.fromkeys(row.outcome for row in rows)
    )
    return f'<svg width="0" height="0" style="position: absolute; width: 0" aria-hidden="true">{symbols}</svg>'


# -------------------------------------------------------------------------------------------------- entries


def _entry(number: int, row: HistoryRow) -> str:
    commit = row.change.commit
    reason = text(_reason(row))
    if _has_details(row):
        reason = f'<a href="#f{number}">{reason}</a>'
    more = len(_leading_findings(row)) - 1
    rest = f' <span class="soft">and {more} more finding{"" if more == 1 else "s"}</span>' if more > 0 else ""
    return (
        f'<li id="c{number}">{_mark(row.outcome)}<time datetime="{text(commit.date)}">{_day(row)}</time> '
        f"{code(commit.short)} <b>{text(_word(row))}</b> {text(commit.subject, 160)}<br>{reason}{rest}</li>\n"
    )


def _day(row: HistoryRow) -> str:
    return text(row.change.commit.date[:10])


def _word(row: HistoryRow) -> str:
    """The outcome; of a job that does not start or gives wrong numbers, that."""
    effect = Effect.EXACT if row.report is None else row.report.effect
    if row.outcome is HistoryOutcome.LOST and effect in EFFECT_WORDS:
        return EFFECT_WORDS[effect]
    return row.outcome.value


def _reason(row: HistoryRow) -> str:
    """The reason for an outcome on one line: why there is no verdict, or the finding that decides it."""
    if row.reason is not None:
        return row.reason
    findings = _leading_findings(row)
    if findings:
        # A job that is open rather than lost is so by a finding of its own.
        decisive = [finding for finding in findings if finding.verdict is row.verdict] or findings
        worst = max(decisive, key=lambda finding: (finding.verdict.rank, finding.effect.precedence))
        return with_arrows(alarm(worst.effect) + worst.message)
    if row.outcome is HistoryOutcome.KEPT:
        return "The same meaning." if row.status is FileStatus.UNCHANGED else "No state is concerned."
    return _MEANINGS[row.outcome].capitalize()


# -------------------------------------------------------------------------------------------------- findings


def _leading_findings(row: HistoryRow) -> list[Finding]:
    """The findings, one of each cause."""
    first = leaders(row.findings)
    return [finding for index, finding in enumerate(row.findings) if first[index] == index]


def _has_details(row: HistoryRow) -> bool:
    return bool(row.findings) or row.reason is not None


def _details(number: int, row: HistoryRow) -> Iterator[str]:
    commit = row.change.commit
    yield f'<section id="f{number}"><h2>{_mark_beside(row.outcome)}{text(commit.subject, 160)}</h2>'
    merge = " (merge)" if commit.is_merge else ""
    words = [f"{commit.date[:10]}, {commit.short}, {commit.author}{merge}", *about(row)]
    if row.findings and row.change.assumed:
        words.append(assumed(row))
    yield f'<p class="soft">{"<br>".join(map(text, words))}</p>'
    if row.reason is not None:
        yield f"<p>{text(row.reason, 600)}" + (f" To mend: {code(row.mend)}" if row.mend else "") + "</p>"
    for finding in _leading_findings(row):
        yield from _finding(finding)
    yield f'<p><a href="#c{number}">In the timeline</a></p></section>'


def _mark_beside(outcome: HistoryOutcome) -> str:
    return f'<i class="key" style="background: {_COLORS[outcome]}; border-radius: 50%"></i>'


def _finding(finding: Finding) -> Iterator[str]:
    yield f'<div class="finding" style="border-color: {VERDICT_COLORS[finding.verdict.value]}">'
    yield f"<p>{text(with_arrows(alarm(finding.effect) + finding.message), 600)}</p>"
    for words in (finding.recovery, finding.advice):
        if words:
            yield f'<p class="soft">{text(with_arrows(words), 600)}</p>'
    query = f", {text(finding.pipeline)}" if finding.pipeline else ""
    yield f'<p class="soft">{code(finding.rule)}{query}</p></div>'
