"""Starts the JVM that Spark runs in, quietly, and ends it without a trace.

PySpark's own start goes through a shell script and a second JVM, insists on a module that JDKs from PyPI leave out, and
writes to our terminal. So the JVM is started here, with the options that Spark's launcher would give.
"""

from __future__ import annotations

import os
import struct
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_spark.errors import PipelineError
from keepstate_spark.java import Java
from keepstate_spark.work_folder import WorkFolder

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway  # type: ignore[import-untyped]

_OPENED = """
java.base/java.lang java.base/java.lang.invoke java.base/java.lang.reflect java.base/java.io java.base/java.net
java.base/java.nio java.base/java.util java.base/java.util.concurrent java.base/java.util.concurrent.atomic
java.base/jdk.internal.ref java.base/sun.nio.ch java.base/sun.nio.cs java.base/sun.security.action
java.base/sun.util.calendar java.security.jgss/sun.security.krb5
""".split()
_OPTIONS = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dderby.connection.requireAuthentication=false",
    "-Duser.timezone=UTC",
    "-Dfile.encoding=UTF-8",
]
_QUICK = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
_LOGGING = Path(__file__).with_name("log4j2.properties")
_PICKED_UP = "NOTE: Picked up JDK_JAVA_OPTIONS"
"""The first line of each Java with options in its environment: no reason for an end."""
_START_SECONDS = 180
_STOP_SECONDS = 20
_END_SECONDS = 2
_LOOK_SECONDS = 0.02

Address = tuple[int, str]
"""Port and secret of a gateway on this machine."""


def disconnect(gateway: JavaGateway) -> None:
    """Let a gateway whose JVM is gone answer for nothing any more.

    Python still holds objects of that JVM, and py4j reports each one that goes: from the middle of whatever code makes
    Python collect garbage it would connect again, fail, and log a traceback.

    >>> from types import SimpleNamespace
    >>> gateway = SimpleNamespace(_gateway_client=SimpleNamespace(is_connected=True))
    >>> disconnect(gateway)
    >>> gateway._gateway_client.is_connected
    False
    """
    gateway._gateway_client.is_connected = False


def connected(address: Address) -> JavaGateway:
    """PySpark's connection to the JVM whose gateway is at ``address``."""
    from pyspark.java_gateway import launch_gateway

    port, secret = address
    # With these two in the environment PySpark connects instead of starting a JVM; no other code may see them.
    os.environ["PYSPARK_GATEWAY_PORT"] = str(port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = secret
    try:
        return launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


class Jvm:
    """A running JVM with a gateway for PySpark, and a folder of its own for everything that it writes."""

    def __init__(self, java: Java, memory: str, quick: bool, options: Iterable[str] = ()) -> None:
        """``quick`` starts sooner and computes slower: for tests, and for less than about a million rows.

        Raises ``PipelineError`` with the JVM's own last words if it does not come up.
        """
        import pyspark

        home = Path(pyspark.__file__).parent
        self._work = WorkFolder()
        self.folder = self._work.path
        self._stderr = self.folder / "stderr"
        address = self.folder / "address"
        command = [
            str(java.program),
            f"-Xmx{memory}",
            *_OPTIONS,
            *(_QUICK if quick else ()),
            f"-Djava.io.tmpdir={self.folder}",
            f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
            *options,
            "-cp",
            str(home / "jars" / "*"),
            "org.apache.spark.deploy.SparkSubmit",
            "pyspark-shell",
        ]
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            # Executors that are started here, of a local cluster: Spark would look for its version where it was built,
            # and write beside its own files.
            "SPARK_SCALA_VERSION": "2.13",
            "SPARK_WORKER_DIR": str(self.folder / "work"),
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(address),
        }
        # The environment may hold settings for another Spark.
        for name in ("SPARK_CONF_DIR", "JAVA_TOOL_OPTIONS", "PYSPARK_SUBMIT_ARGS"):
            environment.pop(name, None)
        self._started: Future[subprocess.Popen[bytes]] | None = None
        try:
            self._process = self._start(command, environment)
            self._address = self._wait_for(address, java)
        except BaseException:
            self.close()
            raise

    def _start(self, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start the process, in a thread.

        Signals interrupt the main thread. A signal within ``Popen`` would leave a process without an owner.
        """
        started: Future[subprocess.Popen[bytes]] = Future()

        def start() -> None:
            try:
                with self._stderr.open("wb") as stderr:
                    process = subprocess.Popen(
                        command,
                        # It ends when this pipe breaks, hence also when we are killed.
                        stdin=subprocess.PIPE,
                        stdout=subprocess.DEVNULL,
                        stderr=stderr,
                        env=environment,
                        cwd=self.folder,
                        pass_fds=self._work.descriptors,
                        # Ctrl-C is for us: a JVM that dies under a running query answers with a page of traces.
                        start_new_session=True,
                    )
            except BaseException as error:  # noqa: BLE001 - whatever it was goes to who asked
                started.set_exception(error)
            else:
                started.set_result(process)

        thread = threading.Thread(target=start, daemon=True)
        self._started = started
        thread.start()
        return started.result()

    def _wait_for(self, address: Path, java: Java) -> Address:
        """Port and secret of the gateway. The file appears under its name when it is complete."""
        deadline = time.monotonic() + _START_SECONDS
        while not address.exists():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LOOK_SECONDS)
                raise PipelineError(f"{java.program} could not start Spark: {self.last_words()}.")
            if time.monotonic() > deadline:
                raise PipelineError(f"{java.program} did not start Spark within {_START_SECONDS} s.")
        content = address.read_bytes()
        port, length = struct.unpack_from("!ii", content)
        return port, content[8 : 8 + length].decode()

    def has_ended(self) -> bool:
        """Return whether the process has ended, or ends in a moment: its connections break first."""
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return True

    def is_gone(self) -> bool:
        """Return whether the process has ended by now."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End the process by force."""
        self._process.kill()

    def last_words(self) -> str:
        """The last line of its standard error, or the status that it ended with."""
        text = self._stderr.read_text("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(_PICKED_UP)]
        return lines[-1].rstrip(".") if lines else f"it ended with {self._process.returncode} and said nothing"

    @property
    def address(self) -> Address:
        """Port and secret of its gateway."""
        return self._address

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def gateway(self) -> JavaGateway:
        """PySpark's connection to this JVM."""
        return connected(self._address)

    def close(self, patience: float = _STOP_SECONDS) -> None:
        """End the JVM, after ``patience`` seconds by force, and remove its folder."""
        if self._started is not None:
            process = None
            # If it could not be started, or not even the thread could, there is nothing to be ended.
            with suppress(Exception):
                process = self._started.result(_STOP_SECONDS)
            if process is not None:
                self._end(process, patience)
        self._work.close()

    @staticmethod
    def _end(process: subprocess.Popen[bytes], patience: float) -> None:
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
