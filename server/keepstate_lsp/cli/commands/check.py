"""``keepstate check``: the files of a repository and their baselines."""

from __future__ import annotations

import argparse
from contextlib import suppress

from keepstate.report import Verdict
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.cli.arguments import add_comparison, add_functions, add_report_output, filled, report_outputs
from keepstate_lsp.cli.commands.planned.planner_option import add_planner, with_planner
from keepstate_lsp.cli.errors import UsageError, tell
from keepstate_lsp.cli.formats.results import ResultOutputs
from keepstate_lsp.cli.paths import RepositoryPaths
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED, exit_status
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem
from keepstate_lsp.cli.result.problems import tell_problems
from keepstate_lsp.cli.result.summary import sides_of_run
from keepstate_lsp.cli.run.check_run import CheckRun
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.progress import TerminalProgress


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
    _add_fixing(parser)
    parser.add_argument(
        "--watch",
        action="store_true",
        help="check again whenever a file, the configuration, HEAD or the index changes, until Ctrl-C",
    )
    add_planner(parser)
    add_functions(parser)
    add_comparison(parser)
    add_report_output(parser)


def _add_fixing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("fixes")
    group.add_argument(
        "--fix",
        action="store_true",
        help="write the fixes into the files that make them compatible, and report on the result",
    )
    group.add_argument(
        "--fix-verdict",
        choices=(Verdict.COMPATIBLE.value, Verdict.PARTIAL.value),
        help="with --fix, the worst verdict that a fix may lead to (default: compatible)",
    )
    group.add_argument(
        "--diff", action="store_true", help="with --fix, write nothing and print the diff, for git apply"
    )


def add_baseline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="a git revision, merge-base:REF, tag:GLOB, deployed[:ENV], file:PATH, or plan:PATH for a compiled plan "
        "(default: HEAD; in CI the merge base with the default branch)",
    )


def run(arguments: argparse.Namespace) -> int:
    _refuse_what_cannot_go_together(arguments)
    if arguments.watch:
        # Ctrl-C is the way to end it, and no failure to tell of.
        with suppress(KeyboardInterrupt):
            from keepstate_lsp.cli.watching.watched_files import watch

            watch(arguments, _checked)
        return NOT_COMPARED
    return _diff(arguments) if arguments.diff else _checked(arguments)


def _refuse_what_cannot_go_together(arguments: argparse.Namespace) -> None:
    """Refuse options that --fix and --watch make no sense with.

    Raises:
        UsageError: there are some.
    """
    if not arguments.fix:
        for option, value in {"--diff": arguments.diff, "--fix-verdict": arguments.fix_verdict is not None}.items():
            if value:
                raise UsageError(f"{option} goes with --fix: keepstate diff compares two files.")
        return
    reasons = {
        "--staged": arguments.staged and "staged text is not that of the files",
        "--current": arguments.current is not None and "a revision cannot be edited",
        "--planner": arguments.planner is not None and "fixes are analysed without a planner",
        "--watch": arguments.watch and "files would change while they are edited",
        f"--against {arguments.against}": (arguments.against or "").startswith("plan:") and "a plan has no clauses",
        "--diff and --verify": arguments.diff and arguments.verify and "the diff has no measurements",
        "--diff and --format": arguments.diff and arguments.format and "the diff is the output",
    }
    for option, reason in reasons.items():
        if reason:
            raise UsageError(f"--fix cannot go with {option}: {reason}.")


def _diff(arguments: argparse.Namespace) -> int:
    """Print what --fix would change. The status is that of the fixed text."""
    from keepstate_lsp.cli.fixing.fixed_files import FixedFiles

    [(_, path)] = report_outputs(arguments)
    with Output(path) as output, BaselineReader(steady=True) as reader:
        with TerminalProgress(quiet=arguments.quiet) as progress:
            fixing = FixedFiles(arguments, reader, writes=False)
            fixing.fix(progress)
        check = CheckRun(arguments, reader, fixing.edited, fixes=False)
        comparisons = check.comparisons(TerminalProgress(quiet=True))
        for one in fixing.patches:
            output.write(one)
        for line in () if arguments.quiet else fixing.lines:
            tell(line.replace("fixed:", "would be fixed:", 1) if line.startswith("fixed:") else line)
        tell_problems(comparisons, check.problems)
    return NOT_COMPARED if check.problems else exit_status(comparisons)


def _fixed(arguments: argparse.Namespace, outputs: ResultOutputs) -> list[RunProblem]:
    """Write the fixes, and list them. The problems are those of files that could not be written."""
    from keepstate_lsp.cli.fixing.fixed_files import FixedFiles

    # The report reads the repository anew.
    with BaselineReader(steady=True) as reader, TerminalProgress(quiet=arguments.quiet) as progress:
        fixing = FixedFiles(arguments, reader, writes=True)
        fixing.fix(progress)
    outputs.say(fixing.fixed if arguments.quiet else fixing.lines)
    return fixing.problems


def _checked(arguments: argparse.Namespace) -> int:
    """Check once."""
    with ResultOutputs(arguments) as outputs, BaselineReader(steady=True) as reader:
        unwritten = _fixed(arguments, outputs) if arguments.fix else []
        check = CheckRun(arguments, reader)
        with TerminalProgress(quiet=arguments.quiet) as progress:
            comparisons = check.comparisons(progress)
        check.problems += unwritten
        comparisons = with_planner(arguments, comparisons)
        if arguments.verify:
            comparisons = _verified(comparisons, arguments.quiet)
        if not arguments.quiet:
            for sentence in check.explanations:
                tell(sentence)
        if comparisons:
            outputs.begin(sides_of_run(comparisons))
        scope = check.left_out if comparisons else check.scope
        outputs.write(
            comparisons,
            check.engine,
            RepositoryPaths.of_working_directory(reader),
            check.problems,
            scope,
            check.notices,
        )
    return NOT_COMPARED if check.problems else exit_status(comparisons)


def _verified(comparisons: list[FileResult], quiet: bool) -> list[FileResult]:
    from keepstate_lsp.cli.commands.verify.check_option import with_measurements
    from keepstate_lsp.cli.terminal.signals import ending_cleanly

    with ending_cleanly():
        return with_measurements(comparisons, quiet)


def _processes(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: 1 or more")
    return int(text)
