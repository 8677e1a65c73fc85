"""The checks before a change lands: style, types and layers, of all Python files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]


@pytest.fixture(scope="module")
def python_files() -> list[str]:
    run = subprocess.run(["git", "ls-files", "--", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip("not a checkout: nobody knows which files are ours")
    return run.stdout.splitlines()


def outside(files: list[str], folders: list[str]) -> list[str]:
    return [file for file in files if not any(file.startswith(f"{folder}/") for folder in folders)]


def commands_of(target: str) -> list[list[str]]:
    """Words of each command of .venv that `make` runs for a target, without the folder."""
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    # Where all is set up, and without npm: what is left is the checks.
    variables = ("VENV=venv", "NPM=", "KEEPSTATE_EDITORS=off")
    run = subprocess.run(
        ["make", "--dry-run", target, *variables], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    commands = [line.split() for line in run.stdout.splitlines() if line.startswith("venv/bin/")]
    # None of them is let off when it fails.
    assert not [command for command in commands if "||" in command]
    return [[command[0].removeprefix("venv/bin/"), *command[1:]] for command in commands]


def test_all_python_is_checked_for_style(python_files: list[str]) -> None:
    for tool in ("check", "format"):
        (folders,) = [words[2:] for words in commands_of("lint") if words[:2] == ["ruff", tool]]
        assert outside(python_files, folders) == []


def test_the_types_of_all_but_the_tests_are_checked_strictly(python_files: list[str]) -> None:
    mypy = TOOLS["mypy"]
    assert outside(python_files, [*mypy["files"], "tests"]) == []
    assert mypy["strict"] and "exclude" not in mypy
    # As the oldest Python that is promised.
    assert mypy["python_version"] == "3.10"
    # Ours are never let off; what comes without types is.
    loosened = [module for override in mypy["overrides"] for module in override["module"]]
    assert not [module for module in loosened if module.startswith("keepstate")]


def test_each_tier_runs_its_checks_and_no_test_runs_twice() -> None:
    """CI runs both tiers, of which the second leaves out what the first ran."""
    lint = ["ruff check", "ruff format", "mypy", "lint-imports"]
    first, both = (
        [
            " ".join(words if words[0] == "pytest" else words[:2])
            for words in commands_of(target)
            if words[0] != "python"
        ]
        for target in ("test", "test-all")
    )
    tiers = [[name.partition(" -m ")[2] for name in names if name.startswith("pytest")] for names in (first, both)]
    assert [name for name in first if not name.startswith("pytest")] == lint
    assert [name for name in both if not name.startswith("pytest")] == lint
    assert tiers == [['"not full"'], ['"not full"', '"full"']]
    assert (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1].split()[:3] == ["exec", "make", "test-all"]


def test_no_two_helpers_of_tests_have_one_name() -> None:
    """A helper is found by its name in the folders of ``pythonpath``: of two of one name tests get the first."""
    folders = TOOLS["pytest"]["ini_options"]["pythonpath"]
    modules = [path.name for folder in folders for path in (ROOT / folder).glob("*.py")]
    shared = {name for name, count in Counter(modules).items() if count > 1 and not name.startswith("test_")}
    assert shared <= {"conftest.py", "__init__.py"}
