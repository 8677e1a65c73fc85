"""A process that has imported Keepstate once, and forks whenever a test starts ``python -m keepstate_lsp`` or the like.

The fork has arguments, streams, folder, environment, signals and group of its own, and runs the program as ``python``
does: what the interpreter does before and after is the same. Requests come from ``program_starts.py``, on the socket
that is standard input here.
"""

from __future__ import annotations

import array
import atexit
import gc
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import threading
import types
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import attrs

STREAMS = ("stdin", "stdout", "stderr")
APART = tuple(
    f"keepstate_lsp.cli.commands.{name}." for name in ("audit", "cutover", "planned", "replay", "spark", "verify")
)
"""Modules that import Spark or Flink. Each process ends by taking apart what it imported, so that has a price."""


def asked() -> dict[str, Any]:
    """Fork for each request; return it in the fork. The process of the requests ends here, with the socket."""
    channel = socket.socket(fileno=os.dup(0))
    channel.sendall(b"ready")
    while received := _received(channel):
        request, descriptors = received
        ready, release = os.pipe()
        answers, answer = os.pipe()
        between = os.fork()
        if between == 0:
            # The process between ends at once: the system gives its child to the process that asked, which has made
            # itself the next to adopt. So it can wait for the child as for any other.
            if child := os.fork():
                os.write(answer, b"%d" % child)
                os._exit(0)
            os.close(release)
            os.read(ready, 1)
            _take(descriptors)
            return request
        os.waitpid(between, 0)
        channel.sendall(os.read(answers, 32).ljust(32))
        for descriptor in (ready, release, answers, answer, *descriptors):
            os.close(descriptor)
    os._exit(0)


def _received(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    numbers = array.array("i")
    size, ancillary, _, _ = channel.recvmsg(8, socket.CMSG_LEN(len(STREAMS) * numbers.itemsize))
    for _, _, data in ancillary:
        numbers.frombytes(data)
    if not size:
        return None
    length = int.from_bytes(size, "big")
    body = b""
    while len(body) < length:
        body += channel.recv(length - len(body))
    return json.loads(body), list(numbers)


def _take(descriptors: list[int]) -> None:
    """Make the descriptors the standard streams of this process, and close all else."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.closerange(len(STREAMS), 1024)


def become(request: dict[str, Any]) -> None:
    """Be the process that the request is for, as it is before its first line runs."""
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    os.umask(request["umask"])
    if request["session"]:
        os.setsid()
    ignored = set(request["ignored"])
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}:
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in ignored else usual)
    signal.pthread_sigmask(signal.SIG_SETMASK, request["blocked"])
    for number, (name, mode) in enumerate(zip(STREAMS, "rww", strict=True)):
        former = getattr(sys, name)
        is_buffered = not former.write_through
        # It lives as long as the process.
        buffer = open(number, f"{mode}b", -1 if is_buffered or not number else 0, closefd=False)  # noqa: SIM115
        by_lines = is_buffered and (name == "stderr" or buffer.isatty())
        stream = io.TextIOWrapper(buffer, former.encoding, former.errors, "\n", by_lines, not is_buffered)
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def run(command: list[str]) -> None:
    """Run the command line of an interpreter, and return or raise as its program does."""
    sys.orig_argv = command
    _, first, *rest = command
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if first == "-c":
        code, *arguments = rest
        sys.argv, sys.path[0] = ["-c", *arguments], ""
        exec(compile(code, "<string>", "exec"), vars(main))
        return
    if first == "-m":
        name, *arguments = rest
        sys.path[0] = os.getcwd()
    else:
        name, arguments = Path(first).stem, rest
        sys.path[0] = str(Path(first).parent)
    sys.argv = [first, *arguments]
    # It was imported under its name before; a program has its own copy.
    sys.modules.pop(name, None)
    # What the interpreter itself does.
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def end(status: object) -> None:
    """End as the interpreter does, with all that can be seen of it, where the program gave a plain status.

    A file that the program left open is not flushed: it has to close what it writes. The system then takes apart what
    was imported, at once. The interpreter would take fifteen times as long as all else that a fork without work does.
    """
    if status is not None and not isinstance(status, int):
        return
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:  # noqa: BLE001 - the interpreter says what failed
        return
    os._exit((status or 0) & 0xFF)


def _import_all() -> None:
    gc.disable()
    # Programs import git when they need it, and most do.
    for name in ("keepstate", "keepstate_lsp", "git.cmd", "git.exc"):
        package = import_module(name)
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{name}."):
            if not module.name.endswith(".__main__") and not module.name.startswith(APART):
                import_module(module.name)
    _warm_converter()
    gc.freeze()
    gc.enable()


def _warm_converter() -> None:
    """Give the one server of a fork a converter that has code for the types of the first messages.

    It writes that code when it meets the first value of a type, for fifty milliseconds in each server.
    """
    protocol, types = import_module("pygls.protocol"), import_module("lsprotocol.types")
    server = import_module("pygls.lsp._base_server").BaseLanguageServer
    converter = protocol.default_converter()
    for kind in _below(types.InitializeRequest, types.DidOpenTextDocumentParams, types.DidChangeTextDocumentParams):
        converter.get_structure_hook(kind)
    for kind in _below(types.InitializeResponse, types.PublishDiagnosticsParams, types.LogMessageParams):
        converter.get_unstructure_hook(kind)
    first, factory, *others = server.__init__.__defaults__
    assert factory is protocol.default_converter
    server.__init__.__defaults__ = (first, lambda: converter, *others)


def _below(*kinds: Any) -> set[type]:
    """The classes of the protocol that are fields of the given ones, theirs, and so on."""
    found: set[type] = set()
    waiting = list(kinds)
    while waiting:
        kind = waiting.pop()
        if attrs.has(kind) and kind not in found:
            found.add(kind)
            waiting += (field.type for field in attrs.fields(attrs.resolve_types(kind)))
        waiting += get_args(kind)
    return found


if __name__ == "__main__":
    # Ctrl-C is for the tests, and they end this process. One that is for a fork waits until it can be interrupted.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    _import_all()
    assert threading.active_count() == 1, "a process with threads cannot be forked"
    wanted = asked()
    become(wanted)
    try:
        run(wanted["command"])
    except SystemExit as ended:
        end(ended.code)
        raise
    end(0)
