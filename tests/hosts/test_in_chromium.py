"""The playground in a real Chromium, which `make editors` sets up: from a typed change to its fix."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

CACHE = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "vscode"
)
SESSION = Path(__file__).with_name("chromium_session.mjs")


@pytest.mark.timeout(900)
def test_from_a_typed_change_to_its_fix(playground: Path, tmp_path: Path) -> None:
    if not (CACHE / "ready").exists():
        pytest.skip("Chromium for tests is not set up: make editors does")
    command = ["node", str(SESSION), str(CACHE), str(playground), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert "failure" not in seen, (seen, tmp_path)
    # Nothing is refused by the page's policy, and nothing comes from another host.
    assert seen["messages"] == []
    assert seen["foreign"] == []
    assert "GROUP BY branch, genre, reader_id" in seen["typed"]
    assert seen["squiggle"] == "reader_id"
    assert seen["verdict"].startswith("Incompatible")
    assert "group key reader_id added" in seen["hover"] and "Advice: " in seen["hover"]
    assert "State lost: key branch" in seen["hover"]
    assert "GroupAggregate" in seen["plan"] and "reader_id" in seen["plan"]
    assert "compatible" in seen["fix"]
    assert "reader_id" not in seen["fixed"]
    assert seen["markup"] == 0
    assert "<img src=x onerror=alert(1)>" in seen["offline"]
    assert seen["phone"] <= 0
