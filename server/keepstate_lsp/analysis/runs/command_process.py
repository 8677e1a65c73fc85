"""A command of Keepstate as a process beside the server: begun, listened to, ended."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, ClassVar, Generic, TypeVar

from keepstate_lsp.analysis.runs.run_request import RunRequest

R = TypeVar("R")

GRACE_SECONDS = 30
"""Seconds that an interrupted process may take to end: it has to stop a JVM, too."""
_NICENESS = 10
_SAYS = re.compile(r"keepstate(?: [a-z-]+)*: (?P<words>.*)")
"""A line of a command on standard error, about itself or about the program."""
_MOST_LINES = 50


class RunFailed(Exception):
    """There is no result; the message is for a person."""


class CommandProcess(ABC, Generic[R]):
    """One run of a command. It works in ``folder``, which it makes; only what ``stays`` is left there, and nothing
    without a result.
    """

    kind: ClassVar[str]
    """A noun for the run."""
    stays: ClassVar[str | None] = None
    """The name of the folder below that the result refers to."""

    def __init__(self, request: RunRequest, folder: Path) -> None:
        self.request = request
        self.folder = folder
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None
        self.cancelled = False

    def run(self, heard: Callable[[str], None]) -> R | None:
        """Wait for the result, in a thread that may wait; ``None`` after a cancellation. ``heard`` is called with each
        step of the command.

        Raises:
            RunFailed: it says why it has none.
        """
        try:
            lines = self._run(heard)
            if self.cancelled:
                return None
            return self._result_or_failure(lines)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunFailed(f"The {self.kind} could not be run: {error}.") from error
        finally:
            self._tidy()

    def cancel(self) -> None:
        """Have it end, at the latest by force. May be called in any thread, and more than once."""
        with self._lock:
            if self.cancelled:
                return
            self.cancelled = True
            if self._process is not None:
                self._end(self._process)

    @abstractmethod
    def _arguments(self) -> Sequence[str]:
        """The name of the command, and its arguments but for the versions, progress and end."""

    @abstractmethod
    def _result(self, lines: Sequence[str]) -> R:
        """The result that the command has left in the folder, with the ``lines`` that it wrote for a person.

        Raises:
            FileNotFoundError: it has left none.
        """

    def _run(self, heard: Callable[[str], None]) -> list[str]:
        temporary = self.folder / "temporary"
        self.folder.mkdir(mode=0o700, parents=True)
        temporary.mkdir()
        (self.folder / "versions.json").write_text(self.request.versions, "utf-8")
        with self._lock:
            if self.cancelled:
                return []
            process = self._process = self._start(temporary)
        assert process.stderr is not None
        lines = _listen(process.stderr, heard)
        process.wait()
        return lines

    def _start(self, temporary: Path) -> subprocess.Popen[bytes]:
        command = [
            *(sys.executable, "-m", "keepstate_lsp.cli.main", *self._arguments()),
            *(f"--versions={self.folder / 'versions.json'}", "--progress=json", "--end-with-input"),
        ]
        how: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            how = {"creationflags": subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW}
        process = subprocess.Popen(
            command,
            # Python imports from its working directory: this folder is written by the server alone.
            cwd=self.folder,
            env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))},
            # The process ends when this pipe breaks, hence also when the server is killed.
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **how,
        )
        if sys.platform != "win32":
            # Typing comes first. A JVM is started by this process and inherits its priority.
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        self._signal(process, "SIGTERM")
        self._timer = threading.Timer(GRACE_SECONDS, self._signal, (process, "SIGKILL"))
        self._timer.daemon = True
        self._timer.start()

    @staticmethod
    def _signal(process: subprocess.Popen[bytes], name: str) -> None:
        if process.poll() is not None:
            return
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, getattr(signal, name))
        elif name == "SIGKILL":
            process.kill()

    def _result_or_failure(self, lines: list[str]) -> R:
        try:
            return self._result(lines)
        except FileNotFoundError:
            raise RunFailed(lines[-1] if lines else f"The {self.kind} ended without a word.") from None

    def _tidy(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        process = self._process
        if process is not None:
            for pipe in (process.stdin, process.stderr):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]  # both are pipes
            if process.poll() is None:
                process.kill()
                process.wait()
        if self.stays is not None and (self.folder / self.stays).is_dir() and not self.cancelled:
            shutil.rmtree(self.folder / "temporary", ignore_errors=True)
            (self.folder / "versions.json").unlink(missing_ok=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def _listen(lines: IO[bytes], heard: Callable[[str], None]) -> list[str]:
    """Pass the steps of the command to ``heard``; returns its messages for a person."""
    last_lines: deque[str] = deque(maxlen=_MOST_LINES)
    for raw in lines:
        line = raw.decode("utf-8", "replace").strip()
        if sentence := _SAYS.fullmatch(line):
            last_lines.append(sentence["words"])
        elif line.startswith('{"progress"'):
            with suppress(ValueError, KeyError, TypeError):
                heard(_progress_words(json.loads(line)["progress"]))
    return list(last_lines)


def _progress_words(progress: dict[str, Any]) -> str:
    tasks = f": {progress['done']} of {progress['total']} tasks" if progress["total"] else ""
    return f"{progress['query']}{tasks}"
