"""The effect of each past change of a job, had the job been restarted with it.

The analysis is the one of ``keepstate check``; files and configurations are those of the commits.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import FileChange, FileState, LoggedCommit, Merges
from keepstate_lsp.baselines.history.file_history import History, PastChange
from keepstate_lsp.config.composition_entries import Composition
from keepstate_lsp.config.file import EMPTY_CONFIG, FILE_NAMES, ConfigurationError, JobConfig
from keepstate_lsp.config.job_versions import composed_version
from keepstate_lsp.jobs.changed_files import ChangedFile, files_between, own_file
from keepstate_lsp.jobs.named_files import tells_jobs
from keepstate_lsp.jobs.past.commit_files import CommitFiles, is_of_projects
from keepstate_lsp.jobs.past.past_config import PastJobConfigs
from keepstate_lsp.jobs.past.past_projects import PastJob, PastProjects, UnreadablePart
from keepstate_lsp.jobs.past.touched_jobs import TouchedJob, former_script, script_jobs
from keepstate_lsp.jobs.projects import CompositionError, with_composition_of

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.report import Report

_REMEMBERED = 4096


@dataclass(frozen=True)
class JobChange:
    """The change of a job in one commit; ``None`` on a side without the job."""

    commit: LoggedCommit
    path: str
    """The file of the job; of a job of several files the last one."""
    before: PastJob | None
    after: PastJob | None
    obstacle: str | None = None
    """Reason why the change cannot be compared, a sentence."""
    mend: str | None = None
    files: tuple[ChangedFile, ...] = ()
    """The files of the job, and of its former version."""
    is_of_other: bool = False
    """The history is that of a file with declarations of the job, or with another part of it."""

    @property
    def former_path(self) -> str | None:
        """The path of the file before the commit, if it was renamed."""
        return self.before.file.path if self.before is not None and self.before.file.path != self.path else None

    @property
    def is_silent(self) -> bool:
        """Return whether the commit changed nothing for the job: only unrelated settings, or line ends."""
        return (
            self.obstacle is None
            and self.before is not None
            and self.after is not None
            and self.before.is_like(self.after)
        )

    @property
    def assumed(self) -> tuple[tuple[str, str], ...]:
        """Declarations that no configuration names: the name and the file of each."""
        return () if self.after is None or self.after.parts is None else self.after.parts.assumed


@dataclass(frozen=True)
class _Sides:
    """The files in front of a commit and behind it."""

    before: CommitFiles
    after: CommitFiles


class JobHistory:
    """Reader of the past of jobs. ``by_hand`` is the configuration of the command line, which overrides the files."""

    def __init__(self, history: History, by_hand: JobConfig = EMPTY_CONFIG) -> None:
        self._history = history
        self._by_hand = by_hand
        self._configs = PastJobConfigs(history)
        self._projects = PastProjects(history, self._configs)

    def changes(
        self, path: str, revision: str = "HEAD", merges: Merges = Merges.FIRST_PARENT, since: str | None = None
    ) -> Iterator[JobChange]:
        """The changes of the job in the file at ``path``, inside of the repository, the newest first. For a file of
        declarations these are the changes of all jobs that read them; for a part of a job, those of the job.

        Raises:
            GitFailure: git cannot tell, or there is no such revision.
        """
        last: CommitFiles | None = None
        former: str | None = None
        for past in self._history.changes(path, FILE_NAMES, revision, merges, since, is_of_projects):
            commit = past.commit
            if past.cut_off:
                yield _cut_off(past)
                continue
            try:
                # On the main line no commit in between touched a file of a project.
                after = last if last is not None and merges is Merges.FIRST_PARENT else None
                sides = self._sides(commit, self._projects.snapshot(commit.id) if after is None else after, merges)
            except GitFailure as failure:
                yield _not_read(past, failure)
                continue
            last = sides.before
            for job in self._jobs(past, sides):
                change = self._read(job, sides)
                if not change.is_silent:
                    yield replace(change, is_of_other=change.path != past.path)
                if past.before is None and change.path == past.path and change.former_path is not None:
                    former = change.former_path
            if past.before is None and former is not None and commit.parents:
                # The job ended with another file before this one came.
                yield from self.changes(former, commit.parents[0], merges, since)
                return

    def _sides(self, commit: LoggedCommit, after: CommitFiles, merges: Merges) -> _Sides:
        if not commit.parents:
            return _Sides(CommitFiles(), after)
        if commit.is_merge and merges is Merges.FULL:
            # git shows only those files of a merge that differ from all parents.
            return _Sides(self._projects.snapshot(commit.parents[0]), after)
        before = self._projects.cached_snapshot(commit.parents[0])
        if before is None:
            before = self._projects.keep(commit.parents[0], self._projects.before(after, commit.files))
        return _Sides(before, after)

    def _jobs(self, past: PastChange, sides: _Sides) -> Iterator[TouchedJob]:
        """The jobs that a change of a file is about."""
        commit = past.commit
        scripts = script_jobs(sides.after, self._configs, commit.id)
        former_scripts = script_jobs(sides.before, self._configs, commit.parents[0]) if commit.parents else ()
        own_scripts = [script for script in scripts if past.path in script.paths]
        for script in own_scripts:
            path = script.last
            former = former_script(script, scripts, former_scripts, sides.before, commit.files)
            change = PastChange(commit, path, former.file, sides.after.state(path))
            yield TouchedJob(path, change, script.composition, former=former.composition)
        if own_scripts:
            return
        states = [state for state in (past.before, past.after) if state is not None]
        if past.before == past.after and not self._may_be_felt(past, sides):
            return
        try:
            only_declares = not any(self._projects.runs(state) for state in states)
        except GitFailure:
            only_declares = False
        if not only_declares or len(states) == 1:
            yield TouchedJob(past.path, past)
        if only_declares and past.before != past.after:
            own = FileChange(past.before, past.after)
            for path in sorted(self._projects.readers(sides.before, sides.after, [own]) - {past.path}):
                was, state = _before(commit, path, sides), sides.after.files[path]
                if was is None:
                    continue
                if self._projects.is_job(sides.after, state) or self._projects.is_job(sides.before, was):
                    yield TouchedJob(path, PastChange(commit, path, was, state))

    def _may_be_felt(self, past: PastChange, sides: _Sides) -> bool:
        """Return whether a job may feel a commit that did not touch its file."""
        if any(tells_jobs(state.path) for file in past.commit.files for state in _states(file)):
            return True
        return past.path in self._projects.readers(sides.before, sides.after, past.commit.files)

    def _read(self, job: TouchedJob, sides: _Sides) -> JobChange:
        """The composed jobs of a change, and the configurations of both sides."""
        past, commit = job.change, job.change.commit
        parent = commit.parents[0] if commit.parents else None
        try:
            now = None if past.after is None else self._config(past.after, commit.id, job.several)
            before = after = None
            if past.before is not None and parent is not None:
                was = self._config(past.before, parent, job.former)
                before = self._projects.job(
                    sides.before, past.before, was if now is None else with_composition_of(was, now)
                )
            if past.after is not None and now is not None:
                after = self._projects.job(sides.after, past.after, now)
            if before is None or after is None or not before.is_like(after):
                self._verify(parent, before)
                self._verify(commit.id, after)
        except (ConfigurationError, CompositionError) as error:
            return JobChange(commit, past.path, None, None, str(error))
        except UnreadablePart as error:
            return JobChange(commit, past.path, None, None, str(error), error.mend)
        except GitFailure as failure:
            return _not_read(past, failure)
        if before is None or after is None:
            return JobChange(commit, past.path, before, after, files=(own_file(past.before, past.after),))
        return JobChange(commit, past.path, before, after, files=files_between(before, after))

    def _verify(self, commit: str | None, job: PastJob | None) -> None:
        """Compare the files of a job with the commit that it was composed of.

        Raises:
            GitFailure: the commit has others.
        """
        if commit is None or job is None or job.parts is None:
            return
        for part in job.parts.files:
            self._history.verify_file(commit, file_of(part.path), part.blob)

    def _config(self, file: FileState, commit: str, several: Composition) -> JobConfig:
        config = self._configs.at(file.path, commit, several=several)
        return config.overridden(self._by_hand.engine_version, self._by_hand.parameters)


def _states(file: FileChange) -> list[FileState]:
    return [state for state in (file.before, file.after) if state is not None]


def _before(commit: LoggedCommit, path: str, sides: _Sides) -> FileState | None:
    """The file in front of a commit that is at ``path`` behind it."""
    for file in commit.files:
        if file.after is not None and file.after.path == path:
            return file.before
    return sides.before.state(path)


def _cut_off(past: PastChange) -> JobChange:
    sentence = "The former version is missing: this clone is shallow, and its history was cut off here."
    return JobChange(past.commit, past.path, None, None, sentence, "git fetch --unshallow")


def _not_read(past: PastChange, failure: GitFailure) -> JobChange:
    sentence = f"git cannot read it: {inline(failure.message)}."
    return JobChange(past.commit, past.path, None, None, sentence, "git fetch --refetch --no-filter")


class PastJudge:
    """Judges changes; one that comes again, in a revert of a revert or on another branch, is judged once."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._known: OrderedDict[object, Report] = OrderedDict()
        self._workspace: Workspace | None = None

    def report(self, before: PastJob, after: PastJob) -> Report:
        """The report on a restart with ``after`` from the state of ``before``."""
        key = (_identity(before), _identity(after), after.config.jobs)
        report = self._known.get(key)
        if report is None:
            report = self._known[key] = self._judged(before, after)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return report

    def _judged(self, before: PastJob, after: PastJob) -> Report:
        import keepstate
        from keepstate.project.composed_analysis import ComposedAnalysis
        from keepstate.project.composition import agreed

        now, was = (
            composed_version(job, replace(state.config, jobs=after.config.jobs), self._engine)
            for job, state in zip(agreed(after.job, before.job), (after, before), strict=True)
        )
        if self._workspace is None:
            self._workspace = keepstate.Workspace()
        return ComposedAnalysis(now, was, self._engine, self._workspace).report()


def _identity(job: PastJob) -> object:
    content = job.file.blob if job.parts is None else job.parts.digest
    return content, job.config.engine_version, tuple(sorted(job.config.parameters.items()))
