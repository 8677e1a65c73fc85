"""Fixtures for the tests in editors: the command, and the reaction to a missing editor."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from repositories import AUTHOR

SCRIPTS = Path(sysconfig.get_path("scripts"))


@pytest.fixture(scope="session")
def without_editor() -> Callable[[str], NoReturn]:
    """Leaves a test out with a reason; fails instead where ``KEEPSTATE_EDITORS=required``."""

    def leave_out(reason: str) -> NoReturn:
        if os.environ.get("KEEPSTATE_EDITORS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)

    return leave_out


@pytest.fixture
def surroundings(isolated_git: None, tmp_path: Path) -> dict[str, str]:
    """The environment of an editor: a home of its own, and `keepstate` of this checkout on the PATH."""
    home = tmp_path / "home"
    home.mkdir()
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **AUTHOR, **folders, "HOME": str(home), "PATH": path, "LANG": "C.UTF-8"}
