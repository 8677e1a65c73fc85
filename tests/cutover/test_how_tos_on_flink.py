"""The how-tos of docs/cutover.md to their end: the state that Spark computes, and the proof on a real Flink."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from how_tos import HowTo, deployed_shop, edit, how_tos
from keepstate_flink.installation import NEWEST, full_version
from test_how_tos import MARK

VERSION = full_version(NEWEST)
pytestmark = [
    pytest.mark.skipif(VERSION is None, reason="no Flink is installed: make flink"),
]
HOW_TOS = tuple(how_tos())


def run(command: str, folder: Path) -> str:
    """The output of a command of the page, in a process of its own: one JVM for each."""
    words = shlex.split(command)[1:]
    if "--prove" in words:
        # The jobs run on an older Flink, which the first use would download.
        words += ["--flink", VERSION or ""]
    done = subprocess.run(
        [sys.executable, "-m", "keepstate_lsp.cli.main", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("how_to", HOW_TOS, ids=[each.title for each in HOW_TOS])
def test_every_command_works(how_to: HowTo, tmp_path: Path) -> None:
    shop = deployed_shop(tmp_path / "shop-jobs")
    run(MARK, shop.folder)
    edit(shop, how_to)
    *_, last = (run(command, shop.folder) for command in how_to.commands)
    if "--prove" in how_to.commands[-1]:
        assert "| equal |" in last
    else:
        found = [line.rstrip() for line in last.splitlines()]
        assert all(line.rstrip() in found for line in how_to.shown[-1].splitlines())
