"""A real Vim with ALE in a terminal, with the configuration that docs/other-editors.md shows.

``KEEPSTATE_ALE`` names another folder of ALE than that of Debian's package.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from repositories import GitRepository
from shop import JOB, METRIC, RANKING, edited
from terminal import Terminal

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "other-editors.md"
ENTER = "\r"


@pytest.fixture
def vimrc(without_editor: Callable[[str], NoReturn], surroundings: dict[str, str]) -> Path:
    """The code block of the documentation, as it stands, in front of it how ALE is found."""
    ale = Path(os.environ.get("KEEPSTATE_ALE", "/usr/share/vim-ale"))
    if shutil.which("vim") is None or not ale.is_dir():
        without_editor("NO VIM WITH ALE: run tests/editors/setup-emacs-and-vim.sh, or set KEEPSTATE_ALE")
    blocks = re.findall(r"^```vim\n(.*?)^```$", DOCUMENTATION.read_text(), re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if "ale#" in block)
    file = Path(surroundings["HOME"]) / ".vimrc"
    file.write_text(f"set nocompatible runtimepath^={ale}\n{block}")
    return file


def test_findings_and_hover(vimrc: Path, surroundings: dict[str, str], repository: GitRepository) -> None:
    repository.commit({"shop.sql": JOB})
    file = repository.write("shop.sql", edited(METRIC, RANKING))
    with Terminal(["vim", "-u", vimrc, file], surroundings, repository.folder) as terminal:
        marked = ("--SELECT window_start, category, '🛒' AS icon", ">>) WHERE place <= 10;")
        terminal.wait_for("the marks beside the lines", lambda screen: all(line in screen for line in marked))

        terminal.type(f":ALELast{ENTER}")
        terminal.wait_for("the last finding", lambda screen: "rank-range-changed: ranks 1 to 3" in screen)
        terminal.type(f":ALEFirst{ENTER}")
        terminal.wait_for("the first finding", lambda screen: "aggregate-added: COUNT(*) added" in screen)
        terminal.type(f":ALEHover{ENTER}")
        terminal.wait_for("the hover", lambda screen: "Partly compatible (aggregate-added)" in screen)

        repository.commit(message="Count what is sold")
        terminal.wait_for("the commit to count", lambda screen: ">>)" not in screen and "--SELECT" not in screen)
