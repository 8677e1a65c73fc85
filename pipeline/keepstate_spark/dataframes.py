"""Flink SQL over DataFrames of a session that is there already: a notebook, a platform's job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.script import parse_script
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import RunnableScript
from keepstate_spark.runnable import runnable
from keepstate_spark.session import is_in_utc, stopped_sessions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_Value = TypeVar("_Value")


def run(
    script: str,
    spark: SparkSession,
    tables: Mapping[str, DataFrame] | None = None,
    *,
    folder: str | Path = ".",
    parameters: Mapping[str, str] | None = None,
    late: Literal["keep", "drop"] = "keep",
) -> dict[str, DataFrame]:
    """Return the results of the queries of ``script`` by their names: that of the sink, or ``SELECT #1``.

    ``tables`` are the rows of declared tables, whose columns they have; other tables are read from the files of their
    ``path``, relative to ``folder``. ``spark`` is any session, in any time zone and mode; its settings stay the same.
    Nothing is computed before a result is read. With ``late="drop"`` rows come in the order of the DataFrame, and those
    behind the watermark are left out as a stream does, for which their times are looked through at once. ``parameters``
    are settings of Flink.

    Raises ``PipelineError`` for a script of which a query cannot be run, with a line for each, for a table that the
    script does not declare, for columns that are missing or of other types, and for a session that was stopped.

    Example:
        >>> orders_table = "CREATE TABLE orders (rowtime TIMESTAMP(3), buyer STRING, amount INT);"
        >>> totals = "SELECT buyer, SUM(amount) AS total FROM orders GROUP BY buyer;"
        >>> results = run(orders_table + totals, spark, {"orders": orders})
        >>> results["SELECT #1"].orderBy("buyer").show()
        +-----+-----+
        |buyer|total|
        +-----+-----+
        |  ann|   12|
        |  bob|    1|
        +-----+-----+
    """
    from keepstate_spark.running import lowered_query

    if late not in ("keep", "drop"):
        raise PipelineError(f'late is {late!r}, and it is "keep" or "drop".')
    _require_text("script", script)
    table_frames = _mapping("tables", tables)
    prepared = _prepared(script, (None,), spark, table_frames, folder, parameters)
    drops = late == "drop"
    frames: dict[str, DataFrame] = {}
    for query in prepared.queries:
        running = lowered_query(prepared, query, spark, drops_late=drops, may_ask=drops, frames=table_frames)
        frames[_unused(query.name, frames)] = running.frame()
    return frames


def replay_job(
    script: str,
    baseline: str,
    spark: SparkSession,
    tables: Mapping[str, DataFrame] | None = None,
    *,
    restart_at: str | datetime,
    engine: str = "vvr",
    engine_version: str | None = None,
    arrivals: Mapping[str, str] | None = None,
    folder: str | Path = ".",
    parameters: Mapping[str, str] | None = None,
) -> dict[str, DataFrame]:
    """Return the differences that a restart from a savepoint of ``baseline`` makes, by the names of the queries of
    ``script``: a row for each metric of a result with rows on both sides of the restart, whether it differs or not. The
    columns are those of ``differences.parquet`` of ``keepstate replay``.

    Queries without state, and new ones, are left out. ``restart_at`` is a time on the wall clock of the job.
    ``arrivals`` names the column of a table with the times when its rows came; otherwise they come at their event time.
    ``tables``, ``folder``, ``spark`` and ``parameters`` are as for ``run``. Only the times of rows are looked through
    at once.

    Raises ``PipelineError`` as ``run`` does, for a baseline that cannot be read, and for a time outside of all rows.

    Example:
        >>> orders_table = "CREATE TABLE orders (rowtime TIMESTAMP(3), buyer STRING, amount INT, WATERMARK FOR rowtime "
        >>> orders_table += "AS rowtime);"
        >>> script = orders_table + "SELECT buyer, SUM(amount) AS total FROM orders GROUP BY buyer;"
        >>> baseline = script.replace("SUM(amount)", "COUNT(amount)")
        >>> found = replay_job(script, baseline, spark, {"orders": orders}, restart_at="2026-03-01 10:05:00")
        >>> rows = found["SELECT #1"].select("key", "metric", "expected", "restarted", "restarted_change")
        >>> rows.orderBy("key").show()
        +-----------+------+--------+---------+----------------+
        |        key|metric|expected|restarted|restarted_change|
        +-----------+------+--------+---------+----------------+
        |buyer = ann| total|      12|        7|         differs|
        +-----------+------+--------+---------+----------------+
    """
    import keepstate
    from keepstate.reporting.file_status import refused
    from keepstate_spark.replay.replaying import ReplayTask, replayed_frames

    for name, text in (("script", script), ("baseline", baseline), ("engine_version", engine_version or "")):
        _require_text(name, text)
    table_frames, settings = _mapping("tables", tables), _mapping("parameters", parameters)
    arrival_columns = _mapping("arrivals", arrivals)
    problems = parse_script(baseline).problems
    if problems:
        raise PipelineError(f"The baseline cannot be read: {problems[0].message}")
    # Ververica Runtime may be built on any Flink: only what the oldest and the newest refuse is refused.
    versions = (engine_version,) if engine_version is not None else (None, "1.20") if engine == "vvr" else (None,)
    prepared = _prepared(script, versions, spark, table_frames, folder, settings)
    unknown = next((name for name in arrival_columns if name not in prepared.job.catalog.tables), None)
    if unknown is not None:
        raise _undeclared("arrivals", unknown, prepared)
    now, was = (keepstate.JobVersion(text, settings, engine_version) for text in (script, baseline))
    try:
        restart = keepstate.analyse(now, was, engine).restart()
    except KeyError as error:
        raise PipelineError(f"There is no engine {engine}.", "The engines are vvr and flink.") from error
    if not restart.report.is_valid:
        raise PipelineError(refused(restart.report.refusals))
    request = ReplayTask(prepared, None, restart, str(restart_at), arrival_columns)
    frames: dict[str, DataFrame] = {}
    try:
        for name, rows in replayed_frames(request, spark, table_frames):
            frames[_unused(name, frames)] = rows
    except PipelineError as error:
        # The hint is one for the command line.
        raise PipelineError(error.sentence) from error
    return frames


def _prepared(
    script: str,
    versions: Sequence[str | None],
    spark: SparkSession,
    tables: Mapping[str, DataFrame],
    folder: str | Path,
    parameters: Mapping[str, str] | None,
) -> RunnableScript:
    """Return a script of which each query can be run. Raises ``PipelineError`` for any other."""
    if not hasattr(spark, "version"):
        raise PipelineError(f"spark is of type {type(spark).__name__}, and no session of Spark.")
    _require_rows(tables)
    problems = parse_script(script).problems
    try:
        prepared = runnable(
            script, "script", Path(folder), versions, {}, _mapping("parameters", parameters), frames=tables
        )
    except PipelineError as error:
        if not problems:
            raise
        raise PipelineError(f"{error.sentence} {problems[0].message}") from error
    job = prepared.job
    unknown = [name for name in tables if name not in job.catalog.tables and name not in job.unreadable_names]
    if unknown:
        raise _undeclared("tables", unknown[0], prepared)
    if prepared.refused:
        raise PipelineError("\n".join(prepared.refused))
    if tables:
        _refuse_instants(tables, spark, prepared)
    return prepared


def _refuse_instants(tables: Mapping[str, DataFrame], spark: SparkSession, prepared: RunnableScript) -> None:
    """Raise ``PipelineError`` for an instant where a table has a wall-clock time: outside of UTC they differ."""
    from pyspark.sql.types import TimestampType

    with stopped_sessions():
        if is_in_utc(spark):
            return
    catalog = prepared.job.catalog
    for name, frame in tables.items():
        instants = {field.name for field in frame.schema.fields if isinstance(field.dataType, TimestampType)}
        table = catalog.tables.get(name)
        for column in catalog.columns_of(table)[0] if table is not None else ():
            type_ = LogicalType.declared(column.type or "")
            if column.name in instants and type_ is not None and type_.root == "TIMESTAMP":
                raise PipelineError(
                    f"The column {column.name} of {name} is a {type_}, and in the DataFrame it is a timestamp: an "
                    "instant.",
                    f'Cast it, fn.col("{column.name}").cast("timestamp_ntz"), or declare a TIMESTAMP_LTZ.',
                )


def _require_text(argument: str, value: object) -> None:
    """Raise ``PipelineError`` unless an argument is a text."""
    if isinstance(value, Path):
        raise PipelineError(f"{argument} is a path.", f'Read the file: Path("{value}").read_text().')
    if not isinstance(value, str):
        raise PipelineError(f"{argument} is of type {type(value).__name__}, and no text.")


def _mapping(argument: str, value: Mapping[str, _Value] | None) -> dict[str, _Value]:
    """A copy of an argument. Raises ``PipelineError`` if it is no mapping."""
    if value is not None and not isinstance(value, Mapping):
        raise PipelineError(
            f"{argument} is of type {type(value).__name__}, and no mapping.", 'Write one: {"orders": ...}.'
        )
    return dict(value or {})


def _require_rows(tables: Mapping[str, DataFrame]) -> None:
    """Raise ``PipelineError`` unless ``tables`` are DataFrames, of rows that are all there."""
    from pyspark.sql import DataFrame

    for name, frame in tables.items():
        if not isinstance(frame, DataFrame):
            raise PipelineError(f"The rows of {name} are a {type(frame).__name__}, and no DataFrame.")
        if frame.isStreaming:
            raise PipelineError(
                f"The rows of {name} are a stream, and a script runs over rows that are all there.",
                "Read them with spark.read. keepstate_spark.table has windows for streams.",
            )


def _undeclared(argument: str, name: str, prepared: RunnableScript) -> PipelineError:
    table_names = ", ".join(sorted(prepared.job.catalog.tables)) or "none"
    return PipelineError(f"{argument} names {name}, which the script does not declare.", f"Its tables: {table_names}.")


def _unused(name: str, names: Mapping[str, object]) -> str:
    """``name``, with a number if there is one already: two INSERTs into one sink."""
    number, candidate = 1, name
    while candidate in names:
        number += 1
        candidate = f"{name} ({number})"
    return candidate
