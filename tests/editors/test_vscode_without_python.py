"""The packaged extension in a real VS Code without Python: on a machine that has none, and in a browser alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from repositories import GitRepository
from shop import JOB
from vscode_sessions import play, programs

__all__ = ["programs"]

LONGER = {
    "typing": {"line": JOB.rstrip().count("\n") + 1, "at": "place", "keys": ["Backspace"], "text": "0;"},
    "hover": {"line": JOB.rstrip().count("\n") + 1, "text": "30", "says": "Incompatible"},
}
"""A breaking change, typed at the end of the job."""
_TABLE, _, _QUERIES = JOB.partition(";\n")
APART = {
    "keepstate.toml": 'context = ["ddl/*.sql"]\n',
    "ddl/orders.sql": f"{_TABLE};\n",
    "shop.fql": "\n" * (_TABLE.count("\n") + 1) + _QUERIES,
}
"""The same job, whose table is declared in another file."""


def check_longer_ranking(seen: dict[str, Any], baseline: str, job: str = JOB) -> None:
    """A ranking of 30 places, typed in place of 3, until its fix."""
    (drawn,) = seen["squiggles"]
    assert drawn["severity"] == "error" and drawn["text"] == "place <= 30"
    assert "rank-range-changed" in seen["hover"] and "Advice:" in seen["hover"] and "place <= 3" in seen["hover"]
    assert seen["lens"] == f"Incompatible with {baseline}, 1 finding" or seen["lens"] == f"Incompatible with {baseline}"
    assert seen["menu"][:3] == ["Compare with Baseline", "Choose Baseline...", "Show Output"]
    assert seen["menu"][3].startswith("More ")
    assert seen["comparison"] == f"{seen['name']}: {baseline} and now"
    assert "place <= 3;" in seen["former"]
    assert seen["fixes"] == ["Restore `place <= 3` (compatible)"]
    assert seen["fixed"] == job
    # Nothing is asked of the network.
    assert seen["foreign"] == []


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "restricted"])
def test_on_a_machine_without_python(programs: None, repository: GitRepository, tmp_path: Path, trusted: bool) -> None:
    """Keepstate runs inside of the editor. A workspace that is not trusted has no git extension either."""
    repository.commit(APART)
    trace = tmp_path / "started"
    evil = repository.write(".venv/bin/python", f"#!/bin/sh\n: > {trace}\nexit 1\n")
    evil.chmod(0o755)
    repository.write("sqlglot.py", f"open({str(trace)!r}, 'w')\n")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "env", "uname", "cat"):
        (folder / name).symlink_to(shutil.which(name) or name)
    old = folder / "python3"
    old.write_text("#!/bin/sh\necho 3.8.10\necho /opt/python3.8\n")
    old.chmod(0o755)
    trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    head = f"HEAD ({repository.git('rev-parse', '--short=7', 'HEAD')})"
    seen = play(
        "alone.mjs",
        f"alone-{'trusted' if trusted else 'restricted'}",
        tmp_path / "vscode",
        repository.folder,
        file=str(repository.folder / "shop.fql"),
        searchPath=str(folder),
        settings={} if trusted else trust,
        first="Unchanged",
        last="Unchanged",
        message=True,
        running="Keepstate without Python",
        fix="Restore",
        **LONGER,
    )
    baseline = head if trusted else "the file as it was opened"
    check_longer_ranking({**seen, "name": "shop.fql"}, baseline, APART["shop.fql"])
    reason = "The server needs Python 3.10 or newer. Found: 3.8.10 (/opt/python3.8)."
    assert seen["message"].startswith(
        "Keepstate runs without Python: findings, hovers and fixes are there. Missing are "
    )
    assert seen["message"].endswith(reason) and reason in seen["status"]
    assert seen["buttons"] == ["Install Python", "Open Settings", "Try Again"]
    # Nothing of a workspace is run that is not trusted.
    assert trace.exists() is trusted


def test_in_a_browser_alone(programs: None, repository: GitRepository, tmp_path: Path) -> None:
    """In vscode.dev extensions run in a worker of the browser, which can start no program."""
    repository.commit(APART)
    seen = play(
        "alone.mjs",
        "browser",
        tmp_path / "vscode",
        repository.folder,
        file=str(repository.folder / "shop.fql"),
        settings={"remote.extensionKind": {"keepstate.keepstate": ["web"]}},
        first="Unchanged",
        last="Unchanged",
        running="in this browser",
        fix="Restore",
        **LONGER,
    )
    check_longer_ranking({**seen, "name": "shop.fql"}, "the file as it was opened", APART["shop.fql"])
    assert "also has the report on all jobs" in seen["status"]
