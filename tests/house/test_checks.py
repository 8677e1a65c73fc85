"""The checks before a change lands: style, types and layers, of all Python files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]


@pytest.fixture(scope="module")
def python_files() -> list[str]:
    run = subprocess.run(["git", "ls-files", "--", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip("not a checkout: nobody knows which files are ours")
    return run.stdout.splitlines()


def outside(files: list[str], folders: list[str]) -> list[str]:
    return [file for file in files if not any(file.startswith(f"{folder}/") for folder in folders)]


def test_all_python_is_checked_for_style(python_files: list[str]) -> None:
    checked = re.search(r"^PYTHON_CODE := (.*)$", MAKEFILE, re.MULTILINE)
    assert checked and outside(python_files, checked[1].split()) == []


def test_the_types_of_all_but_the_tests_are_checked_strictly(python_files: list[str]) -> None:
    mypy = TOOLS["mypy"]
    assert outside(python_files, [*mypy["files"], "tests"]) == []
    assert mypy["strict"] and "exclude" not in mypy
    # As the oldest Python that is promised.
    assert mypy["python_version"] == "3.10"
    # Ours are never let off; what comes without types is.
    loosened = [module for override in mypy["overrides"] for module in override["module"]]
    assert not [module for module in loosened if module.startswith("keepstate")]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
def test_ci_runs_all_checks_and_all_tests() -> None:
    assert re.search(r"^exec make test\b", (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    run = subprocess.run(
        ["make", "--dry-run", "test", "VENV=venv", "NPM="], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    commands = [line for line in run.stdout.splitlines() if line.startswith("venv/bin/")]
    names = [" ".join(command.removeprefix("venv/bin/").split()[:2]) for command in commands]
    assert [name for name in names if not name.startswith("python")] == [
        "ruff check",
        "ruff format",
        "mypy",
        "lint-imports",
        "pytest -n",
    ]
    # None of them is let off when it fails.
    assert not [command for command in commands if "||" in command]
