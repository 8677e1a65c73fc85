"""Jobs on a cluster: started, stopped with a savepoint, and ended."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from keepstate_flink.cluster import SLOTS
from keepstate_flink.compiled.loading import loaded_plan
from keepstate_flink.errors import NotRunnable
from keepstate_flink.functions.part import StandIn
from keepstate_flink.functions.stand_ins import HOW_TO_DECLARE, Declared, Identities, identities
from keepstate_flink.generated_rows import TableColumn
from keepstate_flink.scripts import LoadedScript, ScriptJob, ScriptLoader, chain_of

if TYPE_CHECKING:
    from keepstate_flink.cluster import Cluster

PATIENCE = 60
"""Seconds that a job may take to start, for the few rows that it gets, or for its savepoint."""
_LOOK = 0.02
_TOO_SOON = "is not being executed at the moment"


@dataclass(frozen=True)
class ScriptedJob:
    """A job of a script: its ``number`` in it, from 0, if each query is a job; with ``one_job`` all are one.

    ``parameters`` are settings outside of the SQL, ``runs_functions`` is true if the classes of its functions are here.
    """

    text: str
    parameters: tuple[tuple[str, str], ...] = ()
    one_job: bool = True
    number: int = 0
    runs_functions: bool = False
    plan: str = ""
    """A compiled plan that is run instead of the text."""
    is_compiled: bool = False
    """Its queries are compiled first, and run from that plan, as EXECUTE PLAN does: ids come from the plan."""
    functions: Declared = ()
    """Signatures of the functions that a stand-in takes the place of, unless their classes are here."""
    identities: Identities = ()


def with_equal_stand_ins(baseline: ScriptedJob, current: ScriptedJob) -> tuple[ScriptedJob, ScriptedJob]:
    """Both versions, with the same values for the stand-ins of one function."""
    if not current.functions:
        return baseline, current
    both_identities = identities(baseline.text, current.text)
    return replace(baseline, identities=both_identities), replace(current, identities=both_identities)


@dataclass(frozen=True)
class PlannedOperator:
    """An operator of a planned job: the id under which it stores its state, Flink's name for it, and the number of
    operators that it reads from.
    """

    id: str
    name: str
    inputs: int


class JobFailed(Exception):
    """Error of a job that Flink refuses (not ``planned``), or that fails as it starts or runs; ``chain`` has the first
    lines of the exception and of its causes, from the outside in.
    """

    def __init__(self, chain: Sequence[str], planned: bool = True) -> None:
        super().__init__(chain[-1] if chain else "")
        self.chain = tuple(chain)
        self.planned = planned


class RunningJob:
    """A job that was started. ``sources``, ``looked_up`` (tables that it asks by key) and ``sinks`` are paths."""

    def __init__(self, cluster: Cluster, run: str, environment: Any, client: Any, job: ScriptJob) -> None:
        self._cluster = cluster
        self._run = run
        self._client = client
        self.environment = environment
        self.looked_up = [str(path) for path in cluster.tables.lookedUp(run)]
        # Flink 1.18 asks tables that are looked up for a scan as well, which it does not run.
        self.sources = [str(path) for path in cluster.tables.read(run) if str(path) not in self.looked_up]
        self.sinks = list(dict.fromkeys(job.sinks))
        self._columns = job.columns

    def columns(self, table: str) -> Sequence[TableColumn]:
        """The columns that the source of a table reads."""
        return self._columns[table] if table in self._columns else columns_of(self.environment, table)

    def offer(self, table: str, lines: list[str], count: int, ends: bool) -> None:
        """Let a source read the first ``count`` of its rows; behind the last one it ends, or waits."""
        self._cluster.tables.offer(f"{self._run}/{table}", lines, count, ends)

    def await_emitted(self, table: str, count: int) -> None:
        """Wait until a source has emitted so many rows.

        Raises:
            JobFailed: the job failed instead.
        """
        for _ in range(PATIENCE * 10):
            if self._cluster.tables.emitted(f"{self._run}/{table}", count, 100):
                return
            self._raise_failure()
        raise JobFailed((f"The source of {table} reads no rows.",))

    def await_open(self) -> None:
        """Wait until all operators are open, and so have taken the state that they were restored with.

        Raises:
            JobFailed: the job failed instead.
        """
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self._raise_failure()
            # Before the job has a graph there is nothing to look at.
            with contextlib.suppress(Py4JJavaError):
                if self._cluster.is_open(self._client):
                    return
            time.sleep(_LOOK)
        room = f"a rehearsal has room for {SLOTS} parallel tasks"
        raise JobFailed((f"The job did not start within {PATIENCE} s; {room}.",))

    def await_end(self) -> None:
        """Wait for the end of a job whose sources end. Raises ``JobFailed``."""
        from py4j.protocol import Py4JJavaError

        try:
            self._client.getJobExecutionResult().get(PATIENCE, self._cluster.seconds)
        except Py4JJavaError as error:
            raise JobFailed(tuple(chain_of(error))) from error

    def savepoint(self) -> str:
        """Stop the job, and return the folder of its savepoint. Raises ``JobFailed``."""
        from py4j.protocol import Py4JJavaError

        canonical = self._cluster.java.org.apache.flink.core.execution.SavepointFormatType.CANONICAL
        folder = self._cluster.savepoints.as_uri()
        deadline = time.monotonic() + PATIENCE
        while True:
            savepoint = self._client.stopWithSavepoint(False, folder, canonical)
            try:
                return str(savepoint.get(PATIENCE, self._cluster.seconds))
            except Py4JJavaError as error:
                chain = tuple(chain_of(error))
                # A source may be done with its rows while an operator behind it is still being deployed.
                if not any(_TOO_SOON in line for line in chain) or time.monotonic() > deadline:
                    raise JobFailed(chain) from error
                time.sleep(_LOOK)

    def rows(self, sink: str) -> list[str]:
        """The rows that a sink got, as Flink prints them."""
        return [str(row) for row in self._cluster.tables.rows(f"{self._run}/{sink}")]

    def end(self) -> None:
        """Cancel the job if it still runs, and forget its rows."""
        if not self._client.getJobStatus().get().isGloballyTerminalState():
            self._client.cancel().get()
        for table in (*self.sources, *self.looked_up, *self.sinks):
            self._cluster.tables.forget(f"{self._run}/{table}")

    def _raise_failure(self) -> None:
        if self._client.getJobStatus().get().isGloballyTerminalState():
            self.await_end()


class Jobs:
    """Starts jobs on one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._numbers = itertools.count(1)
        self.ignored: set[str] = set()
        """Settings of the jobs so far that were left out."""

    def queries(self, job: ScriptedJob) -> tuple[tuple[str, ...], ...]:
        """The names of the queries of each job of a script. Raises ``JobFailed`` and ``NotRunnable``."""
        with self._loaded(job) as (_, _, script):
            return tuple(tuple(each.queries) for each in script.jobs)

    def operators(self, job: ScriptedJob) -> tuple[PlannedOperator, ...]:
        """The operators of a job, in the order of its graph. Raises ``JobFailed`` and ``NotRunnable``."""
        with self._loaded(job) as (_, environment, script):
            listed = json.loads(self._cluster.jobs.operators(environment, script.jobs[job.number].statements))
        return tuple(PlannedOperator(each["id"], each["name"], each["inputs"]) for each in listed)

    def stand_ins(self, job: ScriptedJob) -> tuple[StandIn, ...]:
        """The stand-ins for functions that a job calls. Raises ``JobFailed`` and ``NotRunnable``."""
        if not job.functions or job.plan:
            return ()
        with self._loaded(job) as (_, environment, script):
            self._cluster.jobs.graph(environment, script.jobs[job.number].statements)
            called: tuple[StandIn, ...] = script.take_planned()
        return called

    def state_names(self, savepoint: str) -> Mapping[str, tuple[str, ...]]:
        """The names of the states in a savepoint, by the id of their operator."""
        return {key: tuple(names) for key, names in json.loads(self._cluster.jobs.stored(savepoint)).items()}

    @contextlib.contextmanager
    def started(self, job: ScriptedJob, savepoint: str = "") -> Iterator[RunningJob]:
        """A job that runs until the end of the block, from a savepoint if there is one.

        Raises:
            JobFailed: Flink refuses it.
            NotRunnable: it needs what is not here.
        """
        with self._loaded(job, savepoint) as (run, environment, script):
            self._require_room(environment)
            scripted = script.jobs[job.number]
            self._cluster.number_nodes_anew()
            client = self._cluster.jobs.execute(environment, scripted.statements).getJobClient().get()
        running = RunningJob(self._cluster, run, environment, client, scripted)
        try:
            yield running
        finally:
            running.end()

    def _require_room(self, environment: Any) -> None:
        """Raise ``NotRunnable`` for a job that would wait for tasks in vain."""
        tasks = environment.getConfig().get(
            self._cluster.java.org.apache.flink.configuration.CoreOptions.DEFAULT_PARALLELISM
        )
        if tasks > SLOTS:
            raise NotRunnable(f"The job runs in {tasks} parallel tasks, and a rehearsal has room for {SLOTS}")

    @contextlib.contextmanager
    def _loaded(self, job: ScriptedJob, savepoint: str = "") -> Iterator[tuple[str, Any, Any]]:
        run = f"run{next(self._numbers)}"
        environment = self._cluster.table_environment(dict(job.parameters), run, savepoint)
        with loaded(self._cluster.java, environment, job) as script:
            self.ignored.update(script.ignored)
            yield run, environment, script


def columns_of(environment: Any, table: str) -> list[TableColumn]:
    """The columns of a declared table that its source reads."""
    schema = getattr(environment, "from")(table).getResolvedSchema()
    return [
        TableColumn(str(column.getName()), str(column.getDataType().getLogicalType().asSerializableString()))
        for column in schema.getColumns()
        if column.isPhysical() or column.getClass().getSimpleName() == "MetadataColumn"
    ]


@contextlib.contextmanager
def loaded(java: Any, environment: Any, job: ScriptedJob) -> Iterator[LoadedScript]:
    """The script of a job in a table environment; errors of the planner in the block are its errors too.

    Raises:
        JobFailed: Flink refuses it.
        NotRunnable: it needs what is not here.
    """
    from py4j.protocol import Py4JJavaError

    loader = ScriptLoader(java, environment, job.one_job, job.runs_functions, job.functions, job.identities)
    try:
        script = loaded_plan(java, environment, job.plan) if job.plan else loader.load(job.text)
        if script.runtime_mode(dict(job.parameters)) == "batch":
            raise NotRunnable("The job runs in batch mode, which takes no savepoints")
        if not script.jobs:
            raise NotRunnable("The script has no query")
        if job.is_compiled:
            for each in script.jobs:
                each.statements = java.keepstate.flink.Jobs.compiled(environment, each.statements)
        yield script
    except Py4JJavaError as error:
        chain = chain_of(error)
        _raise_for_function(loader, chain, job)
        raise JobFailed(chain, planned=False) from error


def _raise_for_function(loader: ScriptLoader, chain: Sequence[str], job: ScriptedJob) -> None:
    """Raise ``NotRunnable`` if an exception is about a function of the user that cannot be run as it is called."""
    called = next((name for name in loader.functions if any(f"{name}(" in line for line in chain)), None)
    if called in loader.python_functions:
        raise NotRunnable(f"The job calls a Python function, {called}, which a rehearsal cannot run")
    loader.stand_ins.raise_misfit(loader.statement, chain)
    if called is not None and not job.runs_functions and not loader.stand_ins.declares(called):
        raise NotRunnable(f"The job calls a function of its own, {called}: {HOW_TO_DECLARE}")
