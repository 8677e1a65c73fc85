"""``keepstate cutover``: a plan that brings the current version of a job into production without a wrong result."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.cli.arguments import add_for_programs, add_functions, add_job, table_path
from keepstate_lsp.cli.commands.cutover.markdown_parts import shell_word
from keepstate_lsp.cli.commands.cutover.platforms import PLATFORMS
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.result.exit_status import FINDINGS, FINE, NOT_COMPARED
from keepstate_lsp.cli.terminal.signals import end_with_input, ending_cleanly
from keepstate_lsp.cli.versions import versions_of

if TYPE_CHECKING:
    from keepstate.cutover.cutover_plan import CutoverPlan
    from keepstate_lsp.cli.arguments import JobSettings
    from keepstate_lsp.cli.commands.cutover.named_plan import NamedPlan, Proof
    from keepstate_lsp.cli.commands.cutover.proof_cases import ProofCase

_FIRST_YEAR, _LAST_YEAR = 1900, 2999
_PLATFORM = "sql-client"
_NOTHING_TO_PROVE = (
    "--prove has no plan to run: every query keeps its state. keepstate verify restarts the job on a real Flink, and "
    "keepstate replay computes the restart on Spark."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.sql", help="the file of the job as it shall run")
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="the version that runs now (default: HEAD). A git revision, merge-base:REF, tag:GLOB, deployed[:ENV] or "
        "file:PATH",
    )
    time = parser.add_mutually_exclusive_group()
    time.add_argument(
        "--at",
        metavar="TIME",
        type=_time,
        help="the boundary: results up to this time are those of the running version. As windows show it, such as "
        "'2026-03-01 10:00'",
    )
    time.add_argument(
        "--next", action="store_true", help="take the next end of windows of both versions as the boundary (default)"
    )
    parser.add_argument(
        "--platform",
        choices=tuple(PLATFORMS),
        default=_PLATFORM,
        help="the platform that the commands of the plan are for (default: sql-client)",
    )
    parser.add_argument(
        "--prove",
        action="store_true",
        help="run the plan on a real Flink, with the rows of --data or with generated ones, and compare each result",
    )
    parser.add_argument(
        "--data",
        metavar="TABLE=PATH",
        action="append",
        type=table_path,
        default=[],
        help="rows of a table, as a CSV or JSON lines file: the conditions of the plan are checked with them, and "
        "--prove takes them; may be repeated",
    )
    parser.add_argument(
        "--rows-per-second",
        metavar="N",
        type=_positive,
        help="the rows that the new job reads in a second: with --data, the plan says when it has caught up",
    )
    parser.add_argument(
        "--retention",
        metavar="TABLE=TIME",
        action="append",
        type=_table_and_time,
        default=[],
        help="how long a source keeps its records, such as orders='7 d'; may be repeated",
    )
    parser.add_argument("--flink", metavar="V", help="the version of Flink for --prove (default: that of the job)")
    add_functions(parser)
    add_job(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    output.add_argument(
        "--output", metavar="DIR", type=Path, help="write the plan there: a page, scripts, a timeline, and plan.json"
    )
    output.add_argument("--quiet", "-q", action="store_true", help="no progress")
    add_for_programs(parser)


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: write it as '2026-03-01 10:00'") from error
    if not _FIRST_YEAR <= time.year <= _LAST_YEAR:
        raise argparse.ArgumentTypeError(f"{text!r} is no time of a running job")
    if time.tzinfo is not None:
        raise argparse.ArgumentTypeError(f"{text!r} names a zone: write the time as the windows of the job show it")
    return time


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows: write it as 5000")
    return int(text)


def _table_and_time(text: str) -> tuple[str, int]:
    """The table and the milliseconds of ``TABLE=TIME``."""
    from keepstate.cutover.times import length_of

    table, equals, length = text.partition("=")
    if not equals or not table.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form TABLE=TIME")
    millis = length_of(length.strip())
    if not millis:
        raise argparse.ArgumentTypeError(f"{length!r} is no length of time: write it as '7 d'")
    return table.strip(), millis


def run(arguments: argparse.Namespace) -> int:
    with ending_cleanly() as listen:
        if arguments.end_with_input:
            end_with_input()
        return _run(arguments, listen)


def _run(arguments: argparse.Namespace, listen: Callable[[], None]) -> int:
    from keepstate_lsp.cli.commands.cutover.cutover_document import plan_document
    from keepstate_lsp.cli.commands.cutover.cutover_page import headline, plan_page, proof_line
    from keepstate_lsp.cli.commands.cutover.plan_folder import write_folder
    from keepstate_lsp.cli.formats.json import pretty
    from keepstate_lsp.cli.terminal.output import Output

    cutover = _plan_of(arguments, listen)
    if cutover is None:
        return FINE
    file_names = [] if arguments.output is None else write_folder(arguments.output, cutover)
    with Output(None, "never") as output:
        if arguments.format == "json":
            output.write(pretty(plan_document(cutover)))
        elif arguments.output is None:
            output.write_text(plan_page(cutover))
        else:
            proof = "" if cutover.proof is None else f"{proof_line(cutover.proof)}\n"
            output.write_text(f"{headline(cutover)}\n{proof}{arguments.output}: {', '.join(file_names)}\n")
    return _status(cutover)


def _plan_of(arguments: argparse.Namespace, listen: Callable[[], None]) -> NamedPlan | None:
    """The plan for the two versions; ``None`` for a new file, which has nothing to lose."""
    import keepstate
    from keepstate.cutover.cutover_options import CutoverOptions
    from keepstate.cutover.cutover_plan import NotPlannable
    from keepstate.cutover.past.checks import Past, checks_of
    from keepstate.cutover.past.estimate import estimate_of
    from keepstate.cutover.times import millis
    from keepstate_lsp.cli.commands.cutover.named_plan import NamedPlan
    from keepstate_lsp.cli.commands.cutover.plan_evidence import PlanEvidence
    from keepstate_lsp.cli.commands.cutover.zones import session_zone
    from keepstate_lsp.config.job_versions import job_version

    versions = versions_of(arguments)
    if versions is None:
        return None
    engine = versions.settings.engine
    current, baseline = (
        job_version(side.text, config, engine)
        for side, config in (
            (versions.current, versions.settings.current),
            (versions.baseline, versions.settings.baseline),
        )
    )
    analysis = keepstate.analyse(current, baseline, engine)
    zone = session_zone(analysis.session_time_zone)
    now = datetime.now(zone).replace(tzinfo=None)
    at = None if arguments.at is None else millis(arguments.at)
    request = CutoverOptions(millis(now), zone, at)
    sides = (current, baseline)
    try:
        plan = analysis.cutover(request)
        if arguments.retention:
            from keepstate_lsp.cli.commands.cutover.past_rows import kept_of

            # A plan says which tables the job reads, by the names that its script has for them.
            request = replace(request, retention=kept_of(plan, arguments.retention, sides))
            plan = analysis.cutover(request)
    except NotPlannable as error:
        raise CommandError(f"There is no plan for {versions.current.name}. {error}") from error
    past = Past({})
    files: Mapping[str, str] = {}
    if arguments.data:
        from keepstate_lsp.cli.commands.cutover.past_rows import files_of, past_of

        files = files_of(plan, arguments.data, sides)
        past = past_of(plan, files, sides, zone)
    cutover = NamedPlan(
        plan,
        versions.current.name,
        versions.baseline.name,
        engine,
        str(zone),
        PLATFORMS[arguments.platform],
        _command(arguments, versions.settings),
        PlanEvidence(past, checks_of(plan, past), estimate_of(plan, past, arguments.rows_per_second)),
    )
    if not arguments.prove:
        return cutover
    if not cutover.needs_cutover:
        tell(_NOTHING_TO_PROVE)
        return cutover
    from keepstate_lsp.cli.commands.cutover.proof_cases import ProofCase
    from keepstate_lsp.config.engine_versions import flink_version

    def plan_at(boundary: int) -> CutoverPlan:
        return analysis.cutover(replace(request, at=boundary))

    case = ProofCase(cutover.plan, plan_at, current, baseline, zone)
    configured = flink_version(versions.settings.current.engine_version or "")
    return cutover.with_proof(_proof(case, list(files.items()), arguments.flink, configured, listen))


def _proof(
    case: ProofCase,
    data: Sequence[tuple[str, str]],
    flink: str | None,
    configured: str | None,
    listen: Callable[[], None],
) -> Proof:
    """The proof on a real Flink, or on Spark where there is none and none is asked for.

    Raises:
        CommandError: neither is here, or it failed.
    """
    from keepstate_flink.errors import FlinkError, FlinkMissing
    from keepstate_lsp.cli.commands.cutover.proving import found_flink, prove
    from keepstate_lsp.cli.commands.cutover.spark_proving import prove_on_spark
    from keepstate_spark.errors import PipelineError, SparkMissing

    try:
        try:
            version = found_flink(flink or configured)
        except FlinkMissing as missing:
            if flink is not None:
                raise
            try:
                return prove_on_spark(case, data, missing.sentence, listen)
            except SparkMissing as other:
                raise CommandError(f"{missing.sentence} {other.sentence}", missing.hint or other.hint) from other
            except PipelineError as error:
                raise CommandError(error.sentence, error.hint) from error
        return prove(case, data, version, listen)
    except FlinkError as error:
        raise CommandError(error.sentence, error.hint) from error


def _command(arguments: argparse.Namespace, settings: JobSettings) -> str:
    """The command line, as far as it says which plan is made: all of its options but the time."""
    words = ["keepstate", "cutover", arguments.file]
    single = (
        ("--against", arguments.against),
        ("--platform", None if arguments.platform == _PLATFORM else arguments.platform),
        ("--output", arguments.output),
        ("--rows-per-second", arguments.rows_per_second),
        ("--flink", arguments.flink),
    )
    words += [word for option, value in single if value is not None for word in (option, str(value))]
    words += settings.options
    if arguments.versions is not None:
        # The editor that handed over both versions chose the engine.
        words += ["--engine", settings.engine]
    repeated = (
        ("--data", (f"{table}={path}" for table, path in arguments.data)),
        ("--retention", (f"{table}={millis} ms" for table, millis in arguments.retention)),
        ("--function", (f"{name}{declared}" for name, declared in arguments.function)),
    )
    words += [word for option, values in repeated for value in values for word in (option, value)]
    if arguments.prove:
        words.append("--prove")
    return " ".join(map(shell_word, words))


def _status(cutover: NamedPlan) -> int:
    if not cutover.plan.exists:
        return NOT_COMPARED
    return FINE if cutover.is_exact else FINDINGS
