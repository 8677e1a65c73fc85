"""``keepstate run``: what the queries of a script give, run on Spark over files."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.cli.arguments import parameter, table_path
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import FINDINGS, FINE
from keepstate_lsp.cli.sources import STANDARD_INPUT, source_path, source_text
from keepstate_lsp.cli.terminal.signals import ending_cleanly

if TYPE_CHECKING:
    from keepstate_spark.running import Running

FORMATS = ("table", "jsonl", "csv", "parquet")


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
    parser.add_argument("--explain", action="store_true", help="show Spark's plans instead of running them")
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: %(default)s")
    group.add_argument(
        "--output", metavar="DIR", type=Path, help="write a file for each query there instead of to standard output"
    )
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from keepstate_spark.errors import PipelineError

    if arguments.format == "parquet" and arguments.output is None and not arguments.explain:
        raise UsageError("Parquet is nothing for a terminal: name a folder with --output.")
    name = arguments.file
    text = source_text(name)
    folder = Path.cwd() if name == STANDARD_INPUT else source_path(name).parent
    try:
        with ending_cleanly() as listen:
            return _run(arguments, text, name, folder, listen)
    except PipelineError as error:
        raise CommandError(str(error)) from error


def _run(arguments: argparse.Namespace, text: str, name: str, folder: Path, listen: Callable[[], None]) -> int:
    from keepstate_lsp.cli.terminal.job_results import show, written
    from keepstate_lsp.cli.terminal.spark_progress import SparkProgress
    from keepstate_spark.jobs import prepared
    from keepstate_spark.running import lowered_query, session_settings, task_counter
    from keepstate_spark.session import spark_session

    # A connection to the JVM that breaks, on Ctrl-C, is logged with pages of traces unless there is a handler.
    logging.getLogger().addHandler(logging.NullHandler())
    script = prepared(text, name, folder, dict(arguments.data), dict(arguments.parameter))
    status, messages = FINE, set[str]()
    for notice in script.notices:
        _tell_once(notice, messages)
    with (
        spark_session(quick=not script.large, settings=session_settings(script)) as session,
        SparkProgress(task_counter(session), arguments.quiet) as progress,
    ):
        # PySpark has put its own handler for Ctrl-C in the place of ours.
        listen()
        # All of them are lowered first: a script that cannot be run whole gives nothing.
        progress.begin("Looking at the tables")
        queries = [
            lowered_query(script, query, session, drops_late=arguments.late == "drop", may_ask=not arguments.explain)
            for query in script.queries
        ]
        if arguments.explain:
            show(f"-- {query.name}\n{query.explain()}\n\n" for query in queries)
            return FINE
        with written(arguments.output, arguments.format) as results:
            for query in queries:
                progress.begin(query.name)
                results.write(query, progress)
                if _tell_readings(query, messages):
                    status = FINDINGS
                _tell_late_rows(query, messages)
    return status


def _tell_readings(query: Running, messages: set[str]) -> bool:
    """Say which rows were left out, each time once, and whether that is more than the tables allow."""
    readings = query.readings()
    for reading in readings:
        for sentence in reading.sentences:
            _tell_once(sentence, messages)
    return any(reading.incomplete for reading in readings)


def _tell_late_rows(query: Running, messages: set[str]) -> None:
    """Say which rows came too late. That is no failure: it is what the watermark of their table declares."""
    for late in query.late_rows():
        rows = f"{late.tables}: {late.count} row{'' if late.count == 1 else 's'}"
        if not late.certain:
            fate = (
                f"came behind the watermark. What a stream makes of such rows in {late.operator} depends on more than "
                "that; here all of them count"
            )
        elif late.operator in ("HOP", "CUMULATE"):
            times = f"{late.count} time{'' if late.count == 1 else 's'}"
            rows = f"{late.tables}: {times} a row came when a window of {late.operator} was closed that it lies in"
            fate = "and is left out there" if late.left_out else "and counts there nevertheless (--late keep)"
        elif late.left_out:
            fate = f"came too late for {late.operator} and are left out, as by a stream (--late keep counts them in)"
        else:
            fate = f"came too late for {late.operator} and would be left out by a stream (--late keep)"
        _tell_once(f"{rows} {fate}; one of them: {late.example}", messages)


def _tell_once(message: str, messages: set[str]) -> None:
    if message not in messages:
        messages.add(message)
        tell(message)
