"""The how-tos of docs/cutover.md to their end: the state that Spark computes, and the proof on a real Flink."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from how_tos import HowTo, deployed_shop, edit, how_tos
from keepstate_flink.installation import NEWEST, full_version
from keepstate_lsp.cli.main import main
from test_how_tos import MARK

VERSION = full_version(NEWEST)
pytestmark = [
    pytest.mark.skipif(VERSION is None, reason="no Flink is installed: make flink"),
    pytest.mark.xdist_group("flink"),
]
HOW_TOS = tuple(how_tos())


@pytest.mark.parametrize("how_to", HOW_TOS, ids=[each.title for each in HOW_TOS])
def test_every_command_works(
    how_to: HowTo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = deployed_shop(tmp_path / "shop-jobs")
    monkeypatch.chdir(shop.folder)
    assert main(shlex.split(MARK)[1:]) == 0
    edit(shop, how_to)
    for command in how_to.commands:
        words = shlex.split(command)[1:]
        if "--prove" in words:
            # The jobs run on an older Flink, which the first use would download.
            words += ["--flink", VERSION or ""]
        capsys.readouterr()
        assert main(words) == 0, capsys.readouterr()
    out = capsys.readouterr().out
    if "--prove" in how_to.commands[-1]:
        assert "| equal |" in out
    else:
        found = [line.rstrip() for line in out.splitlines()]
        assert all(line.rstrip() in found for line in how_to.shown[-1].splitlines())
