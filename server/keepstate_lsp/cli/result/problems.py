"""Files that could not be compared, on standard error: for every format, so that no output hides them."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.report import Problem
from keepstate.text import Encoding, LineIndex
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem

_BASELINE = " (in the baseline)"


def tell_problems(comparisons: Iterable[FileResult], run: Iterable[RunProblem] = ()) -> None:
    """Name each file that was not compared, with the places that could not be read or the reason."""
    for trouble in run:
        about = f"{trouble.path}: " if trouble.path not in (None, ".") else ""
        mend = f" To mend: {trouble.mend}" if trouble.mend else ""
        tell(f"{about}{trouble.sentence}{mend}")
    for comparison in comparisons:
        if not comparison.status.failed:
            continue
        path = comparison.path or "a pair"
        mend = f" To mend: {comparison.mend}" if comparison.mend else ""
        tell(f"{path}: not compared: {comparison.reason_after_path}{mend}")
        for side, text, note in (("current", comparison.current, ""), ("baseline", comparison.baseline, _BASELINE)):
            tell_unread(path, text, [problem for where, problem in comparison.problems if where == side], note)


def tell_unread(path: str, text: str, problems: Iterable[Problem], note: str = "") -> None:
    """The places of one text that cannot be read."""
    lines = LineIndex(text)
    for problem in problems:
        tell(f"{place(path, lines, problem)}: {problem.message}{note}")


def place(path: str, lines: LineIndex, problem: Problem) -> str:
    """``path:line:column``, counted from 1 in characters."""
    if problem.span is None:
        return path
    position = lines.position(problem.span.start, Encoding.UTF32)
    return f"{path}:{position.line + 1}:{position.character + 1}"
