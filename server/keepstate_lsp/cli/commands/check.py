"""``keepstate check``: the files of a repository and their baselines."""

from __future__ import annotations

import argparse

from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.cli.arguments import add_comparison, add_functions, add_report_output, filled
from keepstate_lsp.cli.commands.planned.options import add_planner, with_planner
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.formats.results import ResultOutputs
from keepstate_lsp.cli.paths import Places
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED, exit_status
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.cli.run.check_run import CheckRun
from keepstate_lsp.cli.terminal.progress import Progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        type=filled,
        nargs="*",
        help="files, folders and globs; none: what the configuration names, or else all Flink SQL files that changed",
    )
    add_baseline(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--staged", action="store_true", help="compare what is staged instead of the working tree")
    which.add_argument("--current", metavar="REV", help="compare the files of this revision instead")
    since = parser.add_mutually_exclusive_group()
    since.add_argument(
        "--new-since",
        metavar="BASELINE",
        help="only what was added since this baseline counts against the gate, the rest is listed (default: none; in "
        "CI, when what is deployed is compared with, the merge base with the target branch)",
    )
    # The former name of --new-since, which scripts of CI systems still have.
    since.add_argument("--blame", dest="new_since", metavar="BASELINE", help=argparse.SUPPRESS)
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=_processes,
        help="processes to work with (default: one for each core when there is much to do)",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="restart each job with findings on a real Flink as well, as keepstate verify does",
    )
    add_planner(parser)
    add_functions(parser)
    add_comparison(parser)
    add_report_output(parser)


def add_baseline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="a git revision, merge-base:REF, tag:GLOB, deployed[:ENV], file:PATH, or plan:PATH for a compiled plan "
        "(default: HEAD; in CI the merge base with the default branch)",
    )


def run(arguments: argparse.Namespace) -> int:
    with ResultOutputs(arguments) as outputs, BaselineReader(steady=True) as reader:
        check = CheckRun(arguments, reader)
        with Progress(quiet=arguments.quiet) as progress:
            comparisons = check.comparisons(progress)
        comparisons = with_planner(arguments, comparisons)
        if arguments.verify:
            comparisons = _verified(comparisons, arguments.quiet)
        if not arguments.quiet:
            for sentence in check.explanations:
                tell(sentence)
        scope = check.left_out if comparisons else check.scope
        outputs.write(comparisons, check.engine, Places.here(reader), check.problems, scope, check.notices)
    return NOT_COMPARED if check.problems else exit_status(comparisons)


def _verified(comparisons: list[FileResult], quiet: bool) -> list[FileResult]:
    from keepstate_lsp.cli.commands.verify.checked import with_measurements
    from keepstate_lsp.cli.terminal.signals import ending_cleanly

    with ending_cleanly():
        return with_measurements(comparisons, quiet)


def _processes(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: 1 or more")
    return int(text)
