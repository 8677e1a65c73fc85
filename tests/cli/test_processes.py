"""The command line as other programs see it: a process with pipes, an encoding, a status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from program_starts import KEEPSTATE, Popen, ran
from repositories import GitRepository


def keepstate(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return ran(*KEEPSTATE, *arguments, cwd=folder, env={**os.environ, **environment}, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.sql").write_text(JOB, "utf-8")
    (tmp_path / "current.sql").write_text(INCOMPATIBLE.replace(", INTERVAL", ", /* 日本 */ INTERVAL"), "utf-8")
    return tmp_path


def test_json_is_utf8_whatever_the_locale(folder: Path) -> None:
    outputs = [
        keepstate("diff", "base.sql", "current.sql", "--format", "json", folder=folder, **environment)
        for environment in ({}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "utf-16"}, {"PYTHONHASHSEED": "7"})
    ]
    assert {output.returncode for output in outputs} == {1}
    assert len({output.stdout for output in outputs}) == 1
    assert json.loads(outputs[0].stdout)["verdict"] == "incompatible"


def test_text_in_an_ascii_terminal(folder: Path) -> None:
    output = keepstate("diff", "base.sql", "current.sql", folder=folder, PYTHONIOENCODING="ascii")
    assert output.returncode == 1
    assert output.stdout.isascii()
    assert b"/* ???? */" in output.stdout
    assert b" | " in output.stdout


def test_a_reader_that_goes_away(folder: Path) -> None:
    pairs = folder / "pairs.jsonl"
    pairs.write_text((json.dumps({"id": "x" * 1000, "baseline": JOB, "current": PARTIAL}) + "\n") * 300)
    process = Popen([*KEEPSTATE, "diff", "--pairs", str(pairs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    # As git does: the status of a program that SIGPIPE ended, and no words.
    assert process.wait() == 141
    assert errors == ""


@pytest.mark.skipif(os.name == "nt", reason="pipes of shells")
@pytest.mark.parametrize(
    "words",
    [
        ("rules",),
        ("rules", "window", "--format", "json"),
        ("explain", "window-size-changed"),
        ("explain", "state"),
        ("help",),
        ("check", "--help"),
        ("--version",),
        ("diff", "base.sql", "current.sql"),
        ("diff", "base.sql", "current.sql", "--format", "sarif"),
        ("plan", "base.sql"),
        ("parse", "base.sql"),
        ("validate", "base.sql"),
    ],
    ids=" ".join,
)
def test_a_pipe_that_is_closed_ends_a_command_quietly(folder: Path, words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        run = ran(*KEEPSTATE, *words, cwd=folder, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (run.returncode, run.stderr) == (141, b"")


@pytest.mark.skipif(os.name == "nt", reason="signals are another thing there")
@pytest.mark.usefixtures("default_signals")
def test_control_c(folder: Path) -> None:
    process = Popen(
        [*KEEPSTATE, "diff", "--pairs", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write((json.dumps({"id": 1, "baseline": JOB, "current": JOB}) + "\n").encode())
    process.stdin.flush()
    # The first answer is there: it now waits for the second pair.
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    errors = process.stderr.read().decode()
    assert process.wait() == 2
    assert errors == "keepstate: Interrupted; the result is not complete.\n"
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_a_full_disk_is_not_a_success(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    output = keepstate("diff", "base.sql", "current.sql", "--output", "/dev/full", folder=folder)
    assert output.returncode == 2
    assert b"cannot be written: No space left on device." in output.stderr
    with Path("/dev/full").open("wb") as full:
        run = ran(*KEEPSTATE, "diff", "base.sql", "current.sql", cwd=folder, stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 2
    assert run.stderr == b"keepstate: The result cannot be written: No space left on device.\n"


def test_a_hook_sees_what_is_about_to_be_committed(repository: GitRepository) -> None:
    repository.commit({"a.sql": JOB})
    hook = repository.write(
        ".git/hooks/pre-commit",
        f"#!/bin/sh\n{' '.join(KEEPSTATE)} check --staged --format json > seen.json\n",
    )
    hook.chmod(0o755)
    repository.write("a.sql", PARTIAL)
    # `commit FILE` stages into an index of its own, which only the hook's environment names.
    repository.git("commit", "--quiet", "--message", "Add a metric", "a.sql")
    seen = json.loads((repository.folder / "seen.json").read_text("utf-8"))
    assert [(file["path"], file["verdict"]) for file in seen["files"]] == [("a.sql", "partial")]


def test_a_hook_in_a_linked_work_tree_looks_at_that_tree(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.sql": JOB})
    tree = tmp_path / "tree"
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(tree))
    (tree / "a.sql").write_text(PARTIAL)
    linked = GitRepository(tree)
    linked.git("add", "--all")
    environment = {"GIT_DIR": linked.git("rev-parse", "--absolute-git-dir")}
    output = keepstate("check", "--staged", "--format", "json", folder=tree, **environment)
    assert output.returncode == 0, output.stderr
    assert [file["verdict"] for file in json.loads(output.stdout)["files"]] == ["partial"]


def test_no_git_process_is_left_behind(repository: GitRepository) -> None:
    repository.commit({"a.sql": JOB})
    repository.write("a.sql", PARTIAL)
    code = (
        "import sys; from pathlib import Path; from keepstate_lsp.baselines import HEAD, BaselineReader;"
        "reader = BaselineReader(); print(reader.read(Path('a.sql'), HEAD).words);"
        "print(*[pipe.process.pid for repository in reader._repositories.values()"
        " for pipe in repository.objects._pipes.values()])"
    )
    output = ran(sys.executable, "-c", code, cwd=repository.folder, capture_output=True, check=True)
    assert output.stderr == b""
    for pid in output.stdout.split()[2:]:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
