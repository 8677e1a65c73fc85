"""Gaps of a run, one value for each file or statement that was not compared: no format leaves one out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem


@dataclass(frozen=True)
class Gap:
    """Something that could not be compared. ``path`` is that of the file or folder as reports name it, ``None`` for the
    run as such; ``lines`` and ``span`` are the place that cannot be read, in the text of ``side``.
    """

    path: str | None
    sentence: str
    mend: str | None = None
    lines: LineIndex | None = None
    span: Span | None = None
    side: str = "current"

    @property
    def words(self) -> str:
        """The sentence, with how to mend it."""
        note = " (in the baseline)" if self.side == "baseline" else ""
        return f"{self.sentence}{note}{f' To mend: {self.mend}' if self.mend else ''}"

    @property
    def place(self) -> tuple[LineIndex, Span] | None:
        """The place in the current text."""
        if self.lines is None or self.span is None or self.side != "current":
            return None
        return self.lines, self.span


def run_gaps(problems: Iterable[RunProblem]) -> Iterator[Gap]:
    """Gaps that concern more than one file."""
    for problem in problems:
        yield Gap(None if problem.path == "." else problem.path, problem.sentence, problem.mend)


def file_gaps(comparison: FileResult) -> Iterator[Gap]:
    """Gaps of a file: the reason, then each place that cannot be read."""
    if not comparison.status.failed:
        return
    reason = comparison.reason or ""
    yield Gap(comparison.path, f"Not compared: {comparison.reason_after_path or reason}", comparison.mend)
    texts = {"current": LineIndex(comparison.current), "baseline": LineIndex(comparison.baseline)}
    for side, problem in comparison.problems:
        yield Gap(comparison.path, f"Cannot be read: {problem.message}", None, texts[side], problem.span, side)


def gaps(comparisons: Iterable[FileResult], problems: Iterable[RunProblem]) -> list[Gap]:
    """All gaps of a run."""
    return [*run_gaps(problems), *(gap for comparison in comparisons for gap in file_gaps(comparison))]
