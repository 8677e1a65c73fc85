"""The GitLab CI example, its scripts run as GitLab's runner runs them for a merge request."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, REFORMATTED
from platforms import Ran, clone, definition, run_script
from repositories import GitRepository

EXAMPLE = definition("examples/shop-jobs/.gitlab-ci.yml")
CHECK = EXAMPLE["keepstate"]


def merge_request(repository: GitRepository, folder: Path, text: str) -> Ran:
    """Runs the check for a merge request that makes ``text`` of the job."""
    base = repository.commit({"jobs/a.sql": JOB})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"jobs/a.sql": text})
    work = clone(repository, folder, "--single-branch", "--branch=topic")
    work.git("checkout", "--quiet", "--detach")
    environment = {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
        "CI_DEFAULT_BRANCH": "main",
        "KEEPSTATE": "keepstate",
        **CHECK["variables"],
    }
    return run_script("\n".join(CHECK["script"]), work.folder, environment)


@pytest.mark.parametrize(("text", "status"), [(INCOMPATIBLE, 1), (REFORMATTED, 0)])
def test_the_gate(repository: GitRepository, tmp_path: Path, text: str, status: int) -> None:
    assert merge_request(repository, tmp_path / "work", text).status == status


def test_the_reports_are_what_gitlab_takes(repository: GitRepository, tmp_path: Path) -> None:
    ran = merge_request(repository, tmp_path / "work", INCOMPATIBLE)
    assert "window-size-changed" in ran.output
    reports = CHECK["artifacts"]["reports"]
    (issue,) = json.loads((tmp_path / "work" / reports["codequality"]).read_text())
    assert issue["location"]["path"] == "jobs/a.sql" and issue["fingerprint"] and issue["severity"]
    assert ET.parse(tmp_path / "work" / reports["junit"]).getroot().tag == "testsuites"
    assert CHECK["artifacts"]["when"] == "always"


def test_what_is_deployed_is_compared_with_where_it_is_recorded(repository: GitRepository, tmp_path: Path) -> None:
    ref = "refs/keepstate/deployed/production"
    repository.commit({"jobs/a.sql": JOB})
    assert run_script("keepstate deployed mark jobs/a.sql", repository.folder, {}).status == 0
    ran = merge_request(repository, tmp_path / "work", INCOMPATIBLE)
    assert ran.status == 1
    assert GitRepository(tmp_path / "work").git("rev-parse", ref) == repository.git("rev-parse", ref)


def test_every_job_has_a_stage_and_a_script() -> None:
    for name in ("keepstate", "deploy"):
        assert EXAMPLE[name]["stage"] in EXAMPLE["stages"]
        assert EXAMPLE[name]["script"] and all(isinstance(line, str) for line in EXAMPLE[name]["script"])
