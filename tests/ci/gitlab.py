"""GitLab as its runner works through a file: rules, variables, the three scripts of a job."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from platforms import Ran, clone, definition, installed, run_script
from repositories import GitRepository

_RULE = re.compile(r'\$(?P<name>\w+) == (?:"(?P<text>[^"]*)"|\$(?P<other>\w+))')
_RESERVED = {"stages", "variables", "default", "include"}
TOKEN = "job-token"


class GitLabRunner:
    """Runs the jobs of a pipeline. ``api`` has the variables of the interface that comments go through."""

    def __init__(self, file: Path, central: GitRepository, temp: Path, api: Mapping[str, str]) -> None:
        self._definition = definition(file)
        self._central = central
        self._temp = temp
        self._api = api
        self._runs = 0

    def merge_request(self, branch: str, target: str = "main") -> dict[str, Ran]:
        base = self._central.git("merge-base", branch, target)
        return self._pipeline(
            branch,
            {
                "CI_PIPELINE_SOURCE": "merge_request_event",
                "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": target,
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
                **self._api,
            },
        )

    def push(self, branch: str = "main", variables: Mapping[str, str] | None = None) -> dict[str, Ran]:
        return self._pipeline(branch, {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": branch, **(variables or {})})

    def _pipeline(self, branch: str, own: Mapping[str, str]) -> dict[str, Ran]:
        self._runs += 1
        environment = {
            "CI": "true",
            "GITLAB_CI": "true",
            "CI_DEFAULT_BRANCH": "main",
            "CI_SERVER_HOST": "gitlab.example.com",
            "CI_PROJECT_PATH": "shop/shop-jobs",
            "CI_JOB_TOKEN": TOKEN,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{self._central.folder.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": f"https://gitlab-ci-token:{TOKEN}@gitlab.example.com/shop/shop-jobs.git",
            **self._definition.get("variables", {}),
            **own,
        }
        jobs = {name: job for name, job in self._definition.items() if name not in _RESERVED}
        return {
            name: self._job(name, job, branch, environment) for name, job in jobs.items() if _runs(job, environment)
        }

    def _job(self, name: str, job: Mapping[str, Any], branch: str, environment: Mapping[str, str]) -> Ran:
        environment = {**environment, **job.get("variables", {})}
        depth = environment.get("GIT_DEPTH", "20")
        shallow = [] if depth == "0" else [f"--depth={depth}"]
        work = clone(
            self._central, self._temp / f"{name}{self._runs}", "--single-branch", f"--branch={branch}", *shallow
        )
        work.git("checkout", "--quiet", "--detach")
        environment = installed(environment, work.folder.parent / f"{name}{self._runs}-programs")
        lines = [*job.get("before_script", []), *job["script"]]
        assert any("install-keepstate.sh" in line for line in lines)
        # The network is not here: what the line would install is on the path already.
        lines = [line for line in lines if "install-keepstate.sh" not in line]
        ran = run_script("\n".join(lines), work.folder, environment)
        # In a shell of its own, whatever the status was, and without an effect on it.
        after = run_script("\n".join(job.get("after_script", [])), work.folder, environment)
        return replace(ran, output=ran.output + after.output, errors=ran.errors + after.errors)


def _runs(job: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    for rule in job["rules"]:
        found = _RULE.fullmatch(rule["if"])
        assert found, rule
        wanted = found["text"] if found["other"] is None else environment.get(found["other"], "")
        if environment.get(found["name"]) == wanted:
            return True
    return False
