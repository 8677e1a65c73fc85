"""The ledger, written by several processes at once, or by one that is killed: nothing is lost or left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate_lsp.cli.main import main
from keepstate_lsp.config import acceptance_file as ledgers
from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFile, AcceptanceFileError, LedgerEntry
from keepstate_lsp.files.atomic_files import write_whole
from keepstate_lsp.files.lock import LockError, locked
from program_starts import KEEPSTATE, Popen, ran
from repositories import GitRepository

AT_ONCE = 8
unix = pytest.mark.skipif(sys.platform == "win32", reason="signals and links are those of Unix")


def entry(number: int) -> LedgerEntry:
    return LedgerEntry("window-size-changed", f"key{number}", "so", f"{number}.sql")


def test_all_that_accept_at_once_are_entered(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{number}.sql" for number in range(AT_ONCE)]
    repository.commit(dict.fromkeys(names, JOB))
    for number, name in enumerate(names):
        repository.write(name, JOB.replace("INTERVAL '1' MINUTE", f"INTERVAL '{number + 2}' MINUTE"))
    monkeypatch.chdir(repository.folder)
    running = [
        Popen(
            [*KEEPSTATE, "accept", name, "--because", "so"],
            cwd=repository.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    answers = [(process.communicate()[0], process.returncode) for process in running]
    assert all(status == 0 and "written." in said for said, status in answers)
    assert sorted(one.file for one in AcceptanceFile.at(repository.folder / FILE_NAME).entries) == sorted(names)
    assert main(["check"]) == 0
    assert sorted(os.listdir(repository.folder)) == sorted([".git", FILE_NAME, *names])


def test_each_change_is_made_of_what_the_one_before_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    reading = threading.Barrier(AT_ONCE)

    def enter(number: int) -> None:
        reading.wait()
        ledgers.change(path, lambda ledger: ledger.with_entries([entry(number)]))

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.change for one in AcceptanceFile.at(path).entries} == {f"key{number}" for number in range(AT_ONCE)}
    assert os.listdir(tmp_path) == [FILE_NAME]


def test_what_is_entered_while_others_prune_stays(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({"a.sql": JOB})
    monkeypatch.chdir(repository.folder)
    path = repository.folder / FILE_NAME
    ledgers.change(path, lambda ledger: ledger.with_entries([entry(1)]))
    from keepstate_lsp.cli.commands import accept

    prune = accept._prune

    def entered_meanwhile(*arguments: object) -> None:
        ledgers.change(path, lambda ledger: ledger.with_entries([entry(2)]))
        prune(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(accept, "_prune", entered_meanwhile)
    assert main(["accept", "--prune"]) == 0
    assert [one.change for one in AcceptanceFile.at(path).entries] == ["key2"]


KILLED = """
import os, signal, sys
from pathlib import Path
from keepstate_lsp.config import acceptance_file as ledgers
from keepstate_lsp.config.acceptance_file import LedgerEntry

left = int(sys.argv[2])

def counted(name):
    original = getattr(os, name)
    def call(*arguments, **options):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return original(*arguments, **options)
    return call

for name in "open close write fsync replace rename unlink remove fstat stat listdir chmod".split():
    setattr(os, name, counted(name))
ledgers.change(Path(sys.argv[1]), lambda ledger: ledger.with_entries([LedgerEntry("r", "new", "so")]))
"""


@unix
@pytest.mark.parametrize("exists", [False, True])
def test_killed_at_any_step_it_leaves_the_old_or_the_new_ledger(tmp_path: Path, exists: bool) -> None:
    """The process is killed in front of its first call of the operating system, then of its second, and so on."""
    path = tmp_path / FILE_NAME
    ends: set[frozenset[str]] = set()
    for step in range(200):
        path.unlink(missing_ok=True)
        if exists:
            AcceptanceFile(path, (entry(1),)).write()
        run = ran(sys.executable, "-c", KILLED, str(path), str(step), capture_output=True)
        changes = frozenset(one.change for one in AcceptanceFile.at(path).entries)
        ends.add(changes)
        # The next one finds no lock in its way, and takes away what the killed one left.
        assert ledgers.change(path, lambda ledger: ledger.with_entries([entry(2)]))
        assert {one.change for one in AcceptanceFile.at(path).entries} == {*changes, "key2"}
        assert os.listdir(tmp_path) == [FILE_NAME]
        if run.returncode == 0:
            break
        assert run.returncode == -9, run.stderr
    else:
        pytest.fail("the change takes more steps than are tried")
    assert step > 5
    old = frozenset({"key1"} if exists else ())
    assert ends == {old, old | {"new"}}


@unix
@pytest.mark.parametrize("failing", ["fsync", "replace", "write"])
def test_a_disk_that_takes_nothing_leaves_the_old_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / FILE_NAME
    AcceptanceFile(path, (entry(1),)).write()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if failing == "write":
        monkeypatch.setattr("keepstate_lsp.files.atomic_files.settle", full)
    else:
        monkeypatch.setattr(os, failing, full)
    with pytest.raises(AcceptanceFileError, match="No space left on device"):
        ledgers.change(path, lambda ledger: ledger.with_entries([entry(2)]))
    monkeypatch.undo()
    assert [one.change for one in AcceptanceFile.at(path).entries] == ["key1"]
    assert os.listdir(tmp_path) == [FILE_NAME]


HOLDING = """
import sys
from pathlib import Path
from keepstate_lsp.files.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_that_another_process_holds_is_named_and_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    holder = Popen([sys.executable, "-c", HOLDING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin is not None and holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LockError, match=r"Another process has held .*\.lock for 0 seconds"), locked(path, 0):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with locked(path, 0):
        pass
    assert os.listdir(tmp_path) == []


@unix
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling link"])
def test_what_lies_in_the_place_of_the_lock_leads_nowhere(tmp_path: Path, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", "utf-8")
    folder = tmp_path / "work"
    folder.mkdir()
    lock = folder / f".{FILE_NAME}.lock"
    if kind == "folder":
        lock.mkdir()
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.symlink_to(elsewhere if kind == "link" else tmp_path / "nowhere")
    with pytest.raises(AcceptanceFileError, match="cannot be locked"):
        ledgers.change(folder / FILE_NAME, lambda ledger: ledger.with_entries([entry(1)]))
    assert elsewhere.read_text("utf-8") == "mine" and not (tmp_path / "nowhere").exists()
    assert not (folder / FILE_NAME).exists()


@unix
def test_a_link_in_the_place_of_a_draft_is_not_written_through(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The name that drafts had was known, so a workspace could have one lead to any file of its user."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", "utf-8")
    repository.commit({"a.sql": JOB})
    repository.write("a.sql", INCOMPATIBLE)
    (repository.folder / f"{FILE_NAME}.draft").symlink_to(elsewhere)
    monkeypatch.chdir(repository.folder)
    assert main(["accept", "--because", "so"]) == 0
    assert elsewhere.read_text("utf-8") == "mine"


def test_a_file_keeps_its_permissions_and_what_fails_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one", 0o600)
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(OSError, match=r".+"):
        write_whole(tmp_path / "nowhere" / "file", b"x")
    assert os.listdir(tmp_path) == ["file"]
