"""The playground as `make web` builds it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "vscode-client"


@pytest.fixture(scope="session")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built playground. Nothing is downloaded for it."""
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    if not (CLIENT / "node_modules" / "pyodide").is_dir():
        pytest.skip("the packages of vscode-client are missing: make client installs them")
    built: Path = tmp_path_factory.mktemp("playground") / "built"
    command = ["node", str(CLIENT / "playground" / "build.mjs"), str(built)]
    environment = {**os.environ, "PYTHON": sys.executable}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return built
