"""A real Helix in a terminal, with the configuration that docs/helix.md shows: keys go in, and the screen is read.

``KEEPSTATE_HELIX`` names another Helix than the one on the PATH, or the one that tests/editors/setup-helix.sh unpacked.
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
from shop import JOB, METRIC, edited
from terminal import Terminal

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "helix.md"
UNPACKED = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "helix"
    / "hx"
)
ENTER, ESCAPE, DOWN = "\r", "\x1b", "\x1b[B"
MENDED = edited(METRIC)


@pytest.fixture(scope="module")
def helix(without_editor: Callable[[str], NoReturn]) -> str:
    found = os.environ.get("KEEPSTATE_HELIX") or shutil.which("hx") or shutil.which("helix")
    if found is None and UNPACKED.exists():
        found = str(UNPACKED)
    if found is None:
        without_editor("NO HELIX: run tests/editors/setup-helix.sh, or set KEEPSTATE_HELIX")
    return found


@pytest.fixture
def configured(surroundings: dict[str, str]) -> dict[str, str]:
    """The environment with the files of the documentation, as they stand; each begins with its name."""
    folder = Path(surroundings["XDG_CONFIG_HOME"]) / "helix"
    folder.mkdir(parents=True)
    blocks = re.findall(r"^```toml\n(# (\S+)\n.*?)^```$", DOCUMENTATION.read_text(), re.MULTILINE | re.DOTALL)
    for block, name in blocks:
        (folder / name).write_text(block)
    assert {path.name for path in folder.iterdir()} == {"languages.toml", "config.toml"}
    return surroundings


def test_one_session(helix: str, configured: dict[str, str], repository: GitRepository) -> None:
    repository.commit({"shop.sql": JOB})
    file = repository.folder / "shop.sql"
    with Terminal([helix, file], configured, repository.folder, columns=240) as terminal:
        terminal.wait_for("the file", lambda screen: "NOR   shop.sql" in screen)

        # What was SUM(amount), behind the emoji, becomes two metrics; the ranking becomes longer.
        for keys in (f"/SUM{ENTER}iCOUNT(*) AS sold, ", f"/<= 3{ENTER}c<= 10"):
            terminal.type(keys)
            terminal.wait_for("the text to be typed", lambda screen: " INS " in screen)
            # Alone, since with a key right behind it the two would be another key.
            terminal.type(ESCAPE)
            terminal.wait_for("the end of the edit", lambda screen: " NOR " in screen)
        terminal.wait_for("the findings", lambda screen: "ranks 1 to 3 → ranks 1 to 10" in screen)
        terminal.wait_for("an error and a warning in the status line", lambda screen: "● 1 ● 1" in screen)

        terminal.type("gg]d")
        # Inlay hints are asked for after a key.
        hint = "starts empty"
        screen = terminal.wait_for("the inlay hints", lambda screen: hint in screen)
        (metric,) = (line for line in screen.splitlines() if "🛒" in line)
        assert hint in metric

        terminal.type(" k")
        said = ("Partly compatible", "COUNT(*) added", "starts empty: COUNT(*)")
        terminal.wait_for("the hover", lambda screen: all(words in screen for words in said))
        terminal.type(ESCAPE)
        terminal.wait_for("the hover to go", lambda screen: "Partly compatible" not in screen)

        terminal.type("]d a")
        terminal.wait_for("the quick-fixes", lambda screen: "Restore " in screen)
        # The first one.
        terminal.type(ENTER)
        terminal.wait_for("the findings after the fix", lambda screen: "ranks 1 to 3" not in screen and "● 1" in screen)
        terminal.type(f":w{ENTER}")
        terminal.wait_for("the file to be written", lambda screen: "[+]" not in screen and "written" in screen)
        assert file.read_text() == MENDED

        terminal.type(f":lsp-workspace-command keepstate.compareText{ENTER}")
        screen = terminal.wait_for("the address of the comparison", lambda screen: ".diff" in screen)
        address = re.search(r"file://(/\S+\.diff)", screen)
        assert address
        terminal.type(f":open {address[1]}{ENTER}")
        shown = (
            "as it is now",
            "# partly compatible [aggregate-added]",
            "-SELECT window_start, category, '🛒' AS icon, SUM(amount)",
            "+SELECT window_start, category, '🛒' AS icon, COUNT(*) AS sold, SUM(amount)",
        )
        terminal.wait_for("the comparison", lambda screen: all(words in screen for words in shown))
        terminal.type(f":buffer-close{ENTER}")
        terminal.wait_for("the file again", lambda screen: "as it is now" not in screen and "● 1" in screen)

        repository.commit(message="Count what is sold")
        terminal.wait_for("the commit to count", lambda screen: "●" not in screen)


def test_a_broken_server_fails_the_session(helix: str, configured: dict[str, str], repository: GitRepository) -> None:
    """The session above would notice."""
    broken = Path(configured["HOME"]) / "bin" / "keepstate"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    repository.commit({"shop.sql": JOB})
    file = repository.write("shop.sql", MENDED)
    environment = {**configured, "PATH": f"{broken.parent}{os.pathsep}{configured['PATH']}"}
    with Terminal([helix, file], environment, repository.folder) as terminal:
        terminal.wait_for("the file", lambda screen: "NOR   shop.sql" in screen)
        with pytest.raises(AssertionError, match="did not come: the findings"):
            terminal.wait_for("the findings", lambda screen: "● 1" in screen, seconds=3)
