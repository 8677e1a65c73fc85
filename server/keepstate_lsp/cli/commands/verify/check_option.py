"""``keepstate check --verify``: restarts of the jobs of a check whose state is in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate_flink.errors import FlinkError
from keepstate_flink.jvm import require_flink
from keepstate_lsp.cli.commands.verify.measurement_text import PREDICTED, WORDS
from keepstate_lsp.cli.commands.verify.measuring import PairMeasurer, ScriptPair, measuring
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.real_flink.measured_restarts import MeasuredJob
from keepstate_lsp.config.engine_versions import flink_version
from keepstate_lsp.config.job_versions import job_version


def with_measurements(comparisons: Sequence[FileResult], quiet: bool) -> list[FileResult]:
    """The comparisons, those with findings and those that are unknown with what a real Flink does.

    Raises:
        CommandError: there is no Flink, or it ended before the work was done.
    """
    results = list(comparisons)
    by_version: dict[str | None, list[int]] = {}
    for index, comparison in enumerate(results):
        if _is_in_doubt(comparison):
            version = flink_version(comparison.settings.current.engine_version or "") or comparison.compiled_by or None
            by_version.setdefault(version, []).append(index)
    try:
        for version, indices in by_version.items():
            require_flink()
            with measuring(version, None, (), quiet, None) as measured:
                for index in indices:
                    results[index] = _measured(results[index], measured)
    except FlinkError as error:
        raise CommandError(error.sentence, error.hint) from error
    return results


def _is_in_doubt(comparison: FileResult) -> bool:
    report = comparison.report
    return comparison.status is FileStatus.COMPARED and report is not None and bool(report.findings)


def _measured(comparison: FileResult, measured: PairMeasurer) -> FileResult:
    settings = comparison.settings
    pair = ScriptPair(
        job_version(comparison.current, settings.current, settings.engine),
        job_version("" if comparison.compiled_by else comparison.baseline, settings.baseline, settings.engine),
        comparison.baseline if comparison.compiled_by else "",
    )
    return replace(comparison, measured=tuple(_job(job, measured.flink) for job in measured.of(pair)))


def _job(job: CheckedPrediction, flink: str) -> MeasuredJob:
    measured = job.measurement
    reason = next((line for line in reversed(measured.error)), measured.note)
    return MeasuredJob(
        measured.name,
        flink,
        measured.outcome.value,
        WORDS[measured.outcome],
        job.predicted.value,
        PREDICTED[job.predicted],
        job.agrees,
        " ".join(filter(None, (reason, measured.stand_in_note))),
        measured.stand_ins.names,
    )
