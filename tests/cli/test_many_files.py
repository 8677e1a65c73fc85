"""``keepstate check`` over many files: processes, progress, interrupts, and how little an unchanged file takes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from jobs import BROKEN, INCOMPATIBLE, JOB, NOTICE, PARTIAL, REFORMATTED
from keepstate_lsp.baselines.blob_comparison import BlobComparison
from keepstate_lsp.cli.main import main
from program_starts import KEEPSTATE, Popen, ran
from repositories import GitRepository

EDITS = (INCOMPATIBLE, PARTIAL, REFORMATTED, NOTICE, BROKEN, JOB, JOB.replace("\n", "\r\n"))


@pytest.fixture
def shops(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """Some files of each kind, in folders with and without a configuration."""
    monkeypatch.chdir(repository.folder)
    files: dict[str, str | bytes] = {}
    for number in range(28):
        files[f"team_{number % 3}/job_{number}.sql"] = JOB.replace("daily", f"daily_{number}")
    files["team_1/keepstate.toml"] = '[parameters]\n"table.exec.state.ttl" = "1 d"\n'
    files["team_2/notes.sql"] = "UPDATE accounts SET balance = 0;\n"
    files["team_2/binary.fql"] = b"\0\1\2"
    repository.commit(files)
    for number in range(28):
        text = EDITS[number % len(EDITS)].replace("daily", f"daily_{number}")
        repository.write(f"team_{number % 3}/job_{number}.sql", text)
    repository.write("team_0/new.sql", JOB.replace("daily", "new").replace("orders", "visits").replace("amount", "n"))
    (repository.folder / "team_0/job_27.sql").unlink()
    return repository


def output(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, bytes, bytes]:
    capfdbinary.readouterr()
    status = main(["check", *arguments])
    captured = capfdbinary.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_any_number_of_processes_says_the_same(
    shops: GitRepository, capfdbinary: pytest.CaptureFixture[bytes], form: str
) -> None:
    runs = {output(capfdbinary, ".", "--format", form, "--jobs", jobs) for jobs in ("1", "2", "5")}
    assert len(runs) == 1
    ((status, text, errors),) = runs
    assert status == 2
    assert b"window-size-changed" in text
    assert b"not valid" in errors


@pytest.mark.parametrize("mode", [[], ["--staged"], ["--current", "topic"]], ids=str)
@pytest.mark.parametrize("paths", [[], ["."], ["team_1/*.sql"]], ids=str)
def test_hashes_say_what_a_closer_look_says(
    shops: GitRepository,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    mode: list[str],
    paths: list[str],
) -> None:
    if mode:
        shops.git("add", "--all")
    if mode[:1] == ["--current"]:
        shops.git("checkout", "--quiet", "-b", "topic")
        shops.commit()
        shops.git("checkout", "--quiet", "main")
    reported = []
    unchanged = BlobComparison.unchanged

    def counted(*arguments: object) -> object:
        reported.append(unchanged(*arguments))  # type: ignore[arg-type]
        return reported[-1]

    monkeypatch.setattr(BlobComparison, "unchanged", counted)
    by_hash = output(capfdbinary, *paths, *mode, "--format", "json")
    assert any(reported) == bool(paths)
    monkeypatch.setattr(BlobComparison, "unchanged", lambda *_: None)
    monkeypatch.setattr(BlobComparison, "fetch", lambda *_: None)
    assert output(capfdbinary, *paths, *mode, "--format", "json") == by_hash


@pytest.mark.skipif(os.name == "nt", reason="a script in place of git")
@pytest.mark.parametrize("against", ["HEAD", "merge-base:main", "deployed"])
def test_more_files_take_no_more_processes_of_git(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, against: str
) -> None:
    git = shutil.which("git")
    log = tmp_path / "log"
    stand_in = tmp_path / "bin" / "git"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {git} "$@"\n')
    stand_in.chmod(0o755)
    counts = []
    for files in (5, 60):
        texts = {f"team_{number % 4}/{number}.sql": JOB + f"-- {number}\n" for number in range(files)}
        repository.commit(dict(texts))
        ran(*KEEPSTATE, "deployed", "mark", *texts, cwd=repository.folder, check=True, capture_output=True)
        for path, text in list(texts.items())[: files // 2]:
            repository.write(path, text.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE"))
        log.write_text("")
        for arguments in ([], ["."]):
            run = ran(
                *(*KEEPSTATE, "check", *arguments, "--against", against, "--format", "json", "--jobs", "1"),
                cwd=repository.folder,
                env={**os.environ, "PATH": f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"},
                capture_output=True,
            )
            assert run.returncode == 1, run.stderr
            verdicts = [file["verdict"] for file in json.loads(run.stdout)["files"]]
            assert verdicts.count("incompatible") == files // 2
        counts.append(len(log.read_text().splitlines()))
    assert counts[0] == counts[1] < 30


def test_wrong_numbers_of_processes(shops: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    for jobs in ("0", "-1", "many", "1.5"):
        assert main(["check", "--jobs", jobs]) == 2
        assert "is no number of processes" in capsys.readouterr().err or jobs == "-1"


@pytest.fixture
def endless(repository: GitRepository) -> GitRepository:
    """More work than any machine does in a second."""
    lines = "\n".join(f"INSERT INTO sink_{n} SELECT region, COUNT(*) FROM orders GROUP BY region;" for n in range(60))
    files = {f"{number}.sql": f"{JOB}\n-- {number}\n{lines}" for number in range(400)}
    repository.commit(dict(files))
    for path, text in files.items():
        repository.write(path, text.replace("GROUP BY region;", "GROUP BY region, order_id;"))
    return repository


@pytest.mark.skipif(os.name == "nt", reason="signals and terminals are another thing there")
@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_a_bar_on_a_terminal_and_an_interrupt_that_ends_all(endless: GitRepository, jobs: str) -> None:
    import pty

    terminal, end = pty.openpty()
    process = Popen(
        [*KEEPSTATE, "check", "--jobs", jobs, "--format", "json"],
        cwd=endless.folder,
        env={**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=end,
        # A terminal interrupts a whole group of processes.
        start_new_session=True,
    )
    os.close(end)
    seen = b""
    while b"files" not in seen:
        seen += os.read(terminal, 4096)
    os.killpg(process.pid, signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.read() == b""
    assert process.wait(timeout=120) == 2
    process.stdout.close()
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(terminal)
    text = seen.decode()
    assert "━" in text or "─" in text
    assert " of 400 files" in text
    assert text.endswith("keepstate: Interrupted; the result is not complete.\r\n")
    assert "Traceback" not in text
    # No process of the group is left.
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_no_bar_where_nobody_watches(shops: GitRepository) -> None:
    run = ran(*KEEPSTATE, "check", ".", cwd=shops.folder, capture_output=True)
    assert b"\x1b" not in run.stderr
    assert b"files" not in run.stderr
