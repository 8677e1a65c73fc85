"""Gaps are reported: broken new files, other SQL, entries without a match, and that nothing changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from jobs import BROKEN, INCOMPATIBLE, JOB, NOT_FLINK, PARTIAL, UNREAD
from keepstate_lsp.cli.main import main
from repositories import GitRepository

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")
QUERY = "SELECT region, count(*) FROM sales GROUP BY region ORDER BY 2 LIMIT {}\n"
"""Any SQL at all: nothing in it is Flink's."""
ETL = "INSERT INTO daily SELECT region, SUM(amount) FROM orders {} GROUP BY region;\n"
"""A job on tables of a catalog: nothing in it is Flink's either, but it writes."""


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    repository.commit(
        {"jobs/a.sql": JOB, "lib/report.sql": QUERY.format(10), "lib/etl.sql": ETL.format(""), "README.md": "Jobs"}
    )
    return repository


class Answer:
    """A run in one format."""

    def __init__(self, capsys: pytest.CaptureFixture[str], form: str, *arguments: str) -> None:
        capsys.readouterr()
        self.status = main(["check", *arguments, "--format", form])
        captured = capsys.readouterr()
        self.output, self.errors = captured.out, captured.err
        # Laid out, escaped and wrapped as each format does.
        self.said = " ".join(self.output.replace("\\\\", "\\").replace("\\", "").split())

    @property
    def document(self) -> dict[str, Any]:
        return json.loads(self.output)  # type: ignore[no-any-return]

    @property
    def files(self) -> dict[str, str]:
        return {file["path"]: file["status"] for file in self.document["files"]}


UNREAD_TEXTS = {
    "a template": UNREAD,
    "a template of the keys alone": UNREAD.replace("{{ keys }} )", "{{ keys }} ("),
}
REFUSED = {
    "a misspelt word": "CREATE TABEL t (a INT) WITH ('connector' = 'kafka');\n",
    "a part of it": BROKEN,
    "an open quote": JOB.replace("'orders'", "'orders"),
    "a merge conflict": f"<<<<<<< ours\n{JOB}=======\n{PARTIAL}>>>>>>> theirs\n",
    "no SQL at all": "# Jobs\n\nSee the *wiki* for 'connector' = 'kafka'.\n",
}


@pytest.mark.parametrize("name", [*UNREAD_TEXTS, *REFUSED])
@pytest.mark.parametrize(
    "arguments",
    [(), ("jobs",), ("jobs/new.sql",), ("jobs/*.sql",), ("--staged",), ("--against", "HEAD~1")],
    ids=str,
)
def test_a_new_file_that_cannot_be_read_is_an_error_however_it_is_found(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], name: str, arguments: tuple[str, ...]
) -> None:
    jobs.commit()
    jobs.write("jobs/new.sql", {**UNREAD_TEXTS, **REFUSED}[name])
    jobs.git("add", "--all")
    answer = Answer(capsys, "json", *arguments)
    assert (answer.status, answer.files["jobs/new.sql"]) == (
        2,
        "not-compared" if name in UNREAD_TEXTS else "not-valid",
    )
    assert answer.document["verdict"] == "unknown"
    assert all(problem["path"] == "jobs/new.sql" and problem["range"] for problem in answer.document["problems"])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("text", "says"),
    [(BROKEN, "Flink refuses"), (UNREAD, "It is new, and 1 place of it cannot be read")],
    ids=["refused", "unread"],
)
def test_every_format_names_the_place_of_a_new_file(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str, text: str, says: str
) -> None:
    jobs.write("jobs/new.sql", text)
    answer = Answer(capsys, form)
    assert answer.status == 2
    assert "jobs/new.sql" in answer.said and says in answer.said
    line = JOB[: JOB.index("GROUP BY")].count("\n") + 1
    assert f"jobs/new.sql:{line}:" in answer.errors


def test_a_new_file_before_the_first_commit(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.write("a.sql", BROKEN)
    assert Answer(capsys, "json", "a.sql").status == 2
    repository.write("a.sql", JOB)
    assert Answer(capsys, "json", "a.sql").files == {"a.sql": "new"}


def test_a_new_file_that_cannot_be_read_in_front_of_a_deployment(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deployed", "mark", "jobs/a.sql"]) == 0
    jobs.commit({"jobs/new.sql": UNREAD, "jobs/refused.sql": BROKEN})
    assert main(["deployed", "diff"]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "It is new, and 1 place of it cannot be read" in said
    assert "not valid jobs/refused.sql Flink refuses it" in said


def test_many_new_files_are_read_by_many_processes(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(6):
        jobs.write(f"jobs/{number}.sql", JOB if number % 2 else BROKEN)
    one, many = (Answer(capsys, "json", "--jobs", number) for number in ("1", "3"))
    assert one.output == many.output
    assert sorted(one.files.values()) == ["new"] * 3 + ["not-valid"] * 3


LEFT_OUT = "Left out: it shows nothing of Flink SQL"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "paths", [("lib/report.sql", "jobs/a.sql"), ("lib/r*.sql", "jobs/*.sql"), ("**/*.sql",)], ids=str
)
def test_other_sql_is_left_out_with_a_notice_beside_jobs(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str, paths: tuple[str, ...]
) -> None:
    jobs.write("lib/report.sql", QUERY.format(11))
    jobs.write("jobs/a.sql", PARTIAL)
    answer = Answer(capsys, form, *paths)
    assert answer.status == 0
    assert LEFT_OUT in answer.said and "report.flink.sql" in answer.said
    assert f"lib/report.sql: {LEFT_OUT}" in answer.errors and "keepstate.toml" in answer.errors
    if form == "json":
        assert "lib/report.sql" not in answer.files
        assert [notice["path"] for notice in answer.document["notices"]] == ["lib/report.sql"]
    if form == "junit":
        assert not ElementTree.fromstring(answer.output.encode()).findall(".//error")
    if form == "sarif":
        (run,) = answer.document["runs"]
        assert run["invocations"][0]["executionSuccessful"] is True


def test_other_sql_alone_is_an_error(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("lib/report.sql", QUERY.format(11))
    for paths in (["lib/report.sql"], ["lib/r*.sql"]):
        answer = Answer(capsys, "json", *paths)
        assert (answer.status, answer.files) == (2, {})
        assert "There is no Flink SQL in lib/r" in answer.errors and LEFT_OUT in answer.errors


def test_other_sql_that_is_new_or_broken(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("lib/new.sql", QUERY.format(1))
    jobs.write("lib/report.sql", "SELECT now()::date, 1 LIMIT (SELECT\n")
    answer = Answer(capsys, "json", "lib/new.sql", "lib/report.sql", "jobs/a.sql")
    assert answer.status == 2
    assert answer.files == {"jobs/a.sql": "unchanged", "lib/report.sql": "not-compared"}
    assert "It shows nothing of Flink SQL, and" in answer.said and "leave out other SQL" in answer.said


def test_other_sql_that_did_not_change_is_nothing_to_speak_of(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = Answer(capsys, "json", "lib/report.sql")
    assert (answer.status, answer.files, answer.errors) == (0, {"lib/report.sql": "unchanged"}, "")


@pytest.mark.parametrize("how", ["it writes", "configured", "deployed", "called so", "it became one", "it was one"])
def test_what_is_a_job_is_judged(jobs: GitRepository, capsys: pytest.CaptureFixture[str], how: str) -> None:
    path, before, after = "lib/report.sql", QUERY.format(10), QUERY.format(11)
    if how == "it writes":
        path, before, after = "lib/etl.sql", ETL.format(""), ETL.format("WHERE amount > 1")
    elif how == "called so":
        path = "lib/report.flink.sql"
    elif how == "it became one":
        after = INCOMPATIBLE
    elif how == "it was one":
        before = INCOMPATIBLE
    jobs.commit({path: before})
    jobs.write(path, after)
    arguments = [path]
    if how == "configured":
        jobs.write("keepstate.toml", 'files = ["lib/r*.sql"]\n')
        arguments = []
    elif how == "deployed":
        assert main(["deployed", "mark", path, "--commit", "HEAD"]) == 0
        arguments = [path, "--against", "deployed"]
    answer = Answer(capsys, "json", *arguments)
    assert answer.files == {path: "compared"}


def test_other_sql_of_a_folder_is_left_out_as_ever(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("lib/report.sql", QUERY.format(11))
    answer = Answer(capsys, "json", ".")
    assert (answer.status, answer.errors) == (0, "")


def test_other_sql_is_counted_beside_what_was_compared(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    for name in ("lib/report.sql", "lib/new.sql"):
        jobs.write(name, QUERY.format(11))
    for paths in ((), (".",), ("jobs", "lib")):
        said = Answer(capsys, "text", *paths).said
        assert "2 files that changed show nothing of Flink SQL: lib/new.sql, lib/report.sql." in said, paths


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[severity]\nincompatibel = 'off'\n",
            "no verdict, effect or rule 'incompatibel'; did you mean incompatible?",
        ),
        ("[severity]\nwindow-size-change = 'off'\n", "did you mean window-size-changed?"),
        ("[severity]\nwrong-result = 'hint'\n", "did you mean wrong-results?"),
        ("[severity]\nxyzzy = 'hint'\n", "`keepstate rules` lists all rules"),
        ("[severity]\npartial = 'hint'\nWINDOW-SIZE-CHANGED = 'hint'\n", "no verdict, effect or rule"),
        ("files = ['job/*.sql']\n", "No file matches files = job/*.sql. Did you mean jobs/a.sql?"),
        ("files = ['jobs/*.sql', 'libs/*.sql']\n", "No file matches files = libs/*.sql."),
        (
            "[[job]]\nfiles = ['jobs/aa.sql']\n",
            "No file matches [[job]] files = jobs/aa.sql. Did you mean jobs/a.sql?",
        ),
        ("[[job]]\nfiles = ['jobs/a.sql', 'joobs/*.sql']\n", "No file matches [[job]] files = joobs/*.sql."),
    ],
)
@pytest.mark.parametrize("paths", [(), ("jobs/a.sql",), ("jobs",)], ids=str)
def test_entries_that_match_nothing_are_errors_with_a_suggestion(
    jobs: GitRepository,
    capsys: pytest.CaptureFixture[str],
    text: str,
    says: str,
    paths: tuple[str, ...],
) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    jobs.write("keepstate.toml", text)
    # Paths are said instead of what `files` names.
    matters = not (paths and text.startswith("files"))
    assert main(["check", *paths]) == (2 if matters else 0)
    assert (says in capsys.readouterr().err) == matters


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_the_entry(jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    jobs.write("keepstate.toml", "[[job]]\nfiles = ['jobs/revenu.sql']\nengine-version = 'vvr-11.1-flink-1.20'\n")
    answer = Answer(capsys, form)
    assert answer.status == 2
    assert "No file matches [[job]] files = jobs/revenu.sql." in answer.said
    assert "keepstate.toml" in answer.said


@pytest.mark.parametrize(
    "text",
    [
        "[severity]\nincompatible = 'off'\nwrong-results = 'hint'\nwindow-size-changed = 'off'\n",
        "[[job]]\nfiles = ['jobs/a.sql']\n[[job]]\nfiles = ['jobs/*.sql', '**/a.sql', 'lib/etl.sql']\n",
        # In the baseline, so that a change that removes a job does not fail for what it left.
        "[[job]]\nfiles = ['lib/report.sql']\n",
        # What git ignores is a job as soon as it is named in full.
        "[[job]]\nfiles = ['made/*.sql', 'made/b.sql']\n",
    ],
)
def test_an_entry_that_matches_is_no_error(jobs: GitRepository, capsys: pytest.CaptureFixture[str], text: str) -> None:
    jobs.write(".gitignore", "made/\n")
    jobs.write("made/b.sql", JOB)
    jobs.write("jobs/a.sql", PARTIAL)
    (jobs.folder / "lib/report.sql").unlink()
    jobs.write("keepstate.toml", text)
    answer = Answer(capsys, "json")
    assert (answer.status, answer.errors) == (0, "")


def test_what_a_former_configuration_said_wrongly_is_past(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or the change that mends it could not be merged."""
    jobs.commit({"keepstate.toml": "[severity]\nincompatibel = 'off'\n"})
    jobs.write("keepstate.toml", "[severity]\nincompatible = 'off'\n")
    jobs.write("jobs/a.sql", PARTIAL)
    answer = Answer(capsys, "json")
    assert (answer.status, answer.files) == (0, {"jobs/a.sql": "compared"})


def test_entries_outside_of_a_repository_are_looked_for_on_the_disk(
    isolated_git: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.sql", PARTIAL), ("b.sql", JOB)):
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "keepstate.toml").write_text("[[job]]\nfiles = ['*.sql']\n", "utf-8")
    assert Answer(capsys, "json", "a.sql", "--against", "file:b.sql").status == 0
    (tmp_path / "keepstate.toml").write_text("[[job]]\nfiles = ['*.sq']\n", "utf-8")
    assert Answer(capsys, "json", "a.sql", "--against", "file:b.sql").status == 2


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "gitlab"])
def test_where_nothing_changed_baseline_engine_and_files_are_named(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """But for GitLab's list of issues, in which there is none."""
    head = jobs.git("rev-parse", "--short=7", "HEAD")
    for engine in ("vvr", "flink"):
        answer = Answer(capsys, form, "--engine", engine)
        assert answer.status == 0
        looked = f"3 SQL files looked at, engine {engine}"
        assert f"Nothing to compare: no Flink SQL file changed since HEAD ({head}) ({looked})." in answer.said
    if form == "junit":
        assert ElementTree.fromstring(answer.output.encode()).get("tests") == "0"


@pytest.mark.parametrize(
    ("against", "says"),
    [
        ("HEAD~1", "since HEAD~1 ("),
        ("merge-base:main", "since merge base with main ("),
        ("tag:v*", "since tag v1 ("),
    ],
)
def test_where_nothing_changed_the_baseline_is_named_whatever_it_is(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], against: str, says: str
) -> None:
    jobs.commit({"README.md": "Other jobs"})
    jobs.git("tag", "v1")
    assert says in Answer(capsys, "text", "--against", against).said


def test_files_that_changed_and_are_no_flink_sql(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("lib/report.sql", QUERY.format(11))
    said = Answer(capsys, "text").said
    assert "1 file that changed shows nothing of Flink SQL: lib/report.sql." in said
    for number in range(4):
        jobs.write(f"db/{number}.sql", NOT_FLINK)
    said = Answer(capsys, "text").said
    assert "5 files that changed show nothing of Flink SQL: db/0.sql, db/1.sql, db/2.sql and 2 more." in said


INSERT_ONLY = "INSERT INTO sums SELECT shop, SUM({}) AS total FROM purchases GROUP BY shop;\n"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("was", "now", "is_named"),
    [
        (INSERT_ONLY.format("a"), INSERT_ONLY.format("b"), True),
        (None, INSERT_ONLY.format("b"), True),
        (INSERT_ONLY.format("a"), NOT_FLINK, True),
        (INSERT_ONLY.format("a"), INSERT_ONLY.format("a"), False),
        (QUERY.format(11), QUERY.format(12), False),
    ],
    ids=["a job perhaps", "a new one", "one that was", "unchanged", "writes nothing"],
)
def test_a_changed_file_that_may_be_a_job_is_named_beside_those_compared(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str, was: str | None, now: str, is_named: bool
) -> None:
    if was is not None:
        jobs.commit({"lib/perhaps.sql": was})
    jobs.write("lib/perhaps.sql", now)
    jobs.write("jobs/a.sql", PARTIAL)
    answer = Answer(capsys, form)
    assert ("lib/perhaps.sql: Left out, though it changed" in answer.errors) is is_named
    assert ("perhaps.flink.sql" in answer.said) is is_named


def test_at_a_desk_after_a_commit_the_branch_is_hinted_at(
    jobs: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    jobs.git("clone", "--quiet", jobs.folder.as_uri(), str(tmp_path / "clone"))
    clone = GitRepository(tmp_path / "clone")
    monkeypatch.chdir(clone.folder)
    assert "merge-base" not in Answer(capsys, "text").said
    clone.git("checkout", "--quiet", "-b", "topic")
    start = clone.git("rev-parse", "--short=7", "HEAD")
    clone.commit({"jobs/a.sql": INCOMPATIBLE})
    answer = Answer(capsys, "text")
    assert f"This branch left origin/main at {start}: keepstate check --against merge-base:" in answer.said
    assert Answer(capsys, "text", "--against", "merge-base:origin/main").status == 1
    for arguments in (("--staged",), ("--current", "HEAD"), ("--against", "HEAD")):
        assert "This branch left" not in Answer(capsys, "text", *arguments).said


def test_nothing_to_compare_before_the_first_commit(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    answer = Answer(capsys, "text")
    assert answer.status == 0 and "since HEAD (no SQL files looked at, engine vvr)" in answer.said


def test_what_kept_a_run_from_comparing_says_with_what_it_would_have(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = Answer(capsys, "text", "--against", "v9")
    assert answer.status == 2 and "Nothing was compared with v9, engine vvr." in answer.said
