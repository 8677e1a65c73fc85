"""The step behind a deployment that records it: a script, run in clones that push to one repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs import JOB, PARTIAL
from platforms import ROOT, Ran, clone, definition, run_script
from repositories import GitRepository

SCRIPT = ROOT / "examples" / "shop-jobs" / "ci" / "mark-deployed.sh"
REF = "refs/keepstate/deployed/production"


@pytest.fixture
def central(repository: GitRepository) -> GitRepository:
    repository.commit({f"jobs/{name}.sql": f"-- {name}\n{JOB}" for name in "ab"})
    return repository


def mark(folder: Path, *arguments: str, **environment: str) -> Ran:
    return run_script(" ".join((str(SCRIPT), *arguments)), folder, environment)


def marked(repository: GitRepository) -> list[str]:
    return repository.git("ls-tree", "-r", "--name-only", REF, "--", "files/").split()


def test_one_after_the_other(central: GitRepository, tmp_path: Path) -> None:
    assert (
        "first record" in mark(clone(central, tmp_path / "one", "--depth=1").folder, "production", "jobs/a.sql").output
    )
    later = clone(central, tmp_path / "two", "--depth=1")
    ran = mark(later.folder, "production", "jobs/*.sql", "--savepoint", "s3://savepoints/1")
    assert ran.status == 0, ran.errors
    assert marked(central) == ["files/jobs/a.sql", "files/jobs/b.sql"]
    assert "s3://savepoints/1" in central.git("show", f"{REF}:records/jobs/b.sql.json")


def test_two_at_once(central: GitRepository, tmp_path: Path) -> None:
    """The second one pushes when the first one has been there: a hook of the clone sees to it, once."""
    first, second = (clone(central, tmp_path / name) for name in ("one", "two"))
    hook = second.write(
        ".git/hooks/pre-push",
        f"#!/bin/sh\n[ -e {tmp_path}/once ] && exit 0\ntouch {tmp_path}/once\n"
        f"cd {first.folder} && env -u GIT_DIR {SCRIPT} production jobs/a.sql\n",
    )
    hook.chmod(0o755)
    ran = mark(second.folder, "production", "jobs/b.sql")
    assert ran.status == 0, ran.errors
    assert "not pushed" in ran.errors
    assert marked(central) == ["files/jobs/a.sql", "files/jobs/b.sql"]


def test_what_is_marked_is_what_the_clone_has(central: GitRepository, tmp_path: Path) -> None:
    work = clone(central, tmp_path / "work")
    work.commit({"jobs/a.sql": PARTIAL})
    assert mark(work.folder, "production", "jobs/a.sql").status == 0
    assert central.git("show", f"{REF}:files/jobs/a.sql") == PARTIAL.strip()


def test_a_remote_that_is_not_there_fails_the_step(central: GitRepository) -> None:
    assert mark(central.folder, "production", "jobs/a.sql", KEEPSTATE_REMOTE="nowhere").status not in (0, 2)


def test_the_remote_may_be_an_address_that_only_this_step_knows(central: GitRepository, tmp_path: Path) -> None:
    for name, jobs in (("one", "jobs/a.sql"), ("two", "jobs/b.sql")):
        work = clone(central, tmp_path / name)
        work.git("remote", "remove", "origin")
        ran = mark(work.folder, "production", jobs, KEEPSTATE_REMOTE=central.folder.as_uri())
        assert ran.status == 0, ran.errors
    assert marked(central) == ["files/jobs/a.sql", "files/jobs/b.sql"]


def test_the_examples_call_it_with_an_address_of_its_own() -> None:
    call = "./ci/mark-deployed.sh production jobs/*.sql"
    *_, step = definition("examples/shop-jobs/.github/workflows/keepstate.yml")["jobs"]["deploy"]["steps"]
    assert step["run"] == call and "github.token" in step["env"]["KEEPSTATE_REMOTE"]
    *_, line = definition("examples/shop-jobs/.gitlab-ci.yml")["deploy"]["script"]
    assert line.startswith('KEEPSTATE_REMOTE="https://') and line.endswith(f" {call}")
