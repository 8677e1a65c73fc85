"""A history as text, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from keepstate.report import Finding, Verdict
from keepstate.reporting.file_json import FORMAT_VERSION
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.cli.formats.excerpt import Symbols
from keepstate_lsp.cli.result.history_rows import HistoryOutcome, HistoryRow, Tally
from keepstate_lsp.reporting.effects import headline
from keepstate_lsp.version import VERSION

_WIDEST = len("incompatible")
_COLORS = {
    Verdict.COMPATIBLE: "32",
    Verdict.PARTIAL: "33",
    Verdict.UNKNOWN: "35",
    Verdict.INCOMPATIBLE: "31",
}
_MARKS = {
    HistoryOutcome.LOST: ("✕", "x"),
    HistoryOutcome.UNKNOWN: ("◆", "?"),
    HistoryOutcome.PARTIAL: ("◐", "%"),
    HistoryOutcome.KEPT: ("●", "o"),
    HistoryOutcome.NOT_COMPARED: ("◌", "!"),
    HistoryOutcome.NEW: ("+", "+"),
    HistoryOutcome.DELETED: ("-", "-"),
}
"""Marks of the timeline, and those of terminals without them."""


class HistoryText:
    """A timeline for a person, row by row, while the history is read. Findings take a line each, however long."""

    def __init__(self, color: bool, encoding: str) -> None:
        self._color = color
        self._symbols = Symbols.for_encoding(encoding)
        self._has_signs = _takes(encoding, "".join(mark for mark, _ in _MARKS.values()))
        self._indent = f"{self._symbols.bar}{' ' * (_WIDEST + 3)}"

    def row(self, row: HistoryRow) -> str:
        commit = row.change.commit
        word = f"{_MARKS[row.outcome][0 if self._has_signs else 1]} {row.word:{_WIDEST}}"
        if self._color and row.verdict is not None:
            word = f"\x1b[{_COLORS[row.verdict]}m{word}\x1b[0m"
        merge = " (merge)" if commit.is_merge else ""
        head = f"{word}  {commit.short}  {commit.date[:10]}  {inline(commit.author)}{merge}: {inline(commit.subject)}"
        return "".join(f"{self._symbols.plain(line)}\n" for line in (head, *self._details(row)))

    def summary(self, tally: Tally, path: str) -> str:
        return f"{self._symbols.plain(tally.words(inline(path)))}\n"

    def _details(self, row: HistoryRow) -> Iterator[str]:
        for words in about(row):
            yield f"{self._indent}{words}"
        if row.reason is not None:
            yield f"{self._indent}{row.reason}" + (f" To mend: {row.mend}" if row.mend else "")
        for finding in row.findings:
            yield f"{self._indent}{_line(finding)}"
        if row.findings and row.change.assumed:
            yield f"{self._indent}{assumed(row)}"


def _takes(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def history_document(
    rows: Sequence[HistoryRow], path: str, engine: str, revision: str, merges: Merges, since: str | None
) -> dict[str, Any]:
    """The whole history, version 1 of its format."""
    tally = Tally.of(rows)
    return {
        "version": FORMAT_VERSION,
        "tool": {"name": "keepstate", "version": VERSION},
        "engine": engine,
        "path": path,
        "revision": revision,
        "merges": merges.value,
        "since": since,
        "changes": [_change(row) for row in rows],
        "summary": {
            "changes": tally.changes,
            "lost": tally.state_losses,
            "not_compared": tally.not_compared,
            "verdicts": {verdict.value: tally.verdicts[verdict] for verdict in Verdict},
        },
    }


def _change(row: HistoryRow) -> dict[str, Any]:
    change = row.change
    return {
        "commit": change.commit.id,
        "parents": list(change.commit.parents),
        "date": change.commit.date,
        "author": change.commit.author,
        "subject": change.commit.subject,
        "path": change.path,
        "former_path": change.former_path,
        "files": [
            {"path": file.path, "blob": file.blob, "role": file.role, "touched": file.touched} for file in change.files
        ],
        "assumed": [{"name": name, "path": path} for name, path in change.assumed],
        "status": row.status.value,
        "reason": row.reason,
        "verdict": row.verdict and row.verdict.value,
        "findings": [_finding(finding) for finding in row.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "spec": list(finding.spec),
        "verdict": finding.verdict.value,
        "effect": finding.effect.value,
        "message": finding.message,
        "pipeline": finding.pipeline,
    }


def history_markdown(rows: Sequence[HistoryRow], path: str) -> str:
    """One table, the newest change first, and the summary."""
    lines = ["| verdict | commit | date | author | change | findings |", "|---|---|---|---|---|---|"]
    for row in rows:
        commit = row.change.commit
        findings = [_line(finding) for finding in row.findings]
        if row.reason is not None:
            findings.insert(0, row.reason)
        findings[:0] = about(row)
        cells = (row.word, f"`{commit.short}`", commit.date[:10], _cell(commit.author), _cell(commit.subject))
        lines.append(f"| {' | '.join(cells)} | {'<br>'.join(map(_cell, findings))} |")
    return "".join(f"{line}\n" for line in (*lines, "", _cell(Tally.of(rows).words(path))))


def about(row: HistoryRow) -> Iterator[str]:
    """The job of a row, and the other files that its commit touched, in words."""
    change = row.change
    if change.is_of_other:
        yield f"job: {inline(change.path)}"
    if change.former_path is not None:
        yield f"renamed from {inline(change.former_path)}"
    touched = [inline(file.path) for file in change.files if file.touched and file.path != change.path]
    if touched:
        yield f"changed with it: {', '.join(touched)}"


def assumed(row: HistoryRow) -> str:
    words = ", ".join(f"{name} from {inline(path)}" for name, path in row.change.assumed)
    return f"assumed: {words}"


def _line(finding: Finding) -> str:
    return f"{headline(finding)} {' '.join(finding.message.split())}"


def _cell(text: str) -> str:
    """Untrusted text in a cell: on one line, without markup."""
    line = inline(text)
    for sign in "\\`*_[]<|~#":
        line = line.replace(sign, f"\\{sign}" if sign != "<" else "&lt;")
    return line
