"""The option of commands that ask Flink's planner as well."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from keepstate_lsp.cli.result.file_result import FileResult

PLANNERS = ("flink",)


def add_planner(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--planner",
        choices=PLANNERS,
        help="let Flink's own planner plan both versions as well: it answers what is unknown, and each disagreement "
        "with the built-in model is shown",
    )


def with_planner(arguments: argparse.Namespace, comparisons: Sequence[FileResult]) -> list[FileResult]:
    """The comparisons with the answers of the planner, if the arguments ask for one."""
    if arguments.planner is None:
        return list(comparisons)
    from keepstate_lsp.cli.commands.planned.answers import with_plans
    from keepstate_lsp.cli.terminal.signals import ending_cleanly

    with ending_cleanly():
        return with_plans(comparisons)
