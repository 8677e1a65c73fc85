"""No function forgets a kind of operator: the type checker asks for each, where the function says that it has all."""

from __future__ import annotations

import ast
import re
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
    """Each ``match`` over the kinds of an operator, by its function: ``plan/metadata/output_rows._output_columns``."""
    for folder in ("analyzer", "server", "pipeline"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            # Few modules have one, and each worker of the tests reads them all.
            if re.search(r"^ +match ", text := path.read_text("utf-8"), re.MULTILINE):
                module = "/".join(path.relative_to(ROOT).with_suffix("").parts[2:])
                yield from matches_below(ast.parse(text), module)


def matches_below(node: ast.AST, name: str) -> Iterator[tuple[str, ast.Match]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.Match) and not isinstance(child.subject, ast.Tuple) and len(kinds(child)) > FEW:
            yield name, child
        scope = isinstance(child, (ast.ClassDef, ast.FunctionDef))
        yield from matches_below(child, f"{name}.{child.name}" if scope else name)


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


def test_the_page_about_a_new_operator_has_each_function() -> None:
    page = (ROOT / "docs" / "adding-an-operator.md").read_text("utf-8")
    functions = [function for function, _ in matches()]
    assert len(functions) > 10
    assert sorted(re.findall(r"^\| `(?!tests/)(\w+(?:/\w+)+\.[\w.]+)` \|", page, re.MULTILINE)) == sorted(functions)
