"""``keepstate replay``: what a restart at a given time does to the results of a job, on its own rows."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from keepstate import install_words
from keepstate.reporting.file_status import refused
from keepstate_lsp.cli.arguments import add_for_programs, add_job, add_spark, add_warm, output_path, table_path
from keepstate_lsp.cli.commands.spark.session_folder import archive_folder
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import FINDINGS, FINE, NOT_COMPARED
from keepstate_lsp.cli.source_text import source_path
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.signals import end_with_input, ending_cleanly
from keepstate_lsp.cli.versions import RestartVersions, versions_of
from keepstate_lsp.config.job_versions import job_version
from keepstate_lsp.config.replay_settings import ReplaySettings
from keepstate_lsp.config.restart_times import restart_time

if TYPE_CHECKING:
    from keepstate_spark.jobs import RunnableScript
    from keepstate_spark.replay.replaying import QueryReplay, QuerySweep

FORMATS = ("text", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.sql")
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="what runs before the restart: a git revision, merge-base:REF, tag:GLOB, deployed[:ENV] or file:PATH "
        "(default: HEAD)",
    )
    parser.add_argument(
        "--restart-at",
        metavar="TIME",
        type=_time,
        help="when: '2026-03-01 10:05:00' in the time zone of the job, or with an offset of its own (default: what "
        "keepstate.toml says)",
    )
    parser.add_argument(
        "--sweep",
        metavar="LENGTH",
        help="try restarts at all times that are so far apart, such as '1 hour', and tell when the damage is least",
    )
    group = parser.add_argument_group("rows")
    group.add_argument(
        "--data",
        metavar="TABLE=PATH",
        action="append",
        type=table_path,
        default=[],
        help="where the rows of a table are: a file or a folder of CSV, JSON lines, Parquet or Delta; may be repeated "
        "(default: what keepstate.toml says, else the path in its WITH clause)",
    )
    group.add_argument(
        "--arrival",
        metavar="TABLE=COLUMN",
        action="append",
        type=table_path,
        default=[],
        help="the column that tells when the rows of a table came; may be repeated (default: its event time)",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="test on the rows that the savepoint holds what the verdict says is kept, also of large tables without "
        "windows, where that takes as long as all the rest",
    )
    parser.add_argument(
        "--no-witness", action="store_true", help="do not look for the few rows that show what goes wrong"
    )
    add_job(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: %(default)s")
    group.add_argument(
        "--output",
        metavar="DIR",
        type=output_path,
        help="write there as well: all differences as Parquet, a page, pictures and the summary as JSON",
    )
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")
    add_warm(add_spark(parser, memory="1g"))
    group = add_for_programs(parser)
    group.add_argument("--local-only", action="store_true", help="refuse tables that are not on this machine")


def _time(text: str) -> str:
    try:
        return restart_time(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _length(text: str) -> timedelta:
    """Raises ``UsageError`` for what is no length of time above 0."""
    from keepstate_spark.errors import WindowError
    from keepstate_spark.windows.durations import milliseconds

    try:
        length = timedelta(milliseconds=milliseconds(text))
    except WindowError as error:
        raise UsageError(f"--sweep: {error}") from error
    if length <= timedelta(0):
        raise UsageError(f"--sweep: '{text}' is no length above 0")
    return length


def run(arguments: argparse.Namespace) -> int:
    from keepstate_spark.errors import PipelineError
    from keepstate_spark.session import require_spark

    try:
        require_spark()
    except PipelineError as error:
        raise CommandError(str(error)) from error
    if arguments.sweep is not None:
        arguments.sweep = _length(arguments.sweep)
    sides = versions_of(arguments)
    if sides is None:
        return FINE
    _complete(arguments, sides)
    try:
        with ending_cleanly() as listen:
            if arguments.end_with_input:
                end_with_input()
            return _run(arguments, sides, listen)
    except PipelineError as error:
        raise CommandError(str(error)) from error


def _complete(arguments: argparse.Namespace, versions: RestartVersions) -> None:
    """Add the settings of the configuration file that the command line does not set.

    Raises:
        UsageError: the time of the restart is set nowhere.
    """
    import keepstate

    side = versions.current
    replay = side.config.source.replay if side.config.source is not None else ReplaySettings()
    if arguments.sweep is not None and arguments.restart_at is not None:
        raise UsageError("--sweep tries all times: leave --restart-at out.")
    arguments.restart_at = arguments.restart_at or replay.restart_at
    if arguments.restart_at is None and arguments.sweep is None:
        raise UsageError("When is the restart? Say --restart-at TIME, or restart-at in [replay] of keepstate.toml.")
    # The file is for all jobs around it, each of which reads some of the tables.
    tables = {table.name for table in keepstate.read_tables(keepstate.JobVersion(side.text, side.config.parameters))}
    for entries, defaults in ((arguments.data, replay.data), (arguments.arrival, replay.arrival)):
        entries += [
            (table, value) for table, value in defaults.items() if table in tables and table not in dict(entries)
        ]


def _run(arguments: argparse.Namespace, sides: RestartVersions, listen: Callable[[], None]) -> int:
    import keepstate
    from keepstate_lsp.cli.commands.replay.command_line import command_line
    from keepstate_lsp.cli.commands.replay.replay_document import Replay, replay_document
    from keepstate_lsp.cli.commands.replay.replay_files import PAGE, can_draw, replay_folder
    from keepstate_lsp.cli.commands.replay.replay_text import replay_text
    from keepstate_lsp.cli.commands.replay.sweep import tell_sweep
    from keepstate_lsp.cli.commands.replay.sweep_values import Sweep
    from keepstate_lsp.cli.formats.json import pretty
    from keepstate_lsp.cli.terminal.spark_progress import ProgressLines, SparkProgress
    from keepstate_spark.jobs import prepared
    from keepstate_spark.replay.replaying import ReplayTask, replay, sweep_job
    from keepstate_spark.running import session_settings, task_counter, waits_in_words
    from keepstate_spark.session import spark_session

    if arguments.output is not None and not can_draw():
        tell(f"Page and picture are left out: matplotlib is not installed ({install_words('replay')}).")
    # A connection to the JVM that breaks, on Ctrl-C, is logged with pages of traces unless there is a handler.
    logging.getLogger().addHandler(logging.NullHandler())
    name, settings = sides.current.name, sides.settings
    current, baseline = (
        job_version(side.text, config, settings.engine)
        for side, config in ((sides.current, settings.current), (sides.baseline, settings.baseline))
    )
    script = prepared(
        sides.current.text,
        name,
        source_path(arguments.file).parent,
        dict(arguments.data),
        dict(settings.current.parameters),
        needs_rows=False,
    )
    if arguments.local_only:
        _refuse_urls(script)
    for notice in script.notices:
        tell(notice)
    former = _former(arguments, sides)
    restart = keepstate.analyse(current, baseline, settings.engine).restart()
    if not restart.report.is_valid:
        raise CommandError(f"{name}: {refused(restart.report.refusals)}", f"keepstate validate {name}")
    if restart.report.baseline_problems:
        raise CommandError(f"{sides.baseline.name} cannot be read: {restart.report.baseline_problems[0].message}")
    spark = {**session_settings(script), **dict(arguments.spark)}
    with (
        replay_folder(arguments.output) as folder,
        spark_session(
            quick=not script.large,
            memory=arguments.memory,
            master=arguments.master,
            settings=spark,
            archives=archive_folder(),
        ) as session,
        waits_in_words(session, tell),
        (
            ProgressLines(task_counter(session))
            if arguments.progress == "json"
            else SparkProgress(task_counter(session), arguments.quiet)
        ) as progress,
    ):
        # PySpark has put its own handler for Ctrl-C in the place of ours.
        listen()
        request = ReplayTask(
            script,
            former,
            restart,
            arguments.restart_at or "",
            dict(arguments.arrival),
            arguments.verify,
            not arguments.no_witness,
            folder.draft,
        )
        if arguments.sweep is not None:
            swept = list(sweep_job(request, arguments.sweep, session, progress.begin))
            progress.clear()
            sweep = Sweep(name, sides.baseline.name, arguments.sweep, restart.report, swept)
            tell_sweep(arguments, sweep, folder)
            return _status(swept)
        queries = list(replay(request, session, progress.begin))
        replay_run = Replay(
            name,
            sides.baseline.name,
            arguments.restart_at,
            dict(arguments.arrival),
            restart.report,
            queries,
            command_line(arguments),
        )
        progress.clear()
        folder.write(replay_run)
    with Output(color=arguments.color) as output:
        if arguments.format == "json":
            output.write(pretty(replay_document(replay_run)))
        else:
            output.write_text(replay_text(replay_run, output.width, output.color))
            if arguments.output is not None:
                output.write_text(f"\n{arguments.output / PAGE if can_draw() else arguments.output}\n")
    return _status(queries)


def _refuse_urls(script: RunnableScript) -> None:
    for query in script.queries:
        for table, place in query.locations.items():
            if not place.is_local:
                raise CommandError(f"The table {table} is at {place.path}, which is not on this machine.")


def _former(arguments: argparse.Namespace, sides: RestartVersions) -> RunnableScript | None:
    """The baseline as a job that can be run; ``None`` if it cannot."""
    from keepstate_spark.errors import PipelineError
    from keepstate_spark.jobs import prepared

    folder = source_path(arguments.file).parent
    try:
        return prepared(
            sides.baseline.text,
            sides.baseline.name,
            folder,
            dict(arguments.data),
            dict(sides.settings.baseline.parameters),
        )
    except PipelineError:
        return None


def _status(queries: Sequence[QueryReplay | QuerySweep]) -> int:
    """The exit status, and what is missing in the rows."""
    status, messages = FINE, set[str]()
    for query in queries:
        if query.refused:
            status = NOT_COMPARED
        for reading in query.readings:
            for sentence in reading.sentences:
                if sentence not in messages:
                    messages.add(sentence)
                    tell(sentence)
            if reading.incomplete:
                status = max(status, FINDINGS)
    return status
