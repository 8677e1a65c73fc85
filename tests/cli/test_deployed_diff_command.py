"""keepstate deployed diff: what runs, compared with what is committed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, NOT_FLINK, PARTIAL, REFORMATTED
from keepstate_lsp.cli.main import main
from repositories import GitRepository

OTHER = "CREATE TABLE clicks (id BIGINT) WITH ('connector' = 'kafka');\nINSERT INTO late SELECT id FROM clicks;\n"
PARAMETERS = '[parameters]\n"pipeline.max-parallelism" = {}\n'


@pytest.fixture
def jobs(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> GitRepository:
    """Three jobs that run, and nothing else."""
    monkeypatch.chdir(repository.folder)
    names = [f"jobs/{name}.sql" for name in "abc"]
    repository.commit({name: f"-- {name}\n{JOB}" for name in names} | {"schema.sql": NOT_FLINK})
    assert main(["deployed", "mark", *names]) == 0
    capsys.readouterr()
    return repository


def reported(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    assert main(["deployed", "diff", *arguments, "--format", "json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def states(document: dict[str, Any]) -> dict[str, str]:
    return {
        entry["path"]: entry["verdict"] if entry["status"] == "compared" else entry["status"]
        for entry in document["files"]
    }


def test_job_by_job(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.git("rm", "--quiet", "jobs/c.sql")
    jobs.commit({"jobs/a.sql": INCOMPATIBLE, "jobs/d.sql": OTHER})
    # What is not committed is not what main has.
    jobs.write("jobs/b.sql", INCOMPATIBLE)
    document = reported(capsys, status=1)
    assert document["verdict"] == "incompatible"
    assert states(document) == {
        "jobs/a.sql": "incompatible",
        "jobs/b.sql": "unchanged",
        "jobs/c.sql": "deleted",
        "jobs/d.sql": "new",
    }
    assert [finding["rule"] for finding in document["files"][0]["findings"]] == ["window-size-changed"]
    assert document["files"][2]["deployment"]["path"] == "jobs/c.sql"
    assert main(["deployed", "diff"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines if line[0] != " "][:-1] == [
        "incompatible",
        "same",
        "gone",
        "not deployed",
    ]
    assert lines[-1] == "production and HEAD: 4 jobs: 1 incompatible, 1 not deployed, 1 gone, 1 same."


def test_nothing_differs(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/a.sql": f"-- a\n{REFORMATTED}"})
    assert set(states(reported(capsys)).values()) == {"unchanged"}


def test_paths_revisions_and_fail_on(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/a.sql": PARTIAL})
    jobs.commit({"jobs/a.sql": INCOMPATIBLE})
    assert states(reported(capsys, "jobs/a.sql", status=1)) == {"jobs/a.sql": "incompatible"}
    assert states(reported(capsys, "jobs/b.sql")) == {"jobs/b.sql": "unchanged"}
    assert states(reported(capsys, "jobs/a.sql", "--current", "HEAD~")) == {"jobs/a.sql": "partial"}
    assert states(reported(capsys, "production", "jobs/a.sql", "--fail-on", "never"))


def test_the_configuration_of_a_job_counts(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"keepstate.toml": PARAMETERS.format(128)})
    assert main(["deployed", "mark", "jobs/a.sql", "--engine-version", "vvr-8.0.11-flink-1.17"]) == 0
    jobs.commit({"keepstate.toml": PARAMETERS.format(256)})
    capsys.readouterr()
    (entry,) = reported(capsys, "jobs/a.sql", status=1)["files"]
    assert entry["told"] == [{"key": "pipeline.max-parallelism", "deployed": "128", "current": "256"}]
    (entry,) = reported(
        capsys, "jobs/a.sql", "--baseline-engine-version", "vvr-6", "--engine-version", "vvr-8", status=1
    )["files"]
    assert entry["told"][0] == {"key": "engine-version", "deployed": "vvr-6", "current": "vvr-8"}


def test_renamed_and_outside_of_the_configuration(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.git("mv", "jobs/a.sql", "jobs/renamed.sql")
    jobs.git("mv", "jobs/b.sql", "elsewhere.sql")
    jobs.commit({"keepstate.toml": 'files = ["jobs/*.sql"]\n', "jobs/c.sql": PARTIAL})
    document = reported(capsys)
    found = states(document)
    assert (found["jobs/renamed.sql"], found["jobs/c.sql"]) == ("unchanged", "partial")
    assert set(found) >= {"jobs/b.sql"}
    assert "jobs/a.sql" not in found


def test_environments(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/a.sql": PARTIAL})
    assert main(["deployed", "mark", "jobs/a.sql", "-e", "staging"]) == 0
    capsys.readouterr()
    assert states(reported(capsys, "staging"))["jobs/a.sql"] == "unchanged"
    assert states(reported(capsys, "-e", "staging", "jobs/a.sql")) == {"jobs/a.sql": "unchanged"}
    assert main(["deployed", "diff", "prod"]) == 2
    assert "prod is neither an environment nor a file" in capsys.readouterr().err
    assert main(["deployed", "diff", "-e", "prod"]) == 2
    said = capsys.readouterr().err
    assert "Nothing is recorded as deployed in prod" in said
    assert "keepstate deployed mark -e prod FILE ..." in said


def test_what_cannot_be_compared_is_2(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deployed", "diff", "--current", "v9"]) == 2
    assert "v9" in capsys.readouterr().err
    jobs.commit({"jobs/a.sql": JOB.replace("GROUP BY", "GROUP BY BY")})
    assert main(["deployed", "diff", "jobs/a.sql"]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("not valid")
    assert "jobs/a.sql: not valid" in captured.err
