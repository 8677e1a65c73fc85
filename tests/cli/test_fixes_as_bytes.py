"""``keepstate check --fix`` and bytes: encodings, line ends, modes, diffs for git, files that cannot be written."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fixed_jobs import AND_A_METRIC, TWO, content, fix, jobs
from jobs import INCOMPATIBLE, JOB, UNREAD
from keepstate_lsp.cli.fixing import fixed_files
from keepstate_lsp.cli.main import main
from repositories import GitRepository

__all__ = ["jobs"]

ENCODED = {
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "big-endian UTF-16 with line ends of Windows": lambda text: (
        b"\xfe\xff" + text.replace("\n", "\r\n").encode("utf-16-be")
    ),
    "no line end at the end": lambda text: text.rstrip("\n").encode(),
    "characters outside of the plane": lambda text: f"-- \N{GRINNING FACE} é\r\n{text}".encode(),
    "mixed line ends": lambda text: text.replace("\n", "\r\n", 3).encode(),
}


@pytest.mark.parametrize("kind", ENCODED)
def test_bytes_and_mode_stay(jobs: GitRepository, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    encode = ENCODED[kind]
    file = jobs.write("jobs/a.sql", encode(INCOMPATIBLE))
    file.chmod(0o750)
    assert fix(capsys)[0] == 0
    assert file.read_bytes() == encode(JOB)
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert sorted(os.listdir(file.parent)) == ["a.sql", "b.sql"]


def test_settings_that_come_back_have_the_line_ends_of_the_file(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = "SET 'table.exec.state.ttl' = '1 d';\n"
    jobs.commit({"jobs/a.sql": setting + JOB})
    jobs.write("jobs/a.sql", INCOMPATIBLE.replace("\n", "\r\n"))
    fix(capsys)
    assert content(jobs).count(b"\n") == content(jobs).count(b"\r\n")


NAMES = ["plain.sql", "with space.sql", "ünï.sql", 'quo"te.sql', "tab\there.sql", "[a].sql"]


@pytest.mark.parametrize(
    ("kind", "name"), [*(("plain", name) for name in NAMES), *((kind, NAMES[0]) for kind in ENCODED)]
)
def test_git_applies_the_diff(jobs: GitRepository, capfdbinary: Any, kind: str, name: str) -> None:
    encode = ENCODED.get(kind, str.encode)
    path = f"jobs/more jobs/{name}"
    jobs.commit({path: JOB})
    before = encode(TWO)
    jobs.write(path, before)
    assert main(["check", "--fix", "--diff"]) == 0
    captured = capfdbinary.readouterr()
    assert content(jobs, path) == before
    assert b"would be fixed: jobs/more jobs/" in captured.err
    # Paths are those of the repository, wherever git is started.
    subprocess.run(["git", "apply", "-"], cwd=jobs.folder / "jobs", input=captured.out, check=True)
    applied = content(jobs, path)
    jobs.write(path, before)
    assert main(["check", "--fix"]) == 0
    assert content(jobs, path) == applied != before


def test_a_diff_from_a_folder_below(jobs: GitRepository, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    monkeypatch.chdir(jobs.folder / "jobs")
    assert main(["check", "--fix", "--diff", "--quiet", "a.sql"]) == 0
    captured = capfdbinary.readouterr()
    assert captured.out.startswith(b"diff --git a/jobs/a.sql b/jobs/a.sql\n--- a/jobs/a.sql\n+++ b/jobs/a.sql\n@@ ")
    assert captured.err == b""
    subprocess.run(["git", "apply", "--check", "-"], cwd=jobs.folder, input=captured.out, check=True)


def test_the_status_of_a_diff_is_that_of_the_fixed_text(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fix(capsys, "--diff") == (0, "", "keepstate: nothing to fix\n")
    jobs.write("jobs/b.sql", UNREAD)
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    status, said, _ = fix(capsys, "--diff")
    assert "jobs/a.sql" in said and "jobs/b.sql" not in said
    assert fix(capsys)[0] == status != 0


def test_a_link_is_named_and_not_followed(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("there.txt", INCOMPATIBLE)
    (jobs.folder / "jobs/a.sql").unlink()
    (jobs.folder / "jobs/a.sql").symlink_to("../there.txt")
    said = fix(capsys, "jobs/a.sql")[1]
    assert said.startswith("not fixed: jobs/a.sql: ")
    assert (jobs.folder / "jobs/a.sql").is_symlink()
    assert content(jobs, "there.txt") == INCOMPATIBLE.encode()


def test_a_file_that_cannot_be_written_harms_no_other(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE).chmod(0o444)
    jobs.write("jobs/b.sql", INCOMPATIBLE)
    status, said, errors = fix(capsys)
    assert status == 2
    assert "jobs/a.sql: Not fixed: it is read-only." in errors
    assert "fixed: jobs/b.sql: " in said
    assert (content(jobs), content(jobs, "jobs/b.sql")) == (INCOMPATIBLE.encode(), JOB.encode())


def test_a_full_disk(jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole = fixed_files.write_whole

    def full(path: Path, data: bytes, mode: int | None = None) -> None:
        if path.name == "a.sql":
            raise OSError(28, "No space left on device", str(path))
        write_whole(path, data, mode)

    monkeypatch.setattr(fixed_files, "write_whole", full)
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/b.sql", INCOMPATIBLE)
    status, _, errors = fix(capsys)
    assert status == 2
    assert "jobs/a.sql: Not fixed: it cannot be written (No space left on device)." in errors
    assert (content(jobs), content(jobs, "jobs/b.sql")) == (INCOMPATIBLE.encode(), JOB.encode())


def test_a_file_that_changed_meanwhile_is_left(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_edits = fixed_files.apply_edits

    def saved_meanwhile(text: str, edits: Any) -> str:
        jobs.write("jobs/a.sql", AND_A_METRIC)
        return apply_edits(text, edits)

    monkeypatch.setattr(fixed_files, "apply_edits", saved_meanwhile)
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    status, _, errors = fix(capsys)
    assert status == 2
    assert "jobs/a.sql: Not fixed: it changed on disk while it was analysed." in errors
    assert content(jobs) == AND_A_METRIC.encode()
