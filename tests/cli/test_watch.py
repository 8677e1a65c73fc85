"""``keepstate check --watch``: what starts another check, and how it ends."""

from __future__ import annotations

import argparse
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.commands import check
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.watching.watched_files import WatchedFiles
from program_starts import KEEPSTATE, Popen
from repositories import GitRepository

PATIENCE = 60.0
"""Seconds for an event that a test waits for."""


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"jobs/a.sql": JOB, "README.md": "Jobs", "keepstate.toml": 'engine = "vvr"\n'})
    return repository


def watched(*arguments: str) -> WatchedFiles:
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    made = WatchedFiles(parser.parse_args(arguments))
    assert made.changes() == []
    return made


CHANGES = {
    "a job": (("jobs/a.sql", INCOMPATIBLE), ["jobs/a.sql"]),
    "a new job": (("jobs/b.sql", JOB), ["jobs/b.sql"]),
    "a job in a new folder": (("more/deep/b.sql", JOB), ["more/deep/b.sql"]),
    "the configuration": (("keepstate.toml", 'engine = "flink"\n'), ["keepstate.toml"]),
    "another configuration": (("jobs/keepstate.toml", 'engine = "flink"\n'), ["jobs/keepstate.toml"]),
    "a ledger": (("keepstate.accepted.toml", "# none\n"), ["keepstate.accepted.toml"]),
    "a file that is no job": (("README.md", "Other"), []),
    "another new file": (("notes.txt", "Other"), []),
    "the same text": (("jobs/a.sql", JOB), []),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_of_files_are_named_once(jobs: GitRepository, change: str) -> None:
    seen = watched()
    (path, text), names = CHANGES[change]
    jobs.write(path, text)
    assert seen.changes() == names
    assert seen.changes() == []


def test_a_deleted_job_is_a_change(jobs: GitRepository) -> None:
    seen = watched()
    (jobs.folder / "jobs/a.sql").unlink()
    assert seen.changes() == ["jobs/a.sql"]
    assert seen.changes() == []


def test_a_touched_file_is_no_change(jobs: GitRepository) -> None:
    seen = watched()
    os.utime(jobs.folder / "jobs/a.sql", (1_800_000_000, 1_800_000_000))
    assert seen.changes() == []


def test_the_index_and_head(jobs: GitRepository) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    seen = watched()
    jobs.git("add", "--all")
    assert seen.changes() == ["the index"]
    jobs.git("commit", "--quiet", "--message", "x")
    assert seen.changes() == ["HEAD"]
    # Neither a tag, nor a refreshed index or packed refs.
    jobs.git("tag", "v1")
    os.utime(jobs.folder / "jobs/a.sql", (1_800_000_000, 1_800_000_000))
    jobs.git("update-index", "--refresh")
    jobs.git("pack-refs", "--all")
    assert seen.changes() == []


def test_the_baseline(jobs: GitRepository) -> None:
    jobs.git("branch", "topic")
    seen = watched("--against", "topic")
    jobs.commit({"README.md": "Other"})
    seen.changes()
    jobs.git("branch", "--force", "topic", "HEAD")
    assert seen.changes() == ["topic"]


def test_files_outside_of_listings_that_are_named(jobs: GitRepository, tmp_path: Path) -> None:
    jobs.commit({".gitignore": "own/\n"})
    jobs.write("own/x.sql", JOB)
    other = tmp_path / "other.toml"
    other.write_text('engine = "vvr"\n')
    seen = watched("own/x.sql", "--config", str(other))
    jobs.write("own/x.sql", PARTIAL)
    assert seen.changes() == ["own/x.sql"]
    other.write_text('engine = "flink"\n')
    assert seen.changes() == [other.as_posix()]


class Watching:
    """A ``check --watch`` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = Popen(
            [*KEEPSTATE, "check", "--watch", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def until(self, words: str) -> list[str]:
        """The lines up to the first one with ``words``."""
        found: list[str] = []
        while not found or words not in found[-1]:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, f"ended without {words!r}: {found}"
            found.append(line)
        return found

    def end(self) -> tuple[int, list[str]]:
        """The status after Ctrl-C, and the lines since then."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status, [line for line in iter(self._lines.get, None) if line is not None]


@pytest.fixture
def started(jobs: GitRepository, default_signals: None) -> Iterator[list[Watching]]:
    """Processes that a test started, which are ended if it fails."""
    found: list[Watching] = []
    yield found
    for one in found:
        one.process.kill()
        one.process.wait()


def test_reports_follow_changes_until_ctrl_c(jobs: GitRepository, started: list[Watching]) -> None:
    watching = Watching(jobs.folder)
    started.append(watching)
    first = watching.until("until Ctrl-C")
    assert first[0].startswith("Nothing to compare")
    # A touched file starts no check: the next line is about the change behind it.
    os.utime(jobs.folder / "jobs/a.sql", (1_800_000_000, 1_800_000_000))
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    told = watching.until("incompatible with HEAD")
    assert [line[11:] for line in told if line.startswith("[")] == ["jobs/a.sql changed"]
    # A configuration that is wrong for a moment ends nothing.
    jobs.write("keepstate.toml", "engine = \n")
    watching.until("keepstate.toml")
    jobs.write("keepstate.toml", 'engine = "vvr"\n')
    watching.until("incompatible with HEAD")
    jobs.write("jobs/a.sql", JOB)
    watching.until("Nothing to compare")
    assert watching.until("looked at, engine vvr")
    assert watching.end() == (2, [])


def test_times_do_not_disturb_other_formats(jobs: GitRepository, started: list[Watching]) -> None:
    watching = Watching(jobs.folder, "--format", "json")
    started.append(watching)
    assert watching.until("until Ctrl-C")[-1].startswith("keepstate: [")
    assert watching.end() == (2, [])


def test_wrong_options_end_at_once(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--watch", "--engine", "spark"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
