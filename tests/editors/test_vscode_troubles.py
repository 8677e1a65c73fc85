"""Servers that die, are missing or must not start, in a real VS Code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from repositories import GitRepository
from vscode_sessions import BUNDLED, bare_path, play, programs, shop

__all__ = ["bare_path", "programs", "shop"]


def test_a_server_that_dies_is_started_again(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    server = f"echo $$ > {pid}; exec {sys.executable} -I -S {BUNDLED}"
    shop.git("mv", "shop.sql", "shop.fql")
    seen = play(
        "trouble.mjs",
        "death",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.fql"),
        serverPid=str(pid),
        squiggles=2,
        buttons=2,
        settings={"keepstate.server.path": ["/bin/sh", "-c", server]},
    )
    assert seen["language"] == "Flink SQL"
    assert seen["squigglesOfNextServer"] == seen["squiggles"]
    assert seen["servers"] == 5
    for wait, least in zip(seen["waits"], (1, 2, 4, 8), strict=True):
        assert wait >= least
    assert seen["message"] == "Keepstate does not run. The server ended five times within three minutes."
    assert seen["buttons"] == ["Restart Server", "Show Output"]
    assert "The server ended five times" in seen["status"]
    assert "server is started again by hand" in seen["seconds"]


def test_an_untrusted_workspace_starts_nothing_of_its_own(
    programs: None, shop: GitRepository, tmp_path: Path, bare_path: str
) -> None:
    """The server that came with the extension reads it all the same."""
    trace = tmp_path / "started"
    evil = ["/bin/sh", "-c", f": > {trace}"]
    shop.write(".vscode/settings.json", json.dumps({"keepstate.server.path": evil, "keepstate.python": str(trace)}))
    python = shop.write(".venv/bin/python", f"#!/bin/sh\n: > {trace}\n")
    python.chmod(0o755)
    seen = play(
        "untrusted.mjs",
        "untrusted",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        searchPath=bare_path,
        settings={"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"},
        squiggles=2,
    )
    assert [drawn["text"] for drawn in seen["squiggles"]] == ["COUNT(*)", "place <= 10"]
    assert "Show Report" in seen["menu"] and not {"Mark as Deployed...", "Replay a Restart..."} & set(seen["menu"])
    assert not trace.exists()


def test_a_missing_server_is_reported_in_words(programs: None, shop: GitRepository, tmp_path: Path) -> None:
    seen = play(
        "trouble.mjs",
        "missing",
        tmp_path / "vscode",
        shop.folder,
        file=str(shop.folder / "shop.sql"),
        settings={"keepstate.server.path": "/nowhere/keepstate"},
        buttons=2,
    )
    reason = "The setting `keepstate.server.path` names /nowhere/keepstate, which is not there."
    assert seen["message"] == f"Keepstate does not run. {reason}"
    assert seen["buttons"] == ["Open Settings", "Show Output"]
    assert reason in seen["status"]
