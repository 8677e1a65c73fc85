"""All changes of all jobs of a repository: what an audit reads, without Spark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.jobs.audit_rows import HistoryReader, Row
from keepstate_lsp.jobs.job_history import JobHistory
from keepstate_lsp.jobs.survey import SurveyTerms
from repositories import GitRepository

TABLE = "CREATE TABLE t (a INT, b INT) WITH ('connector' = 'datagen');\n"
FULL = SurveyTerms(merges=Merges.FULL)


def job(*columns: str) -> str:
    return f"{TABLE}SELECT {', '.join(columns)} FROM t;\n"


A, AB, B = job("a"), job("a", "b"), job("b")


def read(folder: Path, terms: SurveyTerms = SurveyTerms(), landmark: str | None = None) -> list[Row]:  # noqa: B008
    return list(HistoryReader(terms)(str(folder), landmark))


def reported(rows: list[Row]) -> list[tuple[str, str, str]]:
    """Subject, job and status of each change, the oldest first."""
    return [(row["subject"], row["job"], row["status"]) for row in rows if row["kind"] == "change"]


def problems(rows: list[Row]) -> list[str]:
    return [row["reason"] for row in rows if row["kind"] == "problem"]


def landmark(rows: list[Row]) -> str:
    end = rows[-1]
    assert end["kind"] == "end" and isinstance(end["landmark"], str)
    return end["landmark"]


@pytest.fixture
def jobs(repository: GitRepository) -> GitRepository:
    repository.commit({"jobs/a.sql": A, "jobs/notes.sql": "SELECT 1", "other.txt": "1"}, "First")
    return repository


def with_topic(jobs: GitRepository) -> None:
    jobs.git("checkout", "--quiet", "-b", "topic")
    jobs.commit({"jobs/a.sql": AB}, "Add")
    jobs.git("mv", "jobs/a.sql", "jobs/b.sql")
    jobs.commit({}, "Rename")
    jobs.git("checkout", "--quiet", "main")
    jobs.commit({"jobs/c.sql": A}, "Beside")
    jobs.git("merge", "--quiet", "--no-ff", "-m", "Merge", "topic")
    jobs.commit({"jobs/b.sql": B}, "Change")


class TestChanges:
    def test_oldest_first_and_jobs_alone(self, jobs: GitRepository) -> None:
        jobs.commit({"jobs/a.sql": AB, "jobs/notes.sql": "SELECT 2"}, "Add")
        jobs.commit({"jobs/a.sql": AB.replace("\n", "\r\n")}, "Line ends")
        jobs.commit({"jobs/a.sql": B}, "Change")
        rows = read(jobs.folder)
        assert reported(rows) == [
            ("First", "jobs/a.sql", "new"),
            ("Add", "jobs/a.sql", "changed"),
            ("Change", "jobs/a.sql", "changed"),
        ]
        assert (rows[1]["baseline_text"], rows[1]["current_text"]) == (A, AB)

    def test_the_same_change_has_one_name_and_one_text(self, jobs: GitRepository) -> None:
        for text in (AB, A, AB):
            jobs.commit({"jobs/a.sql": text}, "Back and forth")
        changed = [row for row in read(jobs.folder) if row.get("status") == "changed"]
        first, back, again = changed
        assert first["pair"] == again["pair"] != back["pair"]
        assert first["current_text"] == AB and again["current_text"] is None

    def test_a_job_keeps_its_name_when_it_is_renamed(self, jobs: GitRepository) -> None:
        jobs.git("mv", "jobs/a.sql", "jobs/b.sql")
        jobs.commit({}, "Rename")
        jobs.commit({"jobs/b.sql": AB}, "Add")
        jobs.commit({"jobs/a.sql": B}, "Another one")
        jobs.commit({"jobs/a.sql": A}, "Change")
        rows = reported(read(jobs.folder))
        assert [row[1] for row in rows[:3]] == ["jobs/a.sql"] * 3
        assert rows[3][1] == rows[4][1] != "jobs/a.sql"

    def test_deleted_and_brought_back(self, jobs: GitRepository) -> None:
        jobs.git("rm", "--quiet", "jobs/a.sql")
        jobs.commit({}, "Delete")
        jobs.commit({"jobs/a.sql": AB}, "Bring back")
        assert [row[2] for row in reported(read(jobs.folder))] == ["new", "deleted", "new"]

    def test_main_line_and_all_branches(self, jobs: GitRepository) -> None:
        with_topic(jobs)
        main = reported(read(jobs.folder))
        assert main[-2:] == [("Merge", "jobs/a.sql", "changed"), ("Change", "jobs/a.sql", "changed")]
        full = reported(read(jobs.folder, FULL))
        assert sorted(full) == sorted(
            [
                ("First", "jobs/a.sql", "new"),
                ("Add", "jobs/a.sql", "changed"),
                ("Rename", "jobs/a.sql", "changed"),
                ("Beside", "jobs/c.sql", "new"),
                ("Change", "jobs/a.sql", "changed"),
            ]
        )

    def test_globs_and_days(self, jobs: GitRepository) -> None:
        jobs.commit({"etl/x.txt": "SELECT 1"}, "Elsewhere")
        jobs.commit({"etl/x.txt": "SELECT 2", "jobs/a.sql": AB}, "Change")
        assert reported(read(jobs.folder, SurveyTerms(globs=("etl/*",)))) == [
            ("Elsewhere", "etl/x.txt", "new"),
            ("Change", "etl/x.txt", "changed"),
        ]
        assert reported(read(jobs.folder, SurveyTerms(since="2099-01-01T00:00:00"))) == []

    def test_says_of_a_job_what_its_history_says(self, jobs: GitRepository) -> None:
        """The same as ``keepstate history``, which reads from the other end."""
        jobs.commit({"keepstate.toml": '[parameters]\n"table.exec.state.ttl" = "1 h"\n'}, "Configure")
        jobs.commit({"jobs/a.sql": AB, "pyproject.toml": "[project]\n"}, "Add")
        jobs.commit({"keepstate.toml": '[parameters]\n"table.exec.state.ttl" = "2 h"\n'}, "Reconfigure")
        jobs.git("mv", "jobs/a.sql", "jobs/b.sql")
        jobs.commit({}, "Rename")
        with History.around(jobs.folder) as history:
            changes = list(JobHistory(history).changes("jobs/b.sql"))
        expected = [
            (change.commit.subject, None if change.after is None else dict(change.after.config.parameters))
            for change in reversed(changes)
        ]
        rows = [row for row in read(jobs.folder) if row["kind"] == "change"]
        found = [
            (row["subject"], dict(row["current_parameters"]) if row["status"] == "changed" else {}) for row in rows
        ]
        assert found == expected


class TestWhatIsWrong:
    def test_no_repository(self, tmp_path: Path) -> None:
        rows = read(tmp_path / "nothing")
        assert "git cannot read it" in problems(rows)[0]
        assert rows[-1] == {"kind": "end", "landmark": None, "whole": True}

    def test_no_commits(self, repository: GitRepository) -> None:
        assert "no commits" in problems(read(repository.folder))[0]

    def test_a_shallow_clone_is_named(self, jobs: GitRepository, tmp_path: Path) -> None:
        jobs.commit({"jobs/a.sql": AB}, "Add")
        jobs.commit({"jobs/a.sql": B}, "Change")
        clone = tmp_path / "clone"
        jobs.git("clone", "--quiet", "--depth", "2", f"file://{jobs.folder}", str(clone))
        rows = read(clone)
        assert "shallow" in problems(rows)[0]
        assert reported(rows) == [("Add", "jobs/a.sql", "cut-off"), ("Change", "jobs/a.sql", "changed")]
        again = read(clone, landmark=landmark(rows))
        assert "shallow" in problems(again)[0] and not reported(again)
        GitRepository(clone).git("fetch", "--quiet", "--unshallow")
        # The same head, and more behind it.
        whole = read(clone, landmark=landmark(rows))
        assert not problems(whole) and len(reported(whole)) == 3 and whole[-1]["whole"]

    def test_bare_clones_and_mirrors(self, jobs: GitRepository, tmp_path: Path) -> None:
        with_topic(jobs)
        jobs.git("clone", "--quiet", "--mirror", str(jobs.folder), str(tmp_path / "mirror.git"))
        assert read(tmp_path / "mirror.git") == read(jobs.folder)

    def test_a_missing_object_costs_its_changes(self, jobs: GitRepository) -> None:
        blob = jobs.git("rev-parse", "HEAD:jobs/a.sql")
        jobs.commit({"jobs/a.sql": AB}, "Add")
        jobs.commit({"jobs/a.sql": B}, "Change")
        (jobs.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        rows = read(jobs.folder)
        assert reported(rows)[-2:] == [("Add", "jobs/a.sql", "not-compared"), ("Change", "jobs/a.sql", "changed")]
        assert "missing" in next(row["reason"] for row in rows if row.get("subject") == "Add")

    def test_a_missing_commit_is_a_problem_of_the_repository(self, jobs: GitRepository) -> None:
        first = jobs.git("rev-parse", "HEAD")
        jobs.commit({"jobs/a.sql": AB}, "Add")
        (jobs.folder / ".git" / "objects" / first[:2] / first[2:]).unlink()
        rows = read(jobs.folder)
        assert "git cannot read it" in problems(rows)[0] and rows[-1]["landmark"] is None

    @pytest.mark.parametrize(
        ("content", "reason"),
        [(b"\x00\x01" * 40, "binary"), (TABLE.encode() + b"-- caf\xe9\nSELECT a FROM t;\n", "not UTF-8")],
    )
    def test_what_is_no_text(self, jobs: GitRepository, content: bytes, reason: str) -> None:
        jobs.commit({"jobs/a.sql": content}, "Spoil")
        jobs.commit({"jobs/a.sql": AB}, "Mend")
        rows = read(jobs.folder)
        assert [row[2] for row in reported(rows)] == ["new", "not-compared", "not-compared"]
        assert reason in rows[1]["reason"]

    def test_a_wrong_configuration_costs_what_it_is_about(self, jobs: GitRepository) -> None:
        jobs.commit({"keepstate.toml": "no = toml = at all"}, "Slip")
        jobs.commit({"jobs/a.sql": AB, "jobs/notes.sql": "SELECT 3"}, "Add")
        jobs.commit({"keepstate.toml": ""}, "Mend")
        jobs.commit({"jobs/a.sql": B}, "Change")
        rows = read(jobs.folder)
        assert [row[2] for row in reported(rows)] == ["new", *["not-compared"] * 3, "changed"]
        assert "is not TOML" in rows[2]["reason"]

    @pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX alone")
    def test_names_that_are_no_text(self, jobs: GitRepository) -> None:
        name = os.fsdecode(b"jobs/caf\xe9\n.sql")
        jobs.commit({name: A}, "Strange \x1b[31m name")
        jobs.commit({name: AB}, "Change")
        rows = read(jobs.folder)
        assert reported(rows)[-1] == ("Change", "jobs/caf\\udce9\\n.sql", "changed")
        for row in rows:
            for value in row.values():
                assert not isinstance(value, str) or value.encode()


class TestGoingOn:
    def steps(self, jobs: GitRepository) -> Iterator[None]:
        jobs.commit({"jobs/a.sql": AB}, "Add")
        yield
        jobs.git("mv", "jobs/a.sql", "jobs/b.sql")
        jobs.commit({"jobs/c.sql": A}, "Rename")
        yield
        jobs.git("checkout", "--quiet", "-b", "topic")
        jobs.commit({"jobs/b.sql": B}, "On a branch")
        jobs.git("checkout", "--quiet", "main")
        jobs.commit({"jobs/c.sql": AB}, "Beside")
        yield
        jobs.git("merge", "--quiet", "--no-ff", "-m", "Merge", "topic")
        jobs.commit({"jobs/b.sql": A, "keepstate.toml": '[parameters]\n"x" = 1\n'}, "Configure")
        yield

    @pytest.mark.parametrize("terms", [SurveyTerms(), FULL], ids=["main line", "all branches"])
    def test_bit_by_bit_gives_what_one_reading_gives(self, jobs: GitRepository, terms: SurveyTerms) -> None:
        rows = read(jobs.folder, terms)
        pieces, mark = rows[:-1], landmark(rows)
        for _ in self.steps(jobs):
            rows = read(jobs.folder, terms, mark)
            assert rows[-1]["whole"] is False
            pieces, mark = pieces + rows[:-1], landmark(rows)
            nothing = read(jobs.folder, terms, mark)
            assert [row["kind"] for row in nothing] == ["end"] and landmark(nothing) == mark
        whole = read(jobs.folder, terms)

        def texts_apart(row: Row) -> Row:
            # A text is handed out where a reading meets it first.
            return {key: value for key, value in row.items() if not key.endswith("_text")}

        order = ("commit", "path")
        assert sorted(map(texts_apart, pieces), key=lambda row: [row[key] for key in order]) == sorted(
            map(texts_apart, whole[:-1]), key=lambda row: [row[key] for key in order]
        )
        assert landmark(whole) == mark

    def test_a_rewritten_history_is_read_anew(self, jobs: GitRepository) -> None:
        jobs.commit({"jobs/a.sql": AB}, "Add")
        rows = read(jobs.folder)
        jobs.git("reset", "--quiet", "--hard", "HEAD~1")
        jobs.commit({"jobs/a.sql": B}, "Otherwise")
        again = read(jobs.folder, landmark=landmark(rows))
        assert again[-1]["whole"] is True
        assert [row[0] for row in reported(again)] == ["First", "Otherwise"]

    def test_a_main_line_that_changed_sides_is_read_anew(self, jobs: GitRepository) -> None:
        """A merge whose first parent is the other branch: what was the main line is one no more."""
        jobs.git("checkout", "--quiet", "-b", "topic")
        jobs.commit({"jobs/a.sql": AB}, "On a branch")
        jobs.git("checkout", "--quiet", "main")
        jobs.commit({"jobs/c.sql": A}, "Beside")
        rows = read(jobs.folder)
        jobs.git("checkout", "--quiet", "topic")
        jobs.git("merge", "--quiet", "--no-ff", "-m", "The wrong way round", "main")
        jobs.git("branch", "--quiet", "--force", "main", "topic")
        jobs.git("checkout", "--quiet", "main")
        again = read(jobs.folder, landmark=landmark(rows))
        assert again[-1]["whole"] is True
        assert [row[0] for row in reported(again)] == ["First", "On a branch", "The wrong way round"]


def test_nothing_of_a_repository_is_run(jobs: GitRepository, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(0o755)
    jobs.commit({"jobs/a.sql": AB, ".gitattributes": "*.sql diff=evil filter=evil\n"}, "Add")
    for key in ("diff.evil.textconv", "diff.evil.command", "filter.evil.smudge", "filter.evil.clean", "core.fsmonitor"):
        jobs.git("config", key, str(script))
    jobs.git("config", "log.showSignature", "true")
    jobs.git("config", "gpg.program", str(script))
    assert len(reported(read(jobs.folder))) == 2
    assert not trap.exists()


def test_a_parameter_by_hand_stands_over_all_files(jobs: GitRepository) -> None:
    jobs.commit({"keepstate.toml": '[parameters]\n"x" = 1\n'}, "Configure")
    jobs.commit({"jobs/a.sql": AB}, "Add")
    terms = SurveyTerms(parameters={"x": "2"})
    rows = read(jobs.folder, terms)
    assert [row[0] for row in reported(rows)] == ["First", "Add"]
    assert rows[1]["baseline_parameters"] == rows[1]["current_parameters"] == [("x", "2")]
    assert read(jobs.folder, replace(terms, parameters={"x": "3"}))[1]["pair"] != rows[1]["pair"]


def test_a_clone_says_what_its_original_says(jobs: GitRepository, tmp_path: Path) -> None:
    jobs.commit({"jobs/a.sql": AB}, "Add")
    shutil.copytree(jobs.folder, tmp_path / "copy")
    assert read(tmp_path / "copy") == read(jobs.folder)
