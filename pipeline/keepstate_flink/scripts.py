"""The queries of a script as jobs of a table environment of a real Flink.

Flink's own parser says what each statement is. Only declarations and settings that plan or state follow from are
executed; catalogs are in memory, connectors stand-ins, and a statement that would reach anything else is refused.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keepstate.syntax.splitting.splitter import split
from keepstate_flink.cluster import is_followed
from keepstate_flink.errors import NotRunnable
from keepstate_flink.functions.part import StandIn
from keepstate_flink.functions.stand_ins import Declared, Identities, StandIns
from keepstate_flink.generated_rows import TableColumn

RESULT = "keepstate_result_"
"""Prefix of the names of the sinks of bare queries."""
_COMMENTS = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*(?!\+).*?\*/)+", re.DOTALL)
_BEGIN = re.compile(r"(?:EXECUTE\s+STATEMENT\s+SET\s+BEGIN|BEGIN\s+STATEMENT\s+SET)\b\s*;?", re.IGNORECASE)
_DECLARING = re.compile(
    r"(Create|Drop)(Table|View|Database)Operation|Alter(Table|View|Database)\w*|Use(Catalog|Database)Operation"
    r"|DropCatalogOperation"
)
_FUNCTION = re.compile(r"Create\w*FunctionOperation")
_DROPPED_FUNCTION = re.compile(r"Drop\w*FunctionOperation")
_SILENT = re.compile(r"(Show|Describe|Explain|ListJars|Help|Clear)\w*Operation|EndStatementSetOperation")
_PYTHON = re.compile(r"\bLANGUAGE\s+PYTHON\b", re.IGNORECASE)
_OBJECT_HASH = re.compile(r"(?<=\w)@[0-9a-f]{4,8}\b")
_RUNTIME_MODE = "execution.runtime-mode"
_SCRIPTS = itertools.count(1)
_TELLING = ("StateMigrationException", "Cannot map checkpoint/savepoint state")


@dataclass
class ScriptJob:
    """Statements that Flink runs as one job: those of a statement set, or one query by itself.

    ``statements`` is the set of the table environment or a compiled plan, ``queries`` the names of its queries,
    ``sinks`` the paths of the tables they fill.
    """

    statements: Any
    queries: list[str] = field(default_factory=list)
    sinks: list[str] = field(default_factory=list)
    columns: Mapping[str, Sequence[TableColumn]] = field(default_factory=dict)
    """The columns of tables that no statement declares, by their paths."""


@dataclass(frozen=True)
class LoadedScript:
    """The jobs of a script; ``ignored`` are the settings that were left out, ``mode`` the runtime mode that it sets."""

    jobs: tuple[ScriptJob, ...]
    ignored: tuple[str, ...] = ()
    mode: str = ""
    stand_ins: StandIns | None = None
    """The stand-ins for its functions; ``None`` for a compiled plan."""

    def runtime_mode(self, parameters: Mapping[str, str]) -> str:
        """The runtime mode, which may be set outside of the SQL, in small letters."""
        return (self.mode or parameters.get(_RUNTIME_MODE, "")).strip().lower()

    def take_planned(self) -> tuple[StandIn, ...]:
        """The stand-ins that were planned since the last question. Raises ``NotRunnable``."""
        return () if self.stand_ins is None else self.stand_ins.take_planned()


class ScriptLoader:
    """Loads one script into an environment: executes its declarations, and plans nothing yet.

    ``one_job`` puts all queries into one job, as some platforms do; without it each is a job, but for statement sets.
    ``runs_functions`` declares the user's functions, whose classes are at hand. Those of ``declared`` signatures whose
    classes are not are stand-ins; ``identities`` are of their classes.
    """

    def __init__(
        self,
        java: Any,
        environment: Any,
        one_job: bool = True,
        runs_functions: bool = False,
        declared: Declared = (),
        identities: Identities = (),
    ) -> None:
        self._java = java
        self._environment = environment
        self._one_job = one_job
        self._runs_functions = runs_functions
        self._jobs: list[ScriptJob] = []
        self._open_set = False
        self.functions: list[str] = []
        """Names of the functions of the user so far."""
        self.stand_ins = StandIns(java, environment, f"script{next(_SCRIPTS)}", declared, identities)
        self.python_functions: set[str] = set()
        """Functions among them that no jar has."""
        self.statement = ""
        """The last statement that was read."""
        self._ignored: list[str] = []
        self._mode = ""
        self._results = 0

    def load(self, script: str) -> LoadedScript:
        """The jobs of a script, none of them started.

        Raises:
            NotRunnable: a statement would reach what a rehearsal must not.
            Py4JJavaError: Flink refuses a statement.
        """
        for span in split(script).statements:
            statement = _uncommented(script[span.start : span.end])
            if (begin := _BEGIN.match(statement)) is not None:
                self._open_set = True
                self._begin_job()
                statement = _uncommented(statement[begin.end() :])
            if statement:
                self.statement = statement
                self._add(statement)
        jobs = tuple(job for job in self._jobs if job.queries)
        return LoadedScript(jobs, tuple(dict.fromkeys(self._ignored)), self._mode, self.stand_ins)

    def _add(self, statement: str) -> None:
        operation = self._environment.getParser().parse(statement).get(0)
        kind = str(operation.getClass().getSimpleName())
        if kind == "SinkModifyOperation" and not (operation.isUpdate() or operation.isDelete()):
            path = operation.getContextResolvedTable().getIdentifier().asSerializableString()
            job = self._job()
            job.statements.addInsertSql(statement)
            job.queries.append(f"INSERT INTO {operation.getContextResolvedTable().getIdentifier().getObjectName()}")
            job.sinks.append(str(path))
        elif kind.endswith("QueryOperation"):
            self._results += 1
            query = self._environment.sqlQuery(statement)
            sink = _sink(self._java, self._environment, query, f"{RESULT}{self._results - 1}")
            job = self._job()
            job.statements.addInsert(sink, query)
            job.queries.append(f"SELECT #{self._results}")
            job.sinks.append(
                f"`{self._environment.getCurrentCatalog()}`.`{self._environment.getCurrentDatabase()}`.`{sink}`"
            )
        elif kind == "SetOperation":
            self._set(operation)
        elif kind == "ResetOperation" and operation.getKey().isPresent():
            self._reset(str(operation.getKey().get()))
        elif kind == "CreateCatalogOperation":
            name = str(operation.getCatalogName())
            memory = self._java.org.apache.flink.table.catalog.GenericInMemoryCatalog
            default = dict(operation.getProperties()).get("default-database", "default")
            self._environment.registerCatalog(name, memory(name, str(default)))
        elif _FUNCTION.fullmatch(kind):
            self._create_function(operation, statement)
        elif _DROPPED_FUNCTION.fullmatch(kind):
            if not self.stand_ins.drop(*_function_of(operation, kind)):
                self._environment.executeSql(statement)
        elif kind == "EndStatementSetOperation":
            self._open_set = False
        elif _DECLARING.fullmatch(kind):
            self._environment.executeSql(statement)
        elif kind == "CreateTableASOperation":
            self._add_table_of_query(operation)
        elif not _SILENT.fullmatch(kind):
            words = " ".join(statement.split()[:3])
            raise NotRunnable(f"A rehearsal does not run '{words} …'")

    def _create_function(self, operation: Any, statement: str) -> None:
        kind = str(operation.getClass().getSimpleName())
        name, path = _function_of(operation, kind)
        self.functions.append(name)
        if _PYTHON.search(statement):
            self.python_functions.add(name)
            return
        is_system = kind.startswith("CreateTempSystem")
        implementation = str(operation.getCatalogFunction().getClassName())
        if self._runs_functions and (not self.stand_ins.declares(name) or self._is_here(implementation)):
            self._environment.executeSql(statement)
        else:
            self.stand_ins.create(name, path, implementation, is_system, bool(operation.isIgnoreIfExists()))

    def _is_here(self, implementation: str) -> bool:
        """Return whether a class is at hand; it is not loaded."""
        loader = self._java.java.lang.Thread.currentThread().getContextClassLoader()
        return loader.getResource(f"{implementation.replace('.', '/')}.class") is not None

    def _add_table_of_query(self, operation: Any) -> None:
        """Create the table of ``CREATE TABLE ... AS``, and fill it as an INSERT does."""
        created = operation.getCreateTableOperation()
        self._environment.executeInternal(created)
        name = created.getTableIdentifier()
        job = self._job()
        job.statements.getOperations().add(operation.toSinkModifyOperation(self._environment.getCatalogManager()))
        job.queries.append(f"CREATE TABLE {name.getObjectName()} AS")
        job.sinks.append(str(name.asSerializableString()))

    def _set(self, operation: Any) -> None:
        if not operation.getKey().isPresent() or not operation.getValue().isPresent():
            return
        key, value = str(operation.getKey().get()), str(operation.getValue().get())
        if is_followed(key):
            self._environment.getConfig().set(key, value)
        elif key == _RUNTIME_MODE:
            self._mode = value
        else:
            self._ignored.append(key)

    def _reset(self, key: str) -> None:
        if is_followed(key):
            self._environment.getConfig().getConfiguration().removeKey(key)
        elif key == _RUNTIME_MODE:
            self._mode = ""

    def _job(self) -> ScriptJob:
        if not self._jobs or not (self._one_job or self._open_set):
            self._begin_job()
        return self._jobs[-1]

    def _begin_job(self) -> None:
        if not self._jobs or not self._one_job:
            self._jobs.append(ScriptJob(self._environment.createStatementSet()))


def _function_of(operation: Any, kind: str) -> tuple[str, str]:
    """The name and the path of the function that is created or dropped."""
    if "TempSystem" in kind:
        name = str(operation.getFunctionName())
        return name, name
    identifier = operation.getFunctionIdentifier()
    return str(identifier.getObjectName()), str(identifier.asSerializableString())


def _sink(java: Any, environment: Any, query: Any, name: str) -> str:
    """A table that takes what a query gives."""
    types = java.org.apache.flink.table.types.utils.DataTypeUtils
    api = java.org.apache.flink.table.api
    schema = api.Schema.newBuilder()
    counts: Counter[str] = Counter()
    for column in query.getResolvedSchema().getColumns():
        label = str(column.getName())
        counts[label] += 1
        unique = label if counts[label] == 1 else f"{label}_{counts[label]}"
        schema.column(unique, types.removeTimeAttribute(column.getDataType()).nullable())
    environment.createTable(name, api.TableDescriptor.forConnector("print").schema(schema.build()).build())
    return name


def _uncommented(statement: str) -> str:
    """The statement without space around it and without comments in front of it."""
    match = _COMMENTS.match(statement)
    return statement[match.end() if match else 0 :].strip()


def line_of(error: Any) -> str:
    """The message of a ``Py4JJavaError`` that says most: why a state was refused, or the root cause."""
    lines = chain_of(error)
    telling = [line for line in lines if any(word in line for word in _TELLING)]
    return (telling or lines)[-1][:300]


def chain_of(error: Any) -> Sequence[str]:
    """The first lines of an exception of Java and of its causes, from the outside in."""
    chain: list[str] = []
    cause = error.java_exception
    while cause is not None and len(chain) < 30:
        # The hash codes of objects are others in each run.
        chain.append(_OBJECT_HASH.sub("", str(cause.toString()).partition("\n")[0]))
        cause = cause.getCause()
    return chain
