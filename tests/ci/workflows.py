"""GitHub Actions as a runner works through a workflow: checkouts, steps of actions, conditions, outputs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platforms import BASH, ROOT, GitHubAction, Ran, definition, run_script
from repositories import GitRepository
from workflow_expressions import Value, condition, interpolated

OURS = "OWNER/keepstate@"
REPOSITORY = "OWNER/shop-jobs"
PULL = "refs/pull/1/merge"
_SHELLS = {"bash": BASH, "": ("bash", "-e")}


@dataclass
class Job:
    """A job that ran, or not."""

    status: str = "success"
    output: str = ""
    errors: str = ""
    steps: list[str] = field(default_factory=list)
    """The names of the steps that ran."""
    uploads: list[dict[str, str]] = field(default_factory=list)
    """The inputs of steps that hand something to other actions."""
    summary: str = ""


class GitHubRunner:
    """Runs the jobs of a workflow for events of ``central``, with the action of this checkout.

    ``api`` has the variables of the interface that comments go through, ``variables`` those of the repository.
    """

    def __init__(
        self,
        workflow: Path,
        central: GitRepository,
        temp: Path,
        api: Mapping[str, str],
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._jobs = definition(workflow)["jobs"]
        self._action = GitHubAction("action.yml")
        self._central = central
        self._temp = temp
        self._token = api.get("GITHUB_TOKEN", "")
        self._api = {name: value for name, value in api.items() if name != "GITHUB_TOKEN"}
        self._variables = {f"vars.{name}": value for name, value in (variables or {}).items()}
        self._runs = 0

    def pull_request(self, branch: str, base: str = "main") -> dict[str, Job]:
        """The jobs for a pull request of a branch, at the merge commit that GitHub makes."""
        work = self._temp / f"merge{self._runs}"
        self._central.git("worktree", "add", "--quiet", "--detach", str(work), base)
        merge = GitRepository(work)
        merge.git("merge", "--quiet", "--no-ff", "--message", "Merge", branch)
        self._central.git("update-ref", PULL, merge.git("rev-parse", "HEAD"))
        self._central.git("worktree", "remove", "--force", str(work))
        return self._event("pull_request", PULL, '{"pull_request": {"number": 1}}', {"GITHUB_BASE_REF": base})

    def push(self, before: str, branch: str = "main") -> dict[str, Job]:
        """The jobs for a push to a branch."""
        return self._event("push", f"refs/heads/{branch}", f'{{"before": "{before}"}}', {})

    def _event(self, event: str, ref: str, payload: str, environment: Mapping[str, str]) -> dict[str, Job]:
        self._runs += 1
        folder = self._temp / f"run{self._runs}"
        found = {}
        for name, job in self._jobs.items():
            values: dict[str, Value] = {
                "github.event_name": event,
                "github.ref": ref,
                "github.repository": REPOSITORY,
                "github.token": self._token,
                **self._variables,
            }
            temp = folder / name
            programs = temp / "temp" / "keepstate" / "bin"
            programs.mkdir(parents=True)
            (programs / "keepstate").symlink_to(Path(sys.executable).parent / "keepstate")
            (temp / "event.json").write_text(payload)
            own = {
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_EVENT_NAME": event,
                "GITHUB_EVENT_PATH": str(temp / "event.json"),
                "GITHUB_REPOSITORY": REPOSITORY,
                "GITHUB_STEP_SUMMARY": str(temp / "summary"),
                "RUNNER_TEMP": str(temp / "temp"),
                # The address of the repository on GitHub leads to the one of the test.
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"url.{self._central.folder.as_uri()}.insteadOf",
                "GIT_CONFIG_VALUE_0": f"https://x-access-token:{self._token}@github.com/{REPOSITORY}",
                **self._api,
                **environment,
            }
            (temp / "summary").touch()
            found[name] = _Run(self._action, self._central, temp, own, ref).job(job, values)
        return found


class _Run:
    """One job."""

    def __init__(
        self, action: GitHubAction, central: GitRepository, temp: Path, environment: Mapping[str, str], ref: str
    ) -> None:
        self._action = action
        self._central = central
        self._work = temp / "work"
        self._temp = temp
        self._environment = environment
        self._ref = ref
        self._found = Job()

    def job(self, job: Mapping[str, Any], values: dict[str, Value]) -> Job:
        if not condition(job.get("if", "true"), {**values, "success()": True, "true": True}):
            return Job("skipped")
        self._steps(job["steps"], values)
        self._found.summary = (self._temp / "summary").read_text("utf-8")
        return self._found

    def _steps(self, steps: list[dict[str, Any]], values: dict[str, Value]) -> bool:
        """Run steps; return whether all of them went well."""
        well = True
        for step in steps:
            status: dict[str, Value] = {"success()": well, "failure()": not well, "always()": True, "true": True}
            if not condition(step.get("if", "true"), {**values, **status, "cancelled()": False}):
                continue
            self._found.steps.append(step.get("name", step.get("uses", "")))
            outputs: dict[str, Value] = {}
            given = {key: interpolated(_plain(value), values) for key, value in step.get("with", {}).items()}
            if step.get("uses", "").startswith("actions/checkout@"):
                self._checkout(given)
                outcome = True
            elif step.get("uses", "").startswith(OURS):
                outcome = self._ours(given, outputs, values)
            elif "uses" in step:
                self._found.uploads.append(given)
                outcome = True
            else:
                outcome = self._script(step, outputs, values)
            well = well and outcome
            if "id" in step:
                values |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
                values[f"steps.{step['id']}.outcome"] = "success" if outcome else "failure"
        if not well:
            self._found.status = "failure"
        return well

    def _checkout(self, given: Mapping[str, str]) -> None:
        work = GitRepository(self._work)
        work.git("remote", "add", "origin", self._central.folder.as_uri())
        own = f"+{self._ref}:refs/remotes/{self._ref.removeprefix('refs/').replace('heads/', 'origin/')}"
        depth = given.get("fetch-depth", "1")
        if depth == "0":
            work.git(
                "fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*", own
            )
        else:
            work.git("fetch", "--quiet", f"--depth={depth}", "--no-tags", "origin", own)
        work.git("checkout", "--quiet", "--detach", own.partition(":")[2])

    def _ours(self, given: Mapping[str, str], outputs: dict[str, Value], values: Mapping[str, Value]) -> bool:
        """The action of this checkout, all but its installation: that is already there."""
        known = self._action.definition["inputs"]
        assert set(given) <= set(known), set(given) - set(known)
        inputs = {key: given.get(key, interpolated(_plain(entry["default"]), values)) for key, entry in known.items()}
        inner: dict[str, Value] = {name: value for name, value in values.items() if not name.startswith("steps.")}
        inner |= {f"inputs.{name}": value for name, value in inputs.items()}
        inner["github.action_path"] = str(ROOT)
        inner["steps.install.outputs.program"] = str(self._temp / "temp" / "keepstate" / "bin" / "keepstate")
        first, *rest = self._action.definition["runs"]["steps"]
        assert first["id"] == "install"
        # A step without an outcome was skipped.
        inner |= {f"steps.{step['id']}.outcome": "skipped" for step in rest if "id" in step}
        well = self._steps(rest, inner)
        for name, output in self._action.definition["outputs"].items():
            outputs[name] = interpolated(output["value"], inner)
        return well

    def _script(self, step: Mapping[str, Any], outputs: dict[str, Value], values: Mapping[str, Value]) -> bool:
        assert "${{" not in step["run"], "what is written elsewhere would be part of a script"
        file = self._temp / "output"
        file.write_text("")
        own = {key: interpolated(_plain(value), values) for key, value in step.get("env", {}).items()}
        where = self._work / interpolated(step.get("working-directory", "."), values)
        environment = {**self._environment, "GITHUB_OUTPUT": str(file), **own}
        ran = run_script(step["run"], where, environment, _SHELLS[step.get("shell", "")])
        self._add(ran)
        outputs |= dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines())
        return ran.status == 0

    def _add(self, ran: Ran) -> None:
        self._found.output += ran.output
        self._found.errors += ran.errors


def _plain(value: object) -> str:
    """A value of YAML as an input of an action has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
