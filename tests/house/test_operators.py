"""No function forgets a kind of operator: the type checker asks for each, where the function says that it has all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from keepstate.plan import operators
from keepstate.plan.operators import AnyOperator, Operator, UnaryOperator

ROOT = Path(__file__).parents[2]
KINDS = frozenset(kind.__name__ for kind in get_args(AnyOperator))
FEW = 3
"""A function about so many kinds is about these, and no other one concerns it."""


def subclasses(kind: type[Operator]) -> Iterator[type[Operator]]:
    for below in kind.__subclasses__():
        yield below
        yield from subclasses(below)


def matches() -> Iterator[tuple[str, ast.Match]]:
    """Each ``match`` over the kinds of one operator, with its place."""
    for folder in ("analyzer", "server", "pipeline"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Match) and not isinstance(node.subject, ast.Tuple) and len(kinds(node)) > FEW:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def kinds(node: ast.Match) -> set[str]:
    patterns = (part for case in node.cases for part in ast.walk(case.pattern) if isinstance(part, ast.MatchClass))
    return {pattern.cls.id for pattern in patterns if isinstance(pattern.cls, ast.Name)} & KINDS


@pytest.mark.parametrize(("place", "node"), [pytest.param(*both, id=both[0]) for both in matches()])
def test_a_function_of_operators_has_a_case_for_each_kind(place: str, node: ast.Match) -> None:
    assert ast.unparse(node.cases[-1]) == "case other:\n    unhandled(other)", place


def test_every_operator_is_of_a_kind() -> None:
    every = {*subclasses(Operator)} - {UnaryOperator}
    assert len(every) > 20
    assert [each for each in every if not issubclass(each, get_args(AnyOperator))] == []
    assert {*operators.__all__} >= KINDS


def test_many_functions_are_looked_at() -> None:
    assert len(list(matches())) > 10
