"""Names of functions, methods and fields: verbs and nouns, and no participles or places (docs/style.md)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("analyzer", "server", "pipeline")
PARTICIPLES = frozenset(
    "alike asked begun called changed chosen drawn felt found given gone held here joined kept known listed lost made "
    "matched meant moved named needed reached said seen sent shown stored taken there told tried used what worded "
    "written".split()
)
"""Names that say how a value came about, or where it is: not what a function does or gives."""
MOST = {"analyzer": (0, 82), "server": (0, 72), "pipeline": (2, 26)}
"""The most functions, and the most methods and fields, of such names in each package; the numbers only fall. What is
left: words of the planner (the columns that an operator has *held*), booleans (``changed: bool``), events of a
protocol (``channel.changed``).
"""


def names_of(source: str) -> Iterator[tuple[str, str]]:
    """The functions, and the methods and fields of classes, each as its kind and its name without underscores."""
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield "function", node.name.lstrip("_")
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield "member", member.name.lstrip("_")
                elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    yield "member", member.target.id.lstrip("_")


def counted(package: str) -> tuple[int, int]:
    """The functions and the members of a package whose names are participles."""
    kinds = Counter(
        kind
        for path in (ROOT / package).rglob("*.py")
        for kind, name in names_of(path.read_text("utf-8"))
        if name in PARTICIPLES
    )
    return kinds["function"], kinds["member"]


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_and_members_have_names_of_their_own(package: str) -> None:
    functions, members = counted(package)
    most_functions, most_members = MOST[package]
    assert functions <= most_functions and members <= most_members, (functions, members)
    assert (functions, members) == MOST[package], f"MOST can say {(functions, members)} for {package}"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def _found():\n    told = 1\n", [("function", "found")]),
        ("class A:\n    told: int\n\n    def _shown(self): ...\n", [("member", "told"), ("member", "shown")]),
        ("told = 1\n", []),
    ],
)
def test_the_names_of_a_module(source: str, names: list[tuple[str, str]]) -> None:
    assert list(names_of(source)) == names
