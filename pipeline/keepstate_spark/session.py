"""Spark sessions in which Flink's windows and queries have Flink's meaning.

Times are in UTC, so that a wall-clock time is the instant it would be in UTC; ``TIMESTAMP`` in SQL text is without a
time zone; numbers wrap around as in Java, for which ANSI mode is off.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta, timezone
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from keepstate.extras import install_words
from keepstate_spark.errors import PipelineError, SparkMissing
from keepstate_spark.java import find_java
from keepstate_spark.jvm import Jvm, connected, disconnect
from keepstate_spark.spark_errors import said_by_spark
from keepstate_spark.warm.class_archive import shared_classes
from keepstate_spark.warm.lent import JvmLost, JvmSettings, LentJvm, lent_jvm

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

FIXED: Mapping[str, str] = {
    # Otherwise Spark puts variables of the environment and properties of the JVM into any text that it parses.
    "spark.sql.variable.substitute": "false",
}
"""Settings that no setting of a user changes."""

SETTINGS: Mapping[str, str] = {
    "spark.app.name": "keepstate",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # PySpark would look up a line of Python for each column that is built, for messages that nothing here shows.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    # A replay compiles some fifty classes, and a warm session finds them again the next time.
    "spark.sql.codegen.cache.maxEntries": "1000",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    # Of what has ended Spark keeps texts and figures in its heap, for pages that are off.
    "spark.sql.ui.retainedExecutions": "20",
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "1000",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""Settings of every session of Keepstate. Because of ``spark.sql.timestampType`` its own code never uses plain
TIMESTAMP.
"""

_OF_THIS_MACHINE = ("spark.driver.bindAddress", "spark.driver.host")

OLDEST = (3, 5)
"""The oldest Spark of sessions that a caller gives."""
_STOPPED = re.compile(r"LiveListenerBus is stopped|stopped SparkContext")
_OLDEST_CONNECTED = (4, 3)
"""Before, a session of Spark Connect opens no other one."""
_CONNECT = "pyspark.sql.connect."
"""The package of sessions of Spark Connect."""

UTC_NAMES = frozenset(["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "+00:00", "Zulu", "Etc/Zulu", "UCT", "Etc/UCT"])

_LEAVING_SECONDS = 10.0
"""Seconds that a lent JVM may take to end the jobs of a command."""

_LOUD = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""PySpark's loggers that write every exception to standard error as JSON, with the stack of the JVM."""


def require_spark() -> None:
    """Raise ``SparkMissing`` without PySpark."""
    if find_spec("pyspark") is None:
        raise SparkMissing("PySpark is not installed.", f"Try: {install_words('spark')}")


@contextmanager
def spark_session(
    *,
    cores: str = "*",
    memory: str = "1g",
    quick: bool = False,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    archives: Path | None = None,
) -> Iterator[SparkSession]:
    """Open a session that ends with the block and leaves no process and no file behind on this machine.

    ``cores`` goes into ``local[...]``; ``memory`` is the largest heap of the JVM (a gigabyte aggregates 50 million
    rows); ``quick`` starts sooner and computes slower; ``master`` is the cluster that computes instead of this machine;
    ``settings`` are Spark's, and override those of Keepstate except ``FIXED``; ``archives`` is the folder of
    ``class_archive``. A lent JVM of these very settings is used, and goes on. Raises ``SparkMissing`` without PySpark
    or Java, and ``PipelineError`` if this process has a Spark session already.
    """
    require_spark()
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise PipelineError("There is a Spark session in this process already.", "Stop it first, or use it as it is.")
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    wanted = settings_for(master or f"local[{cores}]", settings or {})
    lent = lent_jvm(JvmSettings(memory, quick, wanted))
    if lent is not None:
        with _borrowed_session(lent) as borrowed:
            yield borrowed
        return
    java = find_java()
    jvm = Jvm(java, memory, quick, shared_classes(java, archives))
    try:
        conf = SparkConf(loadDefaults=False)
        conf.setAll(list(_with_folder(jvm.folder, wanted).items()))
        with _jvm_errors(jvm):
            try:
                with _start_errors(jvm, conf.get("spark.master", "")):
                    context = SparkContext(conf=conf, gateway=jvm.gateway())
                    # PySpark knows the setting, but only of those who come through its own launcher.
                    context.pythonExec = conf.get("spark.pyspark.python", sys.executable)
                    session = SparkSession.builder.getOrCreate()
                    # The first question shows a setting that Spark does not take.
                    _ = session.conf
                yield session
            finally:
                _stop()
    finally:
        jvm.close()


def _with_folder(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """``settings`` of an application whose files lie in ``folder``, unless they name another place."""
    return {"spark.local.dir": str(folder), "spark.sql.warehouse.dir": str(folder / "warehouse"), **settings}


@contextmanager
def _borrowed_session(lent: LentJvm) -> Iterator[SparkSession]:
    """Open a session in a lent JVM. Its application goes on; jobs and kept rows of this session end with the block.

    Raises ``JvmLost`` if the JVM ends before the command has written a result.
    """
    try:
        with _lent_errors(lent):
            context, session = _application(lent)
            try:
                yield session
            finally:
                _leave(context, session)
    finally:
        _forget()


def _leave(context: SparkContext, session: SparkSession) -> None:
    """End all jobs of a lent JVM, and let go of the rows that it keeps.

    In a thread, since each has a connection of its own: a call that a signal interrupted still occupies the other one.
    """

    def leave() -> None:
        # A JVM that is gone has none of these.
        with suppress(Exception):
            context.cancelAllJobs()
            session.catalog.clearCache()

    thread = threading.Thread(target=leave, daemon=True)
    thread.start()
    thread.join(_LEAVING_SECONDS)


def _application(lent: LentJvm) -> tuple[SparkContext, SparkSession]:
    """The application of a lent JVM, begun by the first command there, and a new session of it.

    Raises ``PipelineError`` if Spark does not start.
    """
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    gateway = connected(lent.address)
    try:
        conf = SparkConf(loadDefaults=False, _jvm=gateway.jvm)
        conf.setAll(list(_with_folder(Path(lent.folder), lent.settings.spark).items()))
        spark = gateway.jvm.org.apache.spark
        application = spark.SparkContext.getOrCreate(conf._jconf)
        running = spark.api.java.JavaSparkContext.fromSparkContext(application)
        context = SparkContext(conf=conf, gateway=gateway, jsc=running)
        context.pythonExec = conf.get("spark.pyspark.python", sys.executable)
        return context, SparkSession.builder.getOrCreate().newSession()
    except (PySparkException, Py4JJavaError) as error:
        raise PipelineError(f"Spark did not start: {said_by_spark(error)}") from error


@contextmanager
def _lent_errors(lent: LentJvm) -> Iterator[None]:
    """Turn an error that comes with the end of a lent JVM into that end."""
    from py4j.protocol import Py4JError

    try:
        yield
    except (Py4JError, OSError) as error:
        if not lent.has_ended():
            raise
        if lent.may_begin_anew():
            raise JvmLost from error
        raise PipelineError("The JVM of the warm Spark session ended while it was at work.") from error


@contextmanager
def _start_errors(jvm: Jvm, master: str) -> Iterator[None]:
    """Turn an error of the start into one sentence: a master without an answer, a setting that Spark does not take."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        try:
            # The words are in the JVM, which may have ended.
            words = said_by_spark(error)
        except Exception:  # noqa: BLE001 - py4j raises what its connection broke with
            words = f"{jvm.last_words()}."
        hint = None if master.startswith("local") else "Is the master there, and of this version of Spark?"
        raise PipelineError(f"Spark did not start on {master}: {words}", hint) from error


@contextmanager
def _jvm_errors(jvm: Jvm) -> Iterator[None]:
    """Turns the error of whatever call comes first after the JVM has ended into one sentence."""
    from py4j.protocol import Py4JError

    try:
        yield
    except Py4JError as error:
        if not jvm.has_ended():
            raise
        raise PipelineError(f"The JVM of Spark ended while it was at work: {jvm.last_words()}.") from error


def settings_for(master: str, settings: Mapping[str, str]) -> dict[str, str]:
    """All settings of a session at ``master``: ours, before them those that are given, and before these ``FIXED``.

    >>> settings_for("local[2]", {"spark.ui.enabled": "true"})["spark.ui.enabled"]
    'true'
    """
    # Executors elsewhere call back: Spark knows better than we by which name.
    elsewhere = not master.startswith("local")
    own_settings = {key: value for key, value in SETTINGS.items() if not (elsewhere and key in _OF_THIS_MACHINE)}
    return {**own_settings, "spark.pyspark.python": sys.executable, "spark.master": master, **settings, **FIXED}


def session_beside(session: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A session of the same application with ``settings``; those of ``session`` stay as they are.

    Raises ``PipelineError`` for a session that is not supported.
    """
    if _release(session.version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise PipelineError(f"This is Spark {session.version}, and Keepstate runs on Spark {oldest} or newer.")
    with stopped_sessions():
        own = _connected_beside(session) if is_remote(session) else session.newSession()
    for key, value in settings.items():
        own.conf.set(key, value)
    return own


def is_remote(session: SparkSession) -> bool:
    """Return whether ``session`` is one of Spark Connect."""
    return type(session).__module__.startswith(_CONNECT)


@contextmanager
def stopped_sessions() -> Iterator[None]:
    """Turns the error of a session that was stopped into ``PipelineError``."""
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        if _STOPPED.search(str(error)) is None:
            raise
        raise PipelineError("The session of Spark was stopped.", "Start another one.") from error


def _connected_beside(session: SparkSession) -> SparkSession:
    """A session of the server of ``session``, which is one of Spark Connect.

    Raises ``PipelineError`` before Spark 4.3, and for a server that is older than its client: it lacks functions that
    the client asks for.
    """
    import pyspark

    if _release(session.version) < _OLDEST_CONNECTED:
        raise PipelineError(
            f"This is a session of Spark Connect {session.version}, and Keepstate uses those of Spark 4.3 or newer.",
            "Use a session in the process of Spark's driver.",
        )
    if _release(session.version) < _release(pyspark.__version__):
        raise PipelineError(
            f"The server is Spark {session.version}, and the client PySpark {pyspark.__version__} is newer.",
            "Install the PySpark of the server.",
        )
    return session.newSession()


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def _stop() -> None:
    """Stop Spark and let PySpark forget its JVM, so that a later session of this process gets one of its own."""
    import pyspark
    import pyspark.sql

    # The connection may be gone, when the JVM died or a query was interrupted; then there is nothing left to stop.
    with suppress(Exception):
        session = pyspark.sql.SparkSession._instantiatedSession
        if session is not None:
            session.stop()
    with suppress(Exception):
        if pyspark.SparkContext._active_spark_context is not None:
            pyspark.SparkContext._active_spark_context.stop()
    gateway = _forget()
    if gateway is not None:
        with suppress(Exception):
            gateway.shutdown()
        disconnect(gateway)


def _forget() -> Any:
    """Let PySpark forget its JVM. Return the gateway to it."""
    import pyspark
    import pyspark.sql

    gateway = pyspark.SparkContext._gateway
    pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = pyspark.SparkContext._active_spark_context = None
    pyspark.sql.SparkSession._instantiatedSession = pyspark.sql.SparkSession._activeSession = None
    return gateway


def require_file_writer() -> None:
    """Raise ``PipelineError`` where Spark reads files and cannot write any: on Windows, without Hadoop's programs."""
    home = os.environ.get("HADOOP_HOME", "")
    if sys.platform == "win32" and not (home and Path(home, "bin", "winutils.exe").is_file()):
        raise PipelineError(
            "On Windows Spark writes Parquet through winutils.exe, and there is none in the folder bin of HADOOP_HOME.",
            "Set HADOOP_HOME to a Hadoop for Windows, have CSV or lines of JSON written, or work in WSL.",
        )


def time_zone(name: str) -> ZoneInfo | timezone:
    """A zone by its name, or by an offset such as ``+02:00``."""
    if name[0] in "+-":
        hours, minutes = name[1:].split(":")
        length = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-length if name[0] == "-" else length)
    return ZoneInfo(name)


def is_in_utc(session: SparkSession) -> bool:
    """Return whether wall-clock times and instants are the same numbers in ``session``."""
    return session.conf.get("spark.sql.session.timeZone") in UTC_NAMES
