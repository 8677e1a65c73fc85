"""Every promise of docs/ci.md is held by a test, and the page names what there is: variables, options, bounds."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from keepstate.report import _MOST_TRIED
from keepstate_lsp.baselines.git import patience
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.ci import pushes
from keepstate_lsp.cli.ci.target_branch import VARIABLES
from keepstate_lsp.cli.formats.markdown import LIMIT
from keepstate_lsp.cli.parser import COMMANDS, parser_with

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
TEXT = " ".join(PAGE.split())
PROMISES = (ROOT / "tests" / "house" / "promises_of_ci.md").read_text("utf-8")
_PROMISE = re.compile(r"^\* (.+?): ((?:`test_\w+`(?:, )?)+)$", re.MULTILINE)
OF_OTHERS = {"KEEPSTATE_BEFORE", "KEEPSTATE_FIRST", "KEEPSTATE_GIT_SECONDS", "GIT_INDEX_FILE"} | {
    "KEEPSTATE_COMMENT_TOKEN"
}
"""Variables of the page that name neither a target branch nor a push."""
OF_OTHER_PROGRAMS = {"--unshallow", "--deepen", "--tags", "--refetch", "--no-filter", "--init", "--filter", "--add"} | {
    "--ignore-skip-worktree-bits",
    "--freeze",
}


def test_each_promise_has_its_tests() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = set(re.findall(r"^ *(?:async )?def (test_\w+)\(", sources, re.MULTILINE))
    promises = _PROMISE.findall(PROMISES)
    assert len(promises) == PROMISES.count("\n* ")
    for words, tests in promises:
        assert words in TEXT, words
        named = set(re.findall(r"test_\w+", tests))
        assert named <= known, (words, named - known)


def test_each_section_has_promises() -> None:
    sections = re.split(r"^## (.+)$", PROMISES, flags=re.MULTILINE)[1:]
    assert sections[::2] == re.findall(r"^##? (.+)$", PAGE, re.MULTILINE)
    assert all(_PROMISE.search(section) for section in sections[1::2])


def test_the_variables_are_those_of_the_code() -> None:
    named = {word for word in re.findall(r"`([A-Z][A-Z_]{5,})`", PAGE) if "_" in word}
    known = {*pushes.VARIABLES, *(name for name, _ in VARIABLES), *OF_OTHERS}
    assert {word for word in named if word != "SIGTERM"} <= known, named - known
    assert set(pushes.VARIABLES) <= named, set(pushes.VARIABLES) - named


def test_the_options_are_those_of_the_commands() -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    known = {
        option
        for name in COMMANDS
        for parser in _parsers(parser_with(name))
        for option in parser._option_string_actions
    }
    assert named <= known | OF_OTHER_PROGRAMS, named - known - OF_OTHER_PROGRAMS


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _parsers(below)


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (
        f"ended after {patience.COMMAND_SECONDS:g} seconds",
        f"findings times queries up to {_MOST_TRIED:,}",
        f"GitHub takes {LIMIT:,} characters",
    ):
        assert bound in TEXT, bound


def test_the_formats_are_those_of_the_commands() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE[PAGE.index("## Formats") :], re.MULTILINE)
    assert set(rows) == set(REPORT_FORMATS)
