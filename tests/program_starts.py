"""Starts of Keepstate's programs in tests: a fork of a process that has imported it, which takes a fifth of the time.

The process is as real as one that was started: it is a child of the test, with a standard input, arguments, signals and
an end of its own. It shares nothing with the test or with another process, as no test ever runs in the one that forks.

    with forking():
        process = await asyncio.create_subprocess_exec(*SERVER, stdin=PIPE, stdout=PIPE)
    done = ran(*KEEPSTATE, "check", cwd=folder)

Tests about the start itself (imports, packages, time, what a folder can do to it) start it with ``subprocess``. So do
all tests each night, and where forks are not to be had.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from night import IS_NIGHT

SERVER = (sys.executable, "-m", "keepstate_lsp")
KEEPSTATE = (sys.executable, "-m", "keepstate_lsp.cli.main")
STANDIN = Path(__file__).with_name("lsp") / "standin.py"

CAN_FORK = sys.platform == "linux" and not IS_NIGHT
_SUBREAPER = 36
"""The number of the option in the interface of Linux."""
_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_", "MALLOC_", "COVERAGE_")
"""Beginnings of the names of variables that an interpreter or a library reads before the first line of a program."""


def at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that matter before a program's first line."""
    return {name: value for name, value in environment.items() if name.startswith(_AT_START)}


class _Zygote:
    """The process that forks, from the first request to the end of the tests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._prctl: Any = None
        self._owner = 0
        self._process: subprocess.Popen[Any] | None = None
        # Those of a test that starts it would hold for all others.
        self._environment = dict(os.environ)
        self.variables = at_start(self._environment)

    def start(self) -> None:
        """Start it, unless this process has done so."""
        with self._lock:
            if self._channel is None or self._owner != os.getpid():
                self._start()

    def _start(self) -> None:
        self._owner = os.getpid()
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        self._channel, theirs = socket.socketpair()
        with theirs:
            # It ends with this process, by the end of the socket.
            program = str(Path(__file__).with_name("zygote.py"))
            self._process = subprocess.Popen([sys.executable, program], stdin=theirs, env=self._environment)
        assert self._channel.recv(5, socket.MSG_WAITALL) == b"ready", "the process that forks did not start"

    def fork(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> int:
        """The id of a new child of this process."""
        body = json.dumps(request).encode()
        with self._lock:
            assert self._channel is not None
            self._prctl(_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(self._channel, [len(body).to_bytes(8, "big")], list(descriptors))
                self._channel.sendall(body)
                answer = self._channel.recv(32, socket.MSG_WAITALL)
            finally:
                # From here on, what other processes leave behind is none of this one's business.
                self._prctl(_SUBREAPER, 0, 0, 0, 0)
        assert answer, "the process that forks has ended"
        return int(answer)


_zygote = _Zygote()
_STARTED = subprocess.Popen


class Popen(subprocess.Popen[Any]):
    """``subprocess.Popen``, with a fork for a program of Keepstate."""

    def _execute_child(self, args: Any, executable: Any, preexec_fn: Any, *more: Any) -> None:  # type: ignore[override]
        (close_fds, pass_fds, cwd, env, _, _, shell, *streams), rest = more[:13], more[13:]
        restore_signals, gid, gids, uid, umask, session, *group = rest
        environment = dict(os.environ if env is None else env)
        is_plain = (
            CAN_FORK
            and executable is preexec_fn is gid is gids is uid is None
            and (close_fds, tuple(pass_fds), shell, restore_signals, umask) == (True, (), False, True, -1)
            and all(number in (None, -1) for number in group)
            and _is_ours(args)
            and (cwd is None or os.access(cwd, os.X_OK))
        )
        if is_plain:
            _zygote.start()
        if not is_plain or at_start(environment) != _zygote.variables:
            return super()._execute_child(args, executable, preexec_fn, *more)  # type: ignore[misc]
        former = os.umask(0)
        os.umask(former)
        request = {
            "command": [os.fspath(word) for word in args],
            "environment": {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()},
            "folder": os.fsdecode(cwd or os.getcwd()),
            "umask": former,
            "session": bool(session),
            "ignored": [number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN],
            "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        }
        given = [descriptor if descriptor != -1 else number for number, descriptor in enumerate(_ends(streams))]
        try:
            self.pid = _zygote.fork(request, given)
            self._child_created = True
        finally:
            self._close_pipe_fds(*streams)  # type: ignore[attr-defined]
        return None


def _ends(streams: Sequence[int]) -> tuple[int, int, int]:
    """The ends of the child, of the two ends of each of its three streams."""
    p2cread, _, _, c2pwrite, _, errwrite = streams
    return p2cread, c2pwrite, errwrite


def _is_ours(command: Any) -> bool:
    if isinstance(command, (str, bytes)) or len(command) < 2 or command[0] != sys.executable:
        return False
    if command[1] == "-m":
        return str(command[2]).partition(".")[0] == "keepstate_lsp"
    return command[1] == "-c" or str(command[1]) == str(STANDIN)


@contextmanager
def forking() -> Iterator[None]:
    """In the block, what starts one of Keepstate's programs gets a fork."""
    former = subprocess.Popen
    subprocess.Popen = Popen  # type: ignore[misc]
    try:
        yield
    finally:
        # Blocks of two threads may overlap: whichever ends first, none leaves its class behind.
        subprocess.Popen = _STARTED if former is Popen else former  # type: ignore[misc]


def ran(
    *command: str | Path, check: bool = False, capture_output: bool = False, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """The end of a program of Keepstate; options are those of ``subprocess.run``."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if (given := options.pop("input", None)) is not None:
        options["stdin"] = subprocess.PIPE
    with Popen(command, **options) as process:
        try:
            output, errors = process.communicate(given)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, output, errors)
    if check:
        done.check_returncode()
    return done
