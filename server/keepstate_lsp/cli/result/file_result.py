"""The comparison of one file with its baseline: the value that all formats show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.project.composed_text import ComposedLines, FileRole
from keepstate.report import Acceptance, Finding, Fix, Problem, Refusal, Report, Verdict
from keepstate.reporting.file_status import DELETED, refused, status_of
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.errors import DEBUG, tell
from keepstate_lsp.cli.result.new_findings import (
    BaselineOrigin,
    BranchPoint,
    DeployedFileChange,
    NewFindings,
    new_findings,
    own_fixes,
)
from keepstate_lsp.cli.result.result_files import JobFiles, PlaceInFile
from keepstate_lsp.config.job_versions import composed_version, job_version
from keepstate_lsp.files.line_ends import with_line_ends_of
from keepstate_lsp.reporting.context_entry import ContextEntry, context_entry
from keepstate_lsp.runtime.time_limit import COMMAND_SECONDS, TookTooLong, within

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.project.composition import ComposedJob
    from keepstate_lsp.cli.result.real_flink.measured_restarts import MeasuredJob
    from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer
    from keepstate_lsp.reporting.cutover_outlook import CutoverOutlook


_HERE = Path()


class FileStatus(Enum):
    COMPARED = "compared"
    UNCHANGED = "unchanged"
    """Means the same as the baseline."""
    NEW = "new"
    """Has no baseline, hence no state to lose."""
    DELETED = "deleted"
    NOT_COMPARED = "not-compared"
    NOT_VALID = "not-valid"
    """The current text is no program that Flink takes."""

    @property
    def failed(self) -> bool:
        return self in (FileStatus.NOT_COMPARED, FileStatus.NOT_VALID)


@dataclass(frozen=True)
class FileResult:
    """The result for one file."""

    path: str | None
    """Path as reports name it, with ``/``; ``None`` for a pair that is no file."""
    status: FileStatus
    settings: JobSettings
    origin: BaselineOrigin | None = None
    reason: str | None = None
    """Reason why the file was not compared, a sentence."""
    mend: str | None = None
    """The command that mends that."""
    current: str = ""
    baseline: str = ""
    report: Report | None = None
    fixes: tuple[tuple[Fix, ...], ...] = ()
    """For each finding of the report."""
    file_fixes: tuple[Fix, ...] = ()
    """Fixes of the job as a whole, if they were asked for."""
    new_findings: NewFindings | None = None
    """The findings split into new and former ones, if there is a second baseline."""
    unread: tuple[Problem, ...] = ()
    """Statements that cannot be read, of a text that was compared with nothing."""
    refused: tuple[Refusal, ...] = ()
    """Statements that Flink refuses, of such a text."""
    files: JobFiles | None = None
    """The files of the job on both sides; ``None`` for a job of one file, whose text it is."""
    measured: tuple[MeasuredJob, ...] = ()
    """Restarts of its jobs on a real Flink; empty if none was asked for."""
    planned: tuple[PlannedAnswer, ...] = ()
    """Answers of Flink's own planner on its jobs; empty if none was asked for."""
    outlook: CutoverOutlook | None = None
    """The cutover that keeps results right; ``None`` where none is needed, or none was asked for."""
    diagram: str = ""
    """Plans that differ, as Mermaid; empty where no state is lost, or none was asked for."""
    compiled_by: str = ""
    """The version of Flink whose compiled plan the baseline is; empty for a baseline of SQL."""
    if_named: Verdict | None = None
    """The verdict if the configuration names the files of the assumed declarations; ``None`` where it cannot."""

    @property
    def verdict(self) -> Verdict:
        """Verdict of the report; unknown at best if a part could not be read."""
        if self.report is None:
            return Verdict.UNKNOWN if self.status.failed else Verdict.COMPATIBLE
        if self.status.failed:
            return Verdict.worst((self.report.verdict, Verdict.UNKNOWN))
        return self.report.verdict

    @property
    def open_verdict(self) -> Verdict:
        """The verdict for the gate: the worst of the verdict and of each finding, without accepted findings and without
        those that were there before the change.
        """
        if self.report is None or self.status.failed:
            return self.verdict
        if self.new_findings is None:
            return self.report.open_verdict
        new_verdict = self.new_findings.verdict(self.report.findings)
        return min(new_verdict, self.report.open_verdict, key=lambda verdict: verdict.rank)

    def counts(self, finding: Finding) -> bool:
        """Return whether a finding counts for the gate: the change has added it, and it is not accepted."""
        return finding.accepted is None and self.is_added(finding)

    def is_added(self, finding: Finding) -> bool:
        """Return whether the change added a finding: always, unless a second baseline has it as well."""
        return self.new_findings is None or finding not in self.new_findings.before

    def verdict_at_gate(self, finding: Finding) -> Verdict:
        """The verdict of a finding for the gate. A finding is no worse than the verdict that counts for the gate."""
        if not self.counts(finding):
            return Verdict.COMPATIBLE
        return min(finding.verdict, self.open_verdict, key=lambda verdict: verdict.rank)

    @property
    def at_or_above_fail_on(self) -> bool:
        return self.settings.reaches_fail_on(self.open_verdict)

    def lines(self, side: str) -> LineIndex:
        """The lines of the text of a side; those of its files, for a job of several."""
        if self.files is not None:
            return ComposedLines(self.files.current if side == "current" else self.files.baseline)
        return LineIndex(self.current if side == "current" else self.baseline)

    @property
    def is_doubted(self) -> bool:
        """Return whether Flink's planner disagrees."""
        return any(answer.agrees is False for answer in self.planned)

    def place(self, span: Span, side: str = "current") -> PlaceInFile:
        """The file and the place in it of a span of the text of a side."""
        place = None if self.files is None else self.files.place(span, side)
        if place is not None:
            return place
        if side == "current":
            return PlaceInFile(self.path, LineIndex(self.current), span)
        return PlaceInFile(self.origin.path if self.origin is not None else None, LineIndex(self.baseline), span)

    @property
    def context_entry(self) -> ContextEntry | None:
        """The entry of the configuration that makes the assumed declarations those of the job."""
        if self.files is None or self.if_named is None:
            return None
        return context_entry(self.files.root, self.files.assumed_files, self.settings.current)

    def declaration_of(self, finding: Finding) -> str | None:
        """The file of the declaration that a finding stands at; ``None`` for one in the script of the job."""
        place = None if self.files is None else self.files.current.place(finding.current.span)
        if place is None or place.role is FileRole.SCRIPT:
            return None
        return self.place(finding.current.span).path

    @property
    def reason_after_path(self) -> str:
        """The reason, to be read after the path."""
        reason = self.reason or ""
        return f"it {reason[len(self.path) + 1 :]}" if self.path and reason.startswith(f"{self.path} ") else reason

    @property
    def problems(self) -> tuple[tuple[str, Problem], ...]:
        """Statements that cannot be read, each with its side (``current`` or ``baseline``)."""
        if self.report is None:
            return tuple(("current", problem) for problem in self.unread)
        current = tuple(("current", problem) for problem in self.report.problems)
        return current + tuple(("baseline", problem) for problem in self.report.baseline_problems)

    @property
    def refusals(self) -> tuple[tuple[str, Refusal], ...]:
        """Statements that Flink refuses, or may refuse, each with its side (``current`` or ``baseline``)."""
        if self.report is None:
            return tuple(("current", refusal) for refusal in self.refused)
        current = tuple(("current", refusal) for refusal in self.report.refusals)
        return current + tuple(("baseline", refusal) for refusal in self.report.former_refusals)


@dataclass(frozen=True)
class RunProblem:
    """Something that kept a run from comparing more than one file."""

    path: str | None
    """The folder or glob of the problem."""
    sentence: str
    mend: str | None = None


def not_compared(
    path: str | None, settings: JobSettings, reason: str, mend: str | None = None, origin: BaselineOrigin | None = None
) -> FileResult:
    """A file that could not be compared, and why."""
    return FileResult(path, FileStatus.NOT_COMPARED, settings, origin, reason, mend)


def compare_with_nothing(
    path: str,
    text: str,
    settings: JobSettings,
    origin: BaselineOrigin | None,
    reason: str,
    unread: Callable[[int], str],
    workspace: Workspace | None = None,
    is_job: bool = True,
) -> FileResult:
    """A file without baseline, for which there is nothing to do but to validate it: it is new for the ``reason``, or
    its ``unread`` places, so and so many, are why it was not compared. ``workspace`` is the memory of the run.
    Other SQL, which is no job, is only read.
    """
    import keepstate

    memory = workspace if workspace is not None else keepstate.Workspace()
    try:
        version = job_version(text, settings.current, settings.engine)
        job = within(COMMAND_SECONDS, lambda: memory.validated(version, settings.engine))
        refusals, problems = (job.refusals, job.unread()) if is_job else ((), job.job.script.problems)
    except TookTooLong as error:
        return not_compared(path, settings, f"The analysis was ended: {error}", origin=origin)
    except OSError as error:
        # The analyzer itself reads and writes nothing.
        return not_compared(path, settings, f"The analysis was not begun: {error.strerror}.", origin=origin)
    except Exception as error:  # noqa: BLE001 - any fault at all must cost one file only, and is reported
        return _fault(path, settings, origin, error)
    if refusals:
        words = refused(refusals)
        return FileResult(
            path, FileStatus.NOT_VALID, settings, origin, words, current=text, unread=problems, refused=refusals
        )
    if not problems:
        return FileResult(path, FileStatus.NEW, settings, origin, reason)
    failed = not_compared(path, settings, unread(len(problems)), origin=origin)
    return replace(failed, current=text, unread=problems)


def compare(
    path: str | None,
    current: str | ComposedJob,
    baseline: str | ComposedJob,
    settings: JobSettings,
    origin: BaselineOrigin | None = None,
    accepted: Sequence[Acceptance] = (),
    former: BranchPoint | None = None,
    fixing: bool = True,
    workspace: Workspace | None = None,
    root: Path = _HERE,
    whole: bool = False,
) -> FileResult:
    """Compare two texts, or two composed jobs whose files are relative to ``root``. ``accepted`` are the entries of the
    ledger that holds for them. The baseline of a text is taken with the line ends of the current one. ``former`` is
    what the change began with, if that is not the baseline. Without ``fixing`` no fixes are looked for, and those
    of the job as a whole only with ``whole``. ``workspace`` is the memory of the run.

    A fault of the analyzer costs this one file, not the run.
    """
    import keepstate
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate.project.composition import ComposedJob, agreed

    config, baseline_config = settings.current, settings.baseline
    now = ComposedJob.plain(current) if isinstance(current, str) else current
    was = ComposedJob.plain(with_line_ends_of(baseline, now.text)) if isinstance(baseline, str) else baseline
    now, was = agreed(now, was)
    current_side = composed_version(now, config, settings.engine)
    baseline_side = composed_version(was, baseline_config, settings.engine)
    is_one_file = all(side.is_plain and not side.ambiguous for side in (now, was))
    files = None if is_one_file else JobFiles.of(now, was, root)

    of_job: tuple[Fix, ...] = ()

    def judged() -> tuple[Report, tuple[tuple[Fix, ...], ...], NewFindings | None, Verdict | None]:
        nonlocal of_job
        memory = workspace if workspace is not None else keepstate.Workspace()
        analysis = ComposedAnalysis(current_side, baseline_side, settings.engine, memory)
        report = analysis.report(keepstate.AcceptancePolicy(date.today(), tuple(accepted)))
        fixes: tuple[tuple[Fix, ...], ...]
        new = None
        if former is None:
            tried = report.with_fixes if fixing else range(0)
            fixes = tuple(analysis.fixes(index) if index in tried else () for index in range(len(report.findings)))
        report = analysis.with_causes(analysis.with_revert(report))
        if former is not None:
            current_version, baseline_version = current_side.of(now), baseline_side.of(was)
            change = DeployedFileChange(analysis, current_version, baseline_version, former, settings.engine, memory)
            new = new_findings(report, change)
            fixes = own_fixes(report, change, new) if fixing else ()
        elif fixing and whole:
            # They would take back what was there before the change as well.
            of_job = analysis.file_fixes()
        if_named = analysis.verdict_if_named if fixing and report.findings else None
        return report, fixes, new, if_named

    try:
        report, fixes, new, if_named = within(COMMAND_SECONDS, judged)
    except TookTooLong as error:
        return not_compared(path, settings, f"The analysis was ended: {error}", origin=origin)
    except OSError as error:
        # The analyzer itself reads and writes nothing.
        return not_compared(path, settings, f"The analysis was not begun: {error.strerror}.", origin=origin)
    except Exception as error:  # noqa: BLE001 - any fault at all must cost one file only, and is reported
        return _fault(path, settings, origin, error)
    if fixing and len(report.with_fixes) < len(report.findings):
        first, every = len(report.with_fixes), len(report.findings)
        tell(f"{path or 'The job'}: fixes were looked for at the first {first} of {every} findings.")
    status, reason = status_of(report)
    # Of a job that ends there is no restart that a verdict could be about.
    has_ended = status == DELETED
    return FileResult(
        path,
        FileStatus(status),
        settings,
        origin,
        reason,
        None,
        now.text,
        was.text,
        None if has_ended else report,
        () if has_ended else fixes,
        () if has_ended else of_job,
        new,
        files=files,
        if_named=if_named,
    )


def _fault(path: str | None, settings: JobSettings, origin: BaselineOrigin | None, error: Exception) -> FileResult:
    tell_fault(path, error)
    fault = f"The analysis failed ({type(error).__name__}: {error}). This is a fault of Keepstate; please report it."
    return not_compared(path, settings, fault, origin=origin)


def tell_fault(path: str | None, error: Exception) -> None:
    """Print the traceback of an internal error if KEEPSTATE_TRACEBACK asks for tracebacks."""
    import os

    if os.environ.get(DEBUG):
        import traceback

        for line in "".join(traceback.format_exception(error)).splitlines():
            tell(f"{path}: {line}")
