"""docs/how-flink-state-works.md: each restart that it names was measured so, and its drawings are fresh."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from state_drawings import DRAWINGS, main

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-flink-state-works.md").read_text("utf-8")
MEASURED: dict[str, set[str]] = {}
for restart, cells in re.findall(
    r"^\| \[[^|]*\| `([^`]+)` \|(.*)\|$", (DOCS / "conformance.md").read_text("utf-8"), re.M
):
    MEASURED.setdefault(restart, set()).update(cell.strip(" *") for cell in cells.split("|"))
NAMED = re.findall(r"^\| .* \| `([^`]+)` \| ([a-z ]+) \|$", PAGE, re.MULTILINE)


def test_the_restarts_are_found() -> None:
    tables = re.findall(r"^\| edit \| restart \|.*\n\|---.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert len(NAMED) == sum(table.count("\n") for table in tables) > 20


@pytest.mark.parametrize(("restart", "outcome"), NAMED)
def test_a_restart_did_what_the_page_says(restart: str, outcome: str) -> None:
    assert MEASURED[restart] == {outcome}


def test_the_drawings_are_fresh_and_shown() -> None:
    assert main(["--check"]) == 0
    assert set(re.findall(r"images/(state-[\w-]+\.svg)", PAGE)) == set(DRAWINGS)
