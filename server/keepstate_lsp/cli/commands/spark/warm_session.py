"""The warm session: a process that keeps a JVM of Spark, and answers commands of its user in forks of itself.

It ends when no command comes for a while, when it is asked to, and when its JVM is gone. It runs with the code that it
was started with, in a folder of its own: a command names only its words, its folder and its environment.
"""

from __future__ import annotations

import gc
import hmac
import json
import os
import secrets
import selectors
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from keepstate_lsp.cli.commands.spark.command_request import STANDARD_FILES, Note, Request
from keepstate_lsp.cli.commands.spark.messages import BrokenOff, is_of_this_user, receive, send
from keepstate_lsp.cli.commands.spark.session_folder import SessionFiles, archive_folder, require_private
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED
from keepstate_lsp.version import VERSION
from keepstate_spark.errors import PipelineError
from keepstate_spark.java import find_java
from keepstate_spark.jvm import Jvm
from keepstate_spark.session import settings_for
from keepstate_spark.warm.class_archive import WRITING_SECONDS, ClassArchive
from keepstate_spark.warm.kept_objects import can_go_on
from keepstate_spark.warm.lent import JvmLost, JvmSettings, LentJvm, lending

_IMPORTED = (
    "pyspark.sql.functions",
    "keepstate_lsp.cli.main",
    "keepstate_lsp.cli.commands.run",
    "keepstate_lsp.cli.commands.replay.replay_text",
    "keepstate_lsp.cli.commands.replay.replay_files",
    "keepstate_spark.runnable",
    "keepstate_spark.lowering.operators.plan_frames",
    "keepstate_spark.sources.scanning",
    "keepstate_spark.replay.replaying",
)
"""Modules that most commands need, imported while the JVM starts."""
_HERE = "local[*]"
"""The master of commands that name none."""
_FILES = len(STANDARD_FILES) + 1
_TELLING_SECONDS = 5.0
"""Seconds in which a command has to send its request."""
_ENDING_SECONDS = 20.0
"""Seconds that a command may take to end after it was asked to."""
_MOST_COMMANDS = 300
"""Each command leaves compiled classes in the JVM, outside of its heap, so there is a last one."""


@dataclass
class _Command:
    """A command at work: its process, and the connection of the process that waits for it."""

    process: int
    ended: int
    """A pipe that closes with the process."""
    connection: socket.socket
    is_waited_for: bool = True
    killed_at: float | None = None


@dataclass
class WarmSession:
    """The session with ``secret``. ``jvm`` has ``settings``."""

    secret: str
    jvm: Jvm
    settings: JvmSettings
    idle: float
    """Seconds without a command after which it ends."""
    listener: socket.socket
    withdraw: Callable[[], None]
    """Removes its files, so that the next command starts another one."""
    _served: int = 0
    _command: _Command | None = None
    _is_ending: bool = False
    _stopping: list[socket.socket] = field(default_factory=list)
    """Connections that wait for the end."""

    def serve(self) -> bool:
        """Answer until the end. Return whether that was asked for."""
        quiet_since = time.monotonic()
        while self._command is not None or not self._is_ending:
            with selectors.DefaultSelector() as selector:
                selector.register(self.listener, selectors.EVENT_READ)
                if self._command is not None:
                    selector.register(self._command.ended, selectors.EVENT_READ)
                    if self._command.is_waited_for:
                        selector.register(self._command.connection, selectors.EVENT_READ)
                ready = {key.fileobj for key, _ in selector.select(self._patience(quiet_since))}
            command = self._command
            if command is not None:
                if command.ended in ready:
                    self._finish(command)
                elif command.connection in ready:
                    self._pass_on(command)
                elif command.killed_at is not None and time.monotonic() >= command.killed_at:
                    os.kill(command.process, signal.SIGKILL)
                    command.killed_at = None
                quiet_since = time.monotonic()
            elif not ready and time.monotonic() - quiet_since >= self.idle:
                return False
            if self.listener in ready:
                self._accept()
        return bool(self._stopping)

    def _patience(self, quiet_since: float) -> float | None:
        if self._command is None:
            return max(0.0, quiet_since + self.idle - time.monotonic())
        at = self._command.killed_at
        return None if at is None else max(0.0, at - time.monotonic())

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        connection.settimeout(_TELLING_SECONDS)
        try:
            message, files = receive(connection, _FILES)
        except BrokenOff:
            connection.close()
            return
        keeps = False
        try:
            given = str(message.get("secret", ""))
            if not is_of_this_user(connection) or not hmac.compare_digest(given.encode(), self.secret.encode()):
                send(connection, {"refused": "The secret of this session is another one."})
                return
            keeps = self._answer(connection, message, files)
        except (BrokenOff, OSError):
            # The other side is gone, and waits for no answer.
            pass
        finally:
            for file in files:
                os.close(file)
            if not keeps:
                connection.close()

    def _answer(self, connection: socket.socket, message: dict[str, Any], files: list[int]) -> bool:
        """Answer a message. Return whether the connection stays open."""
        match message.get("ask"):
            case "status":
                state = {"commands": self._served, "busy": self._command is not None, "idle": self.idle}
                send(connection, {**state, "jvm": self.jvm.pid, "memory": self.settings.memory})
                return False
            case "stop":
                self._begin_end()
                self._stopping.append(connection)
                if self._command is not None:
                    self._end(self._command, signal.SIGTERM)
                return True
            case "run" if len(files) == _FILES:
                if self._command is not None or self._is_ending:
                    send(connection, {"busy": True})
                    return False
                if self.jvm.is_gone():
                    self._begin_end()
                    send(connection, {"lost": f"its JVM ended: {self.jvm.last_words()}"})
                    return False
                request = Request(**message["request"])
                self._command = self._started(request, connection, files)
                return True
        return False

    def _begin_end(self) -> None:
        """Take no other command. It is done before any answer, after which a command looks for another session."""
        self._is_ending = True
        self.withdraw()

    def _started(self, request: Request, connection: socket.socket, files: list[int]) -> _Command:
        """Fork a process for a command."""
        ended, end = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(ended)
            self._run(request, connection, files)
        os.close(end)
        self._served += 1
        with suppress(OSError):
            send(connection, {"taken": True})
        connection.settimeout(None)
        return _Command(process, ended, connection)

    def _run(self, request: Request, connection: socket.socket, files: list[int]) -> NoReturn:
        """Run a command in this process, a fork, and end it."""
        status = NOT_COMPARED
        try:
            self.listener.close()
            connection.close()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
            written = Note(files.pop())
            request.take_place(files, written)
            time.tzset()
            lent = LentJvm(self.jvm.address, str(self.jvm.folder), self.settings, lambda: not written)
            with lending(lent):
                status = import_module("keepstate_lsp.cli.main").main(request.words)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:  # noqa: BLE001 - a fork must not go on as the session that it was
            traceback.print_exc()
        finally:
            # Not an exit of Python, whose handlers belong to the process that was forked.
            os._exit(status & 0xFF)

    def _pass_on(self, command: _Command) -> None:
        """Pass a signal on to the command; it ends with the process that waits for it."""
        try:
            message, _ = receive(command.connection)
            number = signal.Signals[str(message.get("signal"))]
        except (BrokenOff, KeyError):
            command.is_waited_for = False
            number = signal.SIGTERM
        self._end(command, number)

    @staticmethod
    def _end(command: _Command, number: signal.Signals) -> None:
        os.kill(command.process, number)
        if command.killed_at is None:
            command.killed_at = time.monotonic() + _ENDING_SECONDS

    def _finish(self, command: _Command) -> None:
        """Report the end of a command."""
        _, status = os.waitpid(command.process, 0)
        self._command = None
        code = os.waitstatus_to_exitcode(status)
        answer: dict[str, Any] = {"status": code}
        if code == JvmLost.STATUS:
            answer = {
                "lost": f"its JVM ended: {self.jvm.last_words()}" if self.jvm.has_ended() else "its JVM did not answer"
            }
        elif code < 0:
            answer = {"lost": f"{signal.Signals(-code).name} ended its process"}
        # After any of these the JVM may be at work for the command that is gone, or be gone itself.
        if (
            "status" not in answer
            or self._served >= _MOST_COMMANDS
            or self.jvm.is_gone()
            or not can_go_on(self.jvm.address)
        ):
            self._begin_end()
        with suppress(OSError):
            send(command.connection, answer)
        command.connection.close()
        os.close(command.ended)

    def close(self) -> None:
        """End a command at work, and let the processes that wait for the end go on."""
        if self._command is not None:
            self._end(self._command, signal.SIGTERM)
        for connection in self._stopping:
            connection.close()


def main() -> int:
    """Keep a session as standard input describes it; standard output says when it can be asked."""
    given = json.load(sys.stdin)
    place = SessionFiles(Path(given["folder"]), given["key"])
    require_private(place.folder)
    os.umask(0o077)
    os.chdir(place.folder)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    settings = JvmSettings(given["memory"], True, settings_for(_HERE, given["spark"]))
    with socket.socket(socket.AF_UNIX) as listener:
        place.socket.unlink(missing_ok=True)
        listener.bind(str(place.socket))
        secret = secrets.token_hex(32)
        # A command that is connected finds the secret.
        place.write({"secret": secret, "process": os.getpid(), "version": VERSION, "begin": time.time()})
        listener.listen()
        try:
            return _keep(place, secret, settings, given["idle"], listener)
        finally:
            _withdraw(place)


def _withdraw(place: SessionFiles) -> None:
    """Remove the files of this session; another one may have taken its place."""
    record = place.read()
    if record is not None and record["process"] == os.getpid():
        place.socket.unlink(missing_ok=True)
        place.record.unlink(missing_ok=True)


def _keep(place: SessionFiles, secret: str, settings: JvmSettings, idle: float, listener: socket.socket) -> int:
    _report("ready\n")
    try:
        java = find_java()
        archive = ClassArchive(java, archive_folder())
        jvm = _started(lambda: Jvm(java, settings.memory, settings.quick, archive.options))
    except PipelineError:
        _decline(listener)
        return 1
    asked = True
    session = WarmSession(secret, jvm, settings, idle, listener, lambda: _withdraw(place))
    try:
        gc.collect()
        gc.freeze()
        asked = session.serve()
    finally:
        _withdraw(place)
        # A person who waits for the end does not wait for the archive.
        if asked and archive.is_missing:
            jvm.kill()
        jvm.close(WRITING_SECONDS)
        archive.discard() if asked else archive.keep()
        session.close()
    return 0


def _decline(listener: socket.socket) -> None:
    """Refuse the command that waits: it starts a JVM of its own, and says why that fails."""
    listener.settimeout(_TELLING_SECONDS)
    with suppress(OSError, BrokenOff):
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(_TELLING_SECONDS)
            _, files = receive(connection, _FILES)
            for file in files:
                os.close(file)
            send(connection, {"refused": "It has no JVM."})


def _report(line: str) -> None:
    """Say a line to the process that started this one, and let go of its files."""
    sys.stdout.write(line)
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in STANDARD_FILES:
        os.dup2(nothing, number)
    os.close(nothing)


def _started(start: Callable[[], Jvm]) -> Jvm:
    """Start a JVM, and import modules meanwhile. No thread is left: forks come later."""
    made: Future[Jvm] = Future()

    def work() -> None:
        try:
            made.set_result(start())
        except BaseException as error:  # noqa: BLE001 - whatever it was goes to the caller
            made.set_exception(error)

    # Both sides import this one, whose parts import each other.
    import_module("pyspark")
    thread = threading.Thread(target=work)
    thread.start()
    for name in _IMPORTED:
        import_module(name)
    thread.join()
    return made.result()


if __name__ == "__main__":
    sys.exit(main())
