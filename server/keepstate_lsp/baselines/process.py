"""Running git: the one place where a git process starts.

Lookups go through two persistent ``git cat-file`` processes per repository (GitPython's), which answer in well under
a millisecond; everything else is a short process of its own. One lock guards them, because their pipes are no
protocol for two threads at once.

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
of this process: the repository of a file is the one around it. Only an index that belongs to that very repository is
kept, since ``git commit`` shows a hook what it is about to commit that way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from git.cmd import Git

T = TypeVar("T")

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    # Warnings would fill the pipe of a process that lives for hours and whose stderr nobody reads.
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

_BLOCK = 64 * 1024
"""Bytes that are read from a stream at once, at most."""

_loading = threading.Lock()
_git_class: type[Git] | None = None
_inherited_index: Path | None = None


class GitFailure(Exception):
    """git is missing (``status`` is ``None``) or ended with an error; ``output`` is what it printed before."""

    def __init__(self, status: int | None, output: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.output = output
        self.message = message


@dataclass(frozen=True, slots=True)
class Stored:
    """An object of the repository: its hash, its type (``blob``, ``tree``, ``commit``, ``tag``), its size in bytes."""

    id: str
    type: str
    size: int


class GitProcess:
    """git at work in one folder. Close it to end the processes behind it; it opens them again when needed."""

    def __init__(self, folder: Path, git_folder: Path | None = None, *, bare: bool = False) -> None:
        """``bare``: ``folder`` itself is a repository without a work tree, named by the person at work."""
        self._git = _load()()
        # Not as GitPython's working folder: it would expand ``$`` and ``~`` in the name, and for a folder that cannot
        # be entered take that of this process, hence perhaps another repository.
        self._git.set_persistent_git_options(C=str(folder), c=list(_SETTINGS))
        self._git.update_environment(**_ENVIRONMENT)
        if bare:
            self._git.update_environment(GIT_DIR=".")
        if git_folder is not None and _inherited_index is not None and git_folder in _inherited_index.parents:
            self._git.update_environment(GIT_INDEX_FILE=str(_inherited_index))
        self._lock = threading.RLock()

    def run(self, *arguments: str) -> str:
        """What ``git ARGUMENTS`` prints.

        Raises:
            GitFailure: it ended with another status than 0, or there is no git.
        """
        from git.exc import GitCommandNotFound

        command, *rest = arguments
        with self._lock:
            try:
                status, output, errors = getattr(self._git, command)(
                    *rest, with_exceptions=False, with_extended_output=True, strip_newline_in_stdout=False
                )
            except GitCommandNotFound as error:
                raise GitFailure(None, "", "git was not found") from error
        assert isinstance(status, int)
        output = _text(output)
        if status != 0:
            raise GitFailure(status, output, _text(errors).strip())
        return output

    def feed(self, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> str:
        """What ``git ARGUMENTS`` prints when ``given`` stands on its standard input. This is how objects are written.

        Raises:
            GitFailure: it ended with another status than 0, or there is no git.
        """
        from git.exc import GitCommandNotFound

        command, *rest = arguments
        with self._lock, TemporaryFile() as stream:
            stream.write(given)
            stream.seek(0)
            try:
                status, output, errors = getattr(self._git, command)(
                    *rest,
                    istream=stream,
                    env=dict(environment or {}),
                    with_exceptions=False,
                    with_extended_output=True,
                )
            except GitCommandNotFound as error:
                raise GitFailure(None, "", "git was not found") from error
        if status != 0:
            raise GitFailure(status, _text(output), _text(errors).strip())
        return _text(output)

    def stream(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
        """The NUL-terminated fields that ``git ARGUMENTS`` prints, while it prints them: for answers of any length.

        The process ends with the iterator, also with one that nobody reads to its end.

        Raises:
            GitFailure: it ended with another status than 0, or there is no git.
        """
        from git.exc import GitCommandNotFound

        command, *rest = arguments
        try:
            running = getattr(self._git, command)(
                *rest, env=dict(environment or {}), as_process=True, universal_newlines=False
            )
        except GitCommandNotFound as error:
            raise GitFailure(None, "", "git was not found") from error
        process = running.proc
        assert process is not None and process.stdout is not None and process.stderr is not None
        complaints: list[bytes] = []
        # Emptied on the side: a full pipe would hold up git, which would hold up us.
        listener = threading.Thread(target=lambda pipe: complaints.append(pipe.read()), args=(process.stderr,))
        listener.start()
        try:
            begun = b""
            while block := process.stdout.read1(_BLOCK):
                *whole, begun = (begun + block).split(b"\0")
                for entry in whole:
                    yield _text(entry)
            if status := process.wait():
                listener.join()
                raise GitFailure(status, "", _text(b"".join(complaints)).strip())
        finally:
            process.kill()
            process.wait()
            listener.join()
            process.stdout.close()
            process.stderr.close()

    def changes(self, command: str, *arguments: str) -> list[str]:
        """The NUL-separated fields that ``diff-index`` or ``diff-tree`` prints, without letting it run anything."""
        return self.run(command, *_HARMLESS_DIFF, *arguments).split("\0")[:-1]

    def find(self, name: str) -> Stored | None:
        """The object that ``name`` (``HEAD^{commit}``, ``<hash>:<path>``) stands for, or ``None``.

        Raises:
            GitFailure: git cannot say.
        """
        if not _fits_pipe(name):
            return self._find_slowly(name)

        def ask() -> Stored | None:
            try:
                # GitPython says str and gives bytes.
                identity, kind, size = self._git.get_object_header(name)
                return Stored(_text(identity), _text(kind), size)
            except ValueError as error:
                self._unless_dead(self._git.cat_file_header, error)
                # A header that GitPython cannot take: a longer hash (SHA-256), or a path with spaces in an answer
                # of "missing". The slow way tells them apart.
                return self._find_slowly(name) if "parse header" in str(error) else None

        return self._persistently(ask)

    def content(self, stored: Stored) -> bytes:
        """The bytes of a blob.

        Raises:
            GitFailure: git cannot read it, for instance since a partial clone never fetched it.
        """
        if len(stored.id) != 40:
            return self._content_slowly(stored)

        def ask() -> bytes:
            try:
                return self._git.get_object_data(stored.id)[3]
            except ValueError as error:
                self._unless_dead(self._git.cat_file_all, error)
                raise GitFailure(1, "", f"object {stored.id} is missing") from error

        return self._persistently(ask)

    def contents(self, blobs: Iterable[str], largest: int | None = None) -> dict[str, bytes]:
        """The bytes of many blobs by their hashes, from two processes. What is missing, is no blob, or is larger than
        ``largest`` is left out.

        Raises:
            GitFailure: git cannot say.
        """
        wanted = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
        headers = self.feed("cat_file", "--batch-check", given=wanted).splitlines()
        fitting = [
            fields[0]
            for fields in (header.split(" ") for header in headers)
            if len(fields) == 3 and fields[1] == "blob" and (largest is None or int(fields[2]) <= largest)
        ]
        if not fitting:
            return {}
        with self._lock, TemporaryFile() as stream:
            stream.write("".join(f"{blob}\n" for blob in fitting).encode())
            stream.seek(0)
            data = self._git.cat_file("--batch", istream=stream, stdout_as_string=False, strip_newline_in_stdout=False)
        assert isinstance(data, bytes)
        found: dict[str, bytes] = {}
        start = 0
        while start < len(data):
            end = data.index(b"\n", start)
            blob, _, size = data[start:end].split(b" ")
            start = end + 1 + int(size)
            found[blob.decode()] = data[end + 1 : start]
            # A line break follows each content.
            start += 1
        return found

    def reap(self) -> None:
        """Take leave of persistent processes that somebody else has ended; the next question starts new ones."""
        with self._lock:
            known = (self._git.cat_file_header, self._git.cat_file_all)
            if any(one is not None and one.proc is not None and one.proc.poll() is not None for one in known):
                self._end_persistent()

    def close(self) -> None:
        """End the persistent processes."""
        with self._lock:
            self._end_persistent()

    def _end_persistent(self) -> None:
        for process in (self._git.cat_file_header, self._git.cat_file_all):
            if process is not None:
                # Older GitPythons take leave of it, and then tell of a pipe that broke with a question in it.
                with suppress(BrokenPipeError):
                    process.__del__()
        self._git.clear_cache()

    def _persistently(self, ask: Callable[[], T]) -> T:
        from git.exc import GitCommandNotFound

        with self._lock:
            for last in (False, True):
                try:
                    return ask()
                except GitCommandNotFound as error:
                    raise GitFailure(None, "", "git was not found") from error
                except OSError as error:
                    # The process was killed, or died of what it was asked: once more with a fresh one.
                    self._end_persistent()
                    if last:
                        raise GitFailure(1, "", f"git cat-file ended unexpectedly ({error})") from error
        raise AssertionError("unreachable")

    @staticmethod
    def _unless_dead(process: Git.AutoInterrupt | None, error: ValueError) -> None:
        if process is None or process.proc is None or str(error).startswith("SHA is empty"):
            raise BrokenPipeError("no answer") from error

    def _find_slowly(self, name: str) -> Stored | None:
        try:
            identity = self.run("rev-parse", "--verify", "--quiet", name).strip()
        except GitFailure as failure:
            if failure.status is None:
                raise
            return None
        kind = self.run("cat-file", "-t", identity).strip()
        return Stored(identity, kind, int(self.run("cat-file", "-s", identity)))

    def _content_slowly(self, stored: Stored) -> bytes:
        with self._lock:
            data = self._git.cat_file(
                stored.type, stored.id, stdout_as_string=False, strip_newline_in_stdout=False, with_exceptions=True
            )
        assert isinstance(data, bytes)
        return data


def _load() -> type[Git]:
    global _git_class, _inherited_index
    with _loading:
        if _git_class is None:
            for name in _REDIRECTING:
                os.environ.pop(name, None)
            index = os.environ.pop("GIT_INDEX_FILE", None)
            if index:
                _inherited_index = Path(index).resolve()
            # GitPython looks for git at import; without git it would refuse to be imported.
            os.environ["GIT_PYTHON_REFRESH"] = "quiet"
            from git.cmd import Git

            _git_class = Git
        return _git_class


def _fits_pipe(name: str) -> bool:
    """Whether the line-based pipe can carry ``name``: no line break, no undecodable bytes of a file name."""
    return not any(char == "\n" or "\ud800" <= char <= "\udfff" for char in name)


def _text(value: object) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value or "")
