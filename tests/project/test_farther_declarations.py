"""Without a configuration: edits of declarations that are not the nearest ones of a job."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from tests.project.scenarios import Check
from tests.repositories import GitRepository

from keepstate.project.composition import VisibleDeclarations, compose
from keepstate.project.file_declarations import DeclarationIndex, FileDeclarations
from keepstate.project.source_files import SourceFile
from keepstate.syntax.memo import Memo
from keepstate_lsp.cli.main import main

ORDERS = "CREATE TABLE orders (shop STRING, amount {}, note STRING) WITH ('connector' = 'kafka', 'topic' = '{}');\n"
INT, LONG = (ORDERS.format(kind, "o") for kind in ("INT", "BIGINT"))
OTHER = ORDERS.format("DOUBLE", "o")
SINK = "CREATE TABLE sums (shop STRING, total DOUBLE) WITH ('connector' = 'blackhole');\n"
SUM = "INSERT INTO sums SELECT shop, CAST(SUM(amount) AS DOUBLE) FROM orders GROUP BY shop;\n"
VIEW = "CREATE VIEW big AS SELECT shop, amount FROM orders WHERE amount > 10;\n"
OVER_VIEW = SUM.replace("FROM orders", "FROM big")
ALONE = INT + SINK + SUM


@dataclass(frozen=True)
class Layout:
    """Files, an edit of one of them (``None``: it comes or goes), and the jobs that hear of it."""

    files: dict[str, str]
    path: str
    now: str | None
    verdicts: dict[str, str]


TEAMS = {
    "a/ddl/orders.sql": INT,
    "a/ddl/sums.sql": SINK,
    "a/jobs/a.sql": SUM,
    "b/ddl/orders.sql": OTHER,
    "b/ddl/sums.sql": SINK,
    "b/jobs/b.sql": SUM,
}
FLAT_TEAMS = {"a/orders.sql": INT + SINK, "a/a.sql": SUM, "b/orders.sql": OTHER + SINK, "b/b.sql": SUM}
SHARED = {"shared/ddl/orders.sql": INT, "a/orders.sql": OTHER, "a/sums.sql": SINK, "a/a.sql": SUM}
AROUND = {"orders.sql": INT, "jobs/orders.sql": OTHER, "jobs/sums.sql": SINK, "jobs/a.sql": SUM}
UNKNOWN = {"a/a.sql": "unknown"}

LAYOUTS = {
    # ---- other teams: silent
    "another team's folder": Layout(TEAMS, "b/ddl/orders.sql", INT, {"b/jobs/b.sql": "incompatible"}),
    "the team's own folder": Layout(TEAMS, "a/ddl/orders.sql", OTHER, {"a/jobs/a.sql": "incompatible"}),
    "another team's flat folder": Layout(FLAT_TEAMS, "b/orders.sql", LONG + SINK, {"b/b.sql": "incompatible"}),
    "a team more": Layout(FLAT_TEAMS, "c/c.sql", LONG + SINK + SUM, {"c/c.sql": "new"}),
    "a file that reads what it declares": Layout(
        {**FLAT_TEAMS, "demo/demo.sql": ALONE}, "demo/demo.sql", OTHER + SINK + SUM, {"demo/demo.sql": "incompatible"}
    ),
    "such a file in the folder around": Layout(
        {**SHARED, "demo.sql": ALONE}, "demo.sql", OTHER + SINK + SUM, {"demo.sql": "incompatible"}
    ),
    "another team's job reads it through a view": Layout(
        {**TEAMS, "b/ddl/big.sql": VIEW, "b/jobs/b.sql": OVER_VIEW},
        "b/ddl/orders.sql",
        INT,
        {"b/jobs/b.sql": "incompatible"},
    ),
    "another team's configuration names it": Layout(
        {**TEAMS, "b/keepstate.toml": 'context = ["ddl/*.sql"]\n'},
        "b/ddl/orders.sql",
        INT,
        {"b/jobs/b.sql": "incompatible"},
    ),
    "another team's script has it": Layout(
        {**TEAMS, "b/keepstate.toml": '[[job]]\nscript = ["ddl/*.sql", "jobs/b.sql"]\n'},
        "b/ddl/orders.sql",
        INT,
        {"b/jobs/b.sql": "incompatible"},
    ),
    "a part of the team's folder": Layout(
        {**TEAMS, "a/demos/one/orders.sql": OTHER + SINK, "a/demos/one/demo.sql": SUM},
        "a/demos/one/orders.sql",
        INT + SINK,
        {"a/demos/one/demo.sql": "incompatible"},
    ),
    # ---- shared or unused: unknown
    "a shared folder": Layout(SHARED, "shared/ddl/orders.sql", LONG, UNKNOWN),
    "a shared folder that jobs elsewhere take": Layout(
        {**SHARED, "b/b.sql": SUM, "b/sums.sql": SINK, "c/sums.sql": SINK, "a/orders.sql": OTHER},
        "shared/ddl/orders.sql",
        LONG,
        {**UNKNOWN, "b/b.sql": "unknown"},
    ),
    "the folder around": Layout(AROUND, "orders.sql", LONG, {"jobs/a.sql": "unknown"}),
    "the folder around, with a job of its own": Layout(
        {**AROUND, "b.sql": SUM, "sums.sql": SINK},
        "orders.sql",
        LONG,
        {"jobs/a.sql": "unknown", "b.sql": "incompatible"},
    ),
    "a folder without a job": Layout(
        {**TEAMS, "b/jobs/b.sql": "SELECT 1;\n"}, "b/ddl/orders.sql", INT, {"a/jobs/a.sql": "unknown"}
    ),
    "a shared declaration comes": Layout(
        {path: text for path, text in SHARED.items() if "shared" not in path}, "shared/ddl/orders.sql", INT, UNKNOWN
    ),
    "a shared declaration goes": Layout(SHARED, "shared/ddl/orders.sql", None, UNKNOWN),
    "below a view": Layout({**SHARED, "a/a.sql": OVER_VIEW, "a/big.sql": VIEW}, "shared/ddl/orders.sql", LONG, UNKNOWN),
    # ---- shared, and nothing changed for the job
    "another topic": Layout(SHARED, "shared/ddl/orders.sql", ORDERS.format("INT", "p"), {}),
    "a comment": Layout(SHARED, "shared/ddl/orders.sql", f"-- all shops\n{INT}", {}),
    "a column that the job does not read": Layout(
        SHARED, "shared/ddl/orders.sql", INT.replace("note STRING", "remark STRING"), {}
    ),
    "one of the same meaning comes": Layout(
        {**SHARED, "shared/ddl/orders.sql": "", "a/orders.sql": INT}, "shared/ddl/orders.sql", INT, {}
    ),
    "the configuration names the nearest": Layout(
        {**SHARED, "keepstate.toml": 'context = ["a/*.sql"]\n'}, "shared/ddl/orders.sql", LONG, {}
    ),
    "the job declares it itself": Layout(
        {"shared/ddl/orders.sql": INT, "a/a.sql": OTHER + SINK + SUM}, "shared/ddl/orders.sql", LONG, {}
    ),
}


def silent(verdict: str) -> bool:
    return verdict in ("unchanged", "compatible")


@pytest.mark.parametrize("name", LAYOUTS)
def test_jobs_that_hear_of_an_edit(check: Check, name: str) -> None:
    layout = LAYOUTS[name]
    after = {path: text for path, text in layout.files.items() if path != layout.path or layout.now is not None}
    found = check(layout.files, {**after, **({} if layout.now is None else {layout.path: layout.now})})
    assert {path: each for path, each in found.verdicts.items() if not silent(each)} == layout.verdicts
    unknown = [path for path, verdict in layout.verdicts.items() if verdict == "unknown"]
    for path in unknown:
        (one,) = [one for file in found.document["files"] if file["path"] == path for one in file["findings"]]
        places = [path for path, text in {**layout.files, layout.path: ""}.items() if "TABLE orders" in text]
        assert one["rule"] == "ambiguous-declaration"
        assert layout.path in one["message"] and all(place in one["message"] for place in places)
        assert one["file"] == (layout.path if layout.now is not None else path)


def test_a_declaration_that_moves_has_not_changed(check: Check) -> None:
    after = {"common/orders.sql" if "shared" in path else path: text for path, text in SHARED.items()}
    assert all(map(silent, check(SHARED, after).verdicts.values()))
    after["common/orders.sql"] = LONG
    assert check(SHARED, after).verdicts == UNKNOWN


@pytest.mark.parametrize("name", ["a shared folder", "another team's folder", "such a file in the folder around"])
def test_the_history_of_the_job_has_the_same_verdict(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    layout = LAYOUTS[name]
    monkeypatch.chdir(repository.folder)
    repository.commit(layout.files)
    repository.commit({**layout.files, layout.path: layout.now or ""})
    job = next(path for path in layout.files if path.endswith("a.sql"))
    main(["history", job, "--format", "json"])
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert changes[0]["verdict"] == layout.verdicts.get(job, changes[0]["verdict"])
    assert len(changes) == 1 + (job in layout.verdicts)


@pytest.mark.parametrize(("rival", "places"), [("jobs/a.sql", []), ("jobs/b.sql", ["ddl/orders.sql", "jobs/b.sql"])])
def test_what_the_file_of_the_job_declares_on_disk_is_no_rival(rival: str, places: list[str]) -> None:
    """An editor has the text of the job: a declaration that was taken out of it is still in the file."""
    memo = Memo()
    files = (SourceFile("ddl/orders.sql", INT), SourceFile(rival, OTHER))
    declared = DeclarationIndex(tuple(FileDeclarations.of(file, memo) for file in files))
    composed = compose([SourceFile("jobs/a.sql", SUM)], VisibleDeclarations(assumed=declared), memo)
    assert [each.file.path for each in composed.passed_over.get("orders", ())] == places
