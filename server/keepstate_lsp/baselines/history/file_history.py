"""The history of a file: its changes through the commits, renames followed.

No work tree is needed, so bare clones and mirrors do as well: one ``git log`` streams the commits, and one ``git
cat-file`` process has the texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import final

from keepstate_lsp.baselines.baseline import Reason
from keepstate_lsp.baselines.decoding import LARGEST_FILE, NotText, decode
from keepstate_lsp.baselines.git.failures import DamagedObject, GitFailure
from keepstate_lsp.baselines.git.log import FileChange, FileState, LoggedCommit, Merges, read_log
from keepstate_lsp.baselines.git.objects import SUBMODULE, Objects
from keepstate_lsp.baselines.git.revisions import Revisions
from keepstate_lsp.baselines.opening import open_git


@dataclass(frozen=True, slots=True)
class PastChange:
    """The change of a file in one commit, or of its configuration: then both sides are the same."""

    commit: LoggedCommit
    path: str
    """Path of the file after the commit."""
    before: FileState | None
    after: FileState | None
    cut_off: bool = False
    """The former version is unknown: the history of the clone ends here."""


@final
class History:
    """The history of one repository. Use it in a ``with`` block, which ends its git processes."""

    def __init__(self, objects: Objects, root: Path | None) -> None:
        self._objects = objects
        self._git = objects.git
        self._revisions = Revisions(objects)
        self.root = root
        """The work tree, ``None`` in a bare clone."""

    @staticmethod
    def around(folder: Path) -> History:
        """The history of the repository around a folder, which may itself be a bare repository.

        Raises:
            GitFailure: there is none.
        """
        return History(*open_git(folder))

    @cached_property
    def _cut_off_at(self) -> frozenset[str]:
        """The commits whose parents the clone left out."""
        where = self._git.run("rev-parse", "--path-format=absolute", "--git-path", "shallow").removesuffix("\n")
        try:
            return frozenset(Path(where).read_text("ascii").split())
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise GitFailure(f"{where} cannot be read: {error.strerror or error}") from error

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self._objects.close()

    @property
    def is_shallow(self) -> bool:
        """Return whether the history was cut off when it was cloned."""
        return bool(self._cut_off_at)

    def commits(
        self,
        accepts: Callable[[str], bool],
        revision: str = "HEAD",
        merges: Merges = Merges.FIRST_PARENT,
        since: str | None = None,
        *,
        oldest_first: bool = False,
    ) -> Iterator[LoggedCommit]:
        """See :func:`keepstate_lsp.baselines.git.log.read_log`."""
        return read_log(self._git, accepts, revision, merges, since, oldest_first=oldest_first)

    def changes(
        self,
        path: str,
        notable: Sequence[str],
        revision: str = "HEAD",
        merges: Merges = Merges.FIRST_PARENT,
        since: str | None = None,
        accepts_others: Callable[[str], bool] = lambda _: False,
    ) -> Iterator[PastChange]:
        """Changes of the file at ``path`` (inside of the repository), the newest first.

        A change of a file named ``notable`` in one of the folders around it is a change of the file as well, and so is
        one of ``accepts_others``, wherever they are. What the log says of these is not verified.

        Raises:
            GitFailure: git cannot tell, or there is no such revision.
        """
        # Branches may know the file under different names, so each commit is asked for what its children call it.
        paths = {path}
        names_at: dict[str, set[str]] = {}
        notable = tuple(notable)
        # A commit is handed out before the files of the next one are looked at: by then its former name is wanted, too.
        log = self.commits(
            lambda name: name in paths or name.endswith(notable) or accepts_others(name), revision, merges, since
        )
        for number, commit in enumerate(log):
            names = names_at.pop(commit.id, {path} if number == 0 else set())
            yield from self._of(commit, names, frozenset(notable), accepts_others)
            former = {_former(commit, name) for name in names}
            paths |= former
            if merges is Merges.FIRST_PARENT:
                names_at = dict.fromkeys(commit.parents[:1], former)
                continue
            for place, parent in enumerate(commit.parents):
                # A side branch may have had the file under its new name already.
                names_at.setdefault(parent, set()).update(former if place == 0 else names | former)

    def files(self, revision: str = "HEAD") -> list[FileState]:
        """All files of a revision, submodules left out.

        Raises:
            GitFailure: there is no such revision.
        """
        commit = self._revisions.commit(revision)
        if commit is None:
            raise GitFailure(f"there is no revision {revision!r}")
        entries = self._objects.files(commit).items()
        return [FileState(path, entry.id, entry.mode) for path, entry in entries if entry.mode != SUBMODULE]

    def text(self, state: FileState) -> str | NotText:
        """The text of a file.

        Raises:
            GitFailure: git cannot read it.
        """
        if not state.is_text:
            return NotText(Reason.NOT_A_FILE, "is a link or a submodule, not a file.")
        git_object = self._objects.blob(state.blob)
        if git_object.size > LARGEST_FILE:
            return NotText(Reason.TOO_LARGE, f"is too large ({git_object.size:,} bytes).")
        return decode(self._objects.data(git_object))

    def texts(self, states: Iterable[FileState]) -> dict[str, str | NotText]:
        """The texts of many files by their blobs, from two processes; a file that is missing or too large, or no text
        file, is left out.

        Raises:
            GitFailure: git cannot read them.
        """
        blobs = [state.blob for state in states if state.is_text]
        contents = self._objects.contents(blobs, "blob", LARGEST_FILE)
        return {blob: decode(data) for blob, data in contents.items()}

    def commit(self, revision: str = "HEAD") -> str | None:
        """The commit that a revision stands for; ``None``: there is none, as in a repository without commits.

        Raises:
            GitFailure: it cannot be read.
        """
        return self._revisions.commit(revision)

    def near(self, name: str) -> list[str]:
        """Revisions that resemble ``name``, which does not exist."""
        return self._revisions.near(name)

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Return whether one commit, given by its hash, is an ancestor of another one, or the same."""
        return self._revisions.is_ancestor(commit, of)

    def is_on_main_line(self, commit: str, of: str) -> bool:
        """Return whether one commit, given by its hash, is among the first parents of another one, or the same."""
        if commit == of:
            return True
        between = self._git.run("rev-list", "--first-parent", "--parents", f"{commit}..{of}").splitlines()
        return bool(between) and between[-1].split(" ")[1:2] == [commit]

    @property
    def cut(self) -> str:
        """A digest of where the history was cut off; empty for a whole one."""
        places = " ".join(sorted(self._cut_off_at))
        return hashlib.blake2b(places.encode(), digest_size=8).hexdigest() if places else ""

    def is_cut_off(self, commit: str) -> bool:
        """Return whether the clone left the parents of a commit out."""
        return commit in self._cut_off_at

    def state_at(self, commit: str, path: str) -> FileState | None:
        """The file at ``path`` in a commit; ``None``: there is none.

        Raises:
            GitFailure: git cannot say.
        """
        entry = self._objects.entry(commit, path)
        return None if entry is None or entry.type != "blob" else FileState(path, entry.id)

    def verify_file(self, commit: str, path: str, blob: str) -> None:
        """Compare what the log said of a file of a commit, given by its hash, with the commit itself.

        Raises:
            Damaged: it has another file there, or none.
        """
        entry = self._objects.entry(commit, path)
        if entry is None or entry.id != blob:
            raise DamagedObject(f"git says of {path} in {commit} what the commit does not say")

    def _verify(self, commit: LoggedCommit, change: FileChange, cut_off: bool) -> None:
        """Compare a change in the log with the commits themselves, which git's log does not check."""
        sides = [(commit.id, change.after, change.before)]
        if commit.parents and not cut_off:
            sides.append((commit.parents[0], change.before, change.after))
        for identity, state, other in sides:
            existing = state or other
            assert existing is not None
            entry = self._objects.entry(identity, existing.path)
            if (None if entry is None else entry.id) != (None if state is None else state.blob):
                raise DamagedObject(f"git says of {existing.path} in {identity} what the commit does not say")

    def _of(
        self, commit: LoggedCommit, names: set[str], notable: frozenset[str], accepts_others: Callable[[str], bool]
    ) -> Iterator[PastChange]:
        cut_off = commit.id in self._cut_off_at
        for file in commit.files:
            paths = {state.path for state in (file.before, file.after) if state is not None}
            # The others of most commits change nothing for the file; who uses one verifies it.
            if not paths.isdisjoint(names) or any(path.endswith(tuple(notable)) for path in paths):
                self._verify(commit, file, cut_off)
        for name in sorted(names):
            own = _change_of(commit, name)
            if own is not None:
                after = own.after
                yield PastChange(commit, name, None if cut_off else own.before, after, cut_off and after is not None)
            elif not cut_off and any(
                _is_around(file, name, notable) or _is_any(file, accepts_others) for file in commit.files
            ):
                state = self.state_at(commit.id, name)
                if state is not None:
                    yield PastChange(commit, name, state, state)


def _change_of(commit: LoggedCommit, name: str) -> FileChange | None:
    """The change in the commit of the file that is called ``name`` after it, or was before it was deleted."""
    for file in commit.files:
        if file.after is not None and file.after.path == name:
            return file
    removals = (file for file in commit.files if file.after is None and file.before is not None)
    return next((file for file in removals if file.before is not None and file.before.path == name), None)


def _former(commit: LoggedCommit, name: str) -> str:
    """The name of the file before the commit."""
    change = _change_of(commit, name)
    return name if change is None or change.before is None else change.before.path


def _is_any(file: FileChange, test: Callable[[str], bool]) -> bool:
    return any(state is not None and test(state.path) for state in (file.before, file.after))


def _is_around(file: FileChange, name: str, notable: frozenset[str]) -> bool:
    """Return whether the file is a configuration of the one called ``name``: named so, in a folder around it."""
    folders = {folder.as_posix() for folder in PurePosixPath(name).parents}
    for state in (file.before, file.after):
        path = None if state is None else PurePosixPath(state.path)
        if path is not None and path.name in notable and path.parent.as_posix() in folders:
            return True
    return False
