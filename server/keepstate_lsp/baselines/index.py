"""The index of a work tree: what is staged, what a merge left open, and what git keeps out of the work tree."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from keepstate_lsp.baselines.conversation import Damaged
from keepstate_lsp.baselines.objects import Entry
from keepstate_lsp.baselines.process import GitProcess

_NO_CHECKSUM = bytes(20)
"""What git writes at the end where ``index.skipHash`` is set."""


class Listing:
    """The index at one time, as ``ls-files --stage -v -z`` prints it: ``TAG MODE HASH STAGE`` and a path behind a tab,
    for each entry.
    """

    def __init__(self, printed: str = "") -> None:
        self._lines = printed.split("\0")[:-1]

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """What a commit would hold, by path; submodules are among them."""
        facts = (line.partition("\t") for line in self._lines)
        fields = ((fact.split(" "), path) for fact, _, path in facts)
        return {path: Entry(mode, identity) for (_, mode, identity, stage), path in fields if stage == "0"}

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
        self._listing = Listing()

    @property
    def exists(self) -> bool:
        """Whether anything was ever staged or checked out.

        Raises:
            Damaged: it cannot be read.
        """
        return self._status() is not None

    def listing(self) -> Listing:
        """What it holds now; nothing, where there is no index.

        Raises:
            Damaged: it is not what its checksum says.
            GitFailure: git cannot read it.
        """
        status = self._status()
        if status is None:
            return Listing()
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if stamp != self._stamp:
            self._verify()
            self._listing = Listing(self._git.run("ls-files", "--stage", "-v", "-z"))
            self._stamp = stamp
        return self._listing

    @cached_property
    def _path(self) -> Path:
        if self._git.index_file is not None:
            return Path(self._git.index_file)
        if self._git_folder is not None:
            return self._git_folder / "index"
        return self._git.folder / self._git.run("rev-parse", "--git-path", "index").removesuffix("\n")

    def _status(self) -> os.stat_result | None:
        try:
            return self._path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Damaged(f"the index cannot be read ({error.strerror or error})") from error

    def _verify(self) -> None:
        """Hold the file against its checksum, which git reads over."""
        try:
            data = self._path.read_bytes()
        except OSError as error:
            raise Damaged(f"the index cannot be read ({error.strerror or error})") from error
        sums = (
            hashlib.sha1(data[:-20], usedforsecurity=False).digest() == data[-20:],
            hashlib.sha256(data[:-32]).digest() == data[-32:],
            data[-20:] == _NO_CHECKSUM,
        )
        if not any(sums):
            raise Damaged("the index is damaged: its content is not the one that its checksum stands for")
