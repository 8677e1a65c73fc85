"""Prose of the code: openings of docstrings, and words that make people of mechanisms (docs/style.md)."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLEAN = (
    *("analyzer", "bench", "conformance", "docs", "examples", "pipeline", "server", "supply", "tests"),
    "vscode-client/server",
    "vscode-client/playground",
)
"""Folders with Python code; each keeps the rules."""
OPENING = re.compile(r"(?:What|Whether|Which|Where|How|When|Whatever|Who|Whose|Whoever|Those|All that)\b")
PEOPLE = re.compile(r"\b(?:nobody|somebody|whoever|anybody|told)\b", re.IGNORECASE)
TERMS = (
    *("acceptance", "baseline", "boundary", "change", "cutover", "edit", "effect", "finding", "fix", "flaw", "gate"),
    *("guard", "hole", "job", "pipeline", "profile", "revert"),
    *("savepoint", "stored operator", "verdict", "documented", "measured", "inferred"),
)


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings of modules, classes, functions and attributes, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value.strip()


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def faults(source: str) -> list[str]:
    """Lines that break a rule, each with the word."""
    texts = list(docstrings(source))
    found = [(line, match[0]) for line, text in texts if (match := OPENING.match(text))]
    # To divide a module into tokens takes longer than to parse it.
    texts += comments(source) if PEOPLE.search(source) else ()
    found += [(line, match[0]) for line, text in texts for match in PEOPLE.finditer(text)]
    return [f"{line}: {word}" for line, word in sorted(found)]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""What it does."""\n', ["1: What"]),
        ('def f():\n    """Whether it does."""\n', ["2: Whether"]),
        ('X = 1\n"""How many."""\n', ["2: How"]),
        ("X = 1  # set by " + "some" + "body\n", ["1: some" + "body"]),
        ('class C:\n    """A thing that no' + 'body needs."""\n', ["2: no" + "body"]),
        ('"""Whatsoever, a noun."""\nX = "no' + 'body"\n', []),
        ('"""Return whether it does."""\n', []),
    ],
)
def test_the_rules_bite(source: str, found: list[str]) -> None:
    assert faults(source) == found


@pytest.mark.parametrize("folder", CLEAN)
def test_docstrings_and_comments_follow_the_style(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    found = {str(path.relative_to(ROOT)): wrong for path in paths if (wrong := faults(path.read_text("utf-8")))}
    assert not found


def test_the_glossary_defines_each_term_in_one_line() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    assert tuple(re.findall(r"^\| \*\*([a-z ]+)\*\* \| [^|]{20,}\. \|$", page, re.MULTILINE)) == TERMS
