"""Names of variables and parameters: nouns, and no participles or pronouns in the place of nouns (docs/style.md)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("analyzer", "server", "pipeline")
MOST = {
    "told": (1, 0, 0),
    "known": (5, 2, 1),
    "shown": (0, 0, 0),
    "theirs": (1, 0, 0),
    "mine": (0, 0, 0),
    "given": (0, 4, 0),
    "what": (0, 2, 1),
    "made": (0, 1, 0),
    "gone": (3, 0, 0),
    "asked": (1, 5, 0),
    "said": (0, 1, 0),
    "meant": (0, 0, 0),
    "found": (7, 11, 1),
    "wanted": (0, 1, 2),
    "written": (4, 6, 0),
    "kept": (7, 2, 0),
    "stored": (6, 0, 0),
    "read": (3, 0, 1),
    "named": (4, 1, 0),
    "moved": (8, 0, 0),
    "chosen": (0, 0, 0),
    "taken": (2, 0, 0),
    "reached": (4, 0, 0),
    "held": (25, 0, 0),
    "done": (3, 0, 2),
    "here": (0, 1, 0),
    "there": (0, 1, 0),
    "used": (0, 1, 0),
    "lost": (0, 0, 0),
    "met": (0, 0, 0),
    "matched": (1, 0, 0),
    "joined": (0, 0, 0),
    "put": (0, 0, 0),
    "drawn": (0, 0, 0),
    "sent": (0, 0, 1),
    "changed": (0, 2, 0),
    "needed": (0, 0, 0),
    "those": (0, 0, 0),
}
"""The most uses of a name in each of ``PACKAGES``. The numbers only fall: what is left are fields of classes, words of
Flink and of the planner (the row that an operator has *held*), and booleans (``found = False``)."""


def bound_names(source: str) -> Iterator[str]:
    """The names that a module binds: variables, fields and parameters, as often as it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)) and node.name is not None:
            yield node.name


@pytest.fixture(scope="module")
def names() -> dict[str, Counter[str]]:
    return {
        package: Counter(
            name for path in (ROOT / package).rglob("*.py") for name in bound_names(path.read_text("utf-8"))
        )
        for package in PACKAGES
    }


def too_many(name: str, names: dict[str, Counter[str]]) -> list[str]:
    """The packages in which a name is used more often than ``MOST`` allows."""
    return [
        f"{package}: {name} {names[package][name]} times, at most {most}"
        for package, most in zip(PACKAGES, MOST[name], strict=True)
        if names[package][name] > most
    ]


@pytest.mark.parametrize("name", MOST)
def test_a_participle_is_no_noun(name: str, names: dict[str, Counter[str]]) -> None:
    assert too_many(name, names) == []


@pytest.mark.parametrize(
    ("source", "bound"),
    [
        ("told = 1\n", ["told"]),
        ("def f(told, *, shown=()):\n    return [mine for mine in shown]\n", ["told", "shown", "mine"]),
        ("if told := read():\n    pass\n", ["told"]),
        ("match value:\n    case [told, *shown]:\n        pass\n", ["told", "shown"]),
        ("try:\n    pass\nexcept OSError as told:\n    pass\n", ["told"]),
        ("lambda told: told.shown\n", ["told"]),
        ("told_apart = f(told=shown)\n", ["told_apart"]),
    ],
)
def test_the_names_of_a_module_are_counted(source: str, bound: list[str]) -> None:
    assert sorted(bound_names(source)) == sorted(bound)


def test_one_name_more_is_one_too_many() -> None:
    names = {package: Counter({"told": most}) for package, most in zip(PACKAGES, MOST["told"], strict=True)}
    assert too_many("told", names) == []
    names["server"].update(bound_names("def f(text):\n    told = text.strip()\n    return told\n"))
    assert too_many("told", names) == ["server: told 1 times, at most 0"]
