"""Rows of a history: what became of each past change of a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from keepstate.report import Finding, Report, Verdict
from keepstate.reporting.file_status import DELETED, refusal_words, status_of
from keepstate_lsp.cli.result.file_result import FileStatus, tell_fault
from keepstate_lsp.cli.result.summary import STATUS_WORDS
from keepstate_lsp.jobs.job_history import JobChange, PastJudge


class HistoryOutcome(Enum):
    """Result of one change for the state of a job, as a timeline has it: a mark and a word, the worst first."""

    LOST = "lost"
    UNKNOWN = "unknown"
    PARTIAL = "partial"
    KEPT = "kept"
    NOT_COMPARED = "not compared"
    NEW = "new"
    DELETED = "deleted"


_OF_VERDICT = {
    Verdict.INCOMPATIBLE: HistoryOutcome.LOST,
    Verdict.UNKNOWN: HistoryOutcome.UNKNOWN,
    Verdict.PARTIAL: HistoryOutcome.PARTIAL,
    Verdict.COMPATIBLE: HistoryOutcome.KEPT,
}


@dataclass(frozen=True)
class HistoryRow:
    """One commit. ``verdict`` is ``None`` where there was nothing to compare: for a first version, or none at all."""

    change: JobChange
    status: FileStatus
    report: Report | None = None
    reason: str | None = None
    mend: str | None = None

    @property
    def verdict(self) -> Verdict | None:
        if self.status in (FileStatus.NEW, FileStatus.DELETED):
            return None
        verdict = Verdict.COMPATIBLE if self.report is None else self.report.verdict
        return Verdict.worst((verdict, Verdict.UNKNOWN)) if self.status.failed else verdict

    @property
    def word(self) -> str:
        """The verdict in a word, or what there is instead."""
        if self.status.failed:
            return STATUS_WORDS[self.status]
        if self.status is not FileStatus.COMPARED:
            return str(self.status.value)
        return "" if self.verdict is None else self.verdict.value

    @property
    def outcome(self) -> HistoryOutcome:
        """The outcome for the state. A change that could not be compared has none, whatever the rest of it costs."""
        if self.status.failed:
            return HistoryOutcome.NOT_COMPARED
        if self.verdict is None:
            return HistoryOutcome.NEW if self.status is FileStatus.NEW else HistoryOutcome.DELETED
        return _OF_VERDICT[self.verdict]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return () if self.report is None else self.report.findings


@dataclass(frozen=True)
class Tally:
    """The number of changes by verdict; changes that could not be compared are counted apart."""

    changes: int
    verdicts: Counter[Verdict]
    not_compared: int

    @staticmethod
    def of(rows: Iterable[HistoryRow]) -> Tally:
        counted = [row for row in rows if row.verdict is not None]
        compared = Counter(row.verdict for row in counted if not row.status.failed and row.verdict is not None)
        return Tally(len(counted), compared, sum(row.status.failed for row in counted))

    @property
    def state_losses(self) -> int:
        """The number of changes that would have cost the job its state."""
        return self.verdicts[Verdict.INCOMPATIBLE]

    def words(self, path: str) -> str:
        """The summary, one sentence."""
        if not self.changes:
            return f"{path} was never changed."
        counts = [
            (self.state_losses, "would have lost state (incompatible)"),
            (self.verdicts[Verdict.PARTIAL], "would have kept a part of it (partial)"),
            (self.verdicts[Verdict.UNKNOWN], "cannot be decided (unknown)"),
            (self.verdicts[Verdict.COMPATIBLE], "would have kept it (compatible)"),
            (self.not_compared, "not compared"),
        ]
        summary = ", ".join(f"{number} {words}" for number, words in counts if number)
        return f"{self.changes} change{'s' if self.changes > 1 else ''} of {path}: {summary}."


def history_rows(changes: Iterable[JobChange], judge: PastJudge) -> Iterator[HistoryRow]:
    """Judge changes one by one. A fault of the analyzer costs one row."""
    for change in changes:
        yield _row(change, judge)


def _row(change: JobChange, judge: PastJudge) -> HistoryRow:
    if change.obstacle is not None:
        return HistoryRow(change, FileStatus.NOT_COMPARED, None, change.obstacle, change.mend)
    if change.before is None or change.after is None:
        return HistoryRow(change, FileStatus.NEW if change.before is None else FileStatus.DELETED)
    try:
        report = judge.report(change.before, change.after)
    except Exception as error:  # noqa: BLE001 - any fault at all must cost one row only, and is reported
        tell_fault(change.path, error)
        sentence = f"The analysis failed ({type(error).__name__}: {error}). This is a fault of Keepstate."
        return HistoryRow(change, FileStatus.NOT_COMPARED, None, sentence)
    status, reason = status_of(report)
    if status == DELETED:
        return HistoryRow(change, FileStatus.DELETED, None, reason)
    if reason is None and report.refusals:
        # A doubt lowers the verdict, and is no finding.
        reason = refusal_words(report.refusals[0], report.engine)
    elif reason is None and report.former_refusals:
        reason = f"Flink refuses the former text, so no job can have run with it: {report.former_refusals[0].message}"
    return HistoryRow(change, FileStatus(status), report, reason and reason[0].upper() + reason[1:])
