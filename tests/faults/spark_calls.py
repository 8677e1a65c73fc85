"""The points of a command that talks to Spark: calls to a JVM, which is its own or one that many runs share.

A JVM takes seconds to start. What a command does after that fails in the same way in a JVM that was there before, so
most runs share one; the start itself, and a JVM that dies or hangs, need one of their own.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from py4j import clientserver
from py4j.java_gateway import GatewayParameters, JavaGateway
from pyspark import SparkContext

import faulty_worker
from keepstate_lsp.cli.terminal import signals
from keepstate_spark import jvm, session
from keepstate_spark.java import Java, find_java

OWN, SHARED = "own", "shared"
WORKER = "worker"
"""The event of the first worker of a run."""
PATIENCE = 1.0
"""Seconds of the product's own timers where something does not answer."""
_INTERRUPTED_AFTER = 0.3
STEPS = frozenset(
    [
        "SparkConf",
        "JavaSparkContext",
        "newSession",
        "load",
        "collectToPython",
        "toPyRow",
        "parquet",
        "json",
        "count",
        "mapInArrow",
        "persist",
        "repartition",
        "stop",
    ]
)
"""Calls that begin something, of hundreds that only put a query together."""
_LOADED = (
    "matplotlib.figure",
    "pandas",
    "pyarrow.parquet",
    "pyspark.sql.functions",
    "keepstate_lsp.cli.commands.audit.audit_page",
    "keepstate_lsp.cli.commands.replay.replay_page",
    "keepstate_lsp.cli.commands.replay.picture",
    "keepstate_spark.audit.auditing",
    "keepstate_spark.lowering.operators.plan_frames",
    "keepstate_spark.replay.replaying",
)
_WORK = "SPARK_LOCAL_DIRS"
_CALL, _MAKE = "c", "i"
"""The commands of Py4J that call a method, and that make an object."""


class SharedJvm:
    """A JVM that outlives the runs; it ends with the process that made it."""

    def __init__(self) -> None:
        # A JVM keeps the first folder that it is given for its work, and that of a run is going to be removed.
        self._work = tempfile.mkdtemp(prefix="faults-spark-")
        os.environ[_WORK] = self._work
        try:
            self._made = jvm.Jvm(find_java(), "1g", quick=True)
        finally:
            del os.environ[_WORK]
        self.address = self._made._address

    def reset(self) -> None:
        """Stop the context of a run that was killed: there can be one only."""
        port, secret = self.address
        # Without a thread that tells the JVM what is not needed any more: it would outlive the JVM.
        parameters = GatewayParameters(port=port, auth_token=secret, enable_memory_management=False)
        gateway = JavaGateway(gateway_parameters=parameters)
        try:
            spark = gateway.jvm.org.apache.spark
            # Scala's object: there is no static method of this name.
            active = getattr(getattr(spark, "SparkContext$"), "MODULE$").getActive()
            if active.isDefined():
                active.get().stop()
            spark.sql.classic.SparkSession.clearDefaultSession()
            spark.sql.classic.SparkSession.clearActiveSession()
        finally:
            gateway.close()

    def close(self) -> None:
        self._made.close()
        shutil.rmtree(self._work)


def attach(address: tuple[int, str]) -> None:
    """From now on sessions of this process are in the JVM at ``address``."""

    class Attached(jvm.Jvm):
        def _start(self, command: Any, environment: Any) -> Any:
            return None

        def _wait_for(self, _: Path, __: Java) -> tuple[int, str]:
            return address

        def has_ended(self) -> bool:
            return False

        def gateway(self) -> JavaGateway:
            made = super().gateway()
            # The JVM is to answer the next run as well.
            made.shutdown = made.close
            return made

    session.Jvm = Attached  # type: ignore[misc]


def hurry() -> None:
    """Make the timers of this process short, as something is not going to answer."""
    signals.PATIENCE = PATIENCE
    jvm._STOP_SECONDS = jvm._START_SECONDS = PATIENCE  # type: ignore[assignment]


def watch(reached: Callable[[str, str], str | None], of_jvm: Callable[[], int | None]) -> None:
    """Make each first call of a method of the JVM a point. ``of_jvm``: the id of the process of this run's own JVM."""
    send = clientserver.ClientServerConnection.send_command
    seen: set[str] = set()

    def sent(self: Any, command: str) -> Any:
        kind, target, method, *_ = [*command.split("\n", 3), "", ""]
        name = {_CALL: method, _MAKE: target.rpartition(".")[2]}.get(kind)
        if name in STEPS and name not in seen and of_jvm() is not None:
            seen.add(name)
            fault = reached("java", name)
            if fault is not None:
                _let_fail(fault, of_jvm())
        return send(self, command)

    clientserver.ClientServerConnection.send_command = sent


def watch_workers(reached: Callable[[str, str], str | None], folder: Path) -> None:
    """Make the Python of Spark's workers a point; ``folder`` gets the program that stands for one that fails."""

    def python_of(context: SparkContext) -> str:
        real: str = context.__dict__["real_python"]
        fault = reached(WORKER, "start") if WORKER not in context.__dict__ else context.__dict__[WORKER]
        context.__dict__[WORKER] = fault
        if fault is None:
            return real
        program = folder / "python-of-workers"
        script = Path(faulty_worker.__file__)
        program.write_text(f'#!/bin/sh\nexec "{real}" "{script}" {fault} {os.getpid()} "$@"\n')
        program.chmod(0o700)
        return str(program)

    def set_python(context: SparkContext, python: str) -> None:
        context.__dict__["real_python"] = python

    SparkContext.pythonExec = property(python_of, set_python)  # type: ignore[assignment]


def _let_fail(fault: str, process: int | None) -> None:
    assert process is not None
    if fault == "jvm-dies":
        os.kill(process, signal.SIGKILL)
        return
    assert fault == "jvm-stalls"
    os.kill(process, signal.SIGSTOP)
    # A query may take hours: it is the person at the terminal that has enough of it.
    threading.Timer(_INTERRUPTED_AFTER, os.kill, (os.getpid(), signal.SIGINT)).start()


def load() -> None:
    """Import all that a command with Spark imports, so that no fork has to."""
    for name in _LOADED:
        import_module(name)
