"""The comparison of one file with its baseline: the value that all formats show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING

from keepstate.report import Acceptance, Finding, Fix, Problem, Report, Verdict
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.result.new_findings import FileChange, Former, NewFindings, Origin, new_findings, own_fixes
from keepstate_lsp.files.line_ends import with_line_ends_of
from keepstate_lsp.reporting.file_json import EMPTIED, is_ended, unread
from keepstate_lsp.runtime.time_limit import COMMAND_SECONDS, TookTooLong, within

if TYPE_CHECKING:
    from keepstate import Workspace


class FileStatus(Enum):
    COMPARED = "compared"
    UNCHANGED = "unchanged"
    """Means the same as the baseline."""
    NEW = "new"
    """Has no baseline, hence no state to lose."""
    DELETED = "deleted"
    NOT_COMPARED = "not-compared"

    @property
    def failed(self) -> bool:
        return self is FileStatus.NOT_COMPARED


@dataclass(frozen=True)
class FileResult:
    """The result for one file."""

    path: str | None
    """Path as reports name it, with ``/``; ``None`` for a pair that is no file."""
    status: FileStatus
    settings: JobSettings
    origin: Origin | None = None
    reason: str | None = None
    """Reason why the file was not compared, a sentence."""
    mend: str | None = None
    """The command that mends that."""
    current: str = ""
    baseline: str = ""
    report: Report | None = None
    fixes: tuple[tuple[Fix, ...], ...] = ()
    """For each finding of the report."""
    new_findings: NewFindings | None = None
    """The findings split into new and former ones, if there is a second baseline."""
    unread: tuple[Problem, ...] = ()
    """Statements that cannot be read, of a text that was compared with nothing."""

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
        added = self.new_findings.verdict(self.report.findings)
        return min(added, self.report.open_verdict, key=lambda verdict: verdict.rank)

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


@dataclass(frozen=True)
class RunProblem:
    """Something that kept a run from comparing more than one file."""

    path: str | None
    """The folder or glob of the problem."""
    sentence: str
    mend: str | None = None


def not_compared(
    path: str | None, settings: JobSettings, reason: str, mend: str | None = None, origin: Origin | None = None
) -> FileResult:
    """A file that could not be compared, and why."""
    return FileResult(path, FileStatus.NOT_COMPARED, settings, origin, reason, mend)


def compare_with_nothing(
    path: str,
    text: str,
    settings: JobSettings,
    origin: Origin | None,
    reason: str,
    unread: Callable[[int], str],
    workspace: Workspace | None = None,
) -> FileResult:
    """A file without baseline, for which there is nothing to do but to read it: it is new for the ``reason``, or its
    ``unread`` places, so and so many, are why it was not compared. ``workspace`` is the memory of the run.
    """
    import keepstate

    memory = workspace if workspace is not None else keepstate.Workspace()
    try:
        problems = within(COMMAND_SECONDS, lambda: memory.script(text).problems)
    except TookTooLong as error:
        return not_compared(path, settings, f"The analysis was ended: {error}", origin=origin)
    except OSError as error:
        # The analyzer itself reads and writes nothing.
        return not_compared(path, settings, f"The analysis was not begun: {error.strerror}.", origin=origin)
    except Exception as error:  # noqa: BLE001 - any fault at all must cost one file only, and is reported
        return _fault(path, settings, origin, error)
    if not problems:
        return FileResult(path, FileStatus.NEW, settings, origin, reason)
    failed = not_compared(path, settings, unread(len(problems)), origin=origin)
    return replace(failed, current=text, unread=problems)


def compare(
    path: str | None,
    current: str,
    baseline: str,
    settings: JobSettings,
    origin: Origin | None = None,
    accepted: Sequence[Acceptance] = (),
    former: Former | None = None,
    fixing: bool = True,
    workspace: Workspace | None = None,
) -> FileResult:
    """Compare two texts; ``accepted`` are the entries of the ledger that holds for them. The baseline is taken with the
    line ends of the current text. ``former`` is what the change began with, if that is not the baseline. Without
    ``fixing`` no fixes are looked for. ``workspace`` is the memory of the run.

    A fault of the analyzer costs this one file, not the run.
    """
    import keepstate

    config, baseline_config = settings.current, settings.baseline
    baseline = with_line_ends_of(baseline, current)
    current_version = keepstate.JobVersion(current, config.parameters, config.engine_version)
    baseline_version = keepstate.JobVersion(baseline, baseline_config.parameters, baseline_config.engine_version)

    def judged() -> tuple[Report, tuple[tuple[Fix, ...], ...], NewFindings | None]:
        memory = workspace if workspace is not None else keepstate.Workspace()
        analysis = keepstate.analyse(current_version, baseline_version, settings.engine, memory)
        report = analysis.report(keepstate.Accepting(date.today(), tuple(accepted)))
        fixes: tuple[tuple[Fix, ...], ...]
        new = None
        if former is None:
            tried = report.with_fixes if fixing else range(0)
            fixes = tuple(analysis.fixes(index) if index in tried else () for index in range(len(report.findings)))
        report = analysis.with_revert(report)
        if former is not None:
            change = FileChange(analysis, current_version, baseline_version, former, settings.engine, memory)
            new = new_findings(report, change)
            fixes = own_fixes(report, change, new) if fixing else ()
        return report, fixes, new

    try:
        report, fixes, new = within(COMMAND_SECONDS, judged)
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
    reason = None
    if report.problems or report.baseline_problems:
        status = FileStatus.NOT_COMPARED
        reason = unread(len(report.problems), len(report.baseline_problems))
    else:
        status = FileStatus.UNCHANGED if report.unchanged else FileStatus.COMPARED
    return FileResult(path, status, settings, origin, reason, None, current, baseline, report, fixes, new)


def as_ended(comparison: FileResult) -> FileResult:
    """The comparison of a file that keeps no query of its baseline, as that of a file that was deleted: the job ends,
    and there is no restart that a verdict could be about.
    """
    report = comparison.report
    if comparison.status is not FileStatus.COMPARED or report is None or not is_ended(report):
        return comparison
    return replace(comparison, status=FileStatus.DELETED, reason=EMPTIED, report=None, fixes=())


def _fault(path: str | None, settings: JobSettings, origin: Origin | None, error: Exception) -> FileResult:
    tell_fault(path, error)
    fault = f"The analysis failed ({type(error).__name__}: {error}). This is a fault of Keepstate; please report it."
    return not_compared(path, settings, fault, origin=origin)


def tell_fault(path: str | None, error: Exception) -> None:
    """Print the traceback of an internal error if KEEPSTATE_TRACEBACK asks for tracebacks."""
    import os

    if os.environ.get("KEEPSTATE_TRACEBACK"):
        import traceback

        for line in "".join(traceback.format_exception(error)).splitlines():
            tell(f"{path}: {line}")
