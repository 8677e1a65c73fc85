"""The numbers of an audit for a terminal, and for a file beside its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from keepstate_lsp.cli.commands.audit.audit_sentences import (
    FIX_WORDS,
    GRADES,
    KIND_WORDS,
    counted,
    headline,
    month_rows,
    share,
)
from keepstate_lsp.cli.terminal.rendering import rendered
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_spark.audit.audit_figures import AuditFigures

_COLORS = {
    "compatible": "green",
    "partial": "yellow",
    "unknown": "magenta",
    "incompatible": "red",
    "not_compared": "dim",
}
_BAR = 20
_FILE_WIDTH = 110
_MOST_MONTHS = 24
_MOST_ROWS = 10


def audit_text(figures: AuditFigures) -> str:
    """The numbers as plain text."""
    return rendered(_parts(figures), _FILE_WIDTH, color=False)


def audit_for_terminal(figures: AuditFigures, width: int, color: bool) -> str:
    """The text of the audit with ANSI colours, if ``color``."""
    return rendered(_parts(figures), width, color)


def _parts(figures: AuditFigures) -> Iterator[RenderableType]:
    totals = figures.totals
    yield Text(headline(figures), style="bold")
    yield ""
    yield _verdicts(figures)
    lossy = totals.incompatible
    if lossy:
        yield ""
        yield Text.assemble(
            ("Could it have been avoided? ", "bold"),
            f"Of {counted(lossy, 'change')} that lose state, {totals.saved:,} ({share(totals.saved, lossy)}) had a "
            f"quick fix that keeps both the state and what was wanted; {totals.reverted:,} "
            f"({share(totals.reverted, lossy)}) could only have been taken back in part.",
        )
        rows = [(FIX_WORDS.get(entry.what, entry.what), f"{entry.changes:,}") for entry in figures.remedies]
        yield _section("", ("the fix that would have kept the state", "changes"), rows)
    if figures.months:
        yield _months(figures)
    yield _section(
        "Rules that fire most",
        ("rule", "verdict", "changes", "repositories"),
        [
            (entry.rule, _verdict(entry.verdict), f"{entry.changes:,}", f"{entry.repositories:,}")
            for entry in figures.rules[:_MOST_ROWS]
        ],
    )
    yield _section(
        "Jobs that lose their state most often",
        ("job", "lost", "changes"),
        [
            (_name(f"{entry.repository} {entry.path}"), f"{entry.incompatible:,}", f"{entry.changes:,}")
            for entry in figures.jobs[:_MOST_ROWS]
        ],
    )
    yield _section(
        "Constructs that are not analysed",
        ("construct", "changes"),
        [(_name(entry.what), f"{entry.changes:,}") for entry in figures.unsupported[:_MOST_ROWS]],
    )
    yield _section(
        "What could not be read or compared",
        ("what", "times", "for instance"),
        [
            (_name(f"{KIND_WORDS[entry.kind]}: {entry.message}"), f"{entry.number:,}", _name(entry.example))
            for entry in figures.problems[:_MOST_ROWS]
        ],
    )


def _verdicts(figures: AuditFigures) -> RenderableType:
    totals = figures.totals
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column()
    table.add_column()
    for grade, words in GRADES.items():
        number: int = getattr(totals, grade)
        color = _COLORS[grade]
        table.add_row(
            Text(grade.replace("_", " "), style=color),
            f"{number:,}",
            share(number, totals.changes),
            Text(_bar(number, totals.changes), style=color),
            words,
        )
    return table


def _months(figures: AuditFigures) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    rows = month_rows(figures)[-_MOST_MONTHS:]
    most = max(row.changes for row in rows)
    for row in rows:
        bar = Text()
        for grade in GRADES:
            cells = round(_BAR * 2 * getattr(row, grade) / most)
            bar.append("█" * cells, style=_COLORS[grade])
        loss = f"{row.incompatible:,} lose state" if row.incompatible else ""
        table.add_row(row.month, f"{row.changes:,}", Text.assemble(bar, " ", loss))
    return Group("", Text("By month", style="bold"), Padding(table, (0, 2)))


def _section(title: str, header: tuple[str, ...], rows: Sequence[tuple[RenderableType, ...]]) -> RenderableType:
    if not rows:
        return Group()
    table = Table(box=None, padding=(0, 2), header_style="dim", pad_edge=False)
    for number, name in enumerate(header):
        is_number = name in ("changes", "lost", "repositories", "times")
        table.add_column(name, justify="right" if is_number else "left", overflow="fold", ratio=None if number else 1)
    for row in rows:
        table.add_row(*row)
    head: list[RenderableType] = ["", Text(title, style="bold")] if title else []
    return Group(*head, Padding(table, (0, 2)))


def _bar(number: int, of: int) -> str:
    return "█" * max(round(_BAR * number / of), 1) if number and of else ""


def _verdict(verdict: str) -> Text:
    return Text(verdict, style=_COLORS.get(verdict, ""))


def _name(text: str) -> Text:
    """An untrusted text, for a cell: it is no markup."""
    return Text(shortened(one_line(text), 160))
