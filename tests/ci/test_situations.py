"""Situations of builds on Azure Pipelines, Jenkins and Bitbucket: what a person reads, and the status.

Each one is a clone as the system makes it, with its variables. The row has the status and words of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.main import main
from repositories import GitRepository

AZURE = {"TF_BUILD": "True"}
AZURE_CHANGE = {**AZURE, "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}
JENKINS = {"JENKINS_URL": "https://jenkins.example.com/"}
JENKINS_CHANGE = {**JENKINS, "CHANGE_TARGET": "main", "CHANGE_ID": "1"}
BITBUCKET = {"CI": "true", "BITBUCKET_BUILD_NUMBER": "7"}
BITBUCKET_CHANGE = {**BITBUCKET, "BITBUCKET_PR_DESTINATION_BRANCH": "main"}
GITHUB = {"CI": "true", "GITHUB_ACTIONS": "true"}
WORSE = ("jobs/a.sql: incompatible with merge base with origin/main", "window-size-changed")
CLICKS = "CREATE TABLE clicks (id BIGINT) WITH ('connector' = 'kafka');\nINSERT INTO late SELECT id FROM clicks;\n"
Change = Callable[[GitRepository], object]


@dataclass(frozen=True)
class Situation:
    """A build: ``central`` prepares the repository, ``work`` the clone, and ``words`` are what the answer has."""

    status: int
    words: tuple[str, ...]
    variables: dict[str, str]
    branch: str = "topic"
    clone: tuple[str, ...] = ()
    central: Change = field(default=lambda _: None)
    work: Change = field(default=lambda _: None)
    command: tuple[str, ...] = ("check",)
    folder: str = "."


def mark(*environments: str) -> Change:
    def run(work: GitRepository) -> None:
        for environment in environments:
            assert main(["deployed", "mark", "jobs/a.sql", "-e", environment, "--commit", "origin/main"]) == 0

    return run


def merged(work: GitRepository) -> None:
    work.git("checkout", "--quiet", "--detach", "origin/main")
    work.git("merge", "--quiet", "--no-ff", "--message", "Merge", "origin/topic")


def renamed(central: GitRepository) -> None:
    central.git("checkout", "--quiet", "topic")
    central.git("mv", "jobs/a.sql", "jobs/renamed.sql")
    central.git("rm", "--quiet", "jobs/c.sql")
    central.commit({"jobs/new.sql": CLICKS})
    central.git("checkout", "--quiet", "--detach", "main")


def monorepo(central: GitRepository) -> None:
    central.git("checkout", "--quiet", "main")
    central.git("mv", "jobs", "services-jobs")
    central.commit(
        {"services/flink/jobs/a.sql": JOB, "services/flink/keepstate.toml": 'engine = "vvr"\n', "web/x": "1"}
    )
    central.git("checkout", "--quiet", "-B", "topic")
    central.commit({"services/flink/jobs/a.sql": INCOMPATIBLE})
    central.git("checkout", "--quiet", "--detach", "main")


def queue(work: GitRepository) -> None:
    merged(work)
    event = {"merge_group": {"base_ref": "refs/heads/main", "head_ref": "refs/heads/gh-readonly-queue/main/pr-1"}}
    (work.folder.parent / "event.json").write_text(json.dumps(event))


def squashed(central: GitRepository) -> None:
    central.git("checkout", "--quiet", "main")
    central.git("merge", "--quiet", "--squash", "topic")
    central.commit()
    central.git("checkout", "--quiet", "--detach")


BEFORE = "set KEEPSTATE_BEFORE to the commit before the push"
SITUATIONS = {
    # A change, in the clone that each system makes.
    "Azure, the merge of both": Situation(1, WORSE, AZURE_CHANGE, work=merged),
    "Azure, of a repository on GitHub": Situation(
        1, WORSE, {**AZURE, "SYSTEM_PULLREQUEST_TARGETBRANCH": "main"}, work=merged
    ),
    "Azure, shallow by default": Situation(
        2,
        ("which is shallow", "git fetch --unshallow origin main:"),
        AZURE_CHANGE,
        clone=("--depth=1", "--single-branch"),
    ),
    "Jenkins, the head": Situation(1, WORSE, JENKINS_CHANGE),
    "Jenkins, a fork": Situation(1, WORSE, {**JENKINS_CHANGE, "CHANGE_FORK": "ada", "BRANCH_NAME": "PR-1"}),
    "Jenkins, without the target": Situation(
        2, ("git fetch origin main:refs/remotes/origin/main",), JENKINS_CHANGE, clone=("--single-branch",)
    ),
    "Jenkins, a former build": Situation(1, WORSE, {**JENKINS_CHANGE, "GIT_PREVIOUS_COMMIT": "1" * 40}),
    "Jenkins, by its plugin for pull requests": Situation(1, WORSE, {**JENKINS, "ghprbTargetBranch": "main"}),
    "Jenkins, by its plugin for GitLab": Situation(
        1, WORSE, {**JENKINS, "gitlabTargetBranch": "main", "gitlabMergeRequestIid": "1"}
    ),
    "Bamboo": Situation(1, WORSE, {"bamboo_buildKey": "A-B", "bamboo_repository_pr_targetBranch": "main"}),
    "Bitbucket, with the target merged": Situation(
        1, WORSE, BITBUCKET_CHANGE, work=lambda work: work.git("merge", "--quiet", "-m", "Merge", "origin/main")
    ),
    "a detached head": Situation(1, WORSE, BITBUCKET_CHANGE, work=lambda work: work.git("checkout", "-q", "--detach")),
    "a target with a slash": Situation(
        1,
        ("incompatible with merge base with origin/release/2.0",),
        {**JENKINS, "CHANGE_TARGET": "release/2.0"},
        central=lambda central: central.git("branch", "release/2.0", "main"),
    ),
    "a target that is gone": Situation(
        2,
        ("git fetch origin old:refs/remotes/origin/old",),
        {**JENKINS, "CHANGE_TARGET": "old"},
        clone=("--single-branch",),
    ),
    "another remote": Situation(
        1,
        ("merge base with upstream/main",),
        AZURE_CHANGE,
        work=lambda work: work.git("remote", "rename", "origin", "upstream"),
    ),
    "Windows, with its line ends": Situation(
        1, ("1 file: 1 compared",), AZURE_CHANGE, clone=("--config", "core.autocrlf=true")
    ),
    "a renamed, a deleted and a new file": Situation(
        1, ("jobs/renamed.sql: incompatible", "there jobs/a.sql", "1 new", "1 deleted"), JENKINS_CHANGE, central=renamed
    ),
    "a container of another user": Situation(
        2,
        ("belongs to another user", "git config --global --add safe.directory"),
        {**AZURE_CHANGE, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"},
    ),
    "a container of another user, at the gate": Situation(
        2,
        ("belongs to another user", "git config --global --add safe.directory"),
        {**AZURE, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"},
        command=("deployed", "diff"),
    ),
    # Folders of a large repository.
    "a part of the repository, from its root": Situation(
        1, ("services/flink/jobs/a.sql: incompatible",), JENKINS_CHANGE, central=monorepo
    ),
    "a part of the repository, from its folder": Situation(
        1, ("jobs/a.sql: incompatible",), AZURE_CHANGE, central=monorepo, folder="services/flink"
    ),
    "a part of the repository, from another folder": Situation(
        1, ("../services/flink/jobs/a.sql: incompatible",), BITBUCKET_CHANGE, central=monorepo, folder="web"
    ),
    # Builds of no change.
    "Bitbucket, a push": Situation(2, (BEFORE,), BITBUCKET, "main"),
    "Bitbucket, a push, with the commit before": Situation(
        0, ("jobs/b.sql: partly compatible with HEAD~1",), {**BITBUCKET, "KEEPSTATE_BEFORE": "HEAD~1"}, "main"
    ),
    "Azure, a squash merge": Situation(
        1, ("jobs/a.sql: incompatible with HEAD~1",), {**AZURE, "KEEPSTATE_BEFORE": "HEAD~1"}, "main", central=squashed
    ),
    "Azure, by hand on a branch": Situation(1, WORSE, AZURE),
    "Bitbucket, by hand on a branch, nothing else cloned": Situation(
        2, ("git fetch origin main:refs/remotes/origin/main",), BITBUCKET, clone=("--single-branch",)
    ),
    "Bitbucket, a tag": Situation(2, (BEFORE,), {**BITBUCKET, "BITBUCKET_TAG": "v1"}, "main"),
    "Jenkins, main was rewritten": Situation(
        2, ("no revision '1111111",), {**JENKINS, "GIT_PREVIOUS_SUCCESSFUL_COMMIT": "1" * 40}, "main"
    ),
    "GitHub, a merge queue": Situation(
        1, WORSE, {**GITHUB, "GITHUB_EVENT_NAME": "merge_group", "GITHUB_EVENT_PATH": "../event.json"}, work=queue
    ),
    # What is deployed.
    "no record": Situation(
        2, ("Nothing is recorded as deployed in production",), JENKINS, "main", command=("deployed", "diff")
    ),
    "a record of production": Situation(
        1, ("jobs/a.sql: incompatible with deployed in production",), JENKINS_CHANGE, work=mark("staging", "production")
    ),
    "a record of one environment": Situation(
        1, ("jobs/a.sql: incompatible with deployed in staging",), JENKINS_CHANGE, work=mark("staging")
    ),
    "records of two environments, none of production": Situation(
        1,
        (*WORSE, "recorded for blue, green; --against deployed:ENV takes one"),
        AZURE_CHANGE,
        work=mark("blue", "green"),
    ),
    "one of two environments": Situation(
        1,
        ("jobs/a.sql: incompatible with deployed in green",),
        AZURE_CHANGE,
        work=mark("blue", "green"),
        command=("check", "--against", "deployed:green"),
    ),
}


@pytest.fixture
def central(repository: GitRepository) -> GitRepository:
    """A repository that others clone: main went on after the branch ``topic`` had left it."""
    repository.commit({f"jobs/{name}.sql": f"-- {name}\n{JOB}" for name in "abc"})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"jobs/a.sql": f"-- a\n{INCOMPATIBLE}"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"jobs/b.sql": f"-- b\n{PARTIAL}"})
    return repository


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_answer(
    name: str,
    central: GitRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    situation = SITUATIONS[name]
    situation.central(central)
    work = tmp_path / "work"
    central.git("clone", "-q", f"--branch={situation.branch}", *situation.clone, central.folder.as_uri(), str(work))
    clone = GitRepository(work)
    # A clone of a CI system has no name for the default branch.
    if "--single-branch" not in situation.clone:
        clone.git("remote", "set-head", "origin", "--delete")
    monkeypatch.chdir(work)
    situation.work(clone)
    monkeypatch.chdir(work / situation.folder)
    for variable, value in situation.variables.items():
        monkeypatch.setenv(variable, value)
    capsys.readouterr()
    status = main(list(situation.command))
    captured = capsys.readouterr()
    said = " ".join(f"{captured.out} {captured.err}".split())
    assert status == situation.status, said
    for words in situation.words:
        assert words in said, said
