"""The tests with a mark of an id of the specification, ``@pytest.mark.spec("OL-05")``.

The files are read, not run: a test is named by its function (and class), a mark that belongs to neither by its file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MarkedTest:
    path: Path
    name: str


def marked_tests(folder: Path) -> dict[str, list[MarkedTest]]:
    """The marked tests in ``folder`` by spec id, each in the order of files and lines."""
    found: dict[str, list[MarkedTest]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        text = path.read_text("utf-8")
        if "mark.spec" not in text:
            continue
        for name, spec_id in _marks(ast.parse(text).body, path.stem):
            test = MarkedTest(path, name)
            if test not in found.setdefault(spec_id, []):
                found[spec_id].append(test)
    return found


def _marks(body: list[ast.stmt], name: str) -> Iterator[tuple[str, str]]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from ((statement.name, spec_id) for spec_id in _ids(*statement.decorator_list))
        elif isinstance(statement, ast.ClassDef):
            yield from ((statement.name, spec_id) for spec_id in _ids(*statement.decorator_list))
            yield from ((f"{statement.name}.{inner}", id_) for inner, id_ in _marks(statement.body, statement.name))
        else:
            yield from ((name, spec_id) for spec_id in _ids(statement))


def _ids(*trees: ast.AST) -> Iterator[str]:
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.spec":
                for argument in node.args:
                    if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                        raise ValueError(f"line {argument.lineno}: a spec id is written out, not computed")
                    yield argument.value
