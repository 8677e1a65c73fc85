"""A language server in a fork of this process, which has imported all of it: an interpreter of its own for each input
would take most of the time.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.lsp import server
from keepstate_lsp.lsp.launch import main

assert server
KeepstateAnalyzer().load()


class ForkedServer:
    """A server on two pipes; its standard error goes into ``errors``."""

    def __init__(self, folder: Path, errors: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        self._number = os.fork()
        if self._number == 0:
            for end in (ours[1], theirs[0]):
                os.close(end)
            _be(folder, ours[0], theirs[1], errors)
        for end in (ours[0], theirs[1]):
            os.close(end)
        self.stdin: BinaryIO = os.fdopen(ours[1], "wb")
        self.stdout: BinaryIO = os.fdopen(theirs[0], "rb")
        self._status: int | None = None

    def wait(self, seconds: float) -> int | None:
        """The exit status, negative for a signal; ``None`` for one that had to be killed."""
        end = os.pidfd_open(self._number)
        try:
            in_time = bool(select.select([end], [], [], seconds)[0])
            if not in_time:
                os.kill(self._number, signal.SIGKILL)
            _, status = os.waitpid(self._number, 0)
        finally:
            os.close(end)
        return os.waitstatus_to_exitcode(status) if in_time else None


def _be(folder: Path, reading: int, writing: int, errors: Path) -> None:
    """The process of the server; it does not return."""
    status = 70
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        said = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for number, descriptor in enumerate((reading, writing, said)):
            os.dup2(descriptor, number)
        os.closerange(3, 256)
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = str(folder)
        tempfile.tempdir = None
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(number, mode), "utf-8", errors="backslashreplace", write_through=number > 0)
            for number, mode in enumerate(("rb", "wb", "wb"))
        )
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stderr.flush()
        os._exit(status)
