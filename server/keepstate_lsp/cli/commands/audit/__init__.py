"""``keepstate audit``: every change of every job in the history of many repositories, on Spark."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

from keepstate import install_words
from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.cli.arguments import (
    DEFAULT_ENGINE,
    add_spark,
    day,
    filled,
    known_engine,
    known_version,
    output_path,
    parameter,
)
from keepstate_lsp.cli.commands.audit.repositories import audited
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.signals import ending_cleanly
from keepstate_lsp.jobs.audit_rows import HistoryReader
from keepstate_lsp.jobs.survey import SURVEY_VERSION, SurveyTerms
from keepstate_lsp.version import VERSION

if TYPE_CHECKING:
    from keepstate_spark.audit.audit_figures import AuditFigures

_NEEDED = ("pyspark", "pyarrow", "pandas", "matplotlib")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "repositories",
        metavar="REPO",
        nargs="*",
        help="a repository with a work tree or without, or a folder of such; it keeps the name that you write here",
    )
    parser.add_argument(
        "--repositories",
        dest="listed",
        metavar="FILE",
        help="a file that names a repository on each line; - is standard input",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=output_path,
        required=True,
        help="the folder of the audit: a new one, or an earlier one",
    )
    parser.add_argument("--since", metavar="YYYY-MM-DD", type=day, help="only what was committed on this day or later")
    parser.add_argument(
        "--glob",
        metavar="GLOB",
        action="append",
        default=[],
        help="which files are jobs, relative to the repository; may be repeated (default: those that are Flink SQL)",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="the commits of all branches, and of the merges those that are like none of their parents "
        "(default: the main line alone, where a merge is one change)",
    )
    group = parser.add_argument_group("comparison")
    group.add_argument("--engine", metavar="ENGINE", type=filled, default=DEFAULT_ENGINE, help="vvr (default) or flink")
    group.add_argument("--engine-version", metavar="V", type=filled, help="its version, for all commits")
    group.add_argument(
        "--parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a job parameter for all commits, over what keepstate.toml said in each; may be repeated",
    )
    group.add_argument(
        "--pair-seconds",
        metavar="N",
        type=_positive,
        default=30.0,
        help="CPU time that one change may take before it is given up (default: %(default)g)",
    )
    group.add_argument(
        "--pair-memory", metavar="MB", type=_whole, default=1024, help="memory of the same (default: %(default)s)"
    )
    group = add_spark(parser, memory="2g")
    group.add_argument("--cores", metavar="N", type=_whole, help="cores of this machine to use")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress, and no report on the terminal")


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return number


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    if os.name != "posix":
        raise CommandError("keepstate audit runs on Linux and macOS, which can fork a process.", "keepstate history")
    known_version(known_engine(arguments.engine), arguments.engine_version)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise CommandError(f"keepstate audit needs {', '.join(missing)}.", install_words("audit"))
    from keepstate_spark.errors import PipelineError

    repositories = audited(arguments.repositories, arguments.listed)
    terms = SurveyTerms(
        Merges.FULL if arguments.full else Merges.FIRST_PARENT,
        arguments.since and f"{arguments.since}T00:00:00",
        tuple(arguments.glob),
        arguments.engine_version,
        dict(arguments.parameter),
    )
    try:
        with ending_cleanly() as listen:
            return _run(arguments, repositories, terms, listen)
    except PipelineError as error:
        raise CommandError(str(error)) from error


def _run(
    arguments: argparse.Namespace, repositories: dict[str, str], terms: SurveyTerms, listen: Callable[[], None]
) -> int:
    from keepstate_lsp.cli.commands.audit.audit_page import audit_page
    from keepstate_lsp.cli.commands.audit.audit_text import audit_for_terminal, audit_text
    from keepstate_lsp.cli.terminal.spark_progress import SparkProgress
    from keepstate_spark.audit.audit_folder import AuditFolder
    from keepstate_spark.audit.auditing import AuditRun, AuditTerms
    from keepstate_spark.audit.classifying import Limits
    from keepstate_spark.audit.repository_reading import AuditedRepository
    from keepstate_spark.audit.sessions import audit_session
    from keepstate_spark.audit.shipping import fingerprint
    from keepstate_spark.running import task_counter, waits_in_words

    logging.getLogger().addHandler(logging.NullHandler())
    selection = [AuditedRepository(name, folder) for name, folder in repositories.items()]
    audit = AuditTerms(
        arguments.engine,
        f"{VERSION}+{fingerprint()}",
        {**asdict(terms), "merges": terms.merges.value, "survey_version": SURVEY_VERSION},
        Limits(arguments.pair_seconds, arguments.pair_memory),
    )
    with (
        AuditFolder.opened(arguments.output) as folder,
        audit_session(arguments.master, arguments.cores, arguments.memory, dict(arguments.spark)) as session,
        waits_in_words(session, tell),
        SparkProgress(task_counter(session), arguments.quiet) as progress,
    ):
        # PySpark has put its own handler for Ctrl-C in the place of ours.
        listen()
        audit_run = AuditRun(session, folder, selection, audit)
        progress.begin(f"Reading {len(selection):,} repositor{'y' if len(selection) == 1 else 'ies'}")
        audit_run.read(HistoryReader(terms))
        progress.begin("Judging changes")
        new = audit_run.judge()
        progress.begin("Writing tables")
        figures = audit_run.tabulate()
        page = audit_page(figures)
        audit_run.publish({"report.html": page.encode(), "report.txt": audit_text(figures).encode()})
    with Output(color=arguments.color) as output:
        if not arguments.quiet:
            output.write_text(audit_for_terminal(figures, output.width, output.color) + "\n")
        report = arguments.output / "report.html"
        output.write_text(f"{new:,} different change{'' if new == 1 else 's'} judged for the first time. {report}\n")
    return _status(figures)


def _status(figures: AuditFigures) -> int:
    for kind in figures.problem_kinds:
        tell(f"{kind.changes:,} {_KINDS.get(kind.what, kind.what)}; table problems says more.")
    return NOT_COMPARED if figures.problem_kinds else FINE


_KINDS = {
    "repository": "times a repository could not be read, or not all of it",
    "not-read": "changes could not be read from git",
    "unread": "changes hold SQL that cannot be read in full",
    "not-valid": "changes lead to SQL that Flink refuses",
    "failed": "changes were not judged: the analysis failed",
    "timed-out": "changes were not judged in time",
    "crashed": "changes were not judged: the analysis crashed",
}
