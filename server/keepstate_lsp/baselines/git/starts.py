"""Starts of git: by GitPython, and where its import would take longer than git, without it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from keepstate_lsp.baselines.git.failures import GitFailure, GitMissing

if TYPE_CHECKING:
    from git.cmd import Git

_LOADING = {"GIT_PYTHON_REFRESH": "quiet", "GIT_PYTHON_GIT_EXECUTABLE": os.devnull}
"""For the import of GitPython, which runs ``git version`` without a bound: what cannot be run it does not wait for."""
_MISSING = "git was not found: install git and see that it is on the PATH"

_loading = threading.Lock()
_git_class: type[Git] | None = None


def started(arguments: Sequence[str], environment: Mapping[str, str], stream: IO[bytes] | None) -> Any:
    """The ``Popen`` of ``git ARGUMENTS``, with ``stream`` on its standard input."""
    git = None if _starts_plainly else _git()
    # While GitPython is imported, another program stands in the environment for git: another thread may be in there.
    with _loading:
        program = os.environ.get("GIT_PYTHON_GIT_EXECUTABLE") or "git"
    # Looked up on the PATH, and by GitPython not in the working folder, which may hold files of an untrusted author.
    command = [program, *arguments]
    if git is None:
        return _started_plainly(command, environment, stream)
    from git.exc import GitCommandNotFound

    try:
        wrapped = git.execute(
            command,
            istream=cast("BinaryIO | None", stream),
            as_process=True,
            env=dict(environment),
            # On Windows this changes nothing, and GitPython itself starts a group.
            start_new_session=True,
        )
    except (GitCommandNotFound, PermissionError, NotADirectoryError) as error:
        raise GitMissing(_MISSING) from error
    except OSError as error:
        raise GitFailure(f"git cannot be started: {error.strerror or error}") from error
    process = wrapped.proc
    assert process is not None
    # What wraps it would wait for its end, however long, when it is forgotten.
    wrapped.proc = None
    return process


_starts_plainly = False


@contextlib.contextmanager
def plain_starts() -> Iterator[None]:
    """A block that starts git without GitPython, whose import takes a short command longer than git does. On Windows
    nothing changes: there GitPython keeps the working folder out of the search for git.

    >>> from keepstate_lsp.baselines.git import starts
    >>> with plain_starts():
    ...     starts._starts_plainly is (os.name != "nt")
    True
    """
    global _starts_plainly
    before, _starts_plainly = _starts_plainly, os.name != "nt"
    try:
        yield
    finally:
        _starts_plainly = before


def start_plainly() -> None:
    """Start git as in such a block until ``load_gitpython``.

    >>> from keepstate_lsp.baselines.git import starts
    >>> start_plainly()
    >>> starts._starts_plainly is (os.name != "nt")
    True
    >>> load_gitpython()
    """
    global _starts_plainly
    _starts_plainly = os.name != "nt"


def load_gitpython() -> None:
    """Import GitPython, and start git by it from here on. A server has the time for it behind its first findings.

    >>> load_gitpython()
    >>> type(_git()).__module__
    'git.cmd'
    """
    global _starts_plainly
    _git()
    _starts_plainly = False


def _started_plainly(command: Sequence[str], environment: Mapping[str, str], stream: IO[bytes] | None) -> Any:
    """The ``Popen`` of ``command`` as GitPython makes it."""
    try:
        return subprocess.Popen(
            command,
            env={**os.environ, "LANGUAGE": "C", "LC_ALL": "C", **environment},
            stdin=subprocess.DEVNULL if stream is None else stream,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
        raise GitMissing(_MISSING) from error
    except OSError as error:
        raise GitFailure(f"git cannot be started: {error.strerror or error}") from error


def _git() -> Git:
    """GitPython's way to git, imported when git is needed first. No process is run for that."""
    global _git_class
    with _loading:
        if _git_class is None:
            saved = {name: os.environ.get(name) for name in _LOADING}
            os.environ.update(_LOADING)
            try:
                from git.cmd import Git
            finally:
                for name, value in saved.items():
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value
            _git_class = Git
    return _git_class()
