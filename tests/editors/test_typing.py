"""Edits typed letter by letter in real editors: no finding appears that the finished edit does not have."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from recordings import RECORDER, assert_only_finished_findings, committed, plan
from repositories import GitRepository
from test_neovim import configuration, nvim, play
from vscode_sessions import play as play_in_vscode
from vscode_sessions import programs

__all__ = ["configuration", "nvim", "programs"]


def test_in_neovim(
    nvim: str, configuration: Path, repository: GitRepository, surroundings: dict[str, str], tmp_path: Path
) -> None:
    committed(repository)
    record, bin_folder = tmp_path / "record.jsonl", tmp_path / "bin"
    bin_folder.mkdir()
    command = bin_folder / "keepstate"
    command.write_text(f"#!/bin/sh\nexec {sys.executable} {RECORDER} {record} {sys.executable} -m keepstate_lsp\n")
    command.chmod(0o755)
    path = f"{bin_folder}{os.pathsep}{surroundings['PATH']}"
    edits = plan(repository.folder)
    first = Path(edits[0]["file"])
    play(nvim, configuration, first, {**surroundings, "PATH": path}, "neovim_typing.lua", edits=edits)
    assert_only_finished_findings(record)


def test_in_vscode(programs: None, repository: GitRepository, tmp_path: Path) -> None:
    committed(repository)
    record = tmp_path / "record.jsonl"
    play_in_vscode(
        "typing.mjs",
        "typing",
        tmp_path / "vscode",
        repository.folder,
        edits=plan(repository.folder),
        record=str(record),
        settings={
            "keepstate.server.path": [
                sys.executable,
                str(RECORDER),
                str(record),
                sys.executable,
                "-m",
                "keepstate_lsp",
            ],
            "editor.autoClosingBrackets": "never",
            "editor.autoClosingQuotes": "never",
            "editor.quickSuggestions": False,
            "editor.suggestOnTriggerCharacters": False,
            "editor.acceptSuggestionOnEnter": "off",
        },
    )
    assert_only_finished_findings(record)
