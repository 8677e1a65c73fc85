"""``keepstate plan``: the plan and the state layouts of a file, alone or beside those of its baseline."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from keepstate.report import Problem
from keepstate_lsp.baselines import BaselineReader, NoBaseline
from keepstate_lsp.cli.arguments import add_job, job_settings, output_path
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.result.problems import place
from keepstate_lsp.cli.result.sides import JobText
from keepstate_lsp.cli.run.named_jobs import NamedJobs
from keepstate_lsp.cli.source_text import is_stream
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.sanitize import visible
from keepstate_lsp.config.job_versions import job_version

if TYPE_CHECKING:
    from keepstate.plan_view.drawing import Drawing

LAYOUTS = ("side-by-side", "unified")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "baseline", metavar="BASELINE.sql", nargs="?", help="draw both plans, and what differs between them"
    )
    parser.add_argument("file", metavar="FILE.sql", help="- is standard input")
    parser.add_argument(
        "--against",
        metavar="BASELINE",
        help="draw both plans, that of the baseline and that of the file: a git revision, merge-base:REF, tag:GLOB, "
        "deployed[:ENV] or file:PATH",
    )
    parser.add_argument(
        "--script",
        action="store_true",
        help="the text that the job is composed of, with the file of each piece, instead of its plan; FILE.sql may be "
        "the name of a job in keepstate.toml",
    )
    add_job(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=("text", "json", "dot", "mermaid"),
        default="text",
        help="default: %(default)s; mermaid draws what differs, for Markdown",
    )
    group.add_argument(
        "--layout",
        choices=LAYOUTS,
        help="how two plans become text: in two columns, or in one tree with - and + before what differs (default: two "
        "columns, where there is room for them)",
    )
    group.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    import keepstate

    name = arguments.file
    with BaselineReader(steady=True) as reader:
        jobs = NamedJobs(arguments, reader)
        current = jobs.current(name)
        baseline = None if arguments.script else _baseline(arguments, current, jobs)
    if arguments.script:
        return _script(arguments, current)
    settings = job_settings(
        arguments, current.config.source, current.config, baseline.config if baseline is not None else None
    )
    version = job_version(current.text, settings.current, settings.engine)
    if baseline is None:
        drawing = keepstate.draw_plan(version, settings.engine)
    else:
        was = job_version(baseline.text, settings.baseline, settings.engine)
        drawing = keepstate.draw_plans(version, was, settings.engine)
    with Output(arguments.output, arguments.color) as output:
        if arguments.format == "json":
            from keepstate.reporting.plan_json import plan_document
            from keepstate_lsp.cli.formats.json import pretty
            from keepstate_lsp.version import VERSION

            output.write(pretty(plan_document(drawing, VERSION, current, baseline)))
        elif arguments.format == "dot":
            from keepstate_lsp.cli.plan.dot import plan_graph

            graph = plan_graph(drawing, name, baseline.name if baseline is not None else "")
            output.write_text(visible(graph))
        elif arguments.format == "mermaid":
            from keepstate.plan_view.diagram import plan_diagram

            diagram = plan_diagram(drawing)
            if diagram:
                output.write_text(diagram)
            else:
                tell(_no_diagram(drawing, name))
        else:
            from keepstate_lsp.cli.plan.plan_text import PlanRenderer

            renderer = PlanRenderer(output.columns, output.color, output.encoding, arguments.layout)
            output.write_text(renderer.page(drawing, name, baseline.name if baseline is not None else ""))
    _tell_unread(current, drawing.problems)
    if baseline is not None:
        _tell_unread(baseline, drawing.baseline_problems, " (in the baseline)")
    return NOT_COMPARED if drawing.problems or drawing.baseline_problems else FINE


def _no_diagram(drawing: Drawing, name: str) -> str:
    """Reason for an empty diagram."""
    if not drawing.pipelines and not drawing.compared:
        return f"There is no query in {name}."
    if drawing.same:
        unread = drawing.problems or drawing.baseline_problems
        return "No plan that could be read differs." if unread else "No plan differs."
    return "The plans are too large for a diagram: use --format text or dot."


def _script(arguments: argparse.Namespace, side: JobText) -> int:
    """Write the text that a job is composed of."""
    from keepstate_lsp.cli.plan.script_pieces import script_document, script_text

    if arguments.baseline is not None or arguments.against is not None:
        raise UsageError("--script is about one job: name no baseline.")
    with Output(arguments.output, arguments.color) as output:
        if arguments.format == "json":
            from keepstate_lsp.cli.formats.json import pretty

            output.write(pretty(script_document(side)))
        elif arguments.format == "text":
            output.write_text(script_text(side))
        else:
            raise UsageError("--script has the formats text and json.")
    return FINE


def _tell_unread(side: JobText, problems: Iterable[Problem], note: str = "") -> None:
    for problem in problems:
        tell(f"{place(side.file_of(problem.span), side.lines, problem)}: {problem.message}{note}")


def _baseline(arguments: argparse.Namespace, current: JobText, jobs: NamedJobs) -> JobText | None:
    """The other side; ``None`` if there shall be, or can be, none.

    Raises:
        CommandError: it was asked for, and cannot be had.
    """
    name = arguments.file
    if arguments.baseline is not None:
        if arguments.against is not None:
            raise UsageError("Name two files, or --against, not both.")
        if arguments.baseline == name and is_stream(name):
            raise UsageError("Standard input can only be one of the two files.")
        return jobs.other(arguments.baseline, current)
    if arguments.against is None:
        return None
    if is_stream(name):
        raise UsageError("Standard input has no baseline in git: name the file, or two files.")
    baseline = jobs.baseline(current)
    if not isinstance(baseline, NoBaseline):
        return baseline
    if not baseline.new:
        raise CommandError(f"{name} has no baseline: {baseline.sentence}", baseline.mend)
    tell(f"{baseline.sentence} This is the current plan alone.")
    return None
