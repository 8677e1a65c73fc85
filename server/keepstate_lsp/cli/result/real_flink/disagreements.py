"""Disagreements of a real Flink with the prediction, as gaps: for formats that show no answers that agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.cli.result.not_compared import Gap
from keepstate_lsp.cli.result.real_flink.measured_restarts import MeasuredJob
from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer

KIND = "disagreement"


def disagreements(comparisons: Iterable[FileResult]) -> Iterator[Gap]:
    """A gap for each job on which a restart or the planner contradicts the prediction; none of them fails a run."""
    for comparison in comparisons:
        answers: tuple[MeasuredJob | PlannedAnswer, ...] = (*comparison.measured, *comparison.planned)
        for answer in answers:
            if answer.agrees is False:
                yield Gap(comparison.path, answer.sentence, kind=KIND, stops=False, fails=False)
