"""Each constant that bounds a size is tested on both sides of it, or it says why it need not be.

An ``IndexError`` lay behind the bound of the largest statement: nothing had ever been on its other side.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = tuple((ROOT / "tests").rglob("test_*.py"))
BOUND = re.compile(
    r"(?:^|_)(?:MOST|LARGEST|LONGEST|LONG|FEW|MAX|LIMIT|WORTH|HEAD|TRIED|LOOKED|ENOUGH|REMEMBERED|MUCH|AT_ONCE|RECENT|"
    r"CACHED|DEPTH|DEEPEST|DOTS|DIGITS|ATTEMPTS|SHOWN|FOUND|BATCH|BATCHES|BLOCK|ROWS|WORST|BAD|CONTEXT)(?:_|$)"
)
NOT_OF_A_SIZE = {
    "analyzer/keepstate/diff/statements/statement_pairs.py:_MOST_EDITED": "edits before all pairs are made again",
    "analyzer/keepstate/structure/query_lines.py:_FEW": "lines that are made at once or on demand",
    "analyzer/keepstate/syntax/contents.py:_FEW_EDITS": "edits between two keystrokes",
    "analyzer/keepstate/syntax/contents.py:_MOST_EDITED": "edits before an index is made again",
    "analyzer/keepstate/syntax/contents.py:_BLOCK": "statements that are compared together",
    "analyzer/keepstate/plan/duration_words.py:_MOST_DIGITS": "letters of a length of time in a sentence",
    "analyzer/keepstate/plan/scalars/constants.py:_LARGEST_EXPONENT": "beyond each number that Flink takes",
    "analyzer/keepstate/plan/scalars/interval_lengths.py:_MOST_DIGITS": "beyond the digits that Flink takes",
    "analyzer/keepstate/syntax/statement.py:LONGEST_NUMBER": "tested in tests/validation",
    "analyzer/keepstate/validation/constants/number_texts.py:_SHOWN": "letters of a number in a sentence",
    "analyzer/keepstate/hosts/requests.py:_LONGEST": "letters of a wrong member in the words about it",
    "analyzer/keepstate/hosts/request_versions.py:_MOST_FILES": "past it a file is read again",
    "server/keepstate_lsp/baselines/snapshot.py:_MOST_BYTES": "past it a file is read again",
    "analyzer/keepstate/diff/reverting.py:_FEW_RIVALS": "past it a statement is come or gone",
    "analyzer/keepstate/physical/moves.py:_MOST_TRIED": "past it the finding stands at the operator whose id moved",
    "analyzer/keepstate/quick_fixes/reverts.py:_SETS_TRIED": "past it all are tried, or nothing is promised",
    "analyzer/keepstate/quick_fixes/reverts.py:_MOST_REMOVED": "past it the promise names findings that could stay",
    "analyzer/keepstate/diff/statements/parameter_changes.py:_SMALLEST_DEFAULT_MAX_PARALLELISM": "a number of Flink",
    "analyzer/keepstate/physical/plan_refusals.py:_DIGITS": "a number of Flink",
    "analyzer/keepstate/validation/outputs/qualify.py:_MOST_COLUMNS": "a number of Flink, measured on both sides",
    "analyzer/keepstate/plan/types/common_types.py:MAX_PRECISION": "a number of Flink",
    "analyzer/keepstate/plan/types/logical_types.py:LONGEST": "a number of Flink",
    "analyzer/keepstate/completion/offers.py:_MOST_OWNERS": "names in the words about a proposal",
    "analyzer/keepstate/engines/flink/row_words.py:_SHOWN": "names in a sentence, with the number of the rest",
    "analyzer/keepstate/engines/flink/row_words.py:_LONGEST": "letters of a name in a sentence",
    "analyzer/keepstate/rules/combined_messages.py:LONGEST_HEAD": "letters of a head, tested in tests/analyzer",
    "analyzer/keepstate/structure/outline.py:_LONGEST_NAME": "letters of a line in the outline",
    "analyzer/keepstate/validation/declarations.py:_MOST_OF_ROWTIME": "a number of Flink",
    "analyzer/keepstate/validation/functions/json_calls.py:_MOST_OPERANDS": "a number of Flink",
    "analyzer/keepstate/validation/values/intervals.py:_DIGITS": "a number of Flink",
    "analyzer/keepstate/validation/values/intervals.py:_MOST_DIGITS": "a number of Flink",
    "analyzer/keepstate/plan/planned/wordings.py:_MOST_WORDINGS": "a memory: what is forgotten is put together again",
    "analyzer/keepstate/validation/statements/outcome_cache.py:MOST_NESTED": "readers again, tested in tests/analyzer",
    "analyzer/keepstate/validation/statements/walks.py:_REMEMBERED": "a memory: what is forgotten is validated again",
    "analyzer/keepstate/validation/values/written_types.py:_LARGEST": "a number of Flink",
    "analyzer/keepstate/rules/measured_outcomes.py:_FEW": "words for two",
    "analyzer/keepstate/embedded/masking.py:_REMEMBERED": "a memory: what is forgotten is read again",
    "server/keepstate_lsp/jobs/config_proposal.py:_LONGEST_LIST": "names in a sentence",
    "analyzer/keepstate/cutover/times.py:_LONGEST": "an end that is too rare to wait for, tested in tests/cutover",
    "analyzer/keepstate/plan_view/diagram.py:MOST_BOXES": "boxes of a drawing, tested in tests/analyzer",
    "analyzer/keepstate/plan_view/diagram.py:LONGEST": "characters of a drawing, tested in tests/analyzer",
    "analyzer/keepstate/plan_view/diagram.py:_LONGEST_LINE": "letters of a line in a box",
    "analyzer/keepstate/plan_view/diagram.py:_MOST_LINES": "lines of a box, which says how many more there are",
    "analyzer/keepstate/syntax/statement.py:_HEAD": "the first part of a text whose bound is LARGEST_STATEMENT",
    "analyzer/keepstate/syntax/memo.py:_RECENT_STATEMENTS": "a memory: what is forgotten is parsed again",
    "analyzer/keepstate/syntax/splitting/resplitting.py:_REMEMBERED": "a memory of texts above _WORTH_IT",
    "analyzer/keepstate/syntax/contents.py:_RECENT": "a memory: what is forgotten is made again",
    "analyzer/keepstate/syntax/script.py:_REMEMBERED": "a memory of texts above _WORTH_IT, tested in tests/syntax",
    "server/keepstate_lsp/baselines/git/conversation.py:_MOST_SAID": "the first that a process complained of",
    "server/keepstate_lsp/baselines/git/process.py:_MOST_LINES": "the first lines that a process complained of",
    "server/keepstate_lsp/baselines/history/file_renames.py:_FEW_SUCCESSIONS": "a memory: it is filled again",
    "server/keepstate_lsp/lsp/diagnostics.py:_MOST_RELATED": "links beside a finding",
    "server/keepstate_lsp/lsp/base_protocol/protocol.py:_MOST_FAULTS": "the first that is wrong with a message",
    "server/keepstate_lsp/baselines/deployments.py:_ATTEMPTS": "how often a race is run again, tested in tests/cli",
    "server/keepstate_lsp/baselines/git/revisions.py:_MOST_REFS": "past it no name is suggested",
    "server/keepstate_lsp/cli/source_text.py:_MOST_FILES": "past it no name is suggested",
    "server/keepstate_lsp/baselines/head.py:_LARGEST_LINK": "what is longer is the link of no git",
    "server/keepstate_lsp/cli/formats/excerpt.py:_CONTEXT": "cells of a layout",
    "server/keepstate_lsp/cli/terminal/output.py:_MOST_WIDTH": "columns of a layout",
    "server/keepstate_lsp/features/comparison_text.py:_CONTEXT": "all lines of any text",
    "server/keepstate_lsp/analysis/config_diagnostics.py:_MOST_PLACES": "links beside a remark",
    "server/keepstate_lsp/analysis/labels.py:_LONGEST": "letters of a line about a clause",
    "server/keepstate_lsp/analysis/several_files/other_file_findings.py:MOST_JOBS": "links, tested in tests/lsp",
    "server/keepstate_lsp/analysis/several_files/open_projects.py:_MOST_PROJECTS": "a memory: it is made again",
    "server/keepstate_lsp/analysis/several_files/open_projects.py:_MOST_READ": "a memory: it is parsed again",
    "server/keepstate_lsp/analysis/several_files/repository_files.py:_MOST_COMMITS": "a memory: it is read again",
    "server/keepstate_lsp/analysis/several_files/repository_files.py:_MOST_REPOSITORIES": "a memory: it is read again",
    "server/keepstate_lsp/features/declared_tables.py:_MOST_FILES": "files in a line above a query",
    "server/keepstate_lsp/analysis/runs/command_process.py:_MOST_LINES": "the last lines that another process said",
    "server/keepstate_lsp/analysis/workspace_checks.py:WORTH_A_BAR": "whether a bar is shown",
    "server/keepstate_lsp/runtime/gc_policy.py:_WORTH_IT": "when memory is swept",
    "server/keepstate_lsp/cli/result/real_flink/compiled_plan.py:_MOST_NAMED": "names in a sentence, and how many more",
    "server/keepstate_lsp/cli/commands/spark/warm_session.py:_MOST_COMMANDS": "past it another session is started",
    "server/keepstate_lsp/cli/watching/watched_files.py:_MOST_NAMED": "names in a sentence, and how many more",
    "server/keepstate_lsp/cli/watching/watched_files.py:_MOST_FOLDERS": "past it new files count with the next change",
    "server/keepstate_lsp/cli/run/omitted_files.py:_READERS_SHOWN": "names in a sentence, with the number of the rest",
    **{
        f"server/keepstate_lsp/jobs/past/past_projects.py:{name}": "a memory: what is forgotten is read again"
        for name in ("_REMEMBERED_NAMES", "_REMEMBERED_SNAPSHOTS", "_MOST_CHARACTERS", "_MOST_READ")
    },
    "server/keepstate_lsp/jobs/past/past_projects.py:_MOST_TOGETHER": "the rest is asked for next",
    "server/keepstate_lsp/jobs/survey.py:_REMEMBERED": "a memory of an audit: what is forgotten is read again",
}
"""Reasons why a constant of such a name has no other side; those of pages and reports, which choose what fits, are all
here.
"""
LAYOUTS = tuple(f"server/keepstate_lsp/cli/commands/{command}/" for command in ("audit", "cutover", "replay", "verify"))


@functools.cache
def constants() -> tuple[tuple[str, str], ...]:
    """The file and the name of each constant that is a whole number and is called like a bound."""
    return tuple(_constants())


def _constants() -> Iterator[tuple[str, str]]:
    for package in ("analyzer/keepstate", "server/keepstate_lsp"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text("utf-8")).body:
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                value = getattr(node, "value", None)
                if isinstance(target, ast.Name) and BOUND.search(target.id) and _is_number(value):
                    yield path.relative_to(ROOT).as_posix(), target.id


def _is_number(value: ast.AST | None) -> bool:
    """Of integers alone, which may be put together (``64 * 1024``)."""
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    return isinstance(value, ast.Constant) and isinstance(value.value, int) and not isinstance(value.value, bool)


def test_each_bound_is_tested_on_both_sides() -> None:
    text = "\n".join(path.read_text("utf-8") for path in TESTS if path.parent.name in ("hostile", "cli", "baselines"))
    untested = []
    for path, name in constants():
        module = path.removesuffix(".py").partition("/")[2].replace("/", ".").removesuffix(".__init__")
        # By its full name, or imported from its module.
        named = f"{module}.{name}" in text or re.search(
            rf"from {re.escape(module)} import [^\n]*\b{name}\b", text.replace("(\n", "(")
        )
        via = re.search(rf"\b{module.rpartition('.')[2]}\.{name}\b", text)
        if not (named or via or f"{path}:{name}" in NOT_OF_A_SIZE or path.startswith(LAYOUTS)):
            untested.append(f"{path}:{name}")
    assert not untested, "test these on both sides (tests/hostile/test_bounds_of_*), or say why not"


def test_the_reasons_are_about_constants_that_there_are() -> None:
    known = {f"{path}:{name}" for path, name in constants()}
    assert not [one for one in NOT_OF_A_SIZE if one not in known]
