"""Starts of git, by GitPython and without it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from keepstate_lsp.baselines.git import starts


def test_the_program_is_looked_up_after_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread imports GitPython, and until it is done another program stands in the environment for git."""
    monkeypatch.setattr(starts, "_starts_plainly", False)
    monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", os.devnull)
    imported = starts._git

    def awaited() -> Any:
        monkeypatch.delenv("GIT_PYTHON_GIT_EXECUTABLE")
        return imported()

    monkeypatch.setattr(starts, "_git", awaited)
    process = starts.started(["version"], {}, None)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0 and said.startswith(b"git version")


def test_a_plain_start_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "_git", lambda: pytest.fail("GitPython was imported"))
    with starts.plain_starts():
        process = starts.started(["version"], {}, None)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0 and said.startswith(b"git version")
