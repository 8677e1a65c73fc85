"""The effect of each past change of a job, had the job been restarted with it.

The analysis is the one of ``keepstate check``; texts and configurations are those of the commits.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate_lsp.baselines.baseline import shown
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.conversation import GitFailure
from keepstate_lsp.baselines.git.log import FileState, LoggedCommit, Merges
from keepstate_lsp.baselines.history.file_history import History, PastChange
from keepstate_lsp.config.file import EMPTY_CONFIG, FILE_NAMES, ConfigurationError, JobConfig
from keepstate_lsp.jobs.past_config import PastJobConfigs

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.report import Report

_REMEMBERED = 4096


@dataclass(frozen=True)
class JobState:
    """A job at one commit."""

    file: FileState
    text: str
    config: JobConfig


@dataclass(frozen=True)
class JobChange:
    """The change of a job in one commit; ``None`` on a side without the job."""

    commit: LoggedCommit
    path: str
    before: JobState | None
    after: JobState | None
    obstacle: str | None = None
    """Reason why the change cannot be compared, a sentence."""
    mend: str | None = None

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
            and self.before.config.is_like(self.after.config)
            and self.before.file.path == self.after.file.path
            and self.before.text.replace("\r\n", "\n") == self.after.text.replace("\r\n", "\n")
        )


class JobHistory:
    """Reader of the past of jobs. ``by_hand`` is the configuration of the command line, which overrides the files."""

    def __init__(self, history: History, by_hand: JobConfig = EMPTY_CONFIG) -> None:
        self._history = history
        self._by_hand = by_hand
        self._configs = PastJobConfigs(history)

    def changes(
        self, path: str, revision: str = "HEAD", merges: Merges = Merges.FIRST_PARENT, since: str | None = None
    ) -> Iterator[JobChange]:
        """The changes of the job in the file at ``path``, inside of the repository, the newest first.

        Raises:
            GitFailure: git cannot tell, or there is no such revision.
        """
        for past in self._history.changes(path, FILE_NAMES, revision, merges, since):
            change = self.read(past)
            if not change.is_silent:
                yield change

    def read(self, past: PastChange) -> JobChange:
        """The texts of a change, and the configurations of both sides."""
        commit = past.commit
        parent = commit.parents[0] if commit.parents else None
        if past.cut_off:
            sentence = "Nobody knows what was before: this clone is shallow, its history was cut off here."
            return JobChange(commit, past.path, None, None, sentence, "git fetch --unshallow")
        try:
            before = None if past.before is None or parent is None else self._state(past.before, parent)
            after = None if past.after is None else self._state(past.after, commit.id)
        except ConfigurationError as error:
            return JobChange(commit, past.path, None, None, str(error))
        except GitFailure as failure:
            sentence = f"git cannot read it: {shown(failure.message)}."
            return JobChange(commit, past.path, None, None, sentence, "git fetch --refetch --no-filter")
        for state in (before, after):
            if isinstance(state, _Unreadable):
                return JobChange(commit, past.path, None, None, state.sentence, state.mend)
        assert not isinstance(before, _Unreadable) and not isinstance(after, _Unreadable)
        return JobChange(commit, past.path, before, after)

    def _state(self, file: FileState, commit: str) -> JobState | _Unreadable:
        text = self._history.text(file)
        if isinstance(text, NotText):
            return _Unreadable(f"{shown(file.path)} in {commit[:7]} {text.what}", text.mend)
        config = self._configs.at(file.path, commit)
        return JobState(file, text, config.overridden(self._by_hand.engine_version, self._by_hand.parameters))


@dataclass(frozen=True)
class _Unreadable:
    sentence: str
    mend: str | None


class PastJudge:
    """Judges changes; one that comes again, in a revert of a revert or on another branch, is judged once."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._known: OrderedDict[object, Report] = OrderedDict()
        self._workspace: Workspace | None = None

    def report(self, before: JobState, after: JobState) -> Report:
        """The report on a restart with ``after`` from the state of ``before``."""
        import keepstate

        key = (_identity(before), _identity(after))
        report = self._known.get(key)
        if report is None:
            now, was = (
                keepstate.JobVersion(state.text, state.config.parameters, state.config.engine_version)
                for state in (after, before)
            )
            if self._workspace is None:
                self._workspace = keepstate.Workspace()
            report = keepstate.analyse(now, was, self._engine, self._workspace).report()
            self._known[key] = report
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return report


def _identity(state: JobState) -> object:
    return state.file.blob, state.config.engine_version, tuple(sorted(state.config.parameters.items()))
