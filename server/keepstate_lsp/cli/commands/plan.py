"""``keepstate plan``: the plan and the state layouts of a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from keepstate_lsp.cli.arguments import add_configuration, configuration_for, parameter
from keepstate_lsp.cli.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.output import Output
from keepstate_lsp.cli.problems import tell_unread
from keepstate_lsp.cli.sources import source_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="- is standard input")
    parser.add_argument("--format", choices=("text", "json", "dot"), default="text", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write there instead of to standard output")
    parser.add_argument("--engine-version", metavar="V", help="the version of the engine that runs the job")
    parser.add_argument(
        "--parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a job parameter; may be repeated",
    )
    add_configuration(parser)


def run(arguments: argparse.Namespace) -> int:
    import keepstate

    text = source_text(arguments.file)
    configuration = configuration_for(arguments, Path(arguments.file).absolute().parent)
    configured = {} if configuration is None else configuration.parameters
    version = keepstate.JobVersion(text, {**configured, **dict(arguments.parameter)}, arguments.engine_version)
    with Output(arguments.output) as output:
        plan = keepstate.plan_text(version, arguments.format)
        output.write_text(plan if plan.endswith("\n") else f"{plan}\n")
    problems = keepstate.parse_script(text).problems
    tell_unread(arguments.file, text, problems)
    return NOT_COMPARED if problems else FINE
