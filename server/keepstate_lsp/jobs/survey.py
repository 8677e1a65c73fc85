"""All changes of all jobs of a repository, as plain values for other processes: the input of an audit.

Texts and configurations are those of the commits, as in :mod:`keepstate_lsp.jobs.job_history`. A digest of the contents
identifies a pair of versions: the same change in another fork, or again after a revert, is the same pair. A text is
read, and handed out, at the first occurrence of a pair.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import final

from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import FileState, LoggedCommit, Merges
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.baselines.history.lineage import LineageWalk, WalkedCommit
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import ConfigurationError, JobConfig
from keepstate_lsp.config.job_names import glob_test, may_be_job
from keepstate_lsp.jobs.changed_files import ChangedFile, files_between, own_file
from keepstate_lsp.jobs.job_parts import JobPart
from keepstate_lsp.jobs.named_files import tells_jobs
from keepstate_lsp.jobs.past.commit_files import CommitFiles, is_of_projects
from keepstate_lsp.jobs.past.past_config import PastJobConfigs
from keepstate_lsp.jobs.past.past_projects import (
    PastJob,
    PastProjects,
    UnreadablePart,
    are_alike_and_plain,
)
from keepstate_lsp.jobs.past.touched_jobs import TouchedJob, TouchedJobs
from keepstate_lsp.jobs.projects import CompositionError, with_composition_of

SURVEY_VERSION = 2
"""Another one reads something else in the same history."""

_REMEMBERED = 100_000
"""Number of pairs, and of blobs, of a repository whose kind is remembered: some 20 MB."""
_UNSHALLOW = "git fetch --unshallow"
_REFETCH = "git fetch --refetch --no-filter"


@dataclass(frozen=True)
class SurveyTerms:
    """The scope of a survey of repositories, and the configuration of the command line, which overrides files."""

    merges: Merges = Merges.FIRST_PARENT
    since: str | None = None
    """A date that git understands."""
    globs: tuple[str, ...] = ()
    """Globs of the job files, relative to the repository; none: the files that look like Flink SQL."""
    engine_version: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Landmark:
    """The end of a survey of a repository: the next survey begins there."""

    head: str
    names: Mapping[str, str]
    """Files that do not bear the name of their job, with that name."""
    cut: str = ""
    """A digest of where a shallow clone was cut off: one that was deepened is another one."""


@dataclass(frozen=True)
class SurveyedSide:
    """A version of a job. ``text`` is that of its file, ``parts`` are all its files where there are more; both are
    ``None`` where the pair was met before. ``content`` tells versions apart.
    """

    blob: str
    text: str | None
    parameters: Mapping[str, str]
    engine_version: str | None
    parts: tuple[JobPart, ...] | None = None
    content: str = ""

    @staticmethod
    def of(job: PastJob) -> SurveyedSide:
        """The version that a job is."""
        side = replace(SurveyedSide.of_file(job.file, job.config), text=job.text)
        if job.parts is None:
            return side
        return replace(side, parts=job.parts.files, content=job.parts.digest)

    @staticmethod
    def of_file(state: FileState, config: JobConfig) -> SurveyedSide:
        """The version of a job of one file, without its text."""
        return SurveyedSide(state.blob, None, config.parameters, config.engine_version, None, state.blob)

    def without_texts(self) -> SurveyedSide:
        return replace(self, text=None, parts=None)


@dataclass(frozen=True)
class SurveyedChange:
    """The change of one job in one commit.

    ``status`` is ``changed`` (then there are both sides, and ``pair`` is the digest of the compared versions), ``new``,
    ``deleted``, ``cut-off`` (the former version is unknown) or ``not-compared``, which has its ``reason``.
    """

    commit: LoggedCommit
    job: str
    """The first path of the job, which stays its name after a rename."""
    path: str
    former_path: str | None
    status: str
    reason: str | None = None
    mend: str | None = None
    pair: str | None = None
    before: SurveyedSide | None = None
    after: SurveyedSide | None = None
    files: tuple[ChangedFile, ...] = ()
    """The files of the job, and of its former version."""
    assumed: tuple[tuple[str, str], ...] = ()
    """Declarations that no configuration names: the name and the file of each."""


@dataclass(frozen=True)
class RepositoryProblem:
    """The reason why a repository is not read, or only in part. ``fatal``: the rows of the repository are not valid."""

    reason: str
    mend: str | None
    fatal: bool


@dataclass(frozen=True)
class SurveyEnd:
    """The last word on a repository. ``whole``: what was known of it before is void."""

    landmark: Landmark | None
    whole: bool


Survey = Iterator[SurveyedChange | RepositoryProblem | SurveyEnd]


def survey(folder: Path, terms: SurveyTerms, since: Landmark | None = None) -> Survey:
    """All changes of all jobs in the repository at ``folder``, oldest first; only those since ``since``, if the history
    only went on from there. Never raises for a faulty repository: the survey reports the fault.
    """
    try:
        with History.around(folder) as history:
            yield from _Surveying(history, terms).read(since)
    except GitFailure as failure:
        message = inline(failure.message.partition(";")[0].removeprefix("fatal: ")).rstrip(".")
        yield RepositoryProblem(f"git cannot read it: {message}.", _mend(failure.message), fatal=True)
        yield SurveyEnd(None, whole=True)


def _mend(message: str) -> str | None:
    if "dubious ownership" in message:
        return "git config --global --add safe.directory DIR"
    return _REFETCH if "missing" in message or "promisor" in message else None


@final
class _Surveying:
    """Reads one repository."""

    def __init__(self, history: History, terms: SurveyTerms) -> None:
        self._history = history
        self._terms = terms
        self._configs = PastJobConfigs(history)
        self._projects = PastProjects(history, self._configs)
        self._touched = TouchedJobs(history, self._projects, self._configs, self._is_wanted)
        self._tests = [glob_test(glob) for glob in terms.globs]
        self._pairs = _Memory()

    def read(self, since: Landmark | None) -> Survey:
        head = self._history.commit()
        if head is None:
            yield RepositoryProblem("It has no commits, or its HEAD names a branch that is not there.", None, False)
            yield SurveyEnd(None, whole=True)
            return
        if self._history.is_shallow:
            sentence = "This clone is shallow: nobody knows what happened before its history was cut off."
            yield RepositoryProblem(sentence, _UNSHALLOW, fatal=False)
        boundary = self._history.cut
        if since is not None and not (since.cut == boundary and self._leads_on(since.head, head)):
            since = None
        walk = LineageWalk(
            self._history,
            self._is_wanted,
            tells_jobs,
            self._terms.merges,
            {} if since is None else since.names,
            is_of_projects,
        )
        revision = head if since is None else f"{since.head}..{head}"
        for walked in walk.commits(revision, self._terms.since):
            yield from self._of(walked, walk)
        yield SurveyEnd(Landmark(head, dict(sorted(walk.names.items())), boundary), whole=since is None)

    def _leads_on(self, since: str, head: str) -> bool:
        """Return whether the history of ``head`` is that of ``since`` with more commits."""
        if self._history.commit(since) is None:
            return False
        if self._terms.merges is Merges.FULL:
            return self._history.is_ancestor(since, head)
        return self._history.is_on_main_line(since, head)

    def _is_wanted(self, path: str) -> bool:
        return any(test(path) for test in self._tests) if self._tests else may_be_job(path)

    def _of(self, walked: WalkedCommit, walk: LineageWalk) -> Iterator[SurveyedChange]:
        before, after = self._sides(walked)
        for job in self._touched.of(walked, walk, before, after) if walked.touched else ():
            yield from self._read(job, walked, before, after)

    def _sides(self, walked: WalkedCommit) -> tuple[CommitFiles, CommitFiles]:
        """The files in front of a commit and behind it."""
        commit = walked.commit
        if not commit.parents or self._history.is_cut_off(commit.id):
            before = CommitFiles()
        else:
            before = self._projects.snapshot(commit.parents[0])
        if commit.is_merge and self._terms.merges is Merges.FULL:
            # git shows only those files of a merge that differ from all parents.
            return before, self._projects.snapshot(commit.id)
        return before, self._projects.keep(commit.id, self._projects.after(before, walked.touched))

    def _read(
        self, job: TouchedJob, walked: WalkedCommit, before: CommitFiles, after: CommitFiles
    ) -> Iterator[SurveyedChange]:
        """The change of a job; none if the file is no job, or if nothing changed for it."""
        past = job.change
        former = past.before.path if past.before is not None and past.before.path != past.path else None

        def change(status: str, reason: str | None = None, mend: str | None = None) -> SurveyedChange:
            own = (own_file(past.before, past.after),)
            return SurveyedChange(past.commit, job.line, past.path, former, status, reason, mend, files=own)

        try:
            if past.before is not None and past.after is not None:
                yield from self._pair(job, walked, before, after)
                return
            state = past.after or past.before
            if state is None or not self._is_job(after if past.after is not None else before, state, job):
                return
        except (ConfigurationError, CompositionError) as error:
            # The configuration of a file that is no job is of no interest.
            if self._may_be_of_a_job(job, before, after):
                yield change("not-compared", str(error))
            return
        except GitFailure as failure:
            yield change("not-compared", f"git cannot read it: {inline(failure.message)}.", _REFETCH)
            return
        if past.cut_off:
            yield change("cut-off")
        else:
            yield change("new" if past.before is None else "deleted")

    def _pair(
        self, job: TouchedJob, walked: WalkedCommit, before: CommitFiles, after: CommitFiles
    ) -> Iterator[SurveyedChange]:
        past, commit = job.change, walked.commit
        assert past.before is not None and past.after is not None
        now_config = self._config(past.after, commit.id, walked.era, job.several)
        was_config = self._config(past.before, commit.parents[0], walked.parent_era, job.former)
        was_config = with_composition_of(was_config, now_config)
        if past.before == past.after and not job.is_indirect and are_alike_and_plain(was_config, now_config):
            return
        if not (self._is_job(before, past.before, job) or self._is_job(after, past.after, job)):
            return
        former = past.before.path if past.before.path != past.after.path else None
        try:
            was = self._projects.job(before, past.before, was_config)
            now = self._projects.job(after, past.after, now_config)
        except UnreadablePart as error:
            sides = (SurveyedSide.of_file(past.before, was_config), SurveyedSide.of_file(past.after, now_config))
            own = (own_file(past.before, past.after),)
            yield SurveyedChange(
                commit, job.line, past.path, former, "not-compared", str(error), error.mend, None, *sides, own
            )
            return
        if was.is_like(now):
            return
        sides = (SurveyedSide.of(was), SurveyedSide.of(now))
        pair = _digest(*sides)
        if pair in self._pairs:
            sides = (sides[0].without_texts(), sides[1].without_texts())
        self._pairs.add(pair)
        assumed = () if now.parts is None else now.parts.assumed
        yield SurveyedChange(
            commit,
            job.line,
            past.path,
            former,
            "changed",
            None,
            None,
            pair,
            *sides,
            files=files_between(was, now),
            assumed=assumed,
        )

    def _config(self, state: FileState, commit: str, era: int, several: Composition) -> JobConfig:
        config = self._configs.at(state.path, commit, era, several)
        return config.overridden(self._terms.engine_version, self._terms.parameters)

    def _is_job(self, snapshot: CommitFiles, state: FileState, job: TouchedJob) -> bool:
        if not state.is_text:
            return False
        if job.several is not NO_COMPOSITION:
            return True
        return self._projects.runs(state) if self._tests else self._projects.is_job(snapshot, state)

    def _may_be_of_a_job(self, job: TouchedJob, before: CommitFiles, after: CommitFiles) -> bool:
        sides = ((before, job.change.before), (after, job.change.after))
        try:
            return any(state is not None and self._is_job(snapshot, state, job) for snapshot, state in sides)
        except GitFailure:
            return True


def _digest(was: SurveyedSide, now: SurveyedSide) -> str:
    """The name of a pair, by all that its report depends on but the engine and the analyzer."""
    sides = [[side.content, sorted(side.parameters.items()), side.engine_version] for side in (was, now)]
    return hashlib.blake2b(json.dumps(sides).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class _Memory:
    """Pairs that were met, as many as are worth their memory."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def add(self, key: str) -> None:
        self._known[key] = None
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
