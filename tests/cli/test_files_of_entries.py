"""An entry of the ledger counts for the file that it names, and for no other one with the same change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate.report import Acceptance
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFile, LedgerEntry, counting_for
from program_starts import KEEPSTATE, Popen
from repositories import GitRepository

AT_ONCE = 6
OTHER = JOB.replace("daily", "weekly")


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """Two jobs with one and the same change."""
    monkeypatch.chdir(repository.folder)
    repository.commit({"jobs/a.sql": JOB, "jobs/e.sql": OTHER})
    repository.write("jobs/a.sql", INCOMPATIBLE)
    repository.write("jobs/e.sql", OTHER.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE"))
    return repository


def accepted(folder: Path, file: str | None) -> None:
    """Have jobs/a.sql accepted, in an entry that names ``file``; ``None``: none."""
    assert main(["accept", "jobs/a.sql", "--because", "so"]) == 0
    path = folder / FILE_NAME
    line = "" if file is None else f'file = "{file}"\n'
    path.write_text(path.read_text("utf-8").replace('file = "jobs/a.sql"\n', line), "utf-8")


@pytest.mark.parametrize("form", [*REPORT_FORMATS, "-q"])
def test_the_same_change_in_another_file_is_open(jobs: GitRepository, form: str) -> None:
    accepted(jobs.folder, "jobs/a.sql")
    options = [form] if form == "-q" else ["--format", form]
    assert main(["check", "jobs/a.sql", *options]) == 0
    assert main(["check", "jobs/e.sql", *options]) == 1
    assert main(["check", *options]) == 1


@pytest.mark.parametrize(
    ("file", "own", "other"),
    [
        ("jobs/a.sql", 0, 1),
        ("./jobs/../jobs/a.sql", 0, 1),
        ("jobs/e.sql", 1, 0),
        ("jobs/missing.sql", 1, 1),
        ("jobs/unchanged.sql", 1, 1),
        ("a.sql", 1, 1),
        ("jobs", 1, 1),
        ("jobs/*.sql", 1, 1),
        (None, 0, 0),
    ],
)
def test_an_entry_counts_for_the_file_that_it_names(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], file: str | None, own: int, other: int
) -> None:
    jobs.write("jobs/unchanged.sql", JOB)
    jobs.git("add", "jobs/unchanged.sql")
    jobs.git("commit", "-qm", "one more", "jobs/unchanged.sql")
    accepted(jobs.folder, file)
    assert (main(["check", "jobs/a.sql"]), main(["check", "jobs/e.sql"])) == (own, other)
    capsys.readouterr()
    assert main(["accept", "--prune"]) == 0
    # An entry that counts for no file goes.
    assert (jobs.folder / FILE_NAME).exists() == (0 in (own, other))
    assert ("taken out" in capsys.readouterr().out) == (0 not in (own, other))


def staged_move(repository: GitRepository) -> None:
    repository.git("mv", "jobs/a.sql", "jobs/b.sql")


def move_by_hand(repository: GitRepository) -> None:
    (repository.folder / "jobs/a.sql").rename(repository.folder / "jobs/b.sql")


def copy(repository: GitRepository) -> None:
    repository.write("jobs/b.sql", INCOMPATIBLE)


def move_and_new_file(repository: GitRepository) -> None:
    staged_move(repository)
    repository.write("jobs/a.sql", JOB)


def committed_move(repository: GitRepository) -> None:
    staged_move(repository)
    repository.git("commit", "-qam", "moved")


@pytest.mark.parametrize(
    ("move", "against", "status", "findings"),
    [
        (staged_move, "HEAD", 0, 1),
        (move_by_hand, "HEAD", 0, 1),
        (committed_move, "HEAD~1", 0, 1),
        # What is no successor is new, and has nothing to lose.
        (copy, "HEAD", 0, 0),
        # The name of the entry is taken by another file.
        (move_and_new_file, "HEAD", 1, 1),
    ],
)
def test_a_renamed_file_keeps_its_entry(
    jobs: GitRepository,
    capsys: pytest.CaptureFixture[str],
    move: Callable[[GitRepository], None],
    against: str,
    status: int,
    findings: int,
) -> None:
    jobs.write("jobs/e.sql", OTHER)
    accepted(jobs.folder, "jobs/a.sql")
    move(jobs)
    capsys.readouterr()
    assert main(["check", "jobs/b.sql", "--against", against, "--format", "json"]) == status
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert len(file["findings"]) == findings
    assert [one["accepted"] is not None for one in file["findings"]] == [status == 0] * findings
    if status == 0 and findings:
        assert main(["accept", "--prune", "--against", against]) == 0
        assert "Nothing to do" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--staged"], ["--current", "HEAD", "--against", "HEAD~1"]])
def test_what_is_staged_or_committed_is_judged_by_its_own_files(jobs: GitRepository, options: list[str]) -> None:
    """A file of the entry's name that lies on the disk alone is none of the current version."""
    accepted(jobs.folder, "jobs/a.sql")
    staged_move(jobs)
    jobs.git("add", "jobs/b.sql")
    if "--current" in options:
        jobs.git("commit", "-qam", "moved")
    jobs.write("jobs/a.sql", JOB)
    assert main(["check", "jobs/b.sql", *options]) == 0


def test_a_name_through_a_link_is_the_same_file(jobs: GitRepository) -> None:
    (jobs.folder / "link").symlink_to(jobs.folder / "jobs", target_is_directory=True)
    accepted(jobs.folder, "jobs/a.sql")
    assert main(["check", "link/a.sql"]) == 0
    assert main(["check", "link/e.sql"]) == 1


def test_all_files_that_are_accepted_at_once_have_entries(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number}.sql" for number in range(AT_ONCE)]
    repository.commit(dict.fromkeys(names, JOB))
    for name in names:
        repository.write(name, INCOMPATIBLE)
    monkeypatch.chdir(repository.folder)
    running = [Popen([*KEEPSTATE, "accept", name, "--because", "so"]) for name in names]
    assert [process.wait() for process in running] == [0] * AT_ONCE
    path = repository.folder / FILE_NAME
    assert sorted(one.file for one in AcceptanceFile.at(path).entries) == names
    assert main(["check"]) == 0
    # One of them goes with its change, the others stay although they say the same.
    repository.write(names[0], JOB)
    assert main(["accept", "--prune"]) == 0
    assert sorted(one.file for one in AcceptanceFile.at(path).entries) == names[1:]


def test_one_run_enters_each_file(jobs: GitRepository) -> None:
    assert main(["accept", "--because", "so"]) == 0
    assert sorted(one.file for one in AcceptanceFile.at(jobs.folder / FILE_NAME).entries) == [
        "jobs/a.sql",
        "jobs/e.sql",
    ]
    assert main(["check"]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--because", ""], "The reason is blank"),
        (["--because", " \t\n"], "The reason is blank"),
        (["--because", "<reason>"], "still to be written"),
        (["--because", "so", "--until", "2001-01-31"], "--until 2001-01-31 is over"),
    ],
)
def test_an_entry_that_would_count_for_nothing_is_refused(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["accept", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not (jobs.folder / FILE_NAME).exists()


def test_a_blank_reason_in_a_ledger_is_none(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write(FILE_NAME, "[[accepted]]\nrule = 'x'\nchange = 'y'\nbecause = '  '\n")
    assert main(["check"]) == 2
    assert "lacks because" in capsys.readouterr().err


def test_the_file_decides_which_acceptances_count(tmp_path: Path) -> None:
    def one(file: str) -> Acceptance:
        return LedgerEntry("r", "k", "so", file).acceptance

    own, other, former, every = one("a.sql"), one("b.sql"), one("old/a.sql"), one("")
    entries = (own, other, former, every)
    assert counting_for(entries, tmp_path, tmp_path / "a.sql", None) == (own, every)
    assert counting_for(entries, tmp_path, tmp_path / "a.sql", tmp_path / "old" / "a.sql") == (own, former, every)
    assert counting_for(entries, tmp_path, tmp_path / "x" / "a.sql", None) == (every,)
