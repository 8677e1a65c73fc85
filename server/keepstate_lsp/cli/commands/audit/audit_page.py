"""The page of an audit: one HTML file that needs nothing else, neither network nor scripts."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate_lsp.cli.commands.audit.audit_charts import bars_chart, months_chart
from keepstate_lsp.cli.commands.audit.audit_sentences import (
    FIX_WORDS,
    GRADES,
    KIND_WORDS,
    counted,
    headline,
    month_rows,
    share,
)
from keepstate_lsp.cli.terminal.html_pages import code, page, section, table, text
from keepstate_lsp.cli.terminal.pictures import VERDICT_COLORS
from keepstate_lsp.version import VERSION
from keepstate_spark.audit.audit_figures import AuditFigures

_MOST_BARS = 15
_STYLE = """
.cards { display: grid; grid-template-columns: repeat(5, 1fr); gap: .8rem; margin-top: 1.5rem; }
.card { background: var(--paper); border: 1px solid var(--line); border-top: 5px solid; border-radius: 12px;
  padding: .8rem 1rem; }
.card b { display: block; font-size: 1.65rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.card span { color: var(--soft); font-size: .85rem; display: block; line-height: 1.35; }
.card em { font-style: normal; font-weight: 600; }
.bar { display: flex; height: 1.1rem; border-radius: 6px; overflow: hidden; margin: .7rem 0 .5rem; }
.keys span { margin-right: 1.4rem; white-space: nowrap; }
@media (max-width: 46rem) { .cards { grid-template-columns: repeat(2, 1fr); } }
"""


def audit_page(figures: AuditFigures) -> str:
    """The page; its texts come from untrusted repositories."""
    return page("Keepstate audit", _lines(figures), _STYLE)


def _lines(figures: AuditFigures) -> Iterator[str]:
    totals = figures.totals
    yield f"<h1>{_lead(figures)}</h1>"
    yield f'<p class="soft">{text(headline(figures))}.</p>'
    yield '<div class="cards">'
    for grade, words in GRADES.items():
        number: int = getattr(totals, grade)
        name = grade.replace("_", " ")
        yield f'<div class="card" style="border-top-color: {VERDICT_COLORS[grade]}"><em>{name}</em><b>{number:,}</b>'
        yield f"<span>{share(number, totals.changes)}: {words}</span></div>"
    yield "</div>"
    if totals.unchanged:
        words = "comments, layout, another name"
        yield f'<p class="soft">{counted(totals.unchanged, "compatible change")} mean nothing: {words}.</p>'
    rows = month_rows(figures)
    if rows:
        yield from section("Verdicts by month", "", months_chart(rows))
    yield from _avoidable(figures)
    if figures.rules:
        bars = [(f"{entry.rule}", entry.changes, entry.verdict) for entry in figures.rules[:_MOST_BARS]]
        words = "Changes with at least one finding of a rule. <code>keepstate explain RULE</code> shows its page."
        yield from section("Rules that fire most", words, bars_chart("Rules by frequency", bars))
    if figures.jobs:
        yield from section(
            "Jobs that lose their state most often",
            "Changes of a job after which a restart would have begun with empty state, or not at all.",
            table(
                ("job", "repository", "n:lost", "n:of changes"),
                [
                    (code(job.path), text(job.repository), f"{job.incompatible:,}", f"{job.changes:,}")
                    for job in figures.jobs[:_MOST_BARS]
                ],
            ),
        )
    yield from section(
        "Constructs that are not analysed",
        "What made a verdict unknown because Keepstate does not know the construct."
        if figures.unsupported
        else "None: every construct of every change was analysed.",
        table(("construct", "n:changes"), [(text(entry.what), f"{entry.changes:,}") for entry in figures.unsupported]),
    )
    if figures.problems:
        kinds = ", ".join(f"{entry.changes:,} × {KIND_WORDS[entry.what]}" for entry in figures.problem_kinds)
        yield from section(
            "What could not be read or compared",
            f"{kinds}. The table <code>problems</code> has all of them.",
            table(
                ("what", "n:times", "for instance"),
                [
                    (_message(entry.kind, entry.message, entry.mend), f"{entry.number:,}", code(entry.example))
                    for entry in figures.problems
                ],
            ),
        )
    yield f"<footer>Keepstate {VERSION}. What a restart would have meant is told from the SQL and the parameters in "
    yield "keepstate.toml at each commit; whether a job was restarted, git does not know.</footer>"


def _lead(figures: AuditFigures) -> str:
    totals = figures.totals
    if not totals.changes:
        return "No job was ever changed"
    if not totals.incompatible:
        return "No change loses state"
    return f"{share(totals.incompatible, totals.changes)} of all changes lose state"


def _avoidable(figures: AuditFigures) -> Iterator[str]:
    totals = figures.totals
    lossy = totals.incompatible
    if not lossy:
        return
    parts = (
        (totals.saved, VERDICT_COLORS["compatible"], "a quick fix keeps both the state and what was wanted"),
        (totals.reverted, VERDICT_COLORS["partial"], "only taking a part of it back keeps the state"),
        (lossy - totals.saved - totals.reverted, VERDICT_COLORS["incompatible"], "no fix found"),
    )
    bar = "".join(
        f'<i style="width: {100 * number / lossy:.2f}%; background: {color}"></i>' for number, color, _ in parts
    )
    keys = "".join(
        f'<span><i class="key" style="background: {color}"></i>{number:,} ({share(number, lossy)}): {words}</span> '
        for number, color, words in parts
    )
    remedies = table(
        ("the fix that would have kept the state", "n:changes"),
        [(text(FIX_WORDS.get(entry.what, entry.what)), f"{entry.changes:,}") for entry in figures.remedies],
    )
    lead = f"Of {counted(lossy, 'change')} that lose state, and what the editor offers for them:"
    yield from section(
        "Could it have been avoided?", lead, f'<div class="bar">{bar}</div><p class="keys">{keys}</p>{remedies}'
    )


def _message(kind: str, message: str, mend: str | None) -> str:
    words = f"{text(KIND_WORDS[kind])}: {text(message)}"
    return f"{words} To mend: {code(mend)}" if mend else words
