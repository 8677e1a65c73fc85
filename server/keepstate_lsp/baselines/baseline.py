"""Answers of a reader of baselines: a text with its origin, or the reason why there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from keepstate_lsp.baselines.deployments import Deployment
from keepstate_lsp.baselines.spec import BaselineSpec


@dataclass(frozen=True, slots=True)
class Baseline:
    """The text that a file is compared with."""

    spec: BaselineSpec
    commit: str | None
    """The full hash of the commit; ``None`` for a file on disk."""
    path: str
    """The path inside of the repository with ``/``, which differs from the current one for a renamed file; for a file
    on disk the path as given.
    """
    text: str
    """The stored text: line ends are those of the blob, a byte order mark is removed."""
    blob: str | None
    """The hash of the blob: two baselines with one hash have one text."""
    words: str
    """For people: ``HEAD (a1b2c3d)``, ``tag v1.2 (a1b2c3d, there jobs/daily.sql)``."""
    deployment: Deployment | None = None
    """The record that it was read from; its parameters and engine version are those of the baseline."""
    predecessor: Path | None = None
    """The file on disk that the file was renamed from; ``None`` where it was not, or where a file of that name is
    there in the current version too."""

    @property
    def origin(self) -> str:
        """``words`` without the path, for another file of the same commit."""
        return re.sub(r",? ?\bthere [^)]*", "", self.words).replace(" ()", "")


@dataclass(frozen=True, slots=True)
class KnownJob:
    """Facts about a job of several files that identify it at its baseline, beside the path of its last file."""

    name: str | None = None
    """The name in the configuration."""
    former: str | None = None
    """The path of its last file in the commit of the baseline, where the configuration there names the job."""

    entry: str | None = None
    """The path of its last file with the pointer to its value there, for one whose SQL is a value of another file."""

    def predecessor(self, root: Path, path: str) -> Path | None:
        """The former file of the job that is now at ``path``, if it is another one."""
        return None if self.former is None or self.former == path else root / self.former


UNKNOWN_JOB = KnownJob()


class Reason(Enum):
    """Reason why there is no baseline."""

    NO_REPOSITORY = "no-repository"
    GIT_MISSING = "git-missing"
    NEW_FILE = "new-file"
    UNBORN_HEAD = "unborn-head"
    MISSING_REVISION = "missing-revision"
    NO_MERGE_BASE = "no-merge-base"
    NO_TAG = "no-tag"
    NOT_DEPLOYED = "not-deployed"
    SHALLOW_CLONE = "shallow-clone"
    DUBIOUS_OWNERSHIP = "dubious-ownership"
    BARE_REPOSITORY = "bare-repository"
    SUBMODULE = "submodule"
    BROKEN_LINK = "broken-link"
    MISSING_FILE = "missing-file"
    ITSELF = "itself"
    NOT_A_FILE = "not-a-file"
    BINARY = "binary"
    LFS_POINTER = "lfs-pointer"
    NOT_TEXT = "not-text"
    TOO_LARGE = "too-large"
    UNREADABLE = "unreadable"
    GIT_STALLED = "git-stalled"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class NoBaseline:
    """The absence of a baseline, with the reason in words and a command that helps, if there is one."""

    spec: BaselineSpec
    reason: Reason
    sentence: str
    mend: str | None = None

    @property
    def new(self) -> bool:
        """Return whether nothing is missing: the file did not exist at the baseline, so it has no state to lose."""
        return self.reason in (Reason.NEW_FILE, Reason.UNBORN_HEAD)

    @property
    def amiss(self) -> bool:
        """Return whether a baseline is missing: the file is not new, and it lies in a repository."""
        return not self.new and self.reason is not Reason.NO_REPOSITORY

    def __str__(self) -> str:
        return self.sentence if self.mend is None else f"{self.sentence} To mend: {self.mend}"


def inline(name: object) -> str:
    r"""A file name or message on one line: control characters and undecodable bytes of it as escapes.

    >>> inline("a\tb.sql")
    'a\\tb.sql'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(name))
