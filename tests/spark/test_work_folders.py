"""Folders that a JVM works in: of a run that was killed nothing is left, once another one has begun."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from keepstate_spark.work_folder import WorkFolder, remove_abandoned

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
KILLED = """
import os, subprocess, sys
from keepstate_spark.work_folder import WorkFolder
folder = WorkFolder()
# The JVM outlives its parent for a moment.
java = subprocess.Popen(["cat"], stdin=sys.stdin, pass_fds=folder.descriptors, stdout=subprocess.DEVNULL)
print(folder.path, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_folder_that_is_worked_in_stays(folders: Path) -> None:
    first, second = WorkFolder(), WorkFolder()
    remove_abandoned()
    assert first.path.is_dir() and second.path.is_dir()
    first.close()
    second.close()
    assert list(folders.iterdir()) == []


def test_the_folder_of_a_run_that_was_killed_goes_when_its_jvm_has_ended(folders: Path) -> None:
    reading, writing = os.pipe()
    with subprocess.Popen([sys.executable, "-c", KILLED], stdin=reading, stdout=subprocess.PIPE, text=True) as killed:
        os.close(reading)
        assert killed.stdout is not None
        path = Path(killed.stdout.readline().strip())
        assert killed.wait() == -9

    remove_abandoned()
    assert path.is_dir(), "its JVM is still there"
    os.close(writing)

    while path.is_dir():
        remove_abandoned()
    assert list(folders.iterdir()) == []


@pytest.mark.parametrize("kind", ["another", "without a lock", "a link", "the lock is a link"])
def test_what_is_no_abandoned_folder_stays(folders: Path, kind: str) -> None:
    elsewhere = folders / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").touch()
    name = "another-1" if kind == "another" else "keepstate-spark-1"
    if kind == "a link":
        (folders / name).symlink_to(elsewhere)
    else:
        (folders / name).mkdir()
        if kind == "another":
            (folders / name / "lock").touch()
        if kind == "the lock is a link":
            (folders / name / "lock").symlink_to(elsewhere / "lock")
    remove_abandoned()
    assert {path.name for path in folders.iterdir()} == {"elsewhere", name}
    assert (elsewhere / "lock").is_file()
