"""A Flink cluster in a JVM of its own: one version, nothing of it outside of this machine."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate_flink.errors import FlinkError
from keepstate_flink.jvm import jvm

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway  # type: ignore[import-untyped]

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
    # For each slot what one of a cluster with few slots has: it is not taken before it is used.
    "taskmanager.memory.managed.size": "512m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    # Many small buffers: an exchange between 32 tasks and 32 others has two for each of 1,024 channels.
    "taskmanager.memory.segment-size": "4kb",
    "restart-strategy": "none",
    "restart-strategy.type": "none",
    "jobstore.max-capacity": "20",
}
SLOTS = 32
"""The largest parallelism of a job that is rehearsed."""
NOT_NULL = "table.exec.sink.not-null-enforcer"
PARALLELISM = "parallelism.default"
TABLE_PARALLELISM = "table.exec.resource.default-parallelism"
_SETTINGS = ("table.", "parallelism.default", "pipeline.max-parallelism", "pipeline.operator-chaining", "state.backend")
"""Settings of jobs that reach the cluster, by their beginnings: those that plan or state follow from. Others may name
addresses, jars and folders, which a rehearsal has no business with.
"""


def is_followed(key: str) -> bool:
    """Return whether a rehearsal follows a setting of a job.

    >>> is_followed("table.exec.state.ttl"), is_followed("pipeline.jars"), is_followed("rest.address")
    (True, False, False)
    """
    return key.startswith(_SETTINGS) and not key.startswith("table.catalog-store")


def plan_settings(parameters: Mapping[str, str]) -> dict[str, str]:
    """The settings that a job of these parameters is planned with."""
    return {
        PARALLELISM: "1",
        "table.local-time-zone": "UTC",
        # Made rows have NULLs. The operator that drops them stands in the plan either way.
        NOT_NULL: "DROP",
        **{key: value for key, value in parameters.items() if is_followed(key)},
    }


class Cluster:
    """A running cluster. ``java`` is its JVM; ``savepoints`` is a folder that goes with it."""

    def __init__(self, version: str, gateway: JavaGateway, savepoints: Path) -> None:
        self.version = version
        self.java = gateway.jvm
        self.seconds = gateway.jvm.java.util.concurrent.TimeUnit.SECONDS
        self.savepoints = savepoints
        configuration = self.configuration(_CLUSTER)
        mini = self.java.org.apache.flink.runtime.minicluster
        builder = mini.MiniClusterConfiguration.Builder().setConfiguration(configuration).setNumTaskManagers(1)
        self.running = mini.MiniCluster(
            builder.setNumSlotsPerTaskManager(SLOTS).setCommonBindAddress(_LOCALHOST).build()
        )
        self.running.start()
        self._port = self.running.getRestAddress().get().getPort()

    def configuration(self, values: Mapping[str, str]) -> Any:
        configuration = self.java.org.apache.flink.configuration.Configuration()
        for key, value in values.items():
            configuration.setString(key, value)
        return configuration

    def number_nodes_anew(self) -> None:
        """Node ids come from a counter of the JVM; a job that is started by itself begins with the first."""
        self.java.org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext.resetIdCounter()

    def table_environment(self, parameters: Mapping[str, str], run: str, savepoint: str = "") -> Any:
        """A table environment in which every table is a stand-in (``TableGrammar.java``), for jobs on this cluster."""
        restored = {"execution.state-recovery.path": savepoint, "execution.savepoint.path": savepoint}
        settings = {
            **plan_settings(parameters),
            "execution.target": "remote",
            "execution.attached": "false",
            "rest.address": _LOCALHOST,
            "rest.port": str(self._port),
            "jobmanager.rpc.address": _LOCALHOST,
            **(restored if savepoint else {}),
        }
        return table_environment(self.java, settings, self.java.keepstate.flink.Tables(run))

    def is_open(self, client: Any) -> bool:
        """Return whether all operators of a job are open: then they have taken their state."""
        return bool(self.jobs.isOpen(self.running, client.getJobID()))

    @property
    def tables(self) -> Any:
        return self.java.keepstate.flink.Tables

    @property
    def jobs(self) -> Any:
        return self.java.keepstate.flink.Jobs


def table_environment(java: Any, settings: Mapping[str, str], stand_ins: Any) -> Any:
    """A streaming table environment with a module of stand-ins."""
    configuration = java.org.apache.flink.configuration.Configuration()
    for key, value in settings.items():
        configuration.setString(key, value)
    api = java.org.apache.flink.table.api
    api_settings = api.EnvironmentSettings.newInstance().withConfiguration(configuration).inStreamingMode().build()
    # Flink 1.18 would run the jobs of a plain table environment on a cluster of its own.
    execution = java.org.apache.flink.streaming.api.environment.StreamExecutionEnvironment(configuration)
    environment = api.bridge.java.StreamTableEnvironment.create(execution, api_settings)
    environment.loadModule("keepstate", stand_ins)
    return environment


@contextlib.contextmanager
def cluster(version: str, class_path: Sequence[Path] = (), seconds: float | None = None) -> Iterator[Cluster]:
    """A cluster of an installed Flink version; it ends with the block, with this process, or after so many seconds.

    Raises:
        FlinkError: the JVM does not start, or it ended before the block did.
    """
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

    with jvm(version, class_path=class_path) as (gateway, scratch):
        late = threading.Event()

        def give_up() -> None:
            late.set()
            gateway.java_process.kill()

        timer = threading.Timer(seconds or 0, give_up)
        timer.daemon = True
        if seconds is not None:
            timer.start()
        try:
            yield Cluster(version, gateway, scratch / "savepoints")
        except (Py4JNetworkError, ConnectionError) as error:
            if late.is_set():
                raise FlinkError(
                    f"Flink was stopped after {seconds:g} s.", "Give it more with --time-limit."
                ) from error
            raise FlinkError("The JVM of Flink ended.") from error
        finally:
            timer.cancel()


@contextlib.contextmanager
def planner(version: str, more: Sequence[Path] = ()) -> Iterator[Any]:
    """The JVM of an installed Flink version without a cluster, for plans."""
    with jvm(version, more) as (gateway, _):
        yield gateway.jvm
