"""A real Emacs in a terminal, with the configuration that docs/emacs.md shows.

``KEEPSTATE_EMACS`` names another Emacs than the one on the PATH.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from repositories import GitRepository
from shop import JOB, METRIC, RANKING, edited
from terminal import Terminal

HERE = Path(__file__).parent
DOCUMENTATION = HERE.parents[1] / "docs" / "emacs.md"
MENDED = edited(METRIC)


@pytest.fixture(scope="module")
def emacs(without_editor: Callable[[str], NoReturn]) -> str:
    """An Emacs that has eglot: built in from 29 on, a package for older ones."""
    found = shutil.which(os.environ.get("KEEPSTATE_EMACS", "emacs"))
    if found is None:
        without_editor("NO EMACS: run tests/editors/setup-emacs-and-vim.sh, or set KEEPSTATE_EMACS")
    asked = [found, "--batch", "--eval", "(progn (package-activate-all) (require 'eglot))"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        without_editor(f"AN EMACS WITHOUT EGLOT ({found}): install elpa-eglot\n{answer.stderr}")
    return found


@pytest.fixture
def surroundings_of_emacs(surroundings: dict[str, str]) -> dict[str, str]:
    """The environment with an init file: the code blocks of the documentation, as they stand."""
    blocks = re.findall(r"^```elisp\n(.*?)^```$", DOCUMENTATION.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    init = Path(surroundings["HOME"]) / ".emacs.d" / "init.el"
    init.parent.mkdir()
    init.write_text("\n".join(blocks))
    return surroundings


def play(emacs: str, environment: dict[str, str], file: Path, scratch: Path, patience: int = 60) -> dict[str, Any]:
    """Play the session and return what was seen, also where a step failed."""
    plan, seen = scratch / "plan.json", scratch / "seen.json"
    plan.write_text(
        json.dumps(
            {
                "seen": str(seen),
                "file": str(file),
                "patience": patience,
                "edits": [{"old": old, "new": new} for old, new in (METRIC, RANKING)],
                "fix_on": "rank-range-changed",
                "fix": "Restore ",
                "tag": "v1",
                "deployed": "refs/keepstate/deployed/production",
            }
        )
    )
    command = [emacs, "--no-splash", "-nw", file, "--load", HERE / "emacs_session.el"]
    with Terminal(command, {**environment, "KEEPSTATE_PLAN": str(plan)}, file.parent) as terminal:
        terminal.wait_for_end(seconds=200)
        assert seen.exists(), terminal.screen
        # What was on the screen at the end, should something have failed.
        print(terminal.screen)
    result: dict[str, Any] = json.loads(seen.read_text())
    return result


def test_one_session(
    emacs: str, surroundings_of_emacs: dict[str, str], repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"shop.sql": JOB.replace("'10' MINUTES", "'1' HOUR")})
    repository.git("tag", "v1")
    repository.commit({"shop.sql": JOB})
    seen = play(emacs, surroundings_of_emacs, repository.folder / "shop.sql", tmp_path)
    assert "failure" not in seen, "\n".join((seen["failure"], *seen["conversation"]))

    lines = JOB.splitlines()
    line = next(number for number, text in enumerate(lines) if "🛒" in text)
    assert seen["status_before"] == "unchanged · HEAD"
    assert seen["status"] == "incompatible · HEAD"
    added, ranking = seen["findings"]
    assert (added["text"], added["type"]) == ("COUNT(*)", "eglot-warning")
    # Emacs counts characters: the emoji before it is one.
    assert (added["line"], added["column"]) == (line + 1, lines[line].index("SUM(amount)"))
    assert "[aggregate-added]" in added["message"]
    assert ranking["type"] == "eglot-error" and ranking["text"].endswith("10")
    if seen["eglot_shows_inlays"]:
        assert any(inlay.endswith(" starts empty") for inlay in seen["inlays"])

    assert "COUNT(*) added" in seen["hover"].replace("\\", "") and "Partly compatible" in seen["hover"]
    assert all(
        re.search(r"compatible|unknown|^Open the page|^Accept|^Compare|^Plan a cutover", title)
        for title in seen["titles"]
    )
    assert seen["mended"] == MENDED

    assert seen["comparison_mode"] == "diff-mode"
    comparison = seen["comparison"].splitlines()
    assert f"-{lines[line]}" in comparison and f"+{MENDED.splitlines()[line]}" in comparison
    assert any("[aggregate-added]" in text for text in comparison)
    assert seen["baseline"] == JOB
    assert "shop.sql" in seen["report"]
    assert "COUNT" in seen["plan"]
    assert seen["status_of_tag"] == "incompatible · v1"
    assert repository.git("show", "refs/keepstate/deployed/production", "--stat")


def test_a_broken_server_fails_the_session(
    emacs: str, surroundings_of_emacs: dict[str, str], repository: GitRepository, tmp_path: Path
) -> None:
    """The session above would notice."""
    broken = tmp_path / "bin" / "keepstate"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    path = f"{broken.parent}{os.pathsep}{surroundings_of_emacs['PATH']}"
    repository.commit({"shop.sql": JOB})
    seen = play(emacs, {**surroundings_of_emacs, "PATH": path}, repository.folder / "shop.sql", tmp_path, patience=3)
    assert seen["failure"] == "did not come: the server"
