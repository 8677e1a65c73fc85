"""Running git: the one place where a git process starts.

A repository is only read (but for the record of what is deployed, which ``keepstate deployed`` writes below
``refs/keepstate/``), and nothing that it contains is executed or fetched, however hostile it is:

* git never looks into files of the work tree: to compare one with the index it would run the clean filter that the
  repository configures (``diff-index`` and ``status`` do). Keepstate reads and hashes them itself, and asks git only
  about commits, the index, and the names of untracked files;
* ``core.fsmonitor`` and hooks are off, external diff programs and textconv are off (``--no-ext-diff --no-textconv``),
  submodules are never entered (``--ignore-submodules=all``: git would run ``status`` in them, with their settings);
* ``GIT_ALLOW_PROTOCOL`` names no protocol and ``GIT_NO_LAZY_FETCH`` is set, so that a partial clone with missing
  objects does not reach for its remote (and for the transport program that its configuration names);
* bare repositories that hide inside of a work tree are not entered (``safe.bareRepository``), and git's own check of
  ownership (``safe.directory``) stays in force;
* ``GIT_OPTIONAL_LOCKS=0``: not even the index is refreshed; no pager, no prompt.

Variables that redirect git (``GIT_DIR`` and so on, set for instance inside of hooks) are taken out of the environment
of this process: the repository of a file is the one around it. Only the index is kept, since ``git commit`` and other
tools show what is about to be committed that way. It belongs to the repository in whose git folder it lies; one that
lies in none, to the repository that git was started in.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines.git.conversation import Child
from keepstate_lsp.baselines.git.failures import GitFailure, GitStrange
from keepstate_lsp.baselines.git.patience import Patience

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.warnAmbiguousRefs=false",
    "credential.helper=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_REDIRECTING = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
)
_HARMLESS_DIFF = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "-z")
_COMPLAINTS = ("error:", "fatal:", "warning: ignoring broken ref")
_NOT_NEEDED = re.compile(r"\balternate(?:s$| object path\b)")
"""Messages about an alternate that git cannot open. An object that is missing for that reason is reported when it is
read.
"""
_MOST_LINES = 8
"""Most lines of git's error message that are shown."""


@dataclass(frozen=True)
class _InheritedIndex:
    """The index that ``GIT_INDEX_FILE`` names, and the folder of the work tree around the working directory then."""

    path: Path
    work_tree: Path | None

    @staticmethod
    def of(path: str) -> _InheritedIndex:
        cwd = Path(os.path.realpath(os.curdir))
        work_tree = next((folder for folder in (cwd, *cwd.parents) if os.path.lexists(folder / ".git")), None)
        # As git has it, a relative path begins at the root of the work tree.
        return _InheritedIndex(Path(os.path.realpath((work_tree or cwd) / path)), work_tree)

    def is_of(self, work_tree: Path, git_folder: Path) -> bool:
        """Return whether the index belongs to this repository."""
        around = next((folder for folder in self.path.parents if _is_git_folder(folder)), None)
        if around is not None:
            return around == Path(os.path.realpath(git_folder))
        return self.work_tree == Path(os.path.realpath(work_tree))


def _is_git_folder(folder: Path) -> bool:
    return os.path.lexists(folder / "HEAD") and any(map(os.path.lexists, (folder / "objects", folder / "commondir")))


_redirecting = threading.Lock()
_inherited_index: _InheritedIndex | None = None


class GitProcess:
    """git in one folder; every conversation with git is bounded by ``patience``."""

    def __init__(
        self, folder: Path, git_folder: Path | None = None, *, bare: bool = False, patience: Patience | None = None
    ) -> None:
        """``git_folder``: where the index of the work tree is expected. ``bare``: ``folder`` itself is a repository
        without a work tree, named by the person at work.
        """
        self.folder = folder
        self.patience = Patience.of_command() if patience is None else patience
        self.lock = threading.RLock()
        """Held by conversations of several questions."""
        self._options = ["-C", str(folder), *(word for setting in _SETTINGS for word in ("-c", setting))]
        self._own = dict(_ENVIRONMENT)
        if bare:
            self._own["GIT_DIR"] = "."
        index = _named_index()
        if git_folder is not None and index is not None and index.is_of(folder, git_folder):
            self._own["GIT_INDEX_FILE"] = str(index.path)

    @property
    def index_file(self) -> str | None:
        """The index that git is shown instead of that of the work tree."""
        return self._own.get("GIT_INDEX_FILE")

    def run(self, *arguments: str, stdin: bytes | None = None, environment: Mapping[str, str] | None = None) -> str:
        """The output of ``git ARGUMENTS``. ``stdin`` is written to its standard input, as for writing objects.

        Raises:
            GitFailure: it complained, or ended with another status than 0; there is no git, or it does not answer.
        """
        return text_of(self.run_bytes(*arguments, stdin=stdin, environment=environment))

    def paths(self, count: int, *arguments: str) -> list[str]:
        """Exactly ``count`` paths that ``git ARGUMENTS`` prints; the first is absolute, the last may have line ends.

        Raises:
            GitStrange: it printed something else.
            GitFailure: as for ``run``.
        """
        printed = self.run(*arguments)
        lines = printed.removesuffix("\n").split("\n", count - 1)
        if len(lines) != count or not all(lines) or not os.path.isabs(lines[0]):
            answer = repr(printed[:80]) if printed else "nothing"
            raise GitStrange(f"the program called git answers {answer} to git {arguments[0]}, as git never does")
        return lines

    def run_bytes(
        self, *arguments: str, stdin: bytes | None = None, environment: Mapping[str, str] | None = None
    ) -> bytes:
        """The output of ``git ARGUMENTS``, undecoded."""
        self.patience.begin()
        child = self.start(*arguments, stdin=stdin, environment=environment)
        try:
            with self.patience.bounded(child):
                output = child.rest()
            _check(child, output)
        finally:
            child.close()
        return output

    def stream(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
        """The NUL-terminated fields that ``git ARGUMENTS`` prints, while it prints them: for answers of any length.

        The process ends with the iterator, also with one that is not read to its end. Each silence is bounded.

        Raises:
            GitFailure: as for ``run``.
        """
        self.patience.begin()
        child = self.start(*arguments, environment=environment)
        try:
            begun = b""
            while True:
                with self.patience.bounded(child):
                    block = child.block()
                if not block:
                    break
                *whole, begun = (begun + block).split(b"\0")
                for entry in whole:
                    yield text_of(entry)
            with self.patience.bounded(child):
                child.finish()
            _check(child)
        finally:
            child.end()
            child.close()

    def changes(self, command: str, *arguments: str) -> list[str]:
        """The NUL-separated fields that ``diff-index`` or ``diff-tree`` prints, without letting it run anything."""
        return self.run(command, *_HARMLESS_DIFF, *arguments).split("\0")[:-1]

    def start(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        answers: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Child:
        """``git ARGUMENTS``, started; the caller closes the process. With ``answers``, the process answers questions.

        Raises:
            GitFailure: it cannot be started.
        """
        own = {**self._own, **(environment or {})}
        words = f"git {arguments[0]}"
        return Child([*self._options, *arguments], own, words, str(self.folder), stdin=stdin, answers=answers)


def text_of(value: bytes) -> str:
    """Output of git as text; bytes that are no UTF-8 survive, as Python's own file names have it."""
    return value.decode("utf-8", "surrogateescape")


def _check(child: Child, output: bytes = b"") -> None:
    """Raises ``GitFailure`` for a process that failed. A process that reports an unreadable object and goes on has
    failed as well: its answer lacks the object.
    """
    status, message_text = child.process.returncode, child.error_output()
    lines = [line.strip() for line in message_text.splitlines() if line.strip() and not _NOT_NEEDED.search(line)]
    if status == 0:
        lines = [line for line in lines if line.startswith(_COMPLAINTS)]
    if status != 0 or lines:
        message = "; ".join(line for line in lines[:_MOST_LINES] if not line.startswith("hint:"))
        raise GitFailure(message or f"{child.words} ended with status {status}", status, text_of(output))


def _named_index() -> _InheritedIndex | None:
    """The index that the environment names. The variable is removed, and every other one that redirects git."""
    global _inherited_index
    with _redirecting:
        for name in _REDIRECTING:
            os.environ.pop(name, None)
        index = os.environ.pop("GIT_INDEX_FILE", None)
        if index:
            _inherited_index = _InheritedIndex.of(index)
        return _inherited_index
