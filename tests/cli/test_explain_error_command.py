"""keepstate explain-error: an exception, the SQL, and what ran before."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jobs import JOB, PARTIAL
from keepstate_lsp.cli.main import main
from repositories import GitRepository

TRACES = Path(__file__).parents[1] / "restore_errors" / "traces"
WINDOW = str(TRACES / "flink-2.3-window-aggregate-added.txt")
SHARED = str(TRACES / "flink-2.3-group-key-removed.txt")
UNMAPPED = str(TRACES / "flink-2.3-unmapped.txt")
GROUPED = """\
CREATE TABLE orders (region STRING, shop STRING, amount INT) WITH ('connector' = 'kafka');
SELECT region, shop, SUM(amount) FROM orders GROUP BY region, shop;
"""


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"a.sql": JOB})
    return repository


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["explain-error", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_without_sql_it_says_which_clause_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-error", WINDOW]) == 0
    text = capsys.readouterr().out
    assert "What the operator stores has another layout." in text
    assert "Look at the aggregates in SELECT and HAVING" in text
    assert "--sql FILE.sql" in text


def test_with_sql_it_names_the_clauses(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    document = explained(capsys, WINDOW, "--sql", "a.sql")
    assert document["operator"]["certain"]
    assert {clause["text"] for clause in document["clauses"]} >= {"COUNT(*)", "SUM(amount)"}
    assert all(clause["place"].startswith("a.sql:1") for clause in document["clauses"])
    assert document["findings"] is None


def test_with_a_baseline_it_names_the_edit(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    job.write("a.sql", PARTIAL)
    document = explained(capsys, WINDOW, "--sql", "a.sql", "--against", "HEAD")
    (finding,) = document["findings"]
    assert (finding["rule"], finding["there"]) == ("aggregate-added", True)
    assert "keepstate check a.sql --against HEAD" in document["steps"][0]


def test_sql_narrows_what_the_error_leaves_open(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    job.commit({"b.sql": GROUPED})
    job.write("b.sql", GROUPED.replace(", shop;", ";").replace(" shop,", ""))
    assert len(explained(capsys, SHARED)["operator"]["kinds"]) > 2
    document = explained(capsys, SHARED, "--sql", "b.sql", "--against", "HEAD")
    assert document["operator"]["kinds"] == ["group-aggregate", "source"]
    assert [finding["rule"] for finding in document["findings"]] == ["group-key-removed"]


def test_an_operator_id_tells_no_clause(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    job.write("a.sql", PARTIAL)
    assert main(["explain-error", UNMAPPED, "--sql", "a.sql", "--against", "HEAD"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "An operator id is a digest, from which no clause can be told." in text
    assert "Savepoint: file:/savepoints/savepoint-4d7f53-a0bfb5faa712" in text
    assert "Each finding of the comparison may be the reason: a.sql:10:85 partial[aggregate-added]" in text


def test_a_comparison_that_finds_nothing_says_so(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-error", WINDOW, "--sql", "a.sql", "--against", "HEAD"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "The comparison with HEAD finds nothing: it may be another version than the one that ran." in text


def test_sql_of_another_job_is_noticed(job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-error", str(TRACES / "flink-1.20-join-to-left.txt"), "--sql", "a.sql"]) == 0
    assert "a.sql has no such query" in capsys.readouterr().out


def test_an_error_that_is_not_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "java.lang.RuntimeException: Could not start the JobMaster.\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["explain-error"]) == 2
    captured = capsys.readouterr()
    assert "Its innermost message: Could not start the JobMaster." in captured.out
    assert "not explained" in captured.err
    (tmp_path / "note.txt").write_text("it does not work")
    assert main(["explain-error", str(tmp_path / "note.txt")]) == 2
    assert "This is no exception of Flink" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--against", "HEAD"], ["--sql", "-"], ["nowhere.txt"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["explain-error", *arguments]) == 2
    assert capsys.readouterr().err.startswith(("keepstate: ", "keepstate explain-error: "))
