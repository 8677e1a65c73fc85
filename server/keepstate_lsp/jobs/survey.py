"""All changes of all jobs of a repository, as plain values for other processes: the input of an audit.

Texts and configurations are those of the commits, as in :mod:`keepstate_lsp.jobs.history`. A digest of the contents
identifies a pair of versions: the same change in another fork, or again after a revert, is the same pair. A text is
read, and handed out, at the first occurrence of a pair.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import final

from keepstate_lsp.baselines.baseline import shown
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.conversation import GitFailure
from keepstate_lsp.baselines.git.log import FileState, LoggedCommit, Merges
from keepstate_lsp.baselines.history.file_history import History, PastChange
from keepstate_lsp.baselines.history.lineage import LineageWalk, LineChange, WalkedCommit
from keepstate_lsp.config.file import FILE_NAMES, ConfigurationError, JobConfig
from keepstate_lsp.config.job_names import glob_test, is_job, may_be_job
from keepstate_lsp.jobs.past_config import PastJobConfigs

SURVEY_VERSION = 1
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
    """A version of a job. ``text`` is ``None`` where the pair was met before."""

    blob: str
    text: str | None
    parameters: Mapping[str, str]
    engine_version: str | None


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


@dataclass(frozen=True)
class RepositoryProblem:
    """The reason why a repository is not read, or only in part. ``fatal``: the rows of the repository are not valid."""

    reason: str
    mend: str | None
    fatal: bool


@dataclass(frozen=True)
class Surveyed:
    """The last word on a repository. ``whole``: what was known of it before is void."""

    landmark: Landmark | None
    whole: bool


Survey = Iterator[SurveyedChange | RepositoryProblem | Surveyed]


def survey(folder: Path, terms: SurveyTerms, since: Landmark | None = None) -> Survey:
    """All changes of all jobs in the repository at ``folder``, oldest first; only those since ``since``, if the history
    only went on from there. Never raises for a faulty repository: the survey reports the fault.
    """
    try:
        with History.around(folder) as history:
            yield from _Surveying(history, terms).read(since)
    except GitFailure as failure:
        message = shown(failure.message.partition(";")[0].removeprefix("fatal: ")).rstrip(".")
        yield RepositoryProblem(f"git cannot read it: {message}.", _mend(failure.message), fatal=True)
        yield Surveyed(None, whole=True)


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
        self._tests = [glob_test(glob) for glob in terms.globs]
        self._pairs = _Memory()
        """Pairs so far: True for changes of a job."""
        self._blobs = _Memory()
        """Contents, and whether they look like Flink SQL."""

    def read(self, since: Landmark | None) -> Survey:
        head = self._history.commit()
        if head is None:
            yield RepositoryProblem("It has no commits, or its HEAD names a branch that is not there.", None, False)
            yield Surveyed(None, whole=True)
            return
        if self._history.is_shallow:
            sentence = "This clone is shallow: nobody knows what happened before its history was cut off."
            yield RepositoryProblem(sentence, _UNSHALLOW, fatal=False)
        cut = self._history.cut
        if since is not None and not (since.cut == cut and self._leads_on(since.head, head)):
            since = None
        walk = LineageWalk(
            self._history,
            self._is_wanted,
            lambda path: PurePosixPath(path).name in FILE_NAMES,
            self._terms.merges,
            {} if since is None else since.names,
        )
        revision = head if since is None else f"{since.head}..{head}"
        for walked in walk.commits(revision, self._terms.since):
            yield from self._of(walked, walk)
        yield Surveyed(Landmark(head, dict(sorted(walk.names.items())), cut), whole=since is None)

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
        own = {line.change.path for line in walked.changes}
        for line in walked.changes:
            yield from self._read(line, walked)
        if walked.telling and not self._history.is_cut_off(walked.commit.id) and walked.commit.parents:
            for line in self._reconfigured(walked, own, walk):
                yield from self._read(line, walked)

    def _reconfigured(self, walked: WalkedCommit, own: set[str], walk: LineageWalk) -> Iterator[LineChange]:
        """The jobs that a commit did not touch, below configuration files that the commit did touch."""
        folders = {
            PurePosixPath(state.path).parent
            for file in walked.telling
            if self._tells_jobs(file.before) or self._tells_jobs(file.after)
            for state in (file.before, file.after)
            if state is not None
        }
        if not folders:
            return
        for state in self._history.files(walked.commit.id):
            if state.path in own or not self._is_wanted(state.path):
                continue
            if folders.intersection(PurePosixPath(state.path).parents):
                yield LineChange(walk.line_of(state.path), PastChange(walked.commit, state.path, state, state))

    def _tells_jobs(self, file: FileState | None) -> bool:
        """Return whether a file may configure jobs: most ``pyproject.toml`` do not mention Keepstate."""
        if file is None:
            return False
        try:
            text = self._history.text(file)
        except GitFailure:
            return True
        return isinstance(text, NotText) or file.path.endswith("keepstate.toml") or "keepstate" in text

    def _read(self, line: LineChange, walked: WalkedCommit) -> Iterator[SurveyedChange]:
        """The change for its job; none if the file is no job, or if nothing changed for it."""
        past = line.change
        former = past.before.path if past.before is not None and past.before.path != past.path else None

        def change(status: str, reason: str | None = None, mend: str | None = None) -> SurveyedChange:
            return SurveyedChange(past.commit, line.line, past.path, former, status, reason, mend)

        try:
            if past.before is not None and past.after is not None:
                yield from self._pair(line, walked, past.before, past.after)
                return
            state = past.after or past.before
            if state is None or not self._is_job(state):
                return
        except ConfigurationError as error:
            # The configuration of a file that is no job is of no interest.
            if self._may_be_of_a_job(past):
                yield change("not-compared", str(error))
            return
        except GitFailure as failure:
            yield change("not-compared", f"git cannot read it: {shown(failure.message)}.", _REFETCH)
            return
        if past.cut_off:
            yield change("cut-off")
        else:
            yield change("new" if past.before is None else "deleted")

    def _pair(
        self, line: LineChange, walked: WalkedCommit, before: FileState, after: FileState
    ) -> Iterator[SurveyedChange]:
        commit = walked.commit
        was = self._side(before, commit.parents[0], walked.parent_era)
        now = self._side(after, commit.id, walked.era)
        same_terms = (was.parameters, was.engine_version) == (now.parameters, now.engine_version)
        if same_terms and before.blob == after.blob and before.path == after.path:
            return
        pair = _digest(was, now)
        former = before.path if before.path != after.path else None
        known = self._pairs.get(pair)
        if known is None:
            texts = [self._history.text(state) for state in (before, after)]
            good = [text for text in texts if not isinstance(text, NotText)]
            known = bool(self._tests) or is_job(after.path, good)
            for state, text in zip((before, after), texts, strict=True):
                if known and isinstance(text, NotText):
                    reason = f"{shown(state.path)} {text.what}"
                    yield SurveyedChange(
                        commit, line.line, after.path, former, "not-compared", reason, text.mend, None, was, now
                    )
                    return
            if len(good) == 2 and same_terms and good[0].replace("\r\n", "\n") == good[1].replace("\r\n", "\n"):
                # Line ends alone: of no concern to a job, unless it got another name.
                known = known and former is not None
            self._pairs.put(pair, known)
            was, now = (
                SurveyedSide(side.blob, text, side.parameters, side.engine_version)
                for side, text in zip((was, now), good if len(good) == 2 else ("", ""), strict=True)
            )
        if known:
            yield SurveyedChange(commit, line.line, after.path, former, "changed", None, None, pair, was, now)

    def _side(self, state: FileState, commit: str, era: int) -> SurveyedSide:
        config: JobConfig = self._configs.at(state.path, commit, era)
        config = config.overridden(self._terms.engine_version, self._terms.parameters)
        return SurveyedSide(state.blob, None, config.parameters, config.engine_version)

    def _is_job(self, state: FileState) -> bool:
        if not state.is_text:
            return False
        if self._tests:
            return True
        known = self._blobs.get(state.blob)
        if known is None:
            text = self._history.text(state)
            known = is_job(state.path, () if isinstance(text, NotText) else (text,))
            self._blobs.put(state.blob, known)
        return known

    def _may_be_of_a_job(self, past: PastChange) -> bool:
        try:
            return any(state is not None and self._is_job(state) for state in (past.before, past.after))
        except GitFailure:
            return True


def _digest(was: SurveyedSide, now: SurveyedSide) -> str:
    """The name of a pair, by all that its report depends on but the engine and the analyzer."""
    sides = [[side.blob, sorted(side.parameters.items()), side.engine_version] for side in (was, now)]
    return hashlib.blake2b(json.dumps(sides).encode(), digest_size=16).hexdigest()


class _Memory:
    """Answers of yes and no, as many as are worth their memory."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, bool] = OrderedDict()

    def get(self, key: str) -> bool | None:
        return self._known.get(key)

    def put(self, key: str, answer: bool) -> None:
        self._known[key] = answer
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
