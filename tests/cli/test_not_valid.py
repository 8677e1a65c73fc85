"""Files that Flink refuses: the status ``not-valid``, exit status 2, and the place in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jobs import BROKEN, DECLARED, INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.main import main
from repositories import GitRepository

SECOND = "\nINSERT INTO totals SELECT region, SUM(amount) AS amount FROM orders GROUP BY region;\n"
REFUSED = {
    "syntax": BROKEN,
    "unknown-column": JOB.replace("SUM(amount)", "SUM(amout)"),
    "not-grouped": JOB.replace("SELECT region", "SELECT order_id"),
    "reserved-word": JOB.replace("AS amount", "AS `amount`, MAX(amount) AS second"),
    "watermark-column": JOB.replace("FOR order_time AS order_time", "FOR region AS order_time"),
}
DOUBTED = DECLARED.replace("INTERVAL '1' MINUTE", "INTERVAL '1' MINUTE, INTERVAL '2' MINUTE")
"""Open-source Flink refuses the offset; of other engines no document says anything."""


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    repository.commit({"a.sql": JOB})
    return repository


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any], str]:
    capsys.readouterr()
    status = main([*words, "--format", "json"])
    captured = capsys.readouterr()
    return status, json.loads(captured.out), captured.err


@pytest.mark.parametrize("rule", REFUSED)
@pytest.mark.parametrize("fail_on", ["never", "incompatible", "unknown", "partial"])
def test_the_status_is_not_valid_whatever_fails_the_run(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], rule: str, fail_on: str
) -> None:
    jobs.write("a.sql", REFUSED[rule])
    status, document, errors = answer(capsys, "check", "--fail-on", fail_on)
    (file,) = document["files"]
    assert (status, file["status"]) == (2, "not-valid")
    assert file["verdict"] == document["verdict"] != "compatible" and file["open_verdict"] != "compatible"
    assert file["reason"].startswith("Flink refuses it: ")
    assert "a.sql: not valid: Flink refuses it: " in errors and f"[{rule}]" in errors


@pytest.mark.parametrize("rule", REFUSED)
@pytest.mark.parametrize("form", REPORT_FORMATS)
@pytest.mark.parametrize("path", ["a.sql", "new.sql"])
def test_every_format_names_the_file_and_the_refusal(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], rule: str, form: str, path: str
) -> None:
    jobs.write(path, REFUSED[rule])
    capsys.readouterr()
    assert main(["check", "--format", form]) == 2
    captured = capsys.readouterr()
    said = " ".join(captured.out.replace("\\", "").split())
    assert path in said and "Flink refuses" in said
    line = int(captured.err.split(f"{path}:", 2)[2].split(":")[0])
    if form in ("text", "junit"):
        assert f"{path}:{line}:" in said
    if form == "json":
        (problem,) = json.loads(captured.out)["problems"]
        assert (problem["path"], problem["range"]["start"]["line"]) == (path, line - 1)
    if form == "github":
        assert f"file={path},line={line}," in captured.out
    if form == "gitlab":
        (issue,) = [issue for issue in json.loads(captured.out) if issue["check_name"] == "not-valid"]
        assert issue["location"]["lines"]["begin"] == line


def test_the_other_queries_keep_their_findings(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"a.sql": JOB + SECOND})
    jobs.write("a.sql", INCOMPATIBLE + SECOND.replace("GROUP BY region", "GROUP BY regio"))
    status, document, _ = answer(capsys, "check")
    (file,) = document["files"]
    assert (status, file["status"], file["verdict"]) == (2, "not-valid", "incompatible")
    assert [finding["rule"] for finding in file["findings"]] == ["window-size-changed"]
    assert {pipeline["verdict"] for pipeline in file["pipelines"]} == {"incompatible", "unknown"}


def test_a_refused_baseline_is_named_and_the_current_text_judged(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.commit({"a.sql": REFUSED["unknown-column"]})
    jobs.write("a.sql", JOB)
    status, document, errors = answer(capsys, "check", "--fail-on", "unknown")
    (file,) = document["files"]
    assert (file["status"], file["verdict"], file["findings"]) == ("compared", "unknown", [])
    assert "(in the baseline)" in errors and "[unknown-column]" in errors
    assert [problem["side"] for problem in document["problems"]] == ["baseline"]
    assert status == 1


def test_a_refusal_of_the_baseline_stands_at_its_path(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("was.sql", REFUSED["unknown-column"])
    _, _, errors = answer(capsys, "diff", "was.sql", "a.sql")
    assert "keepstate: was.sql:" in errors and "(in the baseline)" in errors
    assert "keepstate: a.sql:" not in errors


def test_a_refusal_of_both_versions_is_named_once(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("was.sql", REFUSED["unknown-column"])
    jobs.write("is.sql", REFUSED["unknown-column"] + SECOND)
    _, document, errors = answer(capsys, "diff", "was.sql", "is.sql")
    assert errors.count("[unknown-column]") == 1 and "(in the baseline)" not in errors
    assert [problem["side"] for problem in document["problems"]] == ["current"]


def test_pairs(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {**REFUSED, "good": PARTIAL}
    pairs = [{"id": name, "baseline": JOB, "current": text} for name, text in texts.items()]
    jobs.write("pairs.jsonl", "".join(json.dumps(pair) + "\n" for pair in pairs))
    assert main(["diff", "--pairs", "pairs.jsonl"]) == 2
    captured = capsys.readouterr()
    found = {entry["id"]: entry for entry in map(json.loads, captured.out.splitlines())}
    assert {name: entry["status"] for name, entry in found.items()} == {
        **dict.fromkeys(REFUSED, "not-valid"),
        "good": "compared",
    }
    assert all(found[name]["verdict"] != "compatible" for name in REFUSED)
    assert captured.err.count(": not valid: Flink refuses it: ") == len(REFUSED)


def test_history(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"a.sql": REFUSED["not-grouped"]}, "Break")
    jobs.commit({"a.sql": PARTIAL}, "Mend")
    status, document, errors = answer(capsys, "history", "a.sql")
    rows = [(row["subject"], row["status"]) for row in document["changes"]]
    assert rows[:2] == [("Mend", "compared"), ("Break", "not-valid")]
    assert document["changes"][0]["verdict"] == "unknown"
    assert status == 2 and errors.count("not valid: Flink refuses it: ") == 1


def test_new_findings_do_not_hide_a_refusal(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"a.sql": DECLARED})
    main(["deployed", "mark", "a.sql"])
    jobs.git("checkout", "--quiet", "-b", "change")
    words = ("check", "a.sql", "--against", "deployed", "--new-since", "main", "--fail-on", "unknown")
    for text, status, verdict in ((DOUBTED, "compared", 1), (REFUSED["not-grouped"], "not-valid", 2)):
        jobs.write("a.sql", text)
        code, document, _ = answer(capsys, *words)
        (file,) = document["files"]
        assert (code, file["status"]) == (verdict, status)
        assert file["open_verdict"] not in ("compatible", "partial")


def test_a_doubt_that_the_change_did_not_add_does_not_fail_it(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.commit({"a.sql": DECLARED})
    main(["deployed", "mark", "a.sql"])
    jobs.commit({"a.sql": DOUBTED})
    jobs.git("checkout", "--quiet", "-b", "change")
    jobs.write("a.sql", f"{DOUBTED}-- a comment more\n")
    code, document, _ = answer(capsys, "check", "a.sql", "--against", "deployed", "--new-since", "main")
    (file,) = document["files"]
    assert (file["status"], file["open_verdict"], code) == ("compared", "compatible", 0)
    assert file["verdict"] != "compatible"


def test_a_folder_without_git(
    isolated_git: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "was.sql").write_text(JOB)
    (tmp_path / "now.sql").write_text(REFUSED["unknown-column"])
    status, document, _ = answer(capsys, "diff", "was.sql", "now.sql")
    assert (status, document["files"][0]["status"]) == (2, "not-valid")
