"""The collection of the tests on Windows: no module of a test imports there what only Unix has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
OF_UNIX = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
SOURCES = (ROOT / "analyzer", ROOT / "server", ROOT / "pipeline", *(path for path in TESTS.iterdir() if path.is_dir()))


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports before anything else runs; what stands behind a test of the platform is not."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.If) and "sys.platform" in ast.unparse(node.test):
            if any("pytest.skip" in ast.unparse(one) for one in node.body):
                return
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def file_of(module: str) -> Path | None:
    for folder in SOURCES:
        path = folder.joinpath(*module.split("."))
        for found in (path.with_suffix(".py"), path / "__init__.py"):
            if found.is_file():
                return found
    return None


@cache
def reaches_unix(path: Path) -> bool:
    names = set(imported(path))
    if names & OF_UNIX:
        return True
    # No circle of imports is in the source (test_import_circles.py).
    return any(reaches_unix(found) for name in names if (found := file_of(name)) is not None and found != path)


def test_what_needs_unix_is_left_out() -> None:
    listed = ast.parse((TESTS / "conftest.py").read_text("utf-8")).body
    (left_out,) = (
        ast.literal_eval(node.value)
        for node in listed
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ON_UNIX"
    )
    assert reaches_unix(ROOT / "pipeline/keepstate_spark/audit/sandbox.py")
    assert not reaches_unix(ROOT / "server/keepstate_lsp/files/lock.py")
    found = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py") if reaches_unix(path)}
    assert found == set(left_out)
