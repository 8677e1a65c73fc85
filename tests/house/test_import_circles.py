"""No module needs another one that needs it: not when it is imported, not in a function, not for a type."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("analyzer/keepstate", "server/keepstate_lsp", "pipeline/keepstate_spark")


@functools.cache
def modules() -> Mapping[str, str]:
    """The texts of all modules by their names."""
    found = {}
    for package in PACKAGES:
        folder = ROOT / package
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text("utf-8")
    return found


@functools.cache
def imports(text: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """All statements of a text that import, anywhere."""
    return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom)))


def imported(text: str, known: Iterable[str]) -> frozenset[str]:
    """The modules that a text imports anywhere; of ``from package import name`` the module ``package.name`` if there is
    one.
    """
    names = set(known)
    found = set()
    for node in imports(text):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module and not node.level:
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (full & names) or {node.module}
            if not full <= names:
                found.add(node.module)
    return frozenset(found & names)


def circle(texts: Mapping[str, str]) -> list[str]:
    """The modules of one circle, or none."""
    needed = {name: imported(text, texts) - {name} for name, text in texts.items()}
    try:
        TopologicalSorter(needed).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_is_no_circle() -> None:
    assert circle(modules()) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("keepstate.plan.scalars.over_windows", "from keepstate.plan.scalars.lowering import ScalarLowering"),
        ("keepstate.plan.lowering.from_clause", "if TYPE_CHECKING:\n    from keepstate.plan.lowering import queries"),
        (
            "keepstate_lsp.lsp.base_protocol.protocol",
            "def late() -> None:\n    import keepstate_lsp.lsp.language_server",
        ),
    ],
    ids=["at import", "for a type", "in a function"],
)
def test_a_circle_is_found_wherever_it_is_imported(module: str, line: str) -> None:
    texts = modules()
    found = circle({**texts, module: f"{texts[module]}\n{line}\n"})
    assert module in found


def test_no_import_is_relative() -> None:
    """The drawing would miss relative imports."""
    nodes = (node for text in modules().values() for node in imports(text))
    assert not [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]


def test_the_facade_names_its_modules_as_texts_and_is_imported_by_none_of_them() -> None:
    inside = [
        name
        for name, text in modules().items()
        if name.startswith("keepstate.") and "keepstate" in imported(text, ["keepstate"])
    ]
    assert inside == []
