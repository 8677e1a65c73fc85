"""The option of commands that ask Flink's planner as well."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator, Sequence

from keepstate_lsp.cli.result.file_result import FileResult

PLANNERS = ("flink",)


_OF_CHECKS = "it answers what is unknown, and each disagreement with the built-in model is shown"


def add_planner(parser: argparse.ArgumentParser, use: str = _OF_CHECKS) -> None:
    """The option; ``use`` says what becomes of the answers."""
    words = f"let Flink's own planner plan both versions as well: {use}"
    parser.add_argument("--planner", choices=PLANNERS, help=words)


def with_planner(arguments: argparse.Namespace, comparisons: Sequence[FileResult]) -> list[FileResult]:
    """The comparisons with the answers of the planner, if the arguments ask for one."""
    if arguments.planner is None:
        return list(comparisons)
    from keepstate_lsp.cli.commands.planned.planner_answers import with_plans
    from keepstate_lsp.cli.terminal.signals import ending_cleanly

    with ending_cleanly():
        return with_plans(comparisons)


@contextlib.contextmanager
def planner_of(arguments: argparse.Namespace) -> Iterator[Callable[[FileResult], FileResult] | None]:
    """A function that adds the answers of the planner to a comparison; ``None`` if the arguments ask for none."""
    if arguments.planner is None:
        yield None
        return
    from keepstate_lsp.cli.commands.planned.planner_answers import Planners
    from keepstate_lsp.cli.terminal.signals import ending_cleanly

    with ending_cleanly(), Planners() as planners:
        yield planners.planned
