"""One run of ``keepstate check``: from paths to comparisons."""

from __future__ import annotations

import argparse
from pathlib import Path

from keepstate_lsp.baselines import BaselineReader, BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.obstacles import git_failed
from keepstate_lsp.baselines.process import GitFailure
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.cli.comparison import FileComparison, FileStatus, Origin, RunProblem, compare, not_compared
from keepstate_lsp.cli.conditions import Conditions
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.job_files import JobFile
from keepstate_lsp.cli.progress import Progress
from keepstate_lsp.cli.selection import Selection
from keepstate_lsp.configuration import ConfigurationError
from keepstate_lsp.job_names import is_job
from keepstate_lsp.ledger import FILE_NAME, Ledger, path_around


class CheckRun:
    """Compares the files that the arguments of ``check`` select."""

    def __init__(self, arguments: argparse.Namespace, reader: BaselineReader) -> None:
        self._paths: list[str] = arguments.paths
        self._reader = reader
        self._conditions = Conditions(arguments, reader)
        self._ledgers: dict[Path, Ledger] = {}
        self.problems: list[RunProblem] = []
        """What concerns no single file."""
        self.engine = self._conditions.settings(Path.cwd()).engine

    def comparisons(self, progress: Progress) -> list[FileComparison]:
        """All comparisons, by path."""
        selection = Selection(self._paths, self._conditions, self._reader)
        files = selection.files()
        self.problems = selection.problems
        if self._conditions.one_file and len(files) != 1:
            raise UsageError("With --against file:PATH, name the one file to compare with it.")
        found: list[tuple[JobFile, FileComparison]] = []
        for number, job in enumerate(files):
            progress.step(number, len(files))
            comparison = self._compared(job)
            if comparison is not None and (job.changed or comparison.status is not FileStatus.UNCHANGED):
                found.append((job, comparison))
        if self._paths and not found and not self.problems:
            self.problems.append(RunProblem(None, f"There is no Flink SQL in {' '.join(self._paths)}."))
        return _without_rename_sources(found)

    def _compared(self, job: JobFile) -> FileComparison | None:
        """The comparison of one file; ``None`` for one that is no Flink SQL and that nobody named."""
        folder = job.path.parent
        settings, spec = self._conditions.settings(folder), self._conditions.spec(folder, job.path)
        origin = Origin(spec.written, spec.written)
        current, target = self._current(job, spec)
        if isinstance(current, NoBaseline):
            return not_compared(job.shown, settings, current.sentence, current.mend, origin)
        gone = isinstance(current, NotText) and current.reason is Reason.MISSING_FILE
        if isinstance(current, NotText) and not gone:
            return not_compared(job.shown, settings, f"{job.shown} {current.what}", current.mend, origin)
        text = current if isinstance(current, str) else ""
        baseline = self._reader.read(job.path, spec, target=target, current=text)
        texts = (text,) if isinstance(baseline, NoBaseline) else (text, baseline.text)
        if not job.named and not is_job(job.path.name, texts):
            return None
        if isinstance(baseline, NoBaseline):
            if gone and baseline.new:
                return not_compared(
                    job.shown, settings, f"{job.shown} does not exist, nor did it in {spec}.", origin=origin
                )
            if baseline.new:
                return FileComparison(job.shown, FileStatus.NEW, settings, origin, baseline.sentence)
            return not_compared(job.shown, settings, baseline.sentence, baseline.mend, origin)
        origin = Origin.of(baseline)
        if gone:
            return FileComparison(job.shown, FileStatus.DELETED, settings, origin)
        try:
            settings = self._conditions.told(settings, job.path, target, baseline)
        except ConfigurationError as error:
            return not_compared(job.shown, settings, str(error), origin=origin)
        if settings.alike and _lines(text) == _lines(baseline.text) and "keepstate:" not in text:
            # A comment that accepts something has nothing left to accept; the analyzer says so.
            return FileComparison(job.shown, FileStatus.UNCHANGED, settings, origin)
        return compare(job.shown, text, baseline.text, settings, origin, self._ledger(folder).acceptances)

    def _ledger(self, folder: Path) -> Ledger:
        path = path_around(folder)
        if path is None:
            return Ledger(folder / FILE_NAME)
        if path not in self._ledgers:
            self._ledgers[path] = Ledger.at(path)
        return self._ledgers[path]

    def _current(self, job: JobFile, spec: BaselineSpec) -> tuple[str | NotText | NoBaseline, Target]:
        """The current text of a file, and where it was taken from."""
        if self._conditions.in_work_tree:
            return read_text(job.path), WORK_TREE
        repository = self._reader.repository(job.path.parent, spec)
        if isinstance(repository, NoBaseline):
            return repository, WORK_TREE
        try:
            target = self._conditions.target(repository)
            if isinstance(target, NoBaseline):
                return target, WORK_TREE
            relative = repository.relative(job.path.resolve())
            stored = None if relative is None else repository.find(target, relative)
            if stored is None:
                return NotText(Reason.MISSING_FILE, "does not exist."), target
            return self._reader.text(repository, stored), target
        except GitFailure as failure:
            return git_failed(failure, spec, repository), WORK_TREE


def _without_rename_sources(found: list[tuple[JobFile, FileComparison]]) -> list[FileComparison]:
    """All comparisons but those of deleted files that live on under another name."""
    followed = {
        comparison.origin.path
        for job, comparison in found
        if comparison.origin is not None and comparison.status is not FileStatus.DELETED
    }
    return [
        comparison
        for _, comparison in found
        if comparison.status is not FileStatus.DELETED
        or comparison.origin is None
        or comparison.origin.path not in followed
    ]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
