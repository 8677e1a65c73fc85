"""Gaps of a run, one value for each file or statement that was not compared or is refused: no format leaves one
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from keepstate.reporting.file_status import refusal_words
from keepstate.text import Encoding, LineIndex, Span
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem


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
    kind: str = "not-compared"
    """``not-compared``; for a statement that Flink refuses ``not-valid``, of the baseline ``baseline-refused``, and
    ``may-be-refused`` where the engine may take it.
    """
    stops: bool = True
    """The file is not valid or was not compared. Another gap leaves a verdict, which is unknown at best."""
    fails: bool = True
    """The run fails with it."""

    @property
    def words(self) -> str:
        """The sentence, with how to mend it."""
        note = " (in the baseline)" if self.side == "baseline" else ""
        return f"{self.sentence}{note}{f' To mend: {self.mend}' if self.mend else ''}"

    @property
    def where(self) -> str:
        """The path, with line and column behind it where the gap is a place of the current text."""
        if self.place is None:
            return self.path or ""
        lines, span = self.place
        position = lines.position(span.start, Encoding.UTF32)
        return f"{self.path}:{position.line + 1}:{position.character + 1}"

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
    """Gaps of a file: the reason, then each place that Flink refuses or that cannot be read."""
    if comparison.status is FileStatus.NOT_COMPARED:
        reason = comparison.reason or ""
        yield Gap(comparison.path, f"Not compared: {comparison.reason_after_path or reason}", comparison.mend)
    for side, refusal in comparison.refusals:
        words = refusal_words(refusal, comparison.settings.engine)
        kind = "may-be-refused" if not refusal.certain else "not-valid" if side == "current" else "baseline-refused"
        stops = comparison.status.failed
        fails = stops or comparison.at_or_above_fail_on
        place = comparison.place(refusal.span, side)
        path = place.path if side == "current" else comparison.path
        yield Gap(path, words, None, place.lines, place.span, side, kind, stops, fails)
    for side, problem in comparison.problems:
        sentence = f"Cannot be read: {problem.message}"
        if problem.span is None:
            yield Gap(comparison.path, sentence, side=side)
            continue
        place = comparison.place(problem.span, side)
        path = place.path if side == "current" else comparison.path
        yield Gap(path, sentence, None, place.lines, place.span, side)


def gaps(comparisons: Iterable[FileResult], problems: Iterable[RunProblem]) -> list[Gap]:
    """All gaps of a run."""
    return [*run_gaps(problems), *(gap for comparison in comparisons for gap in file_gaps(comparison))]
