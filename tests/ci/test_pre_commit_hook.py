"""The hook for pre-commit, run by pre-commit itself at a commit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from jobs import INCOMPATIBLE, JOB, PARTIAL, REFORMATTED
from platforms import Ran, definition, run_script
from repositories import GitRepository

(HOOK,) = definition(".pre-commit-hooks.yaml")


@pytest.fixture
def hooked(repository: GitRepository, tmp_path: Path) -> GitRepository:
    """A repository with the hook installed. Its environment is this one, so that nothing has to be fetched."""
    local = {**HOOK, "language": "system"}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    repository.commit({"jobs/a.sql": JOB, ".pre-commit-config.yaml": yaml.safe_dump(config)})
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=repository.folder, capture_output=True, check=False
    )
    assert installed.returncode == 0, installed.stdout
    return repository


def commit(hooked: GitRepository, tmp_path: Path, *options: str) -> Ran:
    return run_script(
        "git commit -m change " + " ".join(options), hooked.folder, {"PRE_COMMIT_HOME": str(tmp_path / "cache")}
    )


def test_what_would_lose_state_is_not_committed(hooked: GitRepository, tmp_path: Path) -> None:
    hooked.write("jobs/a.sql", INCOMPATIBLE)
    hooked.git("add", "--all")
    ran = commit(hooked, tmp_path)
    assert ran.status == 1
    assert "window-size-changed" in ran.output + ran.errors
    assert hooked.git("rev-list", "--count", "HEAD") == "1"


def test_what_keeps_state_is_committed(hooked: GitRepository, tmp_path: Path) -> None:
    hooked.write("jobs/a.sql", REFORMATTED)
    hooked.git("add", "--all")
    assert commit(hooked, tmp_path).status == 0
    assert hooked.git("rev-list", "--count", "HEAD") == "2"


def test_what_is_staged_counts_and_not_what_lies_beside_it(hooked: GitRepository, tmp_path: Path) -> None:
    hooked.write("jobs/a.sql", REFORMATTED)
    hooked.git("add", "--all")
    hooked.write("jobs/a.sql", INCOMPATIBLE)
    assert commit(hooked, tmp_path).status == 0
    assert commit(hooked, tmp_path, "--all").status == 1


def test_what_git_does_not_know_yet_does_not_count(hooked: GitRepository, tmp_path: Path) -> None:
    hooked.write("jobs/a.sql", REFORMATTED)
    hooked.git("add", "--all")
    hooked.write("keepstate.toml", '[parameters]\n"pipeline.max-parallelism" = 64\n')
    assert commit(hooked, tmp_path).status == 0


def test_a_part_of_the_index(hooked: GitRepository, tmp_path: Path) -> None:
    hooked.write("jobs/a.sql", INCOMPATIBLE)
    hooked.write("jobs/b.sql", PARTIAL)
    hooked.git("add", "--all")
    assert commit(hooked, tmp_path, "jobs/b.sql").status == 0
    assert commit(hooked, tmp_path, "jobs/a.sql").status == 1


def test_other_files_do_not_wake_it(hooked: GitRepository, tmp_path: Path) -> None:
    hooked.write("README.md", "A shop.\n")
    hooked.git("add", "--all")
    ran = commit(hooked, tmp_path)
    assert ran.status == 0
    assert "no files to check" in ran.output + ran.errors


def test_the_definition_is_one_that_pre_commit_takes() -> None:
    from pre_commit.clientlib import load_manifest

    (hook,) = load_manifest(str(Path(__file__).parents[2] / ".pre-commit-hooks.yaml"))
    assert (hook["id"], hook["pass_filenames"]) == ("keepstate", False)
