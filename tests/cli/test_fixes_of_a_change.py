"""With two baselines, the fix that is offered mends what the change did, and leaves what main had done before it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate.text import Edit, Encoding, LineIndex, Position, Span, apply_edits
from keepstate_lsp.cli.main import main
from repositories import GitRepository

MAX = "SUM(amount) AS amount, MAX(amount) AS largest"
BOTH = INCOMPATIBLE.replace("SUM(amount) AS amount", MAX)
LONGER = JOB.replace("INTERVAL '1' MINUTE", "INTERVAL '5' MINUTE")
OTHER_SUM = INCOMPATIBLE.replace("SUM(amount) AS amount", "MIN(amount) AS amount")

CHANGES = {
    # deployed, merged, current, what the offered fixes of what the change added make of it
    "another clause": (JOB, INCOMPATIBLE, BOTH, INCOMPATIBLE),
    "another clause, the other way round": (JOB, PARTIAL, BOTH, PARTIAL),
    "the same clause": (JOB, INCOMPATIBLE, LONGER, INCOMPATIBLE),
    "an aggregate": (JOB, INCOMPATIBLE, OTHER_SUM, INCOMPATIBLE),
    "nothing merged": (JOB, JOB, PARTIAL, JOB),
}
FORMATS = ("text", "json", "sarif", "markdown")
"""Formats that show fixes."""


@pytest.fixture
def merge_request(repository: GitRepository, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The text that the fixes of the change should lead to; the working directory is the branch."""
    deployed, merged, current, wanted = CHANGES[request.param]
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("COLUMNS", "120")
    repository.commit({"a.sql": deployed})
    assert main(["deployed", "mark", "a.sql"]) == 0
    repository.commit({"a.sql": merged})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.write("a.sql", current)
    return wanted


def checked(capsys: pytest.CaptureFixture[str], form: str) -> str:
    capsys.readouterr()
    main(["check", "--against", "deployed", "--new-since", "merge-base:main", "--format", form])
    return capsys.readouterr().out


def fixed(text: str, fix: dict[str, Any]) -> str:
    lines = LineIndex(text)

    def offset(place: dict[str, int]) -> int:
        return lines.offset(Position(place["line"], place["character"]), Encoding.UTF16)

    edits = [Edit(Span(offset(e["range"]["start"]), offset(e["range"]["end"])), e["new_text"]) for e in fix["edits"]]
    return apply_edits(text, edits)


@pytest.mark.parametrize("merge_request", CHANGES, indirect=True)
def test_a_fix_takes_back_what_the_change_added_and_nothing_else(
    merge_request: str, repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = json.loads(checked(capsys, "json"))["files"]
    text = (repository.folder / "a.sql").read_text("utf-8")
    added = [finding for finding in file["findings"] if finding["added"]]
    assert added and all(finding["fixes"] for finding in added)
    for finding in added:
        plain = [fix for fix in finding["fixes"] if not fix["new_files"]]
        assert merge_request in [fixed(text, fix) for fix in plain]
        for fix in finding["fixes"]:
            # The title says what a restart of the fixed job would do to what runs.
            repository.write("a.sql", fixed(text, fix))
            (mended,) = json.loads(checked(capsys, "json"))["files"]
            assert mended["verdict"] == fix["verdict_after"]
            assert (fix["verdict_after"] == "compatible") == fix["title"].endswith("(compatible)")
            assert not any(one["added"] for one in mended["findings"] if one["key"] == finding["key"])
    assert not any(finding["fixes"] for finding in file["findings"] if not finding["added"])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("merge_request", ["another clause", "the same clause"], indirect=True)
def test_no_format_offers_to_reverse_what_was_merged(
    merge_request: str, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    said = " ".join(checked(capsys, form).replace("\\`", "`").split())
    assert "Restore `INTERVAL '1' MINUTE`" not in said and "Restore this INSERT" not in said
    assert "Remove `MAX" in said or "Restore `INTERVAL '2' MINUTE`" in said
