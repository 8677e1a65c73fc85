"""Folders of the source: few modules each, and a line that says what they hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("analyzer/keepstate", "server/keepstate_lsp", "pipeline/keepstate_flink", "pipeline/keepstate_spark")
MOST_MODULES = 15
FOLDERS = sorted(
    path.parent.relative_to(ROOT).as_posix() for package in PACKAGES for path in (ROOT / package).rglob("__init__.py")
)


def test_the_folders_are_found() -> None:
    assert len(FOLDERS) > 40


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_is_small_and_says_what_it_holds(folder: str) -> None:
    modules = [path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    below = [path for path in (ROOT / folder).iterdir() if (path / "__init__.py").exists()]
    assert len(modules) <= MOST_MODULES
    assert modules or below, "an empty folder"
    text = (ROOT / folder / "__init__.py").read_text("utf-8")
    assert ast.get_docstring(ast.parse(text)), "a line that says what it holds is missing"


def test_a_newcomer_finds_each_folder() -> None:
    """Each has its name in a row of "Find your way"; the pages of the rules share one."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = text.partition("## Find your way")[2].partition("\n## ")[0]
    named = {part for path in re.findall(r"`([\w./-]+)`", rows) for part in path.split("/")}
    folders = [folder for folder in FOLDERS if "/rules/pages/" not in folder]
    assert [folder for folder in folders if folder.rpartition("/")[2] not in named] == []
