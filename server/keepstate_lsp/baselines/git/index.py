"""The index of a work tree: what is staged, what a merge left open, and what git keeps out of the work tree."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

from keepstate_lsp.baselines.git.failures import DamagedObject
from keepstate_lsp.baselines.git.hashes import sha1_of
from keepstate_lsp.baselines.git.objects import TreeEntry
from keepstate_lsp.baselines.git.process import GitProcess

_NO_CHECKSUM = bytes(20)
"""The checksum that git writes at the end where ``index.skipHash`` is set."""
_CUT_NAMES = b"\0\0\0\4"
"""The version of the format in which a name begins like the one before it."""
_ELSEWHERE = (b"link", b"sdir")
"""Extensions: a split index, and a sparse one."""


class Listing:
    """The index at one time, as ``ls-files --stage -v -z`` prints it: ``TAG MODE HASH STAGE`` and a path behind a tab,
    for each entry.
    """

    def __init__(self, printed: str = "") -> None:
        self._lines = printed.split("\0")[:-1]

    @cached_property
    def entries(self) -> Mapping[str, TreeEntry]:
        """The entries of the next commit, by path, submodules included."""
        facts = (line.partition("\t") for line in self._lines)
        fields = ((fact.split(" "), path) for fact, _, path in facts)
        return {path: TreeEntry(mode, identity) for (_, mode, identity, stage), path in fields if stage == "0"}

    @cached_property
    def folders(self) -> frozenset[str]:
        """The paths of all folders that hold one of these entries."""
        result: set[str] = set()
        for path in self.entries:
            while (path := path.rpartition("/")[0]) and path not in result:
                result.add(path)
        return frozenset(result)

    @cached_property
    def unmerged(self) -> frozenset[str]:
        """Paths for which a merge left several versions."""
        return frozenset(line.partition("\t")[2] for line in self._lines if line[0] in "Mm")

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Paths that need not be in the work tree: those that a sparse checkout left out (``skip-worktree``), and those
        that are taken to be unchanged (``assume-unchanged``).
        """
        # Nearly all entries begin with an H.
        return frozenset(line.partition("\t")[2] for line in self._lines if line[0] == "S" or line[0].islower())


class Index:
    """Reads the index, once for each state of it."""

    def __init__(self, git: GitProcess, git_folder: Path | None = None) -> None:
        """``git_folder``: where the index is, if that is known."""
        self._git = git
        self._git_folder = git_folder
        self._stamp: tuple[int, ...] = ()
        """Stamp of the file at its last verification."""
        self._listing: Listing | None = None

    @property
    def exists(self) -> bool:
        """Return whether there is an index: a file was staged or checked out at some time.

        Raises:
            Damaged: it cannot be read, or lies outside of the git folder and is missing.
        """
        is_there = _stamp_of(self._path) is not None
        if not is_there and self._git_folder is not None and self._git_folder not in self._path.parents:
            # What a tool put elsewhere, it wrote before.
            raise DamagedObject(f"the index {self._path} that GIT_INDEX_FILE names is missing")
        return is_there

    def listing(self) -> Listing:
        """The entries of today; empty without an index.

        Raises:
            Damaged: it is not what its checksum says.
            GitFailure: git cannot read it.
        """
        if not self.verify():
            return Listing()
        if self._listing is None:
            self._listing = Listing(self._git.run("ls-files", "--stage", "-v", "-z"))
        return self._listing

    def may_hold(self, path: str) -> bool:
        """Return whether the index may have an entry for a path, at less cost than listing all entries.

        Raises:
            Damaged: it is not what its checksum says.
        """
        if not self.verify():
            return False
        return _may_name(self._path, self._stamp, path.rpartition("/")[2])

    def verify(self) -> bool:
        """Hold the file against its checksum, which git reads over; whether there is one.

        Raises:
            Damaged: it is not what its checksum says.
        """
        stamp = _stamp_of(self._path)
        if stamp is None:
            return False
        if stamp != self._stamp:
            self._stamp, self._listing = (), None
            _read_whole(self._path)
            self._stamp = stamp
        return True

    @cached_property
    def _path(self) -> Path:
        if self._git.index_file is not None:
            return Path(self._git.index_file)
        if self._git_folder is not None:
            return self._git_folder / "index"
        return self._git.folder / self._git.run("rev-parse", "--git-path", "index").removesuffix("\n")


def may_track(git_folder: Path, names: Iterable[str]) -> bool:
    """Return whether the index in a git folder may have a file of one of these names, in any folder. Runs no git.

    >>> may_track(Path("no-such-folder"), ["a.sql"])
    False

    Raises:
        Damaged: the index is not what its checksum says.
    """
    path = git_folder / "index"
    stamp = _stamp_of(path)
    return stamp is not None and any(_may_name(path, stamp, name) for name in names)


def _stamp_of(path: Path) -> tuple[int, ...] | None:
    """A value that changes with an index; ``None``: there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamagedObject(f"the index {path} cannot be read ({error.strerror or error})") from error
    if not stat.S_ISREG(status.st_mode):
        # A pipe would be read for ever.
        raise DamagedObject(f"the index {path} is not a regular file")
    return status.st_mtime_ns, status.st_size, status.st_ino


@lru_cache(maxsize=64)
def _may_name(path: Path, _: tuple[int, ...], name: str) -> bool:
    """Return whether the bytes of an index allow an entry of this file name. The result is remembered by stamp."""
    data = _read_whole(path)
    # Names may be cut to what differs from the one before, stand in another file, or for a whole folder.
    is_short = data[4:8] == _CUT_NAMES or any(sign in data for sign in _ELSEWHERE)
    return is_short or name.encode("utf-8", "surrogateescape") in data


def _read_whole(path: Path) -> bytes:
    """The bytes of an index, held against its checksum, which git reads over."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedObject(f"the index {path} cannot be read ({error.strerror or error})") from error
    if sha1_of(data[:-20]) != data[-20:] and data[-20:] != _NO_CHECKSUM and not _has_sha256(data):
        raise DamagedObject(f"the index {path} is damaged: its content is not the one that its checksum stands for")
    return data


def _has_sha256(data: bytes) -> bool:
    """Return whether an index ends with its SHA-256, as in a repository with such hashes."""
    import hashlib

    return hashlib.sha256(data[:-32]).digest() == data[-32:]
