"""Azure Pipelines, Jenkins and Bitbucket as they run their definitions: shells, variables, clones, conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platforms import BASH, Ran, clone, definition, installed, run_script
from repositories import GitRepository
from workflow_expressions import evaluated

INSTALLS = "install-keepstate.sh"


@dataclass
class Build:
    """A build: its status and log, and the work tree with the files that it has written."""

    work: Path
    status: int = 0
    log: str = ""
    published: list[dict[str, Any]] = field(default_factory=list)
    """Steps that hand files to the CI system."""

    def add(self, ran: Ran) -> None:
        self.status = self.status or ran.status
        self.log += ran.output + ran.errors


class System:
    """A CI system with the repository ``central``. Each build has a clone of its own."""

    file: str

    def __init__(self, folder: Path, central: GitRepository, temp: Path) -> None:
        self.text = (folder / self.file).read_text("utf-8")
        self.path = folder / self.file
        self.central = central
        self.temp = temp
        self.builds = 0

    def change(self, branch: str, target: str = "main") -> Build:
        """The build of a pull request of a branch."""
        raise NotImplementedError

    def push(self, first: bool = False) -> Build:
        """The build of main."""
        raise NotImplementedError

    def work(self, branch: str, *options: str) -> GitRepository:
        self.builds += 1
        return clone(self.central, self.temp / f"build{self.builds}", "--single-branch", f"--branch={branch}", *options)


class Azure(System):
    """Azure Pipelines: a script of several lines goes on behind a line that failed, unless it says otherwise."""

    file = "azure-pipelines.yml"
    shell = ("bash", "--noprofile", "--norc")
    _MACRO = re.compile(r"\$\(([\w.]+)\)")

    def change(self, branch: str, target: str = "main") -> Build:
        variables = {"Build.Reason": "PullRequest", "Build.SourceBranch": "refs/pull/1/merge"}
        own = {"SYSTEM_PULLREQUEST_TARGETBRANCH": f"refs/heads/{target}"}
        return self._build("check", branch, variables, own, merged_with=target)

    def push(self, first: bool = False) -> Build:
        variables = {"Build.Reason": "IndividualCI", "Build.SourceBranch": "refs/heads/main"}
        return self._build("deploy", "main", variables, {"KEEPSTATE_FIRST": "true"} if first else {})

    def _build(
        self,
        name: str,
        branch: str,
        variables: Mapping[str, str],
        own: Mapping[str, str],
        merged_with: str | None = None,
    ) -> Build:
        pipeline = definition(self.path)
        running = [job for job in pipeline["jobs"] if self._holds(job["condition"], variables)]
        assert [job["job"] for job in running] == [name]
        (checkout, *steps) = running[0]["steps"]
        depth = checkout["fetchDepth"]
        work = self.work(branch, "--no-tags", *([] if depth == 0 else [f"--depth={depth}"]))
        work.git("checkout", "--quiet", "--detach")
        if merged_with is not None:
            # The commit that Azure makes of both; a depth of 0 fetches all branches.
            work.git("fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*")
            work.git("checkout", "--quiet", "--detach", f"origin/{merged_with}")
            work.git("merge", "--quiet", "--no-ff", "--message", "Merge", f"origin/{branch}")
        temp = self.temp / f"agent{self.builds}"
        macros = {"Agent.TempDirectory": str(temp), "System.AccessToken": "token"}

        def expanded(value: object) -> str:
            return self._MACRO.sub(lambda macro: macros[macro[1]], str(value))

        environment = {"TF_BUILD": "True", "AGENT_TEMPDIRECTORY": str(temp), **own}
        environment |= {key: expanded(value) for key, value in pipeline["variables"].items()}
        installed({}, Path(environment["KEEPSTATE"]).parent)
        build = Build(work.folder)
        for step in steps:
            if build.status and step.get("condition") != "succeededOrFailed()":
                continue
            if "bash" not in step:
                build.published.append(step)
            elif INSTALLS not in step["bash"]:
                given = {key: expanded(value) for key, value in step.get("env", {}).items()}
                build.add(run_script(step["bash"], work.folder, {**environment, **given}, self.shell))
        return build

    def _holds(self, written: str, variables: Mapping[str, str]) -> bool:
        """The functions of a condition, as operators."""
        text = re.sub(r"variables\['([\w.]+)'\]", r"\1", written)
        text = re.sub(r"\beq\(([^(),]+), ([^(),]+)\)", r"(\1 == \2)", text)
        text = re.sub(r"\bne\(([^(),]+), ([^(),]+)\)", r"(\1 != \2)", text)
        text = re.sub(r"^and\((\(.*\)), (\(.*\))\)$", r"\1 && \2", text)
        return bool(evaluated(text, dict(variables)))


class Jenkins(System):
    """A multibranch pipeline of Jenkins: stages with conditions, and their ``sh`` steps, each in a shell of its own."""

    file = "Jenkinsfile"
    shell = ("sh", "-xe")
    _STAGE = re.compile(r"^    stage\('(?P<name>[^']+)'\) \{\n(?P<body>.*?)^    \}\n", re.MULTILINE | re.DOTALL)
    _SH = re.compile(r"""^ *sh (?:'''(?P<long>.*?)'''|'(?P<single>[^'\n]*)'|"(?P<double>[^"\n]*)")$""", re.M | re.S)
    _ENVIRONMENT = re.compile(r"""^    (\w+) = (?:'([^']*)'|"([^"]*)")$""", re.MULTILINE)

    def change(self, branch: str, target: str = "main") -> Build:
        # The branch source of a host names the branch of a pull request so.
        return self._build(branch, {"CHANGE_ID": "1", "CHANGE_TARGET": target, "BRANCH_NAME": "PR-1"})

    def push(self, first: bool = False) -> Build:
        return self._build("main", {"BRANCH_NAME": "main", **({"KEEPSTATE_FIRST": "true"} if first else {})})

    def _build(self, branch: str, own: Mapping[str, str]) -> Build:
        work = self.work(branch)
        work.git("checkout", "--quiet", "--detach")
        temp = self.temp / f"build{self.builds}@tmp"
        environment = {"JENKINS_URL": "https://jenkins.example.com/", "WORKSPACE_TMP": str(temp), **own}
        for name, plain, with_variables in self._ENVIRONMENT.findall(self.text):
            environment[name] = plain or with_variables.replace("${WORKSPACE_TMP}", str(temp))
        installed({}, Path(environment["KEEPSTATE"]).parent)
        build = Build(work.folder)
        for stage in self._STAGE.finditer(self.text):
            if not self._runs(stage["body"], environment) or build.status:
                continue
            steps, _, post = stage["body"].partition("      post {")
            for script in self.scripts(steps):
                if INSTALLS not in script and not build.status:
                    build.add(run_script(script, work.folder, environment, self.shell))
            build.published += [{"step": line.strip()} for line in post.splitlines() if re.match(r" {10}\w", line)]
        return build

    def scripts(self, text: str) -> Iterator[str]:
        for found in self._SH.finditer(text):
            script = found["long"] or found["single"] or found["double"]
            # Groovy reads a double backslash as one, and would fill in a dollar in double quotes.
            assert found["double"] is None or "$" not in script
            yield script.replace("\\\\", "\\")

    def _runs(self, body: str, environment: Mapping[str, str]) -> bool:
        when = re.search(r"^      when \{ (.*) \}$", body, re.MULTILINE)
        if when is None:
            return True
        if when[1] == "changeRequest()":
            return "CHANGE_ID" in environment
        branch = re.fullmatch(r"branch '(\w+)'", when[1])
        assert branch, when[1]
        return environment["BRANCH_NAME"] == branch[1]


class Bitbucket(System):
    """Bitbucket Pipelines: the destination is merged into the clone; the lines of a script share one shell."""

    file = "bitbucket-pipelines.yml"

    def __init__(self, folder: Path, central: GitRepository, temp: Path, proxy: str) -> None:
        super().__init__(folder, central, temp)
        self.proxy = proxy

    def change(self, branch: str, target: str = "main") -> Build:
        ((_, (entry,)),) = definition(self.path)["pipelines"]["pull-requests"].items()
        step = entry["step"]
        depth = step["clone"]["depth"]
        work = self.work(branch, *([] if depth == "full" else [f"--depth={depth}"]))
        work.git("fetch", "--quiet", "origin", target)
        commit = work.git("rev-parse", "HEAD")
        work.git("merge", "--quiet", "--no-ff", "--message", "Merge", "FETCH_HEAD")
        return self._build(step, work, {"BITBUCKET_PR_DESTINATION_BRANCH": target, "BITBUCKET_COMMIT": commit})

    def push(self, first: bool = False) -> Build:
        (entry,) = definition(self.path)["pipelines"]["branches"]["main"]
        work = self.work("main", "--depth=50")
        return self._build(entry["step"], work, {"KEEPSTATE_FIRST": "true"} if first else {})

    def _build(self, step: Mapping[str, Any], work: GitRepository, own: Mapping[str, str]) -> Build:
        environment = {
            "CI": "true",
            "BITBUCKET_BUILD_NUMBER": "7",
            "BITBUCKET_WORKSPACE": "shop",
            "BITBUCKET_REPO_SLUG": "shop-jobs",
            "KEEPSTATE_BITBUCKET_PROXY": self.proxy,
            **own,
        }
        environment = installed(environment, self.temp / f"programs{self.builds}")
        build = Build(work.folder)
        lines = [line for line in step["script"] if INSTALLS not in line]
        build.add(run_script("\n".join(lines), work.folder, environment, BASH))
        behind = {**environment, "BITBUCKET_EXIT_CODE": str(build.status)}
        after = run_script("\n".join(step.get("after-script", [])), work.folder, behind, BASH)
        build.log += after.output + after.errors
        return build
