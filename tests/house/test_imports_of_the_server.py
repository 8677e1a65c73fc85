"""Allowed imports in the server and the command line: git, rich, and nothing heavy where speed is promised."""

from __future__ import annotations

import ast
import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server/keepstate_lsp"


@functools.cache
def imported(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return frozenset(found)


def importers(package: str) -> set[str]:
    folders = (SERVER, ROOT / "analyzer/keepstate")
    return {
        path.relative_to(folder).as_posix()
        for folder in folders
        for path in folder.rglob("*.py")
        if any(name.split(".")[0] == package for name in imported(path))
    }


def test_git_is_touched_by_baselines_only() -> None:
    assert {path.split("/")[0] for path in importers("git")} == {"baselines"}
    assert not importers("gitdb")
    runs_programs = {
        path for path in importers("subprocess") | importers("pty") if path.startswith(("baselines", "cli"))
    }
    # Short commands start git without GitPython. The demo makes a repository of its own, and starts what it shows. A
    # command starts the process that keeps Spark warm.
    assert runs_programs == {
        "baselines/git/starts.py",
        "cli/commands/spark/client.py",
        *(f"cli/commands/demo/{name}.py" for name in ("language_client", "programs")),
    }


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        ("--version", "sqlglot git gitdb rich lsprotocol pygls keepstate.check"),
        (
            "diff base.sql current.sql --format json",
            "git gitdb rich lsprotocol pygls asyncio sqlglot.parser _hashlib ctypes",
        ),
        (
            "diff base.sql current.sql",
            "git gitdb rich.markdown lsprotocol pygls keepstate.physical sqlglot.dialects _hashlib ctypes",
        ),
        ("check current.sql --format json", "git gitdb rich lsprotocol pygls keepstate_spark pyspark"),
    ],
)
def test_commands_import_what_they_need(tmp_path: Path, arguments: str, unwanted: str) -> None:
    (tmp_path / "base.sql").write_text("INSERT INTO a SELECT COUNT(*) FROM b GROUP BY c;")
    (tmp_path / "current.sql").write_text("INSERT INTO a SELECT COUNT(*) FROM b GROUP BY d;")
    code = (
        "import json, sys; from keepstate_lsp.cli.main import main;"
        f"main({arguments.split()!r}); sys.stdout.flush(); print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    output = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True)
    loaded = set(json.loads(output.stderr.splitlines()[-1]))
    assert not loaded & set(unwanted.split())


def test_the_server_answers_before_anything_heavy_is_loaded() -> None:
    code = "import json, sys, keepstate_lsp.lsp.server; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = set(json.loads(output.stdout))
    assert "pygls.lsp.server" in loaded
    assert loaded.isdisjoint(
        ("sqlglot", "git", "rich", "keepstate.plan", "keepstate.syntax.script", "keepstate.engines")
    )
    assert loaded.isdisjoint(("keepstate_spark", "pyspark", "py4j"))
