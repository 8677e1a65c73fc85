"""Jobs whose SQL stands in YAML and HCL files: what is recorded of them as deployed, and their history."""

from __future__ import annotations

import json

import pytest
from tests.repositories import GitRepository

from keepstate_lsp.cli.main import main

TABLES = (
    "CREATE TABLE orders (shop STRING, amount INT) WITH ('connector' = 'kafka');\n"
    "CREATE TABLE sums (shop STRING, total BIGINT) WITH ('connector' = 'blackhole');\n"
)
SUM = "INSERT INTO sums SELECT shop, SUM(amount) FROM orders GROUP BY shop;"
MAX = SUM.replace("SUM", "MAX")
YAML = f"one:\n  sql: |\n    {SUM}\ntwo:\n  sql: |\n    {MAX}\n"
HCL = "".join(
    f'resource "statement" "{name}" {{\n  sql = <<EOT\n{text}\nEOT\n}}\n' for name, text in (("one", SUM), ("two", MAX))
)
KINDS = {
    "yaml": ("k8s/jobs.yaml", YAML, "k8s/jobs.yaml#/{}/sql"),
    "hcl": ("main.tf", HCL, "main.tf#/resource/statement/{}/sql"),
}


def repository_of(repository: GitRepository, kind: str, named: bool) -> str:
    path, text, pointer = KINDS[kind]
    tables = "".join(
        f'[[job]]\n{f"name = {json.dumps(name)}" if named else ""}\nscript = ["{pointer.format(name)}"]\n'
        for name in ("one", "two")
    )
    repository.commit({path: text, "ddl.sql": TABLES, "keepstate.toml": f'context = ["ddl.sql"]\n{tables}'})
    return path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    capsys.readouterr()
    main([*words, "--format", "json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("named", [True, False], ids=["named", "without a name"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_value_is_a_job_of_its_own(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    named: bool,
) -> None:
    monkeypatch.chdir(repository.folder)
    path = repository_of(repository, kind, named)
    assert main(["deployed", "mark", path]) == 0
    listed = [one["path"] for one in answer(capsys, "deployed", "list")["deployments"]]  # type: ignore[index, union-attr]
    assert listed == [KINDS[kind][2].format(name) for name in ("one", "two")]
    assert main(["check", "--against", "deployed"]) == 0
    repository.commit({path: KINDS[kind][1].replace("MAX", "MIN")})
    files = answer(capsys, "check", "--against", "deployed")["files"]
    assert sorted((one["verdict"], one["status"]) for one in files) == [  # type: ignore[index, union-attr]
        ("compatible", "unchanged"),
        ("incompatible", "compared"),
    ]
    assert main(["deployed", "diff"]) == 1
    shown = capsys.readouterr().out
    assert "2 jobs: 1 incompatible, 1 same" in shown and "not deployed" not in shown
    assert main(["deployed", "mark", path]) == 0
    assert main(["check", "--against", "deployed"]) == 0
    assert main(["deployed", "unmark", path]) == 0
    assert answer(capsys, "deployed", "list")["deployments"] == []


def test_one_value_may_be_marked_alone(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository_of(repository, "yaml", True)
    assert main(["deployed", "mark", "k8s/jobs.yaml#/two/sql"]) == 0
    (one,) = answer(capsys, "deployed", "list")["deployments"]  # type: ignore[misc, attr-defined]
    assert (one["path"], one["name"]) == ("k8s/jobs.yaml#/two/sql", "two")


def test_a_record_at_a_commit(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    path = repository_of(repository, "yaml", True)
    repository.commit({path: YAML.replace("MAX", "MIN")})
    assert main(["deployed", "mark", path, "--commit", "HEAD~1"]) == 0
    assert main(["check", "--against", "deployed"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_history_of_a_file_has_all_its_jobs(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    monkeypatch.chdir(repository.folder)
    path = repository_of(repository, kind, True)
    repository.commit({path: KINDS[kind][1].replace("MAX", "MIN")})
    changes = answer(capsys, "history", path)["changes"]
    assert changes[0]["verdict"] == "incompatible"  # type: ignore[index]
