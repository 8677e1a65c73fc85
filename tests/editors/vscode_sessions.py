"""Sessions in a real VS Code: the programs, the repository of a shop, and what was on the screen.

`tests/editors/vscode/setup.sh` puts VS Code (code-server), a browser and the packaged extension in place, and `make
test-all` runs it. Without them these tests are skipped, or fail where `KEEPSTATE_EDITORS=required` (as `make
test-editors` sets it); `KEEPSTATE_EDITORS=off` leaves them out. The pictures that a session takes stay in
vscode-client/out/pictures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repositories import GitRepository
from shop import JOB, METRIC, RANKING, edited

HERE = Path(__file__).parent / "vscode"
ROOT = Path(__file__).parents[2]
VSIX = ROOT / "vscode-client" / "keepstate.vsix"
BUNDLED = ROOT / "vscode-client" / "bundled"
PICTURES = ROOT / "vscode-client" / "out" / "pictures"
"""Folder of the pictures of the last sessions."""
CACHE = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "vscode"
)
EDITED = edited(METRIC, RANKING)


@pytest.fixture(scope="module")
def programs() -> None:
    wish = os.environ.get("KEEPSTATE_EDITORS", "")
    if wish == "off":
        pytest.skip("KEEPSTATE_EDITORS=off")
    missing = [path for path in (CACHE / "ready", VSIX) if not path.is_file()]
    if missing:
        reason = f"no {missing[0]}: run tests/editors/vscode/setup.sh"
        if wish == "required":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture
def shop(repository: GitRepository) -> GitRepository:
    """A repository whose job was edited after the last commit."""
    repository.commit({"shop.sql": JOB})
    repository.write("shop.sql", EDITED)
    return repository


@pytest.fixture
def bare_path(tmp_path: Path) -> str:
    """A PATH with git and a Python, and no Keepstate: the server that came with the extension is started."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    return os.pathsep.join((str(folder), os.defpath))


def play(script: str, name: str, scratch: Path, folder: Path, **plan: Any) -> dict[str, Any]:
    """Runs a session in VS Code and returns what was seen, also where a step failed.

    The sessions of a worker share the installed extension: to install it takes as long as to open the editor.
    """
    scratch.mkdir(exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    plan_file = scratch / "plan.json"
    extensions = scratch.parents[1] / "vscode-extensions"
    places = {"cache": CACHE, "scratch": scratch, "vsix": VSIX, "extensions": extensions, "pictures": PICTURES}
    plan_file.write_text(
        json.dumps({"name": name, "folder": str(folder), **{key: str(path) for key, path in places.items()}, **plan})
    )
    command = [str(CACHE / "node"), str(HERE / script), str(plan_file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    print(json.dumps(seen, indent=1, ensure_ascii=False))
    assert "failure" not in seen, f"{seen['failure']}\nsee {PICTURES}/{name}-failure.png"
    return seen


def line_of(part: str) -> int:
    """The number of the line of the edited job that holds ``part``, from 1."""
    return EDITED[: EDITED.index(part)].count("\n") + 1
