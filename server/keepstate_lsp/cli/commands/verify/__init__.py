"""``keepstate verify``: the restart of a changed job, rehearsed on a real Flink."""

from __future__ import annotations

import argparse
import logging
import math
import zipfile
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.cli.arguments import (
    add_for_programs,
    add_functions,
    add_job,
    add_output,
    filled,
    job_settings,
    table_path,
)
from keepstate_lsp.cli.commands.planned.planner_option import add_planner
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import FINDINGS, FINE, NOT_COMPARED
from keepstate_lsp.cli.terminal.signals import end_with_input, ending_cleanly
from keepstate_lsp.cli.versions import versions_of
from keepstate_lsp.config.engine_versions import flink_version
from keepstate_lsp.config.file import Configuration

if TYPE_CHECKING:
    from keepstate_flink.restarts import RowsOf
    from keepstate_lsp.cli.commands.verify.measuring import PairMeasurer, RowSource, ScriptPair
    from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction

TIME_LIMIT = 600
"""Seconds that the rehearsal of one file may take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.sql", nargs="?", help="the file of the job as it shall run")
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="what runs before the restart (default: HEAD). A git revision, merge-base:REF, tag:GLOB, deployed[:ENV] "
        "file:PATH, or plan:PATH for a compiled plan",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE.jsonl",
        help='rehearse many pairs instead: a line is {"id", "baseline", "current"}, and so is each line of the answer '
        "(JSON); - is standard input",
    )
    parser.add_argument(
        "--flink",
        metavar="V",
        type=filled,
        help="the version of Flink, such as 2.3 or 1.20.5 (default: that of the job, else the newest)",
    )
    parser.add_argument(
        "--data",
        metavar="TABLE=PATH",
        action="append",
        type=table_path,
        default=[],
        help="run on the rows of a CSV or JSON lines file, with the restart after half of them; may be repeated",
    )
    parser.add_argument(
        "--generate", action="store_true", help="run on rows made from the declared types, for tables without --data"
    )
    parser.add_argument(
        "--no-witness", action="store_true", help="do not look for the few rows that show what goes wrong"
    )
    parser.add_argument(
        "--jar",
        metavar="FILE",
        action="append",
        type=Path,
        default=[],
        help="a jar with functions of the job, which are run; may be repeated. Without it a job with functions is not "
        "measured",
    )
    parser.add_argument(
        "--export",
        metavar="DIR",
        type=Path,
        help="write both versions there with names and words replaced, and the measurement: for a report",
    )
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        help=f"give up after so many seconds (default: {TIME_LIMIT}; not with --pairs)",
    )
    add_functions(parser)
    add_planner(parser, "its answer stands beside the measurement")
    add_job(parser)
    add_output(parser)
    add_for_programs(parser)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no time above 0")
    return seconds


def run(arguments: argparse.Namespace) -> int:
    if (arguments.file is None) == (arguments.pairs is None):
        raise UsageError("Name either a file or --pairs FILE.jsonl.")
    if arguments.pairs is not None and arguments.time_limit is not None:
        raise UsageError("--pairs takes as long as its pairs take: leave --time-limit out.")
    for jar in arguments.jar:
        if not zipfile.is_zipfile(jar):
            raise CommandError(f"{jar} is no jar." if jar.exists() else f"{jar} does not exist.")
    from keepstate_flink.errors import FlinkError
    from keepstate_flink.jvm import require_flink

    # A connection to the JVM that breaks, on Ctrl-C, is logged with pages of traces unless there is a handler.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        require_flink()
        with ending_cleanly():
            if arguments.end_with_input:
                end_with_input()
            return _file(arguments) if arguments.pairs is None else _pairs(arguments)
    except FlinkError as error:
        raise CommandError(error.sentence, error.hint) from error


def _file(arguments: argparse.Namespace) -> int:
    from keepstate_lsp.cli.commands.verify.export import export
    from keepstate_lsp.cli.commands.verify.measurement_text import other_version
    from keepstate_lsp.cli.commands.verify.measuring import ScriptPair, measuring
    from keepstate_lsp.cli.commands.verify.verify_document import Verification, verification_document
    from keepstate_lsp.cli.commands.verify.verify_text import verification_text
    from keepstate_lsp.cli.formats.json import pretty
    from keepstate_lsp.cli.terminal.output import Output
    from keepstate_lsp.config.job_versions import job_version

    versions = versions_of(arguments, takes_plans=True)
    if versions is None:
        return FINE
    current, baseline, settings = versions.current, versions.baseline, versions.settings
    now, was = (
        job_version(side.text, config, settings.engine)
        for side, config in ((current, settings.current), (baseline, settings.baseline))
    )
    pair = ScriptPair(now, was, versions.plan)
    _require_tables(arguments, pair)
    version = arguments.flink or flink_version(settings.current.engine_version or "")
    if versions.plan:
        if other := other_version(versions.compiled_by, version):
            raise CommandError(other)
        version = version or versions.compiled_by
        if arguments.export is not None:
            raise UsageError("A compiled plan is not exported: its names are not replaced. Leave --export out.")
    rows, words = _rows(arguments)
    with (
        Output(arguments.output, arguments.color) as output,
        measuring(
            version,
            rows,
            arguments.jar,
            arguments.quiet,
            arguments.time_limit or TIME_LIMIT,
            not arguments.no_witness,
            arguments.progress == "json",
            arguments.planner is not None,
        ) as measured,
    ):
        jobs_found = list(measured.of(pair))
        verification = Verification(
            current.name, baseline.name, measured.flink, jobs_found, words, _notices(settings.engine, measured)
        )
        measured.clear()
        if arguments.export is not None:
            export(arguments.export, pair, verification)
        if arguments.format == "json":
            output.write(pretty(verification_document(verification)))
        else:
            output.write_text(verification_text(verification, output.width, output.color))
    return _status(jobs_found)


def _pairs(arguments: argparse.Namespace) -> int:
    from keepstate_flink.errors import FlinkMissing
    from keepstate_lsp.cli.commands.verify.measuring import measuring_each, pair_of, read_names
    from keepstate_lsp.cli.commands.verify.predictions import disagreements
    from keepstate_lsp.cli.commands.verify.verify_document import job_object, worst
    from keepstate_lsp.cli.formats.json import one_line
    from keepstate_lsp.cli.result.real_flink.agreement import Agreement, pair_name
    from keepstate_lsp.cli.run.pairs import MalformedLine, input_lines, object_of
    from keepstate_lsp.cli.terminal.output import Output

    if arguments.against is not None or arguments.export is not None or arguments.versions is not None:
        raise UsageError("--pairs has both versions in each line: leave --against, --versions and --export out.")
    settings = job_settings(arguments, None if arguments.config is None else Configuration.at(arguments.config))
    rows, _ = _rows(arguments)
    unread = set(_tables_with_data(arguments))
    status, answered, agreement = FINE, 0, Agreement()
    with (
        Output(arguments.output, "never") as output,
        measuring_each(rows, arguments.jar, arguments.quiet, arguments.planner is not None) as measured_on,
    ):
        for number, line in enumerate(input_lines(arguments.pairs), start=1):
            if not line.strip():
                continue
            answered += 1
            identity = None
            try:
                entry = object_of(line)
                identity = entry.get("id")
                pair, own = pair_of(entry, settings)
                unread -= read_names(pair)
                measured = measured_on(arguments.flink or flink_version(own.current.engine_version or ""))
                jobs = list(measured.of(pair))
            except (MalformedLine, FlinkMissing) as error:
                if arguments.flink is not None and isinstance(error, FlinkMissing):
                    raise
                tell(f"{arguments.pairs}:{number}: {error}")
                answer = {"id": identity, "measured": "not-measured", "predicted": None, "note": str(error)}
                output.write(one_line(answer))
                status = NOT_COMPARED
                continue
            outcome = worst(jobs)
            agreement.add([job.agrees for job in jobs])
            for sentence in disagreements(jobs):
                tell(f"{arguments.pairs}:{number}{pair_name(identity)}: {sentence}")
            example = next(job for job in jobs if job.measurement.outcome is outcome)
            output.write(one_line({"id": identity, **job_object(example), "flink": measured.flink}))
            status = max(status, _status(jobs))
    if not answered:
        tell(f"{arguments.pairs} holds no pair, so nothing was measured.")
        return NOT_COMPARED
    if unread:
        tell(f"No job of {arguments.pairs} reads {_name_list(unread)}, for which --data has rows.")
        return NOT_COMPARED
    tell(agreement.sentence("The prediction agrees with the measurement"))
    return status


def _tables_with_data(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The tables that ``--data`` names, as :func:`read_names` has them."""
    from keepstate.cutover.table_names import last_name

    return tuple(last_name(table) for table, _ in arguments.data)


def _require_tables(arguments: argparse.Namespace, pair: ScriptPair) -> None:
    """Refuse ``--data`` for a table that neither version reads.

    Raises:
        UsageError: there is one.
    """
    from keepstate_lsp.cli.commands.verify.measuring import read_names

    names = read_names(pair)
    unread = set(_tables_with_data(arguments)) - names
    if unread:
        tables = f"it reads {_name_list(names)}" if names else "it reads no declared table"
        raise UsageError(f"The job does not read {_name_list(unread)}, for which --data has rows: {tables}.")


def _name_list(names: Collection[str]) -> str:
    return ", ".join(sorted(names))


def _rows(arguments: argparse.Namespace) -> tuple[RowSource | None, str]:
    """The rows that the options name, and words for them."""
    from keepstate_flink.row_files import given_records, rows_of_files
    from keepstate_flink.script_pair_rows import made_rows
    from keepstate_lsp.cli.commands.verify.measuring import declared_types

    def made(pair: ScriptPair) -> Sequence[RowsOf]:
        types = declared_types(pair.baseline), declared_types(pair.current)
        return made_rows(pair.baseline.text, pair.current.text, types)

    if not arguments.data:
        return (made, "generated rows") if arguments.generate else (None, "")
    names = Counter(_tables_with_data(arguments))
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise UsageError(f"--data names {twice[0]} twice: a table has the rows of one file.")
    files = given_records({table: Path(path) for table, path in arguments.data})
    if not arguments.generate:
        return (lambda _: [rows_of_files(files, None)]), "given rows"
    return (lambda pair: [rows_of_files(files, rows_of) for rows_of in made(pair)]), "given and generated rows"


def _notices(engine: str, measured: PairMeasurer) -> tuple[str, ...]:
    notices = list(measured.notices)
    if engine != "flink":
        notices.append(
            f"The job runs on {engine}, which can restore more than open-source Flink does: keepstate check says what."
        )
    return tuple(notices)


def _status(jobs: Sequence[CheckedPrediction]) -> int:
    """The worst of all jobs: what was not measured is never fine."""
    from keepstate_flink.verification import RestartOutcome

    fine = (RestartOutcome.STARTS, RestartOutcome.EXACT)
    statuses = [
        NOT_COMPARED
        if job.measurement.outcome is RestartOutcome.NOT_MEASURED
        else FINE
        if job.measurement.outcome in fine
        else FINDINGS
        for job in jobs
    ]
    return max(statuses, default=NOT_COMPARED)
