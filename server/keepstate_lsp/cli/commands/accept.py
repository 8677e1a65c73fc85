"""``keepstate accept``: let findings stand, with a reason, in the ledger that gate and editor read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path

from keepstate.report import Acceptance, Finding, Verdict
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.deployments import DeploymentError
from keepstate_lsp.cli.arguments import add_comparison, filled
from keepstate_lsp.cli.commands.check import add_baseline
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.cli.run.check_run import CheckRun
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.progress import TerminalProgress
from keepstate_lsp.config import acceptance_file as ledgers
from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFile, LedgerEntry, name_in, path_around
from keepstate_lsp.config.file import Configuration
from keepstate_lsp.jobs.deployed import DeployedJobs
from keepstate_lsp.near_names import did_you_mean, near_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", type=filled, help="as for check")
    parser.add_argument(
        "--rule", metavar="RULE", action="append", default=[], help="only findings of this rule; repeatable"
    )
    parser.add_argument("--because", metavar="REASON", help="why they may stand")
    parser.add_argument("--until", metavar="DATE", type=_date, help="the last day on which they may, YYYY-MM-DD")
    parser.add_argument("--by", metavar="NAME", type=filled, help="who says so (default: git's user)")
    parser.add_argument(
        "--prune",
        action="store_true",
        help="take entries out that accept nothing any more: those of the files named, without PATH all",
    )
    add_baseline(parser)
    add_comparison(parser)
    parser.set_defaults(staged=False, current=None, output=None, new_since="none")


def run(arguments: argparse.Namespace) -> int:
    _check_words(arguments)
    unknown = _unknown_rules(arguments.rule)
    if unknown:
        suggestion = did_you_mean(near_names(unknown[0], _rule_ids()))
        raise UsageError(f"There is no rule {unknown[0]!r}.{suggestion}", "keepstate rules")
    with Output(None) as output, BaselineReader(steady=True) as reader:
        if arguments.prune and arguments.against is None:
            arguments.against = _trunk(reader)
        # Read before the comparison: an entry that is added meanwhile may be in use.
        before = AcceptanceFile.at(_ledger_around(Path.cwd()))
        check = CheckRun(arguments, reader)
        with TerminalProgress(quiet=True) as progress:
            comparisons = check.comparisons(progress)
        failed = [comparison for comparison in comparisons if comparison.status.failed]
        if failed or check.problems:
            sentence, mend = (
                (failed[0].reason, failed[0].mend) if failed else (check.problems[0].sentence, check.problems[0].mend)
            )
            raise CommandError(f"Not all could be compared, so nothing was written: {sentence}", mend)
        if arguments.prune:
            _prune(before, comparisons, bool(arguments.paths), output)
        else:
            _extend(comparisons, arguments, check, output)
    return FINE


def _check_words(arguments: argparse.Namespace) -> None:
    """Refuse entries that would count for nothing.

    Raises:
        UsageError: there is no reason, or the last day is over.
    """
    if arguments.prune == (arguments.because is not None):
        raise UsageError("Say --because REASON, or --prune.")
    if arguments.because is not None and not arguments.because.strip():
        raise UsageError("The reason is blank: say --because REASON.")
    if arguments.because is not None and arguments.because.startswith("<"):
        raise UsageError("The reason is still to be written: say --because REASON.")
    if arguments.until is not None and arguments.until < date.today():
        raise UsageError(f"--until {arguments.until} is over: the acceptance would count for nothing.")


def _extend(comparisons: Sequence[FileResult], arguments: argparse.Namespace, check: CheckRun, output: Output) -> None:
    """Enter the open findings, each in the ledger that holds for its file."""
    by = _who() if arguments.by is None else arguments.by
    entries_by_home: dict[Path, list[LedgerEntry]] = {}
    lines_by_home: dict[Path, list[str]] = {}
    for comparison in comparisons:
        findings = [one for one in _acceptable(comparison, arguments.rule) if one.accepted is None]
        if not findings or comparison.path is None:
            continue
        path = Path(comparison.path).absolute()
        home = _ledger_around(path.parent)
        name = name_in(home.parent, path)
        for finding in findings:
            declared = comparison.declaration_of(finding)
            # Once for all jobs that feel the edit of a declaration.
            file = name if declared is None else ""
            entry = LedgerEntry(finding.rule, finding.key, arguments.because, file, finding.change, arguments.until, by)
            entries = entries_by_home.setdefault(home, [])
            if entry not in entries:
                entries.append(entry)
                place = comparison.path if declared is None else f"{declared}, for all jobs"
                lines_by_home.setdefault(home, []).append(f"accepted in {place}: {finding.rule}, {finding.change}\n")
    for home, entries in entries_by_home.items():
        ledgers.change(home, partial(AcceptanceFile.with_entries, additions=entries))
        output.write_text(f"{''.join(lines_by_home[home])}{home} written.\n")
    rule_ids = {finding.rule for comparison in comparisons for finding in _acceptable(comparison, arguments.rule)}
    if not rule_ids:
        raise CommandError(_nothing_to_accept(comparisons, arguments.rule, check), "--against BASELINE")
    if not entries_by_home:
        output.write_text("Nothing to do: all of it is accepted already.\n")
    for rule in arguments.rule:
        if rule not in rule_ids:
            tell(f"There is no finding of {rule}, so nothing of it is accepted.")


def _nothing_to_accept(comparisons: Sequence[FileResult], rules: Sequence[str], check: CheckRun) -> str:
    """The reason why there is no finding to accept: the compared versions."""
    if not comparisons:
        return f"There is nothing to accept. {check.scope.nothing_to_compare()}"
    subject = f"no finding of {' or '.join(rules)}" if rules else "no finding that costs state"
    origins = dict.fromkeys(comparison.origin.words for comparison in comparisons if comparison.origin is not None)
    names = ", ".join(comparison.path or "" for comparison in comparisons[:3])
    more = f" and {len(comparisons) - 3} more" if len(comparisons) > 3 else ""
    against = f" compared with {' and '.join(origins)}" if origins else ""
    return f"There is nothing to accept: {subject} in {names}{more}{against}, engine {check.engine}."


def _acceptable(comparison: FileResult, rules: Sequence[str]) -> list[Finding]:
    """The findings that an acceptance would be about, accepted or not."""
    findings = comparison.report.findings if comparison.report is not None else ()
    return [
        finding
        for finding in findings
        if finding.verdict is not Verdict.COMPATIBLE and (not rules or finding.rule in rules)
    ]


def _prune(before: AcceptanceFile, comparisons: Sequence[FileResult], some_only: bool, output: Output) -> None:
    """Take entries out when no file that was compared has anything for them to accept. ``some_only``: not all files
    were compared, so that only the entries of those that were are known to be idle.
    """
    reports = [comparison.report for comparison in comparisons if comparison.report is not None]
    used_acceptances: set[Acceptance] = {
        finding.accepted for report in reports for finding in report.findings if finding.accepted is not None
    }
    folder = before.path.parent
    compared = {name_in(folder, Path(comparison.path)) for comparison in comparisons if comparison.path is not None}
    today = date.today()
    stale = [
        entry
        for entry in before.entries
        if (entry.until is not None and entry.until < today)
        or (entry.acceptance not in used_acceptances and (not some_only or _all_of(entry.acceptance, compared)))
    ]
    for entry in stale:
        where = entry.file or ", ".join(entry.jobs) or "all files"
        output.write_text(f"taken out: {entry.rule} in {where}, {entry.what}\n")
    if ledgers.change(before.path, lambda ledger: ledger.without(entry.acceptance for entry in stale)):
        output.write_text(f"{before.path} written.\n")
    else:
        output.write_text("Nothing to do: every entry accepts something.\n" if before.entries else "Nothing to do.\n")


def _all_of(acceptance: Acceptance, compared: set[str]) -> bool:
    """Return whether all jobs that an entry may accept something in were compared."""
    if acceptance.jobs:
        return compared.issuperset(acceptance.jobs)
    return acceptance.file in compared


def _ledger_around(folder: Path) -> Path:
    """The nearest ledger, or where a new one goes: beside the configuration, or else to the root of the work tree."""
    ledger = path_around(folder)
    if ledger is not None:
        return ledger
    configuration = Configuration.around(folder)
    if configuration is not None:
        return configuration.folder / FILE_NAME
    try:
        with DeployedJobs.around(folder) as jobs:
            return (jobs.root or folder) / FILE_NAME
    except DeploymentError:
        return folder / FILE_NAME


def _trunk(reader: BaselineReader) -> str | None:
    """The spec of the branch that this branch is merged into: a committed change may still need its entry."""
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

    return [rule for rule in rules if not any(info.id == rule for info in keepstate.find_rules(rule))]


def _rule_ids() -> list[str]:
    import keepstate

    return [rule.id for rule in keepstate.rule_catalogue()]


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date of the form YYYY-MM-DD") from None
