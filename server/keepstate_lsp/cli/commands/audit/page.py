"""The page of an audit: one HTML file that needs nothing else, neither network nor scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from keepstate_lsp.cli.commands.audit.charts import COLORS, bars_chart, months_chart
from keepstate_lsp.cli.commands.audit.words import FIX_WORDS, GRADES, KIND_WORDS, counted, headline, month_rows, share
from keepstate_lsp.cli.visible import one_line, shortened
from keepstate_lsp.version import VERSION
from keepstate_spark.audit.figures import Figures

_MOST_BARS = 15
_STYLE = """
:root { --ink: #2b3138; --soft: #667079; --line: #e3e6ea; --paper: #fff; --ground: #f5f6f8; }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink); background: var(--ground);
  margin: 0; padding: 2.5rem 1rem 4rem; }
main { max-width: 62rem; margin: auto; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 0 0 .3rem; }
p { margin: .3rem 0 .9rem; } .soft { color: var(--soft); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 1.3rem 1.5rem;
  margin-top: 1.2rem; overflow-x: auto; }
.cards { display: grid; grid-template-columns: repeat(5, 1fr); gap: .8rem; margin-top: 1.5rem; }
.card { background: var(--paper); border: 1px solid var(--line); border-top: 5px solid; border-radius: 12px;
  padding: .8rem 1rem; }
.card b { display: block; font-size: 1.65rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.card span { color: var(--soft); font-size: .85rem; display: block; line-height: 1.35; }
.card em { font-style: normal; font-weight: 600; }
svg { width: 100%; height: auto; display: block; } svg text { font-family: inherit !important; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; color: var(--soft); font-weight: 500; } th, td { padding: .35rem .6rem .35rem 0; }
tr + tr td { border-top: 1px solid var(--line); } td { vertical-align: top; overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 1rem; }
code { font: .86em ui-monospace, SFMono-Regular, Menlo, monospace; }
.bar { display: flex; height: 1.1rem; border-radius: 6px; overflow: hidden; margin: .7rem 0 .5rem; }
.key { display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin-right: .35rem; }
.keys span { margin-right: 1.4rem; white-space: nowrap; }
footer { color: var(--soft); font-size: .85rem; margin-top: 1.6rem; }
@media (max-width: 46rem) { .cards { grid-template-columns: repeat(2, 1fr); } }
"""


def audit_page(figures: Figures) -> str:
    """The page, whose texts come from anybody's repositories."""
    return "".join(f"{line}\n" for line in _lines(figures))


def _lines(figures: Figures) -> Iterator[str]:
    totals = figures.totals
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # Whatever slipped through could load nothing, and run nothing.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield f"<title>Keepstate audit</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>"
    yield f"<h1>{_lead(figures)}</h1>"
    yield f'<p class="soft">{_text(headline(figures))}.</p>'
    yield '<div class="cards">'
    for grade, words in GRADES.items():
        number: int = getattr(totals, grade)
        name = grade.replace("_", " ")
        yield f'<div class="card" style="border-top-color: {COLORS[grade]}"><em>{name}</em><b>{number:,}</b>'
        yield f"<span>{share(number, totals.changes)}: {words}</span></div>"
    yield "</div>"
    if totals.unchanged:
        words = "comments, layout, another name"
        yield f'<p class="soft">{counted(totals.unchanged, "compatible change")} mean nothing: {words}.</p>'
    rows = month_rows(figures)
    if rows:
        yield from _section("Verdicts by month", "", months_chart(rows))
    yield from _avoidable(figures)
    if figures.rules:
        bars = [(f"{entry.rule}", entry.changes, entry.verdict) for entry in figures.rules[:_MOST_BARS]]
        words = "Changes with at least one finding of a rule. <code>keepstate explain RULE</code> shows its page."
        yield from _section("Rules that fire most", words, bars_chart("Rules by frequency", bars))
    if figures.jobs:
        yield from _section(
            "Jobs that lose their state most often",
            "Changes of a job after which a restart would have begun with empty state, or not at all.",
            _table(
                ("job", "repository", "n:lost", "n:of changes"),
                [
                    (_code(job.path), _text(job.repository), f"{job.incompatible:,}", f"{job.changes:,}")
                    for job in figures.jobs[:_MOST_BARS]
                ],
            ),
        )
    yield from _section(
        "Constructs that are not analysed",
        "What made a verdict unknown because Keepstate does not know the construct."
        if figures.unsupported
        else "None: every construct of every change was analysed.",
        _table(
            ("construct", "n:changes"), [(_text(entry.what), f"{entry.changes:,}") for entry in figures.unsupported]
        ),
    )
    if figures.problems:
        kinds = ", ".join(f"{entry.changes:,} × {KIND_WORDS[entry.what]}" for entry in figures.problem_kinds)
        yield from _section(
            "What could not be read or compared",
            f"{kinds}. The table <code>problems</code> has all of them.",
            _table(
                ("what", "n:times", "for instance"),
                [
                    (_message(entry.kind, entry.message, entry.mend), f"{entry.number:,}", _code(entry.example))
                    for entry in figures.problems
                ],
            ),
        )
    yield f"<footer>Keepstate {VERSION}. What a restart would have meant is told from the SQL and the parameters in "
    yield "keepstate.toml at each commit; whether a job was restarted, git does not know.</footer>"
    yield "</main>\n</body>\n</html>"


def _lead(figures: Figures) -> str:
    totals = figures.totals
    if not totals.changes:
        return "No job was ever changed"
    if not totals.incompatible:
        return "No change loses state"
    return f"{share(totals.incompatible, totals.changes)} of all changes lose state"


def _avoidable(figures: Figures) -> Iterator[str]:
    totals = figures.totals
    lossy = totals.incompatible
    if not lossy:
        return
    parts = (
        (totals.saved, COLORS["compatible"], "a quick fix keeps both the state and what was wanted"),
        (totals.reverted, COLORS["partial"], "only taking a part of it back keeps the state"),
        (lossy - totals.saved - totals.reverted, COLORS["incompatible"], "no fix found"),
    )
    bar = "".join(
        f'<i style="width: {100 * number / lossy:.2f}%; background: {color}"></i>' for number, color, _ in parts
    )
    keys = "".join(
        f'<span><i class="key" style="background: {color}"></i>{number:,} ({share(number, lossy)}): {words}</span> '
        for number, color, words in parts
    )
    table = _table(
        ("the fix that would have kept the state", "n:changes"),
        [(_text(FIX_WORDS.get(entry.what, entry.what)), f"{entry.changes:,}") for entry in figures.remedies],
    )
    lead = f"Of {counted(lossy, 'change')} that lose state, and what the editor offers for them:"
    yield from _section(
        "Could it have been avoided?", lead, f'<div class="bar">{bar}</div><p class="keys">{keys}</p>{table}'
    )


def _section(title: str, words: str, content: str) -> Iterator[str]:
    yield f"<section><h2>{title}</h2>"
    if words:
        yield f'<p class="soft">{words}</p>'
    yield f"{content}</section>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML; a column whose name begins with ``n:`` holds numbers."""
    if not rows:
        return ""
    classes = [' class="n"' if name.startswith("n:") else "" for name in header]
    head = "".join(f"<th{kind}>{name.removeprefix('n:')}</th>" for name, kind in zip(header, classes, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{kind}>{cell}</td>' for cell, kind in zip(row, classes, strict=True))}</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _message(kind: str, message: str, mend: str | None) -> str:
    words = f"{_text(KIND_WORDS[kind])}: {_text(message)}"
    return f"{words} To mend: {_code(mend)}" if mend else words


def _text(text: str) -> str:
    return escape(shortened(one_line(text), 300))


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"
