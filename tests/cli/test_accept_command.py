"""keepstate accept, and a gate that goes by what is open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFile, AcceptanceFileError
from repositories import GitRepository


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"jobs/a.sql": JOB})
    repository.write("jobs/a.sql", INCOMPATIBLE)
    return repository


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = main(["check", *arguments, "--format", "json"])
    return status, json.loads(capsys.readouterr().out)["files"][0]


def test_what_is_accepted_passes_the_gate_and_is_reported_all_the_same(
    job: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(capsys)[0] == 1
    assert main(["accept", "--because", "the figures of today may go", "--by", "Ada"]) == 0
    assert "window-size-changed" in capsys.readouterr().out
    status, file = checked(capsys)
    assert (status, file["verdict"], file["open_verdict"]) == (0, "incompatible", "compatible")
    accepted = {"because": "the figures of today may go", "until": None, "by": "ledger"}
    assert [finding["accepted"] for finding in file["findings"]] == [accepted]
    assert main(["check"]) == 0
    text = capsys.readouterr().out
    assert "accepted incompatible[window-size-changed]" in text and "the figures of today may go" in text
    (entry,) = AcceptanceFile.at(job.folder / FILE_NAME).entries
    assert (entry.file, entry.by) == ("jobs/a.sql", "Ada")


def test_it_survives_reformatting_and_renaming_and_ends_with_the_commit(
    job: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["accept", "jobs/a.sql", "--because", "so"])
    job.git("add", "--all")
    job.git("mv", "jobs/a.sql", "jobs/b.sql")
    job.write("jobs/b.sql", INCOMPATIBLE.replace("FROM TABLE", "\n  from table").replace("GROUP BY", "-- x\nGROUP BY"))
    assert checked(capsys, "jobs/b.sql")[0] == 0
    assert main(["accept", "--prune"]) == 0
    assert "Nothing to do" in capsys.readouterr().out
    job.commit()
    assert main(["accept", "--prune"]) == 0
    assert "taken out: window-size-changed" in capsys.readouterr().out
    assert not (job.folder / FILE_NAME).exists()


def test_another_change_is_not_accepted(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    main(["accept", "--because", "so"])
    job.write("jobs/a.sql", INCOMPATIBLE.replace("'2' MINUTE", "'3' MINUTE"))
    status, file = checked(capsys)
    assert (status, file["open_verdict"]) == (1, "incompatible")


def test_only_some_rules_and_only_for_a_time(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    job.write("jobs/a.sql", PARTIAL.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE"))
    main(["accept", "--because", "so", "--rule", "window-size-changed", "--until", "2999-12-31"])
    status, file = checked(capsys, "--fail-on", "partial")
    assert (status, file["open_verdict"]) == (1, "partial")
    path = job.folder / FILE_NAME
    path.write_text(path.read_text("utf-8").replace("2999-12-31", "2001-01-01"), "utf-8")
    assert checked(capsys)[1]["open_verdict"] == "incompatible"
    assert main(["accept", "--prune"]) == 0
    assert not path.exists()


def test_a_comment_is_enough(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    comment = "-- keepstate: accept window-size-changed because so\nFROM TABLE"
    job.write("jobs/a.sql", INCOMPATIBLE.replace("FROM TABLE", comment))
    status, file = checked(capsys)
    assert status == 0 and file["findings"][0]["accepted"]["by"] == "comment"
    job.commit()
    job.write("jobs/a.sql", (job.folder / "jobs/a.sql").read_text("utf-8"))
    status, file = checked(capsys, "jobs/a.sql")
    assert status == 0
    assert [idle["reason"] for idle in file["idle_acceptances"]] == ["there is nothing to accept any more"]
    assert main(["check", "jobs/a.sql"]) == 0
    assert "accepts nothing: there is nothing to accept any more" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "--because"),
        (["--because", "x", "--prune"], "--because"),
        (["--because", "x", "--rule", "window-changed"], "no rule"),
        (["--because", "x", "--until", "soon"], "no date"),
        (["--because", "x", "--against", "v99"], "nothing was written"),
    ],
)
def test_what_is_asked_wrongly(
    job: GitRepository, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["accept", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not (job.folder / FILE_NAME).exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[accepted]]\n", "lacks rule"),
        ("[[accepted]]\nrule = 'x'\nchange = 'y'\nbecause = 'z'\nwho = 'me'\n", "no key 'who'"),
        ("[[accepted]]\nrule = 'x'\nchange = 'y'\nbecause = 'z'\nuntil = 'soon'\n", "a date"),
        ("accepted = 1\n", "only tables"),
        ("[[accepted]\n", "not TOML"),
    ],
)
def test_a_damaged_ledger_stops_the_gate(
    job: GitRepository, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    job.write(FILE_NAME, text)
    assert main(["check"]) == 2
    assert says in capsys.readouterr().err


def test_odd_texts_come_back_as_they_were(tmp_path: Path) -> None:
    from keepstate_lsp.config.acceptance_file import LedgerEntry

    entry = LedgerEntry("r", "k", 'a "quoted"\nline \\ with é, 🛒, tab\t and \x7f', "jobs/ü.sql", "was -> now")
    ledger = AcceptanceFile(tmp_path / FILE_NAME).with_entries([entry])
    ledger.write()
    assert AcceptanceFile.at(ledger.path) == ledger
    (tmp_path / FILE_NAME).write_bytes(b"\xff")
    with pytest.raises(AcceptanceFileError, match="cannot be read"):
        AcceptanceFile.at(ledger.path)
