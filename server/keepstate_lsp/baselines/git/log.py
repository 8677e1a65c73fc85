"""The history of a repository as one stream: ``git log`` with the files that each commit changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from keepstate_lsp.baselines.git.process import GitProcess

_COMMIT = "\x01"
_FORMAT = "--format=" + "%x00".join((_COMMIT, "%H", "%P", "%cI", "%an", "%s", ""))
_SYMLINK = "120000"
_SUBMODULE = "160000"
_NOTHING = "000000"


class Merges(Enum):
    """Treatment of merges."""

    FIRST_PARENT = "first-parent"
    """The main line alone: a merge is one change, that of all that it brought."""
    FULL = "full"
    """All commits of all branches; a merge counts if its text differs from that of every parent, and is compared with
    the first parent.
    """


_WALKS = {
    Merges.FIRST_PARENT: ("--first-parent", "-m"),
    Merges.FULL: ("-c", "--combined-all-paths"),
}


@dataclass(frozen=True, slots=True)
class FileState:
    """A file at one commit."""

    path: str
    blob: str
    mode: str = "100644"

    @property
    def is_text(self) -> bool:
        """Return whether the entry is a file, and not a link or a submodule."""
        return self.mode not in (_SYMLINK, _SUBMODULE)


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change of a file in a commit: ``None`` on a side where the file does not exist."""

    before: FileState | None
    after: FileState | None


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One commit. ``date`` is the date of the commit, in ISO 8601."""

    id: str
    parents: tuple[str, ...]
    date: str
    author: str
    subject: str
    files: tuple[FileChange, ...]

    @property
    def short(self) -> str:
        return self.id[:7]

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


def read_log(
    process: GitProcess,
    accepts: Callable[[str], bool],
    revision: str,
    merges: Merges,
    since: str | None = None,
    *,
    oldest_first: bool = False,
) -> Iterator[LoggedCommit]:
    """All commits behind ``revision``, children before their parents, while git finds them; of their files those that
    have, or had, a path that ``accepts`` takes. ``revision`` may be a range.

    With ``oldest_first`` parents come before their children, once git has found all of them.

    git is not asked for these paths alone: it would look at every entry of a folder that changed, which costs several
    times as much as telling all that changed, and would know a file by its name alone that came from elsewhere.

    ``since`` is a date that git understands.

    Raises:
        GitFailure: git cannot tell, or there is no such revision.
    """
    fields = process.stream(
        "log",
        *_WALKS[merges],
        "--topo-order",
        "--raw",
        "-z",
        "-M",
        "--root",
        "--no-abbrev",
        "--no-ext-diff",
        "--no-textconv",
        "--no-relative",
        # A setting of the repository may ask for signatures, which are verified by a program that it names.
        "--no-show-signature",
        "--encoding=UTF-8",
        _FORMAT,
        *(() if since is None else (f"--since={since}",)),
        *(("--reverse",) if oldest_first else ()),
        "--end-of-options",
        revision,
        "--",
    )
    return _commits(fields, accepts)


def _commits(fields: Iterator[str], accepts: Callable[[str], bool]) -> Iterator[LoggedCommit]:
    facts: tuple[str, ...] = ()
    files: list[FileChange] = []
    for entry in fields:
        # Before the first change of a commit git ends the line of its message.
        entry = entry.lstrip("\n")
        if entry == _COMMIT:
            if facts:
                yield _commit(facts, files)
            facts, files = tuple(next(fields) for _ in range(5)), []
        elif entry.startswith(":"):
            change = _change(entry, fields, accepts)
            if change is not None:
                files.append(change)
    if facts:
        yield _commit(facts, files)


def _commit(facts: tuple[str, ...], files: list[FileChange]) -> LoggedCommit:
    identity, parents, date, author, subject = facts
    return LoggedCommit(identity, tuple(parents.split()), date, author, subject, tuple(files))


def _change(entry: str, fields: Iterator[str], accepts: Callable[[str], bool]) -> FileChange | None:
    """The change that ``:MODE MODE HASH HASH STATUS`` and the paths behind it describe, if it is that of a wanted file.
    A merge of several parents has as many colons, and a mode, a hash and a path for each of them.
    """
    colons = len(entry) - len(entry.lstrip(":"))
    if colons > 1:
        paths = [next(fields) for _ in range(colons + 1)]
    else:
        # A rename or copy has a score behind its letter, and two paths.
        paths = [next(fields) for _ in range(2 if entry[-1].isdigit() else 1)]
    if not any(map(accepts, paths)):
        return None
    words = entry[colons:].split(" ")
    modes, blobs = words[: colons + 1], words[colons + 1 : 2 * colons + 2]
    return FileChange(_state(paths[0], blobs[0], modes[0]), _state(paths[-1], blobs[-1], modes[-1]))


def _state(path: str, blob: str, mode: str) -> FileState | None:
    return None if mode == _NOTHING else FileState(path, blob, mode)
