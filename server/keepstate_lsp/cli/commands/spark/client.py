"""Hands a command to the warm session of its choice, which it starts if there is none."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from types import FrameType
from typing import Any

from keepstate_lsp.cli.commands.spark.command_request import STANDARD_FILES, Note, Request
from keepstate_lsp.cli.commands.spark.messages import BrokenOff, is_of_this_user, receive, send
from keepstate_lsp.cli.commands.spark.session_folder import NotPrivate, SessionFiles, can_be_warm, private_folder
from keepstate_lsp.cli.commands.spark.session_key import SessionChoice, session_key
from keepstate_lsp.cli.commands.spark.variables import IDLE, WARM
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.source_text import STANDARD_INPUT, is_stream
from keepstate_lsp.files.lock import LockError, locked

IDLE_SECONDS = 300.0
_CI = "CI"
_SESSION = "keepstate_lsp.cli.commands.spark.warm_session"
_OF_SUBMIT = "PYSPARK_GATEWAY_PORT"
"""The variable by which spark-submit gives a process its JVM."""
_STARTING_SECONDS = 60.0
_PASSED = ("SIGINT", "SIGTERM", "SIGHUP")


def status_of_warm_run(arguments: argparse.Namespace, words: Sequence[str]) -> int | None:
    """Run the command line ``words``, parsed as ``arguments``, in a warm session. Return its exit status; ``None`` if
    the command has to run in this process.

    Raises:
        UsageError: a variable of the environment makes no sense.
        CommandError: the session ended after the command had written results.
    """
    idle = _idle(os.environ)
    if _is_refused(arguments, os.environ) or not _is_possible(arguments):
        return None
    from keepstate_spark.errors import PipelineError
    from keepstate_spark.java import find_java
    from keepstate_spark.warm.lent import SMALL_SETTINGS

    try:
        java = find_java().program
        folder = private_folder()
    except (PipelineError, NotPrivate, OSError, RuntimeError):
        # This process works without a warm session, and says itself if there is no Java.
        return None
    choice = SessionChoice(arguments.memory, {**SMALL_SETTINGS, **dict(arguments.spark)})
    place = SessionFiles(folder, session_key(choice, java, os.environ))
    request, written = Request.from_process(words), Note.new()
    for is_last in (False, True):
        connection = connected(place) or start_session(place, choice, idle)
        if connection is None:
            return None
        with closing(connection):
            answer = _answer(connection, place, request, written)
        if "status" in answer:
            return int(answer["status"])
        if "gone" in answer:
            continue
        how = answer.get("lost")
        if how is None:
            # It works for another command, or has no JVM.
            return None
        # Standard input can be read once.
        if written or arguments.file == STANDARD_INPUT:
            raise CommandError(f"The warm Spark session ended before the command was complete ({how}).")
        tell(f"The warm Spark session ended ({how}). {'Going on without one.' if is_last else 'Starting another one.'}")
    return None


def _is_refused(arguments: argparse.Namespace, environment: Mapping[str, str]) -> bool:
    """Return whether the user, or a build, wants no process to stay.

    Raises:
        UsageError: the variable has another value.
    """
    value = environment.get(WARM, "")
    if value not in ("", "0", "1"):
        raise UsageError(f"{WARM} is {value!r}: it can be 0 or 1.")
    if arguments.no_warm or value == "0":
        return True
    return value != "1" and environment.get(_CI, "").lower() not in ("", "0", "false")


def _idle(environment: Mapping[str, str]) -> float:
    """The seconds after which a session without a command ends.

    Raises:
        UsageError: the variable is no such number.
    """
    text = environment.get(IDLE, "")
    try:
        seconds = float(text) if text else IDLE_SECONDS
    except ValueError:
        seconds = -1
    if not 0 < seconds < float("inf"):
        raise UsageError(f"{IDLE} is {text!r}: it can be a number of seconds above 0.")
    return seconds


def _is_possible(arguments: argparse.Namespace) -> bool:
    """Return whether a session elsewhere can do what this process would do."""
    if not can_be_warm() or find_spec("pyspark") is None or _OF_SUBMIT in os.environ:
        return False
    if threading.current_thread() is not threading.main_thread():
        # Signals, which have to be passed on, reach the main thread alone.
        return False
    from keepstate_spark.warm.lent import is_lent

    # An open pipe of the shell is one of this process alone, and a cluster is not kept without work.
    if is_lent() or arguments.master is not None or (is_stream(arguments.file) and arguments.file != STANDARD_INPUT):
        return False
    try:
        numbers = tuple(stream.fileno() for stream in (sys.stdin, sys.stdout, sys.stderr))
    except (OSError, AttributeError, ValueError):
        return False
    return numbers == STANDARD_FILES


def connected(place: SessionFiles) -> socket.socket | None:
    """A connection to the session at ``place``, if one answers."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(place.socket))
    except OSError:
        connection.close()
        return None
    if not is_of_this_user(connection):
        connection.close()
        return None
    return connection


def start_session(place: SessionFiles, choice: SessionChoice, idle: float) -> socket.socket | None:
    """A connection to a new session at ``place``; ``None`` if it does not start."""
    try:
        with locked(place.folder / place.key, _STARTING_SECONDS):
            # Another command may have started it meanwhile.
            connection = connected(place)
            if connection is not None:
                return connection
            _start(place, choice, idle)
            return connected(place)
    except (LockError, OSError):
        return None


def _start(place: SessionFiles, choice: SessionChoice, idle: float) -> None:
    """Start a session. Return when it can be asked, or has failed."""
    given = {
        "folder": str(place.folder),
        "key": place.key,
        "memory": choice.memory,
        "spark": dict(choice.spark),
        "idle": idle,
    }
    with subprocess.Popen(
        # Its folder is the first place of its modules: the private one, and not that of the command.
        [sys.executable, "-m", _SESSION],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=place.folder,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.write(json.dumps(given).encode())
            process.stdin.close()
        process.stdout.readline()
        # The session outlives this process, which need not wait for its end.
        process.returncode = 0


def _answer(connection: socket.socket, place: SessionFiles, request: Request, written: Note) -> dict[str, Any]:
    """The outcome of a command: its status, or how the session was lost; another answer if it was not taken."""
    record = place.read()
    if record is None:
        return {}
    asked = {"secret": record["secret"], "ask": "run", "request": request.message()}
    is_taken = False
    try:
        send(connection, asked, (*STANDARD_FILES, written.file))
        with _passing_signals_on(connection):
            answer, _ = receive(connection)
            is_taken = "taken" in answer
            if is_taken:
                answer, _ = receive(connection)
    except (BrokenOff, OSError):
        # A session that was about to end takes no command any more.
        return {"lost": "without a word"} if is_taken else {"gone": True}
    return answer


@contextmanager
def _passing_signals_on(connection: socket.socket) -> Iterator[None]:
    """A block in which signals that end a command go to the process that runs it."""

    def pass_on(number: int, _: FrameType | None) -> None:
        with suppress(OSError):
            send(connection, {"signal": signal.Signals(number).name})

    former = {getattr(signal, name): signal.getsignal(getattr(signal, name)) for name in _PASSED}
    heard = [number for number, handler in former.items() if handler is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, pass_on)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, former[number] or signal.SIG_DFL)
