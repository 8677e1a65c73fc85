"""``keepstate explain-error``: the meaning of an exception that Flink threw at a restart."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from keepstate.report import Report
from keepstate.text import Encoding, Span
from keepstate_lsp.baselines import BaselineReader, NoBaseline
from keepstate_lsp.cli.arguments import JobSettings, add_job, job_settings, output_path
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.formats.restore_error import ClauseAt, ErrorExplanation, FindingAt, explanation_document, page
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.result.sides import JobText
from keepstate_lsp.cli.run.named_jobs import NamedJobs
from keepstate_lsp.cli.source_text import STANDARD_INPUT, is_stream, source_text
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.sanitize import visible
from keepstate_lsp.config.job_versions import job_version
from keepstate_lsp.restore_errors import RestoreError, read_error

if TYPE_CHECKING:
    from keepstate import JobVersion, Workspace

_LONGEST_CLAUSE = 90


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "error",
        metavar="ERRORFILE",
        nargs="?",
        default=STANDARD_INPUT,
        help="the stack trace, or a log with it; - is standard input (default: %(default)s)",
    )
    parser.add_argument("--sql", metavar="FILE.sql", help="the SQL that did not start: shows which clauses it is about")
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="what ran before: shows what changed there. A git revision, merge-base:REF, tag:GLOB, deployed[:ENV] or "
        "file:PATH",
    )
    add_job(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    group.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")


def run(arguments: argparse.Namespace) -> int:
    if arguments.against is not None and arguments.sql is None:
        raise UsageError("--against compares the SQL that did not start: name it with --sql FILE.sql.")
    if arguments.sql == arguments.error and is_stream(arguments.error):
        raise UsageError("Standard input can only be one of the two: the error, or the SQL.")
    error = read_error(source_text(arguments.error))
    explanation = ErrorExplanation(error) if arguments.sql is None else _with_sql(arguments, error)
    with Output(arguments.output) as output:
        if arguments.format == "json":
            from keepstate_lsp.cli.formats.json import pretty

            output.write(pretty(explanation_document(explanation)))
        else:
            # The page quotes a log, which may hold escape codes.
            output.write_text(visible(page(explanation)))
    if error.cause is None:
        tell("The error is not explained.")
        return NOT_COMPARED
    return FINE


def _with_sql(arguments: argparse.Namespace, error: RestoreError) -> ErrorExplanation:
    """The explanation with facts of the SQL, and of the comparison if there is one."""
    import keepstate

    name = arguments.sql
    with BaselineReader(steady=True) as reader:
        jobs = NamedJobs(arguments, reader)
        current = jobs.current(name)
        settings = job_settings(arguments, current.config.source, current.config)
        now = job_version(current.text, settings.current, settings.engine)
        workspace = keepstate.Workspace()
        clauses = tuple(_clauses(error, current, now, settings, workspace))
        error = _narrowed(error, clauses)
        if arguments.against is None:
            return ErrorExplanation(error, clauses, None, name)
        baseline = jobs.baseline(current)
        if isinstance(baseline, NoBaseline):
            raise CommandError(f"{name} has no baseline: {baseline.sentence}", baseline.mend)
        settings = job_settings(arguments, current.config.source, current.config, baseline.config)
    was = job_version(baseline.text, settings.baseline, settings.engine)
    report = keepstate.analyse(now, was, settings.engine, workspace).report()
    findings = tuple(_findings(error, current, report))
    return ErrorExplanation(error, clauses, findings, name, arguments.against)


def _clauses(
    error: RestoreError, side: JobText, version: JobVersion, settings: JobSettings, workspace: Workspace
) -> Iterator[ClauseAt]:
    """The clauses that make the state of operators of the kinds in question."""
    import keepstate

    titles = {title for kind in error.kinds for title in kind.titles}
    text = version.text
    for note in keepstate.state_hovers(version, settings.engine, workspace):
        if note.operator in titles:
            yield ClauseAt(_place(side, note.span), _excerpt(text, note.span), note.operator, note.title)


def _narrowed(error: RestoreError, clauses: Sequence[ClauseAt]) -> RestoreError:
    """The error with those kinds of operator alone that the SQL has. Some stand in no plan, so they stay."""
    titles = {clause.operator for clause in clauses}
    kinds = tuple(kind for kind in error.kinds if not kind.titles or titles.intersection(kind.titles))
    return replace(error, kinds=kinds) if titles else error


def _findings(error: RestoreError, side: JobText, report: Report) -> Iterator[FindingAt]:
    """The findings of the comparison: those at such an operator, or all of them if there are none."""
    kinds = {kind.id for kind in error.kinds}
    findings = [(finding, finding.query_kind in kinds) for finding in report.findings]
    some = any(is_here for _, is_here in findings)
    for finding, is_here in findings:
        if is_here or not some:
            place = _place(side, finding.current.span)
            yield FindingAt(place, finding.rule, finding.verdict.value, finding.message, is_here)


def _place(side: JobText, span: Span) -> str:
    position = side.lines.position(span.start, Encoding.UTF32)
    return f"{side.file_of(span)}:{position.line + 1}:{position.character + 1}"


def _excerpt(text: str, span: Span) -> str:
    clause = " ".join(text[span.start : span.end].split())
    return clause if len(clause) <= _LONGEST_CLAUSE else f"{clause[: _LONGEST_CLAUSE - 3]}..."
