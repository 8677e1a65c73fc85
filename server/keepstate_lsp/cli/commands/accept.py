"""``keepstate accept``: let findings stand, with a reason, in the ledger that gate and editor read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from keepstate.report import Acceptance, Finding, Verdict
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.deployments import DeploymentError
from keepstate_lsp.cli.arguments import add_comparison
from keepstate_lsp.cli.check_run import CheckRun
from keepstate_lsp.cli.commands.check import add_baseline
from keepstate_lsp.cli.comparison import FileComparison
from keepstate_lsp.cli.errors import CommandError, UsageError
from keepstate_lsp.cli.exit_status import FINE
from keepstate_lsp.cli.output import Output
from keepstate_lsp.cli.progress import Progress
from keepstate_lsp.configuration import Configuration
from keepstate_lsp.deployed_jobs import DeployedJobs
from keepstate_lsp.ledger import FILE_NAME, Entry, Ledger, path_around


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="as for check")
    parser.add_argument(
        "--rule", metavar="RULE", action="append", default=[], help="only findings of this rule; repeatable"
    )
    parser.add_argument("--because", metavar="REASON", help="why they may stand")
    parser.add_argument("--until", metavar="DATE", type=_date, help="the last day on which they may, YYYY-MM-DD")
    parser.add_argument("--by", metavar="NAME", help="who says so (default: git's user)")
    parser.add_argument(
        "--prune",
        action="store_true",
        help="take entries out that accept nothing any more; without PATH, for all files",
    )
    add_baseline(parser)
    add_comparison(parser)
    parser.set_defaults(staged=False, current=None, output=None, blame="none")


def run(arguments: argparse.Namespace) -> int:
    if bool(arguments.prune) == bool(arguments.because):
        raise UsageError("Say --because REASON, or --prune.")
    unknown = _unknown_rules(arguments.rule)
    if unknown:
        raise UsageError(f"There is no rule {unknown[0]!r}.", "keepstate rules")
    with Output(None) as output, BaselineReader(steady=True) as reader:
        if arguments.prune and arguments.against is None:
            arguments.against = _trunk(reader)
        check = CheckRun(arguments, reader)
        with Progress(quiet=True) as progress:
            comparisons = check.comparisons(progress)
        failed = [comparison for comparison in comparisons if comparison.status.failed]
        if failed or check.problems:
            sentence = failed[0].reason if failed else check.problems[0].sentence
            raise CommandError(f"Not all could be compared, so nothing was written: {sentence}")
        ledger = _ledger()
        changed = (
            _pruned(ledger, comparisons, output)
            if arguments.prune
            else _extended(ledger, comparisons, arguments, output)
        )
        if changed != ledger:
            changed.write()
            output.write_text(f"{ledger.path} written.\n")
        else:
            output.write_text("Nothing to do.\n")
    return FINE


def _extended(
    ledger: Ledger, comparisons: Sequence[FileComparison], arguments: argparse.Namespace, output: Output
) -> Ledger:
    by = _who() if arguments.by is None else arguments.by
    added: list[Entry] = []
    for comparison in comparisons:
        for finding in _open_findings(comparison, arguments.rule):
            path = comparison.path or ""
            entry = Entry(finding.rule, finding.key, arguments.because, path, finding.change, arguments.until, by)
            added.append(entry)
            output.write_text(f"accepted in {path}: {finding.rule}, {finding.change}\n")
    return ledger.with_entries(added)


def _open_findings(comparison: FileComparison, rules: Sequence[str]) -> list[Finding]:
    findings = comparison.report.findings if comparison.report is not None else ()
    return [
        finding
        for finding in findings
        if finding.accepted is None
        and finding.verdict is not Verdict.COMPATIBLE
        and (not rules or finding.rule in rules)
    ]


def _pruned(ledger: Ledger, comparisons: Sequence[FileComparison], output: Output) -> Ledger:
    """Entries leave when no file that was compared has anything for them to accept."""
    reports = [comparison.report for comparison in comparisons if comparison.report is not None]
    used: set[Acceptance] = {
        finding.accepted for report in reports for finding in report.findings if finding.accepted is not None
    }
    today = date.today()
    gone = [
        entry
        for entry in ledger.entries
        if entry.acceptance not in used or (entry.until is not None and entry.until < today)
    ]
    for entry in gone:
        output.write_text(f"taken out: {entry.rule} in {entry.file}, {entry.what}\n")
    return ledger.without(entry.acceptance for entry in gone)


def _ledger() -> Ledger:
    """The nearest ledger, or a new one beside the configuration, or else at the root of the work tree."""
    here = Path.cwd()
    found = path_around(here)
    if found is not None:
        return Ledger.at(found)
    configuration = Configuration.around(here)
    if configuration is not None:
        return Ledger(configuration.folder / FILE_NAME)
    try:
        with DeployedJobs.around(here) as jobs:
            return Ledger((jobs.root or here) / FILE_NAME)
    except DeploymentError:
        return Ledger(here / FILE_NAME)


def _trunk(reader: BaselineReader) -> str | None:
    """What changes of this branch are judged against in the end: what is committed here may still need its entry."""
    repository = reader.repository(Path.cwd(), HEAD)
    branch = None if isinstance(repository, NoBaseline) else repository.default_branch()
    return None if branch is None else f"merge-base:{branch}"


def _who() -> str:
    try:
        with DeployedJobs.around(Path.cwd()) as jobs:
            return jobs.records.identity()
    except DeploymentError:
        return ""


def _unknown_rules(rules: Sequence[str]) -> list[str]:
    import keepstate

    return [rule for rule in rules if not any(found.id == rule for found in keepstate.find_rules(rule))]


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date of the form YYYY-MM-DD") from None
