"""All changes of all wanted files of a repository, oldest first, with the line of files that each belongs to.

A file keeps the name of its line through renames: the path under which it was first seen. So what was learned of a
history stays true when commits are added to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import final

from keepstate_lsp.baselines.git.log import FileChange, LoggedCommit, Merges
from keepstate_lsp.baselines.history.file_history import History, PastChange

_NO_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class LineChange:
    """A change of one file."""

    line: str
    change: PastChange


@dataclass(frozen=True, slots=True)
class WalkedCommit:
    """A commit with the changes of wanted files. ``era`` counts the changes of configuration files: two commits of one
    era have the same ones. ``parent_era`` is that of the first parent.
    """

    commit: LoggedCommit
    changes: tuple[LineChange, ...]
    touched: tuple[FileChange, ...]
    """The changes of all files of projects: wanted ones, configuration files and others."""
    telling: tuple[FileChange, ...]
    """The changes of configuration files."""
    era: int
    parent_era: int


@final
class LineageWalk:
    """One walk through the history of a repository. ``wanted`` are the files to follow, ``tells`` the configuration
    files; changes of ``others`` are handed out as well. ``names`` has the line's name for each file with another name,
    as of the end of an earlier walk.
    """

    def __init__(
        self,
        history: History,
        accepts: Callable[[str], bool],
        tells: Callable[[str], bool],
        merges: Merges,
        names: Mapping[str, str] = _NO_NAMES,
        accepts_others: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._history = history
        self._wanted = accepts
        self._tells = tells
        self._others = accepts_others
        self._merges = merges
        self._begin = names
        self.names = names
        """Names at the commit that was handed out last."""
        self._names_at: dict[str, Mapping[str, str]] = {}
        self._era_at: dict[str, int] = {}
        self._eras = 0

    def commits(self, revision: str, since: str | None = None) -> Iterator[WalkedCommit]:
        """All commits, those too that changed nothing of interest; ``revision`` may be a range.

        Raises:
            GitFailure: git cannot tell.
        """
        log = self._history.commits(self._is_touched, revision, self._merges, since, oldest_first=True)
        for commit in log:
            names, parent_era = self._before(commit)
            telling = tuple(file for file in commit.files if _any_side(file, self._tells))
            era = parent_era
            # git shows only those files of a merge that differ from all parents, unless it follows the main line.
            if telling or (commit.is_merge and self._merges is Merges.FULL):
                era = self._next_era()
            cut_off = self._history.is_cut_off(commit.id)
            changes = []
            for file in commit.files:
                if _any_side(file, self._wanted):
                    names, change = _followed(commit, file, names, cut_off)
                    changes.append(change)
            self._after(commit, names, era)
            yield WalkedCommit(commit, tuple(changes), commit.files, telling, era, parent_era)

    def _is_touched(self, path: str) -> bool:
        return self._wanted(path) or self._tells(path) or self._others(path)

    def line_of(self, path: str) -> str:
        """The line that a file belongs to, after the commit that was handed out last."""
        return self.names.get(path, path)

    def _before(self, commit: LoggedCommit) -> tuple[Mapping[str, str], int]:
        """Names and era in front of a commit."""
        first = commit.parents[0] if commit.parents else ""
        era = self._era_at.get(first)
        if era is None:
            era = self._next_era()
        if self._merges is Merges.FIRST_PARENT:
            self._era_at.clear()
            return self.names, era
        names_of_parents = [
            self._names_at.get(parent, _NO_NAMES) for parent in commit.parents if parent in self._era_at
        ]
        if not names_of_parents:
            return self._begin, era
        names = names_of_parents[0]
        for other in names_of_parents[1:]:
            if other is not names:
                names = {**other, **names}
        return names, era

    def _after(self, commit: LoggedCommit, names: Mapping[str, str], era: int) -> None:
        self.names = names
        self._era_at[commit.id] = era
        if self._merges is Merges.FULL and names:
            self._names_at[commit.id] = names

    def _next_era(self) -> int:
        self._eras += 1
        return self._eras


def _any_side(file: FileChange, test: Callable[[str], bool]) -> bool:
    return any(state is not None and test(state.path) for state in (file.before, file.after))


def _followed(
    commit: LoggedCommit, file: FileChange, names: Mapping[str, str], cut_off: bool
) -> tuple[Mapping[str, str], LineChange]:
    """A change of a file with its line, and the names behind it."""
    before, after = file.before, file.after
    existing = after or before
    assert existing is not None
    path = existing.path
    if before is not None:
        line = names.get(before.path, before.path)
    elif path not in names and path in names.values():
        # Another file took the name that a renamed one began with.
        line = f"{path} ({commit.short})"
    else:
        line = names.get(path, path)
    if after is not None and names.get(path, path) != line:
        names = {**names, path: line}
    if before is not None and before.path != path and names.get(before.path) is not None:
        names = {name: of for name, of in names.items() if name != before.path}
    hidden = cut_off and after is not None
    change = PastChange(commit, path, None if cut_off else before, after, hidden)
    return names, LineChange(line, change)
