"""Jobs that end without their file, and runs that compare a commit with itself: neither is called compatible."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from damage import JOB, MINUTES
from keepstate_lsp.cli.main import main
from repositories import GitRepository, isolated

TEXT = MINUTES.format(1)
DECLARATION, _, QUERY = TEXT.partition("\n\n")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    with isolated(tmp_path):
        made = GitRepository(tmp_path / "repository")
        made.commit({JOB: TEXT, "jobs/other.sql": TEXT.replace("daily", "other")})
    monkeypatch.chdir(made.folder)
    return made


def told(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--format", "json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


ENDED = {
    "emptied": "",
    "blank": " \n\t\n",
    "commented out": "".join(f"-- {line}\n" for line in TEXT.splitlines()),
    "commented out as a whole": f"/* {TEXT} */\n",
    "a declaration is left": DECLARATION,
    "a setting is left": "SET 'parallelism.default' = '2';\n",
    "a view is left": f"{DECLARATION}\nCREATE VIEW v AS SELECT region FROM orders;\n",
}


@pytest.mark.parametrize("how", ENDED)
@pytest.mark.parametrize("named", [(), (JOB,), ("--engine", "flink")], ids=["all", "named", "flink"])
def test_a_file_that_holds_no_job_any_more(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], how: str, named: tuple[str, ...]
) -> None:
    repository.write(JOB, ENDED[how])
    (file,) = told(capsys, "check", *named)["files"]
    assert (file["path"], file["status"], file["findings"]) == (JOB, "deleted", [])
    assert "The file holds no job any more" in file["reason"]
    assert main(["check", *named]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "no job any more since HEAD" in said and "stop it with a savepoint" in said
    assert "ompatible" not in said


@pytest.mark.parametrize("how", ENDED)
def test_two_files_of_which_one_holds_no_job_any_more(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    repository.write("now.sql", ENDED[how])
    (file,) = told(capsys, "diff", JOB, "now.sql")["files"]
    assert (file["status"], file["findings"]) == ("deleted", [])
    assert "The file holds no job any more" in file["reason"]
    pair = json.dumps({"id": 1, "baseline": TEXT, "current": ENDED[how]})
    repository.write("pairs.jsonl", f"{pair}\n")
    assert main(["diff", "--pairs", "pairs.jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "deleted"


def test_a_commit_that_empties_a_job_ends_it_in_the_history(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({JOB: ENDED["commented out"]})
    changes = told(capsys, "history", JOB)["changes"]
    assert [change["status"] for change in changes] == ["deleted", "new"]
    assert "The file holds no job any more" in changes[0]["reason"]


@pytest.mark.parametrize("how", ENDED)
def test_what_is_deployed_and_holds_no_job_any_more_is_gone(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    assert main(["deployed", "mark", JOB, "--by", "Ada"]) == 0
    repository.commit({JOB: ENDED[how]})
    assert main(["deployed", "diff"]) == 0
    assert any(line.startswith("gone ") and JOB in line for line in capsys.readouterr().out.splitlines())


NOT_ENDED = {
    "one of two queries is left": (
        TEXT + QUERY.replace("daily", "others").replace("COUNT(*)", "SUM(amount)"),
        "compared",
    ),
    "a query that Flink refuses": (f"{DECLARATION}\nINSERT INTO daily SELEC region FROM orders;\n", "not-valid"),
    "a query that a template hides": (f"{DECLARATION}\n{{{{ query }}}}\n", "not-compared"),
}


@pytest.mark.parametrize("how", NOT_ENDED)
def test_what_still_is_a_job(repository: GitRepository, capsys: pytest.CaptureFixture[str], how: str) -> None:
    text, status = NOT_ENDED[how]
    repository.write(JOB, text)
    assert main(["check", JOB, "--format", "json"]) in (0, 1, 2)
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["status"] == status


def test_a_file_without_a_job_on_either_side_is_none_that_ended(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({"jobs/tables.sql": DECLARATION})
    repository.write("jobs/tables.sql", DECLARATION.replace("STRING", "BIGINT"))
    said = told(capsys, "check", "jobs/tables.sql")
    assert said["files"] == []
    assert [notice["path"] for notice in said["notices"]] == ["jobs/tables.sql"]


WITHOUT_QUERIES = {
    "DELETE": ("DELETE FROM t WHERE a = {};\n", "DELETE is not compared"),
    "UPDATE": ("UPDATE t SET a = {};\n", "UPDATE is not compared"),
    "CALL": ("CALL sys.compact('{}');\n", "CALL is not compared"),
    "TRUNCATE": ("TRUNCATE TABLE t{};\n", "TRUNCATE is not compared"),
    "SHOW beside a declaration": (f"{DECLARATION}\nSHOW CREATE TABLE orders{{}};\n", "declares tables"),
    "comments": ("-- {}\n", "neither text holds a statement"),
    "declarations": (DECLARATION.replace("STRING", "VARCHAR({})"), "declares tables"),
}


@pytest.mark.parametrize("what", WITHOUT_QUERIES)
def test_texts_without_a_query_are_neither_unchanged_nor_compatible(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    text, words = WITHOUT_QUERIES[what]
    repository.commit({"jobs/other.flink.sql": text.format(1)})
    repository.write("jobs/other.flink.sql", text.format(2))
    repository.write("old.sql", text.format(1))
    for named in ((), ("jobs/other.flink.sql",)):
        said = told(capsys, "check", *named)
        assert said["files"] == []
        (notice,) = (each["message"] for each in said["notices"] if each["path"] == "jobs/other.flink.sql")
        assert words in notice
    said = told(capsys, "diff", "old.sql", "jobs/other.flink.sql")
    assert said["files"] == [] and "Nothing to compare" in said["nothing_compared"]
    pair = json.dumps({"id": 1, "baseline": text.format(1), "current": text.format(2)})
    repository.write("pairs.jsonl", f"{pair}\n")
    status = main(["diff", "--pairs", "pairs.jsonl"])
    answer = json.loads(capsys.readouterr().out)
    if what == "comments":
        assert (status, answer["status"]) == (2, "not-compared")
    else:
        assert "Nothing was compared" in answer["nothing_compared"]


@pytest.mark.parametrize(("one", "other"), [("", ""), ("", " \n"), ("-- a", "/* b */"), (";", "")])
def test_a_pair_of_texts_without_a_statement_is_not_compared(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], one: str, other: str
) -> None:
    repository.write("pairs.jsonl", json.dumps({"baseline": one, "current": other}))
    assert main(["diff", "--pairs", "pairs.jsonl"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["status"] == "not-compared" and "nothing was compared" in captured.err


def test_a_statement_without_state_beside_a_query_is_no_unchanged_file(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write("one.sql", f"{TEXT}\nCALL sys.compact('1');\n")
    repository.write("two.sql", f"{TEXT}\nCALL sys.compact('2');\n")
    repository.write("like one.sql", f"{TEXT}\n  CALL sys.compact( '1' ) ; -- so\n")
    assert told(capsys, "diff", "one.sql", "two.sql")["files"][0]["status"] == "compared"
    assert told(capsys, "diff", "one.sql", "like one.sql")["files"][0]["status"] == "unchanged"


SAME = [("main", "HEAD"), ("HEAD", "main"), ("HEAD", "HEAD"), ("v1", "HEAD"), ("merge-base:main", "HEAD"), ("@", "v1")]


@pytest.mark.parametrize("files", [(), (JOB,), (".",)], ids=["changed", "named", "folder"])
@pytest.mark.parametrize(("against", "current"), SAME)
def test_a_commit_that_is_compared_with_itself_is_told_and_in_a_build_refused(
    repository: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    against: str,
    current: str,
    files: tuple[str, ...],
) -> None:
    repository.git("tag", "v1")
    words = ("check", *files, "--against", against, "--current", current)
    notices = [entry["message"] for entry in told(capsys, *words)["notices"]]
    assert any("are one commit" in notice and "nothing was compared" in notice for notice in notices), notices
    assert main(list(words)) == 0
    captured = capsys.readouterr()
    assert "are one commit" in " ".join((captured.out + captured.err).split())
    monkeypatch.setenv("CI", "true")
    assert main(list(words)) == 2
    captured = capsys.readouterr()
    assert "are one commit" in captured.err and "--against" in captured.err


def test_what_differs_is_no_comparison_with_itself(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({JOB: MINUTES.format(2)})
    found = told(capsys, "check", "--against", "HEAD~1", "--current", "HEAD", status=1)
    assert not found.get("notices")
    # The work tree is no commit.
    assert not told(capsys, "check", "--against", "HEAD").get("notices")
