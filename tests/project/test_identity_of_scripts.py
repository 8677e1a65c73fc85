"""Jobs of several files whose last file is another one than in the baseline: each is compared with its former self."""

from __future__ import annotations

import json

import pytest
from tests.project.scenarios import HOURLY, ORDERS, REVENUE, SINKS, Check
from tests.repositories import GitRepository

from keepstate_lsp.cli.main import main

OTHER = "CREATE TABLE other (a INT) WITH ('connector' = 'blackhole');\n"
SUM, MAX = REVENUE, REVENUE.replace("SUM", "MAX")


def table(*files: str, name: str = "revenue") -> str:
    named = f'name = "{name}"\n' if name else ""
    return f"[[job]]\n{named}script = {json.dumps(files)}\n"


BEFORE = {"init.sql": ORDERS + SINKS, "run.sql": SUM, "keepstate.toml": table("init.sql", "run.sql")}
UNNAMED = {**BEFORE, "keepstate.toml": table("init.sql", "run.sql", name="")}
GLOB = {"a.sql": ORDERS + SINKS, "b.sql": SUM, "keepstate.toml": table("*.sql", name="")}

CASES: dict[str, tuple[dict[str, str], dict[str, str], dict[str, str]]] = {
    # ---- a file appended
    "appended, the sum edited": (
        BEFORE,
        {**BEFORE, "run.sql": MAX, "more.sql": OTHER, "keepstate.toml": table("init.sql", "run.sql", "more.sql")},
        {"more.sql": "incompatible"},
    ),
    "appended alone": (
        BEFORE,
        {**BEFORE, "more.sql": OTHER, "keepstate.toml": table("init.sql", "run.sql", "more.sql")},
        {"more.sql": "unchanged"},
    ),
    "appended by the glob of a job without a name": (
        GLOB,
        {**GLOB, "b.sql": MAX, "c.sql": OTHER},
        {"c.sql": "incompatible"},
    ),
    "appended by a glob, nothing edited": (GLOB, {**GLOB, "c.sql": OTHER}, {"c.sql": "unchanged"}),
    # ---- the last file renamed
    "renamed, the sum edited": (
        BEFORE,
        {"init.sql": ORDERS + SINKS, "sums.sql": MAX, "keepstate.toml": table("init.sql", "sums.sql")},
        {"sums.sql": "incompatible"},
    ),
    "renamed alone": (
        BEFORE,
        {"init.sql": ORDERS + SINKS, "sums.sql": SUM, "keepstate.toml": table("init.sql", "sums.sql")},
        {"sums.sql": "unchanged"},
    ),
    "renamed without a name, the declaration edited": (
        UNNAMED,
        {
            "init.sql": ORDERS.replace("amount DECIMAL(10, 2)", "amount DOUBLE") + SINKS,
            "sums.sql": SUM,
            "keepstate.toml": table("init.sql", "sums.sql", name=""),
        },
        {"sums.sql": "incompatible"},
    ),
    "renamed without a name, nothing edited": (
        UNNAMED,
        {"init.sql": ORDERS + SINKS, "sums.sql": SUM, "keepstate.toml": table("init.sql", "sums.sql", name="")},
        {"sums.sql": "unchanged"},
    ),
    # ---- another order
    "the last file put first": (
        {**BEFORE, "more.sql": OTHER, "keepstate.toml": table("init.sql", "run.sql", "more.sql")},
        {**BEFORE, "run.sql": MAX, "more.sql": OTHER, "keepstate.toml": table("more.sql", "init.sql", "run.sql")},
        {"run.sql": "incompatible"},
    ),
    "another order, nothing edited": (
        {**BEFORE, "more.sql": OTHER, "keepstate.toml": table("init.sql", "run.sql", "more.sql")},
        {**BEFORE, "more.sql": OTHER, "keepstate.toml": table("more.sql", "init.sql", "run.sql")},
        {"run.sql": "unchanged"},
    ),
    # ---- the name
    "another name, the same last file": (
        BEFORE,
        {**BEFORE, "run.sql": MAX, "keepstate.toml": table("init.sql", "run.sql", name="takings")},
        {"run.sql": "incompatible"},
    ),
    "two jobs exchange their names": (
        {
            **BEFORE,
            "hour.sql": HOURLY,
            "keepstate.toml": table("init.sql", "run.sql", name="a") + table("init.sql", "hour.sql", name="b"),
        },
        {
            **BEFORE,
            "hour.sql": HOURLY,
            "keepstate.toml": table("init.sql", "run.sql", name="b") + table("init.sql", "hour.sql", name="a"),
        },
        {"hour.sql": "incompatible", "run.sql": "incompatible"},
    ),
    # ---- the former last file is gone, and no file is its successor
    "the last file replaced by another one": (
        BEFORE,
        {
            "init.sql": ORDERS + SINKS,
            "b.sql": HOURLY.replace("'1'", "'2'"),
            "keepstate.toml": table("init.sql", "b.sql"),
        },
        {"b.sql": "incompatible"},
    ),
    "the first configuration appends a file": (
        {"init.sql": ORDERS + SINKS, "run.sql": SUM},
        {**BEFORE, "run.sql": MAX, "more.sql": OTHER, "keepstate.toml": table("init.sql", "run.sql", "more.sql")},
        {"more.sql": "incompatible"},
    ),
    # ---- really another job
    "a second job, which is new": (
        BEFORE,
        {
            **BEFORE,
            "hour.sql": HOURLY,
            "keepstate.toml": BEFORE["keepstate.toml"] + table("init.sql", "hour.sql", name="hourly"),
        },
        {"hour.sql": "new", "run.sql": "unchanged"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_job_is_compared_with_its_former_self(check: Check, case: str) -> None:
    before, after, verdicts = CASES[case]
    found = check(before, after)
    wanted = {path: verdict for path, verdict in verdicts.items() if verdict != "unchanged"}
    assert {path: each for path, each in found.verdicts.items() if each != "unchanged"} == wanted
    assert found.status == int("incompatible" in verdicts.values())


APPENDED = {**BEFORE, "run.sql": MAX, "more.sql": OTHER, "keepstate.toml": table("init.sql", "run.sql", "more.sql")}
RENAMED = CASES["renamed without a name, the declaration edited"][1]


@pytest.mark.parametrize(("before", "after", "last"), [(BEFORE, APPENDED, "more.sql"), (UNNAMED, RENAMED, "sums.sql")])
def test_history_goes_on_under_the_former_file(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    before: dict[str, str],
    after: dict[str, str],
    last: str,
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({**before, "run.sql": SUM.replace("SUM", "MIN")})
    repository.commit(before)
    for path in before.keys() - after.keys():
        (repository.folder / path).unlink()
    repository.commit(after)
    assert main(["history", last, "--format", "json"]) in (0, 1)
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [change["verdict"] for change in changes[:2]] == ["incompatible", "incompatible"]


@pytest.mark.parametrize(("after", "last"), [(APPENDED, "more.sql"), (RENAMED, "sums.sql")])
def test_a_deployed_job_is_known_by_its_name(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    after: dict[str, str],
    last: str,
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit(BEFORE if after is APPENDED else UNNAMED)
    assert main(["deployed", "mark", "run.sql"]) == 0
    for path in BEFORE.keys() - after.keys():
        (repository.folder / path).unlink()
    repository.commit(after)
    capsys.readouterr()
    assert main(["check", "--against", "deployed", "--format", "json"]) == 1
    files = json.loads(capsys.readouterr().out)["files"]
    assert [(file["path"], file["verdict"]) for file in files] == [(last, "incompatible")]
    assert main(["deployed", "diff"]) == 1
    assert "not deployed" not in capsys.readouterr().out
    assert main(["deployed", "mark", last]) == 0
    assert main(["check", "--against", "deployed", "--format", "json"]) == 0


def test_a_plan_has_the_former_job_beside_it(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit(BEFORE)
    for path, text in APPENDED.items():
        repository.write(path, text)
    assert main(["plan", "--script", "revenue"]) == 0
    assert "more.sql" in capsys.readouterr().out
    assert main(["plan", "revenue", "--against", "HEAD"]) == 0
    shown = capsys.readouterr().out
    assert "SUM" in shown and "MAX" in shown


def test_an_acceptance_follows_the_job_to_its_new_file(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit(BEFORE)
    repository.write("run.sql", MAX)
    assert main(["accept", "run.sql", "--because", "agreed"]) == 0
    assert main(["check", "--fail-on", "unknown"]) == 0
    for path, text in APPENDED.items():
        repository.write(path, text)
    capsys.readouterr()
    assert main(["check", "--fail-on", "unknown"]) == 0


@pytest.mark.parametrize(("jobs", "status"), [(["revenue"], 0), (["run.sql"], 0), (["other"], 1)])
def test_an_entry_is_narrowed_to_jobs_by_their_names(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    jobs: list[str],
    status: int,
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit(BEFORE)
    repository.write("run.sql", MAX)
    assert main(["accept", "--because", "agreed"]) == 0
    ledger = repository.folder / "keepstate.accepted.toml"
    text = ledger.read_text("utf-8")
    ledger.write_text(text.replace('file = "run.sql"\n', f"jobs = {json.dumps(jobs)}\n"), "utf-8")
    assert main(["check"]) == status


@pytest.mark.parametrize("path", ["run.sql", "init.sql", "."])
@pytest.mark.parametrize(("baseline", "verdict"), [("", "unchanged"), ('baseline = "tag:v*"\n', "incompatible")])
@pytest.mark.parametrize("entry", ["run.sql", "*.sql"])
def test_a_script_has_the_baseline_of_its_table(
    check: Check, repository: GitRepository, entry: str, baseline: str, verdict: str, path: str
) -> None:
    tables = (
        "CREATE TABLE t (k STRING, a INT) WITH ('connector' = 'kafka');\n"
        "CREATE TABLE s (k STRING, a INT) WITH ('connector' = 'blackhole');\n"
    )
    run = "INSERT INTO s SELECT k, MIN(a) FROM t GROUP BY k;\n"
    job = f'[[job]]\nscript = ["init.sql", "{entry}"]\n{baseline}'
    was = {"init.sql": tables, "run.sql": run, "keepstate.toml": job}
    now = {**was, "run.sql": run.replace("MIN", "MAX")}
    repository.commit(dict(was))
    repository.git("tag", "v1")
    assert check(now, now, path).verdicts == {"run.sql": verdict}
