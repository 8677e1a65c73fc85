"""``keepstate doctor --planner``: the built-in model held against Flink's planner on the files that changed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.cli.commands import check
from keepstate_lsp.cli.result.file_result import FileResult
from keepstate_lsp.cli.run.check_run import CheckRun
from keepstate_lsp.cli.terminal.progress import TerminalProgress

_NOTHING = "no file that can be planned differs from its baseline"
_REPORT = "keepstate verify FILE says which of them is right, and --export DIR writes the pair for a report"


@dataclass(frozen=True)
class AnswerLine:
    """One line: an answer, or a count of them. ``agrees`` is ``None`` where nothing was decided."""

    agrees: bool | None
    words: str
    hint: str | None = None


def planner_answers(arguments: argparse.Namespace) -> Iterator[AnswerLine]:
    """Lines on the files that ``keepstate check`` compares, with the options of ``doctor``."""
    # Only here: the command line starts without Flink's package.
    from keepstate_lsp.cli.commands.planned.planner_answers import with_plans

    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    options = parser.parse_args(["--quiet", *([] if arguments.file is None else ["--", arguments.file])])
    with BaselineReader(steady=True) as reader, TerminalProgress(quiet=True) as progress:
        run = CheckRun(argparse.Namespace(**{**vars(options), **_context_arguments(arguments)}), reader)
        results = with_plans(run.comparisons(progress))
    yield from (AnswerLine(False, problem.sentence) for problem in run.problems)
    yield from diagnosis(results)


def diagnosis(comparisons: Sequence[FileResult]) -> Iterator[AnswerLine]:
    """The disagreements of comparisons with the answers of the planner, and a count."""
    answers = [(comparison.path, answer) for comparison in comparisons for answer in comparison.planned]
    for path, answer in answers:
        if answer.agrees is False:
            yield AnswerLine(False, f"{path}: {answer.sentence}", _REPORT)
        elif answer.agrees is None:
            yield AnswerLine(None, f"{path}: {answer.sentence}")
    agreeing = sum(answer.agrees is True for _, answer in answers)
    if answers:
        yield AnswerLine(True, f"agrees with the built-in model on {agreeing} of {len(answers)} jobs")
    else:
        yield AnswerLine(True, _NOTHING)


def _context_arguments(arguments: argparse.Namespace) -> dict[str, object]:
    return {key: value for key, value in vars(arguments).items() if key in ("against", "config")}
