"""A program that runs commands of Keepstate, each in a process of its own, and lets one call of each fail.

A request is a line of JSON on standard input (``Request``), an answer a line on standard output: the exit status, or
``null`` for a process that had to be killed. All modules are loaded once, and each command runs in a fork.

Calls are numbered from 0 in the order in which a command makes them. A call is a *point* if it is about something below
the folder ``root``, about standard output, or if it starts a process. Audit events see opening, renaming, removing,
locking and starting, whatever name of Python they were called by; a class of files sees reading and writing.
"""

from __future__ import annotations

import io
import json
import os
import pkgutil
import select
import signal
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from fault_points import Injector, Request
from watched_calls import install


def run(request: Request, script: str, address: tuple[int, str] | None = None) -> int | None:
    """Run a command in a fork; its exit status, negative for a signal, ``None`` if it had to be killed. ``address`` is
    that of a shared JVM.
    """
    child = os.fork()
    if child == 0:
        _be(request, script, address)
    waiting = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(waiting, select.POLLIN)
        in_time = bool(poll.poll(request.seconds * 1000))
        if not in_time:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(waiting)
    return os.waitstatus_to_exitcode(status) if in_time else None


def _be(request: Request, script: str, address: tuple[int, str] | None) -> None:
    """The process of the command; it does not return."""
    status = 70
    try:
        os.setsid()
        flags = os.O_WRONLY | os.O_CREAT
        for number, (name, how) in enumerate(
            ((request.stdin, os.O_RDONLY), (request.stdout, flags), (request.stderr, flags | os.O_APPEND))
        ):
            os.dup2(os.open(name, how, 0o600), number)
        log = os.open(request.log, flags | os.O_APPEND, 0o600)
        os.chdir(request.folder)
        os.environ.update(request.environment)
        tempfile.tempdir = request.environment["TMPDIR"]
        from keepstate_lsp.cli.main import main

        injector = Injector(request, log)
        if request.jvm:
            import spark_calls

            if address is not None:
                spark_calls.attach(address)
            if request.kind == "jvm-stalls":
                spark_calls.hurry()
            spark_calls.watch(injector.reached, lambda: injector.jvm)
            if request.jvm == spark_calls.OWN:
                spark_calls.watch_workers(injector.reached, Path(request.log).parent)
        install(injector, script)
        status = main(request.words)
        sys.stdout.flush()
    finally:
        sys.stderr.flush()
        os._exit(status)


def serve() -> None:
    """Answer requests until there are none."""
    import git.cmd

    assert git.cmd
    import keepstate_lsp
    from keepstate_lsp.cli import commands

    assert keepstate_lsp
    for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        import_module(module.name)
    script, *pair = sys.argv[1:]
    _warm(pair)
    shared = None
    for line in sys.stdin:
        request = Request(**json.loads(line))
        address = None
        if request.jvm:
            import spark_calls

            if shared is None:
                spark_calls.load()
                shared = spark_calls.SharedJvm()
            shared.reset()
            address = shared.address if request.jvm == spark_calls.SHARED else None
        status = run(request, script, address)
        sys.stdout.write(f"{json.dumps(status)}\n")
        sys.stdout.flush()
    if shared is not None:
        shared.close()


def _warm(pair: list[str]) -> None:
    """Analyse two files, so that no fork has to begin with what is the same for all of them."""
    from keepstate_lsp.cli.main import main

    output, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "utf-8")
    status = main(["diff", *pair])
    sys.stdout = output
    assert status == 1, "the two files were to differ"


if __name__ == "__main__":
    serve()
