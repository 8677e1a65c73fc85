"""Escape codes and bidirectional controls in a job or a log reach no terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.terminal.output import Output
from repositories import GitRepository

STEERING = "\x1b[31m\x07\u202e"
JOB = (
    f"CREATE TABLE `t{STEERING}` (`k{STEERING}` STRING, a INT) WITH ('connector' = 'x{STEERING}');\n"
    f"INSERT INTO `s{STEERING}` SELECT `k{STEERING}`, SUM(a) AS `n{STEERING}` FROM `t{STEERING}`\n"
    f"WHERE `k{STEERING}` = '{STEERING}' GROUP BY `k{STEERING}`;\n"
)
LOG = (
    f"java.lang.Exception: it {STEERING}\nx - Task{STEERING} (1/2)#1 switched from RUNNING to FAILED\n"
    f"Caused by: a.bException: Cannot find checkpoint or savepoint file/directory '{STEERING}'\n"
)


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"was.sql": JOB, "now.sql": JOB})
    repository.write("now.sql", f"{JOB.replace('SUM', 'MAX')}SELECT `{STEERING}` ((;")
    repository.write("error.txt", LOG)
    return repository


@pytest.mark.parametrize(
    "command",
    [
        "check now.sql",
        "diff was.sql now.sql",
        "plan was.sql now.sql",
        "plan was.sql now.sql --format dot",
        "plan was.sql now.sql --format mermaid",
        "parse now.sql",
        "history now.sql",
        "history now.sql --format html",
        "explain-error error.txt",
        "explain-error error.txt --sql now.sql --against HEAD",
        "baseline now.sql",
    ],
)
def test_no_text_of_a_command_steers_a_terminal(
    job: GitRepository, command: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(Output, "is_terminal", property(lambda _: True))
    main(command.split())
    written = b"".join(capfdbinary.readouterr()).decode()
    assert written.strip()
    # Colours are those of Keepstate: the text says what it was.
    assert not {"\x07", "\u202e"} & set(written), written


def test_a_baseline_goes_as_it_is_into_a_pipe_and_into_a_file(
    job: GitRepository, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["baseline", "now.sql"]) == 0
    assert capfdbinary.readouterr().out == JOB.encode()
    assert main(["baseline", "now.sql", "--output", "kept.sql"]) == 0
    assert Path("kept.sql").read_bytes() == JOB.encode()
