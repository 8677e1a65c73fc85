"""docs/commands.md: each command has its row, and each command and option that the page shows is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from keepstate_lsp.cli.parser import COMMANDS, parsed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")
SHOWN = re.findall(r"^\| `keepstate ([^`]+)` \|", PAGE, re.MULTILINE)


def test_each_command_has_its_row() -> None:
    assert {line.split()[0] for line in SHOWN} == set(COMMANDS)


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_of_the_page_is_read(line: str) -> None:
    words = shlex.split(line.replace("[FILE...]", "FILE").replace("...", ""))
    # A word that is not of the command raises an error.
    parsed(words)


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text("utf-8").count("\n") < 120
