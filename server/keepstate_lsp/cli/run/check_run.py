"""One run of ``keepstate check``: from paths to comparisons."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from keepstate.report import Acceptance
from keepstate.reporting.file_status import unread_of_other
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason, SpecKind
from keepstate_lsp.baselines.blob_comparison import BlobComparison
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.links import own_path
from keepstate_lsp.baselines.obstacles import git_failed
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.named_revisions import words_for_missing
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import (
    FileResult,
    FileStatus,
    RunProblem,
    compare_with_nothing,
    not_compared,
)
from keepstate_lsp.cli.result.new_findings import BaselineOrigin, NewFindings
from keepstate_lsp.cli.result.run_scope import Notice, RunScope
from keepstate_lsp.cli.run.branch_hint import branch_hint
from keepstate_lsp.cli.run.comparison_tasks import ComparisonTask, ReadingTask, ResultParts, Task, results
from keepstate_lsp.cli.run.former_jobs import FormerJobs, deleted, unmarked, without_rename_sources
from keepstate_lsp.cli.run.omitted_files import (
    is_other_sql,
    left_out,
    left_out_unnamed,
    read_by,
    reason_without_queries,
    runs_plainly,
    shows_no_job,
)
from keepstate_lsp.cli.run.run_files import JobFile, NewValueError
from keepstate_lsp.cli.run.run_projects import RunProjects
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.cli.run.selection import Selection
from keepstate_lsp.cli.run.self_comparison import compared_with_itself
from keepstate_lsp.cli.run.shared_comments import without_shared_idle
from keepstate_lsp.cli.terminal.progress import TerminalProgress
from keepstate_lsp.config.acceptance_file import AcceptanceFile, counting_for, path_around
from keepstate_lsp.config.file import ConfigurationError
from keepstate_lsp.config.job_names import is_job
from keepstate_lsp.jobs.projects import CompositionError, sql_source

_AT_ONCE = 500
"""Files whose texts are asked of git together."""


class CheckRun:
    """Compares the files that the arguments of ``check`` select. ``reader`` is a steady one.

    ``edited`` are texts that take the place of those of files on disk. ``fixes`` tells whether fixes are looked for,
    those of whole jobs too; by default the output formats decide, and show none of these.
    """

    def __init__(
        self,
        arguments: argparse.Namespace,
        reader: BaselineReader,
        edited: Mapping[Path, str] | None = None,
        fixes: bool | None = None,
    ) -> None:
        self._paths: list[str] = arguments.paths
        self._jobs: int | None = getattr(arguments, "jobs", None)
        self._edited = edited or {}
        self._wanted = ResultParts.of(arguments) if fixes is None else ResultParts(fixes, fixes)
        self._reader = reader
        self._blobs = BlobComparison(reader)
        self._run_settings = RunSettings(arguments, reader)
        self._projects = RunProjects(reader, self._run_settings, self._edited)
        self._formers = FormerJobs(reader, self._run_settings, self._projects)
        self._ledgers: dict[Path, AcceptanceFile] = {}
        self._others: list[str] = []
        self._queries: set[Path] = set()
        """Unchanged files whose text shows a query."""
        self._declarations: list[str] = []
        """Changed files that declare tables and run nothing."""
        self._maybe_jobs: list[JobFile] = []
        """Files that changed and write into tables, as jobs and other SQL do."""
        self._selection: Selection | None = None
        self.selected: frozenset[Path] = frozenset()
        """The files that were named or changed, without the jobs that are compared because of them."""
        self.problems: list[RunProblem] = []
        """Problems of the run that concern no single file."""
        self.notices: list[Notice] = []
        """Named files that were left out."""
        self.engine = self._run_settings.settings(Path.cwd()).engine

    @property
    def explanations(self) -> list[str]:
        """The ways in which default baselines were found, in sentences."""
        return self._run_settings.explanations

    @property
    def left_out(self) -> RunScope:
        """The files that were left out of a run that compared others."""
        paths = {job.display_path for job in self._maybe_jobs}
        return RunScope(self.engine, others=tuple(path for path in self._others if path not in paths))

    @property
    def scope(self) -> RunScope:
        """The scope of the run, after its end."""
        selection = self._selection
        if selection is None or self.problems:
            # An unlisted file is not counted.
            return RunScope(self.engine, *(() if selection is None else (selection.baselines,)))
        try:
            hint = branch_hint(self._run_settings, self._reader)
        except GitFailure:
            # The reader has given every needed answer; the hint is an extra.
            hint = None
        return RunScope(
            self.engine, selection.baselines, selection.looked_at, tuple(self._others), hint, tuple(self._declarations)
        )

    def comparisons(self, progress: TerminalProgress) -> list[FileResult]:
        """All comparisons, by path."""
        self._selection = selection = Selection(self._paths, self._run_settings, self._reader)
        files = self._jobs_of(selection)
        self.problems = selection.problems
        if self._run_settings.one_file and len(files) != 1:
            raise UsageError("With --against file:PATH or plan:PATH, name the one file to compare with it.")
        readings = list(self._read(files, progress))
        self._formers.require_starts({job.folder for job in files} or {Path.cwd()})
        self.problems += (one for one in self._formers.problems if one not in selection.problems)
        tasks = [task for _, task in readings if not isinstance(task, FileResult)]
        compared = results(tasks, self._jobs, self._projects.memory)
        entries: list[tuple[JobFile, FileResult]] = []
        count = len(files) - len(tasks)
        for job, prepared in readings:
            if isinstance(prepared, FileResult):
                comparison = prepared
            else:
                progress.step(count, len(files))
                comparison, count = next(compared), count + 1
            if job.may_differ or comparison.status is not FileStatus.UNCHANGED:
                entries.append((job, comparison))
        entries = [entry for entry in entries if not self._is_told_as_declarations(*entry)]
        self.notices += [*selection.repositories_within(), *selection.plans_left_out(), *self._projects.notices]
        self.notices += [] if self._paths else self._projects.left_out_values(Path.cwd())
        if self._paths and not entries and not self.problems and not (self._declarations or self._only_declare(files)):
            self.problems.append(RunProblem(None, f"There is no Flink SQL in {' '.join(self._paths)}."))
        for configuration in self._run_settings.configurations:
            self.problems += selection.unmatched_tables(configuration)
            self.problems += self._projects.unmatched_entries(configuration)
            reasons = {result.reason for _, result in entries}
            unread = self._projects.pointer_problems(configuration)
            self.problems += (one for one in unread if one.sentence not in reasons)
        if entries:
            # Where nothing was compared, the scope names all of them.
            self.notices += map(left_out_unnamed, self._maybe_jobs)
        if entries or not (self._paths or self.problems):
            for entry in compared_with_itself(entries, self._run_settings):
                if isinstance(entry, RunProblem):
                    self.problems.append(entry)
                else:
                    self.notices.append(entry)
        return without_shared_idle(without_rename_sources(entries))

    def _is_told_as_declarations(self, job: JobFile, comparison: FileResult) -> bool:
        """Return whether a changed file declares tables and runs nothing: then a notice has the jobs that read them."""
        report = comparison.report
        if comparison.status is FileStatus.DELETED:
            commit = None if comparison.origin is None else comparison.origin.commit
            if commit is None or not self._projects.declared_only(job, commit):
                return False
            return self._declares(job.display_path, "It is deleted, and declared tables.")
        is_unclear = comparison.status.failed or comparison.refusals or comparison.problems
        if is_unclear or not job.may_differ or job.path in self._queries:
            return False
        if report is not None and (report.findings or any(each.acceptance.span for each in report.unused_acceptances)):
            return False
        if self._only_declare([job]):
            return True
        reason = None if report is None else reason_without_queries((comparison.baseline, comparison.current))
        return reason is not None and self._declares(job.display_path, f"Nothing of it is compared: {reason}.")

    def _only_declare(self, files: Sequence[JobFile]) -> bool:
        """Return whether some files declare what jobs read, and run nothing: notices have the jobs."""
        readers_by_path = {job.display_path: self._projects.readers_of(job) for job in files}
        declaring = [
            self._declares(path, read_by([display_path_of(reader) for reader in readers]))
            for path, readers in readers_by_path.items()
            if readers is not None
        ]
        self._others = [path for path in self._others if readers_by_path.get(path) is None]
        return bool(declaring)

    def _declares(self, path: str, words: str) -> bool:
        """Keep the notice about a file without a job."""
        self._declarations.append(path)
        self.notices.append(Notice(path, words, title="declarations"))
        return True

    def _jobs_of(self, selection: Selection) -> list[JobFile]:
        """The selected files, the jobs that they are parts of, and those that read what they declare."""
        files = selection.files()
        paths = {job.path for job in files}
        self.selected = frozenset(paths)
        if self._run_settings.one_file:
            return files
        try:
            folders = dict.fromkeys(job.folder for job in files) if self._paths else [Path.cwd()]
            if selection.follows_readers:
                jobs = self._projects.readers_of_changes(folders, files if self._paths else None)
                files += {job.path: job for job in jobs if job.path not in paths}.values()
            files = self._projects.with_scripts(files)
        except GitFailure as failure:
            self.problems.append(RunProblem(None, f"git cannot list the files: {failure.message}.", "keepstate doctor"))
        return sorted(files, key=lambda job: job.path.as_posix())

    def _read(
        self, files: Sequence[JobFile], progress: TerminalProgress
    ) -> Iterator[tuple[JobFile, FileResult | Task]]:
        """The task or the result of each file: a comparison to be made, or a result that needs no analysis. Files that
        are no Flink SQL are left out.
        """
        ready = 0
        for start in range(0, len(files), _AT_ONCE):
            some = files[start : start + _AT_ONCE]
            if not self._run_settings.in_work_tree:
                self._fetch(some)
            unchanged = [self._unchanged(job) for job in some]
            if self._run_settings.in_work_tree:
                # The hash of a file on disk takes no text from git.
                self._fetch([job for job, found in zip(some, unchanged, strict=True) if found is None])
            for job, same in zip(some, unchanged, strict=True):
                found = same or self._compared(job)
                ready += found is None or isinstance(found, FileResult)
                progress.step(ready, len(files))
                if found is not None:
                    yield job, found

    def _fetch(self, files: Sequence[JobFile]) -> None:
        """Read what git holds of these files at once."""
        # A failure here is repeated for one file at a time, and reported there.
        with suppress(GitFailure):
            self._fetch_from_git(files)

    def _fetch_from_git(self, files: Sequence[JobFile]) -> None:
        for spec_of in (self._run_settings.spec, self._run_settings.new_since):
            specs = [(spec, job) for job in files if (spec := spec_of(job.folder, job.path)) is not None]
            for spec, entries in groupby(specs, key=lambda entry: entry[0]):
                jobs = [job for _, job in entries]
                target = self._target(jobs[0], spec)
                if not isinstance(target, NoBaseline):
                    self._blobs.fetch((job.path for job in jobs), spec, target)

    def _unchanged(self, job: JobFile) -> FileResult | None:
        """The result of a file with the same text and configuration as its baseline."""
        if job.path in self._edited:
            # The hash of the file on disk is that of another text.
            return None
        try:
            spec = self._run_settings.spec(job.folder, job.path)
            target = self._target(job, spec)
            if isinstance(target, NoBaseline):
                return None
            baseline, note = self._blobs.unchanged(job.path, spec, target), ""
            new_since = self._run_settings.new_since(job.folder, job.path)
            if baseline is None and new_since is not None and self._blobs.is_unmarked(job.path, spec, target):
                baseline, note = self._blobs.unchanged(job.path, new_since, target), unmarked(spec)
            if baseline is None or self._projects.reads_a_change(job, spec, baseline.commit):
                return None
            settings = self._run_settings.settings(job.folder)
            settings = self._run_settings.with_config(settings, job.path, target, baseline, job.folder, job.several)
        except (GitFailure, ConfigurationError):
            # The full comparison reports the fault.
            return None
        text = baseline.text
        if self._paths and runs_plainly(text):
            self._queries.add(job.path)
        if not settings.is_unchanged or "keepstate:" in text or not (job.is_named or is_job(job.path.name, (text,))):
            # An acceptance in a comment accepts nothing now; the analyzer reports it.
            return None
        return FileResult(job.display_path, FileStatus.UNCHANGED, settings, BaselineOrigin.of(baseline, note))

    def _compared(self, job: JobFile) -> FileResult | Task | None:
        """The comparison of one file; ``None`` for one that is no Flink SQL."""
        folder = job.folder
        settings = self._run_settings.settings(folder)
        try:
            spec = self._run_settings.spec(folder, job.path)
        except GitFailure as failure:
            unread = git_failed(failure, HEAD)
            return not_compared(job.display_path, settings, unread.sentence, unread.mend)
        origin = BaselineOrigin(spec.text, spec.text)
        current, target = self._current(job, spec)
        if isinstance(current, NoBaseline):
            return not_compared(job.display_path, settings, current.sentence, current.mend, origin)
        is_missing = isinstance(current, NotText) and current.reason is Reason.MISSING_FILE
        if isinstance(current, NotText) and not is_missing:
            return not_compared(job.display_path, settings, f"{job.display_path} {current.fault}", current.mend, origin)
        text = current if isinstance(current, str) else ""
        if spec.kind is SpecKind.PLAN and not is_missing:
            return self._against_plan(job, text, target, spec, settings)
        new_since = self._run_settings.new_since(folder, job.path)
        baseline = self._formers.read(job, spec, target, text)
        note = ""
        if (
            isinstance(baseline, NoBaseline)
            and baseline.new
            and new_since is not None
            and spec.kind is SpecKind.DEPLOYED
        ):
            # Not recorded as deployed, which does not mean that the job does not run.
            baseline, new_since = self._formers.read(job, new_since, target, text), None
            note = unmarked(spec)
        if isinstance(baseline, NoBaseline) and baseline.reason is Reason.BROKEN_LINK:
            # A file that is no job any more may have had state as a job.
            return not_compared(job.display_path, settings, baseline.sentence, baseline.mend, origin)
        texts = (text,) if isinstance(baseline, NoBaseline) else (text, baseline.text)
        if not job.is_named and not is_job(job.path.name, texts) and not self._projects.is_job(job, baseline):
            is_changed = isinstance(baseline, NoBaseline) or text != baseline.text
            if is_changed:
                self._others.append(job.display_path)
            if job.may_differ and is_changed and not shows_no_job(texts):
                self._maybe_jobs.append(job)
            return None
        if isinstance(baseline, NoBaseline):
            if is_missing and baseline.new:
                suggestion = words_for_missing(job.display_path, self._reader)
                reason = f"{job.display_path} does not exist, nor did it in {spec}.{suggestion}"
                return not_compared(job.display_path, settings, reason, origin=origin)
            if not baseline.new:
                return not_compared(job.display_path, settings, baseline.sentence, baseline.mend, origin)
            if spec.kind is SpecKind.DEPLOYED and not job.is_named and self._projects.only_declares(job):
                # Records are of jobs: the file is recorded with those that read it.
                return None
            if is_other_sql(job, texts) and not self._projects.is_job(job, baseline):
                return self._left_out(job, text, settings, origin)
            try:
                text = sql_source(job.pointer or job.path.name, text).text
            except CompositionError as error:
                return not_compared(job.display_path, settings, str(error), origin=origin)
            return ReadingTask(job.display_path, text, settings, origin, baseline.sentence)
        origin = BaselineOrigin.of(baseline, note)
        if is_missing and job.pointer is None:
            former = None if new_since is None else self._formers.start(job, new_since, target, text, settings.current)
            return deleted(job, settings, origin, former)
        try:
            settings = self._run_settings.with_config(settings, job.path, target, baseline, folder, job.several)
            former = None if new_since is None else self._formers.start(job, new_since, target, text, settings.current)
            sides = self._projects.compose(
                job, None if is_missing else text, target, baseline, settings.current, settings.baseline
            )
        except NewValueError as error:
            return ReadingTask(job.display_path, error.text, settings, origin, str(error))
        except (ConfigurationError, CompositionError) as error:
            return not_compared(job.display_path, settings, str(error), origin=origin)
        except GitFailure as failure:
            unread = git_failed(failure, spec)
            return not_compared(job.display_path, settings, unread.sentence, unread.mend, origin)
        if settings.is_unchanged and sides.are_equal and "keepstate:" not in sides.current.text:
            # An acceptance in a comment accepts nothing now; the analyzer reports it.
            nothing_new = None if former is None else NewFindings(former.origin)
            return FileResult(job.display_path, FileStatus.UNCHANGED, settings, origin, new_findings=nothing_new)
        if baseline.deployment is None and is_other_sql(job, texts) and not self._projects.is_job(job, baseline):
            return self._left_out(job, text, settings, origin)
        accepted = self._accepted(job, baseline.predecessor)
        task = ComparisonTask(job.display_path, sides.current, sides.baseline, settings, origin, accepted, former)
        return replace(task, wanted=self._wanted, root=sides.root)

    def _against_plan(
        self, job: JobFile, text: str, target: Target, spec: BaselineSpec, settings: JobSettings
    ) -> FileResult:
        # Only here: a check without a compiled plan takes nothing of Flink's package.
        from keepstate_lsp.cli.result.real_flink.compiled_plan import compared_with_plan

        origin = BaselineOrigin(spec.text, spec.text)
        try:
            itself = Baseline(spec, None, job.display_path, text, None, "")
            settings = self._run_settings.with_config(settings, job.path, target, itself, job.folder, job.several)
            composed = self._projects.composed_now(job, text, settings.current)
            repository, _ = self._projects.place_of(job)
            root = job.folder if repository is None else repository.folders.work_tree
            return compared_with_plan(job.display_path, composed, spec, settings, self._accepted(job, None), root)
        except (ConfigurationError, CompositionError, GitFailure) as error:
            sentence = git_failed(error, spec).sentence if isinstance(error, GitFailure) else str(error)
            return not_compared(job.display_path, settings, sentence, origin=origin)

    def _left_out(self, job: JobFile, text: str, settings: JobSettings, origin: BaselineOrigin) -> FileResult | None:
        """The result of a named file with other SQL: a notice, or an error if it cannot be read."""
        result = compare_with_nothing(job.display_path, text, settings, origin, "", unread_of_other, is_job=False)
        if result.status.failed:
            return result
        self.notices.append(left_out(job, "Left out: it shows nothing of Flink SQL, and writes into no table."))
        return None

    def _accepted(self, job: JobFile, predecessor: Path | None) -> tuple[Acceptance, ...]:
        """The accepted findings of a file in the ledger around it."""
        path = path_around(job.folder)
        if path is None:
            return ()
        if path not in self._ledgers:
            self._ledgers[path] = AcceptanceFile.at(path)
        return counting_for(self._ledgers[path].acceptances, path.parent, job.path, predecessor, job.several.name)

    def _target(self, job: JobFile, spec: BaselineSpec) -> Target | NoBaseline:
        """The target that the current text of a file is read from."""
        if self._run_settings.in_work_tree:
            return WORK_TREE
        repository = self._reader.repository(job.folder, spec)
        if isinstance(repository, NoBaseline):
            return repository
        try:
            return self._run_settings.target(repository)
        except GitFailure as failure:
            return git_failed(failure, spec, partial=repository.partial)

    def _current(self, job: JobFile, spec: BaselineSpec) -> tuple[str | NotText | NoBaseline, Target]:
        """The current text of a file, and its source."""
        target = self._target(job, spec)
        if target is WORK_TREE and job.path in self._edited:
            return self._edited[job.path], WORK_TREE
        text = read_text(job.path) if target is WORK_TREE else None
        if text is not None and not (isinstance(text, NotText) and text.reason is Reason.MISSING_FILE):
            return text, WORK_TREE
        if isinstance(target, NoBaseline):
            return target, WORK_TREE
        repository = self._reader.repository(job.folder, spec)
        if isinstance(repository, NoBaseline):
            return repository if text is None else text, WORK_TREE
        try:
            relative = own_path(repository.folders.work_tree, job.path)
            if text is not None:
                if relative is None or not repository.is_left_out(relative):
                    return text, WORK_TREE
                # A sparse checkout left it out of the work tree, which is no deletion.
                target = INDEX
            blob = None if relative is None else repository.find(target, relative)
            if blob is None:
                return NotText(Reason.MISSING_FILE, "does not exist."), target
            return self._reader.text(repository, blob), target
        except GitFailure as failure:
            return git_failed(failure, spec, partial=repository.partial), WORK_TREE
