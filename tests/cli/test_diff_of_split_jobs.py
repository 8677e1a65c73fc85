"""``keepstate diff`` of two files that read tables of other files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from keepstate_lsp.cli.main import main
from repositories import GitRepository
from split_jobs import CONTEXT, DOUBLE, MOST, ORDERS, REVENUE


def compared(capsys: pytest.CaptureFixture[str], *names: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["diff", *names, "--engine", "flink", "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return dict(file)


TYPED = REVENUE.replace("SUM(amount)", "SUM(amount * {})")
FILES = {"ddl/orders.sql": ORDERS, "jobs/was.sql": TYPED.format("2"), "jobs/now.sql": TYPED.format("2.00")}


@pytest.mark.parametrize("configuration", ["", CONTEXT], ids=["assumed", "context"])
def test_both_sides_read_the_declarations_of_other_files(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], configuration: str
) -> None:
    """The types of other files decide, as they do where all stands in one file."""
    monkeypatch.chdir(repository.folder)
    repository.commit({**FILES, "keepstate.toml": configuration})
    found = compared(capsys, "jobs/was.sql", "jobs/now.sql")
    whole = {f"whole/{name}.sql": ORDERS + FILES[f"jobs/{name}.sql"] for name in ("was", "now")}
    repository.commit(dict(whole))
    alone = compared(capsys, "whole/was.sql", "whole/now.sql")
    assert [one["rule"] for one in found["findings"]] == [one["rule"] for one in alone["findings"]] != []
    assert {each["path"] for each in found["files"]} >= {"ddl/orders.sql"}
    assert bool(found.get("assumed")) is not bool(configuration)


def test_each_side_reads_what_is_near(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({"a/orders.sql": ORDERS, "a/job.sql": REVENUE, "b/orders.sql": DOUBLE, "b/job.sql": REVENUE})
    found = compared(capsys, "a/job.sql", "b/job.sql")
    found = {one["rule"]: one for one in found["findings"] if one["file"] == "b/orders.sql"}
    assert found.keys() == {"only-aggregate-changed", "ambiguous-declaration"}
    clause = found["only-aggregate-changed"]
    assert clause["baseline_text"] == "amount DECIMAL(10, 2)"


def test_no_repository_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("was.sql", REVENUE), ("now.sql", MOST)):
        (tmp_path / name).write_text(text, "utf-8")
    assert [one["rule"] for one in compared(capsys, "was.sql", "now.sql")["findings"]]
