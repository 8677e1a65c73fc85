"""Places of findings in the files of a job, the fixes that are offered there, and the words beside them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.project.scenarios import ORDERS, REVENUE, SINKS, SPLIT, TWO, TYPE, Check, edited, without
from tests.repositories import GitRepository

from keepstate_lsp.cli.main import main

ALONE = without(SPLIT, "keepstate.toml")
CONFIGURED = {**ALONE, "keepstate.toml": "# of this repository\nengine-version = '8.0.7'\n"}


def _fixes(document: dict[str, Any], job: str) -> list[dict[str, Any]]:
    findings = next(file["findings"] for file in document["files"] if file["path"] == job)
    return [fix for finding in findings for fix in finding["fixes"]]


def _applied(fix: dict[str, Any], files: dict[str, str]) -> dict[str, str]:
    """The files behind a fix of one edit, or of one new file."""
    after = dict(files)
    for new in fix["new_files"]:
        after[new["path"]] = new["text"]
    for edit in fix["edits"]:
        lines = after[edit["file"]].splitlines(keepends=True)
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["line"] == end["line"], "the fixes of this test are short"
        line = lines[start["line"]]
        lines[start["line"]] = line[: start["character"]] + edit["new_text"] + line[end["character"] :]
        after[edit["file"]] = "".join(lines)
    return after


@pytest.mark.parametrize("before", [ALONE, CONFIGURED], ids=["new file", "edit"])
def test_the_configuration_of_what_is_assumed_is_a_fix(check: Check, before: dict[str, str]) -> None:
    after = edited(before, "ddl/orders.sql", *TYPE)
    found = check(before, after)
    fixes = [fix for fix in _fixes(found.document, "jobs/revenue.sql") if "keepstate.toml" in fix["title"]]
    assert fixes and 'context = ["ddl/orders.sql", "ddl/sinks.sql"]' in fixes[0]["title"]
    again = check(before, _applied(fixes[0], after))
    assert again.verdicts["jobs/revenue.sql"] == fixes[0]["verdict_after"] == "incompatible"
    assert not again.assumed("jobs/revenue.sql")


def test_a_fix_that_would_make_a_job_invalid_is_not_offered(check: Check) -> None:
    """Flink refuses the job with the declaration, so no verdict follows from naming it."""
    before = {"ddl/orders.sql": ORDERS, "ddl/s.sql": SINKS.replace("total DOUBLE", "total BYTES"), "a.sql": REVENUE}
    found = check(before, edited(before, "ddl/orders.sql", *TYPE))
    assert found.verdicts["a.sql"] == "unknown"
    assert not [fix for fix in _fixes(found.document, "a.sql") if "keepstate.toml" in fix["title"]]


def test_one_of_equal_declarations_gets_no_fix(check: Check) -> None:
    """Put back in one of the two, they would differ, and neither would be taken."""
    before = {**TWO, "prod/orders.sql": TWO["dev/orders.sql"]}
    after = edited(edited(before, "dev/orders.sql", *TYPE), "prod/orders.sql", *TYPE)
    found = check(before, after)
    assert found.verdicts["jobs/revenue.sql"] == "incompatible"
    for fix in _fixes(found.document, "jobs/revenue.sql"):
        again = check(before, _applied(fix, after))
        assert again.verdicts["jobs/revenue.sql"] == fix["verdict_after"]


AMBIGUOUS = {
    "a column that two declare": (TWO, {"dev/orders.sql": TYPE}, ("dev/orders.sql", 3)),
    "the watermark": (TWO, {"dev/orders.sql": ("INTERVAL '5' SECOND", "INTERVAL '9' SECOND")}, ("dev/orders.sql", 6)),
    "the connector": (
        TWO,
        {"prod/orders.sql": ("'connector' = 'kafka'", "'connector' = 'pulsar'")},
        ("prod/orders.sql", 7),
    ),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_ambiguity_stands_at_the_edited_clause(check: Check, name: str) -> None:
    before, edits, place = AMBIGUOUS[name]
    after = before
    for path, edit in edits.items():
        after = edited(after, path, *edit)
    found = check(before, after)
    assert ("jobs/revenue.sql", "ambiguous-declaration", *place) in found.findings


def test_an_ambiguity_of_a_deleted_declaration_stands_in_the_job(check: Check) -> None:
    three = {**TWO, "test/orders.sql": TWO["prod/orders.sql"].replace("note INT", "note BIGINT, shop2 STRING")}
    found = check(three, {path: text for path, text in three.items() if path != "test/orders.sql"})
    places = {(file, line) for _, rule, file, line in found.findings if rule == "ambiguous-declaration"}
    assert places <= {("jobs/revenue.sql", 2)}


def test_paths_lead_to_files_beside_the_folder_of_a_run(
    check: Check, repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check(ALONE, edited(ALONE, "ddl/orders.sql", *TYPE))
    monkeypatch.chdir(repository.folder / "jobs")
    assert main(["check"]) == 1
    said = capsys.readouterr().out
    assert "../ddl/orders.sql:3:" in said and str(repository.folder) not in said


def test_the_refusal_of_a_baseline_is_the_reason(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    broken = edited(SPLIT, "ddl/orders.sql", "shop STRING,", "shop STRING,,")
    check(broken, SPLIT)
    capsys.readouterr()
    main(["check", "jobs/revenue.sql"])
    assert "Refused in the baseline: ddl/orders.sql:2:15" in capsys.readouterr().out


def test_a_notice_about_declarations_is_not_called_left_out(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    check(SPLIT, edited(SPLIT, "ddl/orders.sql", "note STRING", "remark STRING"))
    capsys.readouterr()
    main(["check", "--format", "github"])
    said = capsys.readouterr().out
    assert "title=Keepstate%3A declarations" in said and "left out" not in said
