"""Files that are not valid or could not be compared, on standard error for every format: no output hides them."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.report import Problem, Refusal
from keepstate.reporting.file_status import refusal_words
from keepstate.text import Encoding, LineIndex, Span
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem
from keepstate_lsp.cli.result.summary import STATUS_WORDS

_BASELINE = " (in the baseline)"


def tell_problems(comparisons: Iterable[FileResult], run: Iterable[RunProblem] = ()) -> None:
    """Name each file that is not valid or was not compared, with the places or the reason."""
    for trouble in run:
        about = f"{trouble.path}: " if trouble.path not in (None, ".") else ""
        mend = f" To mend: {trouble.mend}" if trouble.mend else ""
        tell(f"{about}{trouble.sentence}{mend}")
    for comparison in comparisons:
        path = comparison.path or "a pair"
        if comparison.status.failed:
            mend = f" To mend: {comparison.mend}" if comparison.mend else ""
            tell(f"{path}: {STATUS_WORDS[comparison.status]}: {comparison.reason_after_path}{mend}")
        for side, note in (("current", ""), ("baseline", _BASELINE)):
            for where, refusal in comparison.refusals:
                if where == side:
                    words = refusal_words(refusal, comparison.settings.engine)
                    tell(f"{_where(comparison, refusal.span, side)}: {words} [{refusal.rule}]{note}")
            for where, problem in comparison.problems:
                if where == side:
                    tell(f"{_where(comparison, problem.span, side)}: {problem.message}{note}")


def _baseline_path(comparison: FileResult, path: str) -> str:
    """The path of the baseline: of the file as it was called there, or of the other one of two files."""
    origin = comparison.origin
    if origin is None:
        return path
    return origin.path or (path if origin.spec is not None else origin.words)


def _where(comparison: FileResult, span: Span | None, side: str) -> str:
    """``path:line:column`` of a place of a job, in the file of that side."""
    path = comparison.path or "a pair"
    if side == "baseline":
        path = _baseline_path(comparison, path)
    if span is None:
        return path
    place = comparison.place(span, side)
    if side == "current" or comparison.files is not None:
        path = place.path or path
    position = place.lines.position(place.span.start, Encoding.UTF32)
    return f"{path}:{position.line + 1}:{position.character + 1}"


def tell_unread(path: str, text: str, problems: Iterable[Problem], note: str = "") -> None:
    """The places of one text that cannot be read."""
    lines = LineIndex(text)
    for problem in problems:
        tell(f"{place(path, lines, problem)}: {problem.message}{note}")


def place(path: str, lines: LineIndex, problem: Problem | Refusal) -> str:
    """``path:line:column``, counted from 1 in characters."""
    if problem.span is None:
        return path
    position = lines.position(problem.span.start, Encoding.UTF32)
    return f"{path}:{position.line + 1}:{position.character + 1}"
