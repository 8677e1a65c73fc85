"""Names of functions, methods and fields: verbs and nouns, and no participles or places (docs/style.md)."""

from __future__ import annotations

import ast
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
WIRE = {
    "FindingAt.there": "a key of the JSON of explain-error",
    "LedgerEntry.what": "a key of the ledger",
    "Count.what": "a key of the JSON of an audit",
}
"""Fields whose names are on a wire, each with the format."""


def names_of(source: str) -> Iterator[tuple[str, str]]:
    """The functions, and the methods and fields of classes with the name of the class, each with its plain name."""
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.name.lstrip("_")
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield f"{node.name}.{member.name}", member.name.lstrip("_")
                elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    yield f"{node.name}.{member.target.id}", member.target.id.lstrip("_")


def participles(package: str) -> set[str]:
    """The functions and the members of a package whose names are participles."""
    return {
        full_name
        for path in (ROOT / package).rglob("*.py")
        for full_name, name in names_of(path.read_text("utf-8"))
        if name in PARTICIPLES
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_and_members_have_names_of_their_own(package: str) -> None:
    assert participles(package) - WIRE.keys() == set()


def test_the_names_on_a_wire_are_there() -> None:
    assert {name for package in PACKAGES for name in participles(package)} == WIRE.keys()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def _found():\n    told = 1\n", [("_found", "found")]),
        ("class A:\n    told: int\n\n    def _shown(self): ...\n", [("A.told", "told"), ("A._shown", "shown")]),
        ("told = 1\n", []),
    ],
)
def test_the_names_of_a_module(source: str, names: list[tuple[str, str]]) -> None:
    assert list(names_of(source)) == names
