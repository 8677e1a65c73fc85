"""``keepstate run``: what the queries of a script give, run on Spark over files."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.cli.arguments import (
    DEFAULT_ENGINE,
    add_configuration,
    add_spark,
    add_warm,
    filled,
    known_engine,
    known_version,
    output_path,
    parameter,
    table_path,
)
from keepstate_lsp.cli.commands.spark.session_folder import archive_folder
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import FINDINGS, FINE, NOT_COMPARED
from keepstate_lsp.cli.source_text import is_stream, source_path, source_text
from keepstate_lsp.cli.terminal.job_results import OF_SPARK
from keepstate_lsp.cli.terminal.signals import ending_cleanly
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_config import JobConfigReader

if TYPE_CHECKING:
    from keepstate_spark.jobs import Query, RunnableScript
    from keepstate_spark.running import LoweredQuery

_FLINK = "flink"
_OLDEST_FLINK = "1.20"
FORMATS = ("table", "jsonl", "csv", *OF_SPARK)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.sql", help="- is standard input")
    parser.add_argument(
        "--data",
        metavar="TABLE=PATH",
        action="append",
        type=table_path,
        default=[],
        help="where the rows of a table are: a file or a folder of CSV, JSON lines, Parquet or Delta; may be repeated "
        "(default: the path in its WITH clause)",
    )
    parser.add_argument(
        "--parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a job parameter set outside of the SQL; may be repeated",
    )
    parser.add_argument(
        "--late",
        choices=("drop", "keep"),
        default="drop",
        help="what becomes of rows that come too late: leave them out, as a stream does (default), or count them in; "
        "either way it is told how many there are",
    )
    parser.add_argument(
        "--query",
        metavar="N|NAME",
        action="append",
        default=[],
        help="run this query only: its number or name in the output, or the table that it fills; may be repeated",
    )
    parser.add_argument("--explain", action="store_true", help="show Spark's plans instead of running them")
    group = parser.add_argument_group("job")
    group.add_argument(
        "--engine", metavar="ENGINE", type=filled, help="the engine that runs the job: vvr or flink (default: vvr)"
    )
    group.add_argument(
        "--engine-version", metavar="V", type=filled, help="its version; what its Flink refuses is not run"
    )
    add_configuration(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: %(default)s")
    group.add_argument(
        "--output",
        metavar="DIR",
        type=output_path,
        help="write a file for each query there instead of to standard output",
    )
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")
    add_warm(add_spark(parser, memory="1g"))


def run(arguments: argparse.Namespace) -> int:
    from keepstate_spark.errors import NoSuchQuery, PipelineError

    if arguments.format in OF_SPARK and arguments.output is None and not arguments.explain:
        raise UsageError(f"Files of {arguments.format} are nothing for a terminal: name a folder with --output.")
    name = arguments.file
    text = source_text(name)
    folder = Path.cwd() if is_stream(name) else source_path(name).parent
    try:
        with ending_cleanly() as listen:
            return _run(arguments, text, name, folder, listen)
    except NoSuchQuery as error:
        raise UsageError(str(error)) from error
    except PipelineError as error:
        raise CommandError(str(error)) from error


def _run(arguments: argparse.Namespace, text: str, name: str, folder: Path, listen: Callable[[], None]) -> int:
    from keepstate_lsp.cli.terminal.job_results import result_writer, show
    from keepstate_lsp.cli.terminal.spark_progress import SparkProgress
    from keepstate_spark.errors import PipelineError
    from keepstate_spark.runnable import runnable
    from keepstate_spark.running import lowered_query, session_settings, task_counter, waits_in_words
    from keepstate_spark.saving import require_format
    from keepstate_spark.session import spark_session

    # A connection to the JVM that breaks, on Ctrl-C, is logged with pages of traces unless there is a handler.
    logging.getLogger().addHandler(logging.NullHandler())
    engine, config = _configured(arguments)
    script = runnable(
        text,
        name,
        folder,
        _flink_versions(engine, config),
        dict(arguments.data),
        dict(config.parameters),
        arguments.query,
    )
    status, messages = FINE, set[str]()
    for line in script.refused:
        tell(line)
        status = NOT_COMPARED
    if not script.queries:
        return status
    for notice in script.notices:
        _tell_once(notice, messages)
    settings = {**session_settings(script), **dict(arguments.spark)}
    with (
        spark_session(
            quick=not script.large,
            memory=arguments.memory,
            master=arguments.master,
            settings=settings,
            archives=archive_folder(),
        ) as session,
        waits_in_words(session, tell),
        SparkProgress(task_counter(session), arguments.quiet) as progress,
    ):
        # PySpark has put its own handler for Ctrl-C in the place of ours.
        listen()
        if arguments.format in OF_SPARK:
            require_format(session, arguments.format)
        # All of them are lowered first: what cannot be run is known before the first result.
        progress.begin("Looking at the tables")
        drops_late, may_ask = arguments.late == "drop", not arguments.explain
        queries = list(
            _lowered(
                script,
                lambda query: lowered_query(script, query, session, drops_late=drops_late, may_ask=may_ask),
            )
        )
        if len(queries) < len(script.queries):
            status = NOT_COMPARED
        if arguments.explain:
            show(f"-- {query.name}\n{query.explain()}\n\n" for query in queries)
            return status
        if not queries:
            return status
        with result_writer(arguments.output, arguments.format) as results:
            for query in queries:
                progress.begin(query.name)
                try:
                    results.write(query, progress)
                except PipelineError as error:
                    # Its rows are at fault: other queries have results of their own.
                    progress.clear()
                    tell(str(error))
                    status = NOT_COMPARED
                    continue
                if _tell_readings(query, messages):
                    status = max(status, FINDINGS)
                _tell_late_rows(query, messages)
    return status


def _configured(arguments: argparse.Namespace) -> tuple[str, JobConfig]:
    """The engine, and the options over the configuration of the job.

    Raises:
        UsageError: there is no such engine, or no such version of it.
        ConfigurationError: the configuration file is wrong.
    """
    with BaselineReader() as reader:
        config = JobConfigReader(reader, arguments.config).current(source_path(arguments.file))
    configured = config.source.engine if config.source is not None else None
    engine = known_engine(arguments.engine or configured or DEFAULT_ENGINE)
    config = config.overridden(arguments.engine_version, dict(arguments.parameter))
    known_version(engine, config.engine_version)
    return engine, config


def _flink_versions(engine: str, config: JobConfig) -> tuple[str | None, ...]:
    """The versions of Flink of which all must refuse a query for it not to be run; ``None`` is the newest.

    A query is computed as Flink computes it, whatever engine runs the job. So open-source Flink decides, of the version
    that is configured. Without one it is the newest if the engine is Flink. Ververica Runtime without a version may be
    built on any: then only what both the oldest and the newest of them refuse is refused.
    """
    if config.engine_version is not None:
        return (config.engine_version,)
    return (None,) if engine == _FLINK else (None, _OLDEST_FLINK)


def _lowered(script: RunnableScript, lower: Callable[[Query], LoweredQuery]) -> Iterator[LoweredQuery]:
    """The queries that Spark can compute; the reason for each of the others goes to standard error."""
    from keepstate_spark.errors import PipelineError

    for query in script.queries:
        try:
            yield lower(query)
        except PipelineError as error:
            tell(str(error))


def _tell_readings(query: LoweredQuery, messages: set[str]) -> bool:
    """Say which rows were left out, each time once, and whether that is more than the tables allow."""
    readings = query.readings()
    for reading in readings:
        for sentence in reading.sentences:
            _tell_once(sentence, messages)
    return any(reading.incomplete for reading in readings)


def _tell_late_rows(query: LoweredQuery, messages: set[str]) -> None:
    """Say which rows came too late. That is no failure: it is what the watermark of their table declares."""
    for late in query.late_rows():
        noun, verb, pronoun = ("row", "is", "it") if late.count == 1 else ("rows", "are", "them")
        rows = f"{late.tables}: {late.count} {noun}"
        if not late.certain:
            fate = (
                f"came behind the watermark. Whether a stream counts such rows in {late.operator} depends on its pace "
                "as well; here all of them count"
            )
        elif late.operator in ("HOP", "CUMULATE"):
            times = "once" if late.count == 1 else f"{late.count} times"
            fate = "is left out of" if late.left_out else "counts all the same (--late keep) in"
            rows = f"{late.tables}: {times} a row {fate} a window of {late.operator}"
            fate = "that had closed before the row came"
        elif late.left_out:
            fate = f"came too late for {late.operator} and {verb} left out, as by a stream"
            fate += f" (--late keep counts {pronoun} in)"
        else:
            fate = f"came too late for {late.operator} and would be left out by a stream (--late keep)"
        _tell_once(f"{rows} {fate}; one of them: {late.example}", messages)


def _tell_once(message: str, messages: set[str]) -> None:
    if message not in messages:
        messages.add(message)
        tell(message)
