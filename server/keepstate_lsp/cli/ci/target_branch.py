"""The target branch of a change, from the environment variables of CI systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepstate_lsp.cli.ci.events import EVENT, event_of

VARIABLES = (
    ("GITHUB_BASE_REF", None),  # GitHub Actions, Gitea, Forgejo
    ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", None),  # GitLab
    ("BITBUCKET_PR_DESTINATION_BRANCH", None),
    ("CHANGE_TARGET", None),  # Jenkins, multibranch
    ("SYSTEM_PULLREQUEST_TARGETBRANCH", None),  # Azure
    ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", None),
    ("CI_COMMIT_TARGET_BRANCH", None),  # Woodpecker
    ("DRONE_TARGET_BRANCH", "DRONE_PULL_REQUEST"),
    ("CIRRUS_BASE_BRANCH", None),
    ("TRAVIS_BRANCH", "TRAVIS_PULL_REQUEST"),
    ("APPVEYOR_REPO_BRANCH", "APPVEYOR_PULL_REQUEST_NUMBER"),
    ("SEMAPHORE_GIT_BRANCH", "SEMAPHORE_GIT_PR_NUMBER"),
    ("BITRISEIO_GIT_BRANCH_DEST", None),
    ("CF_PULL_REQUEST_TARGET", None),  # Codefresh
    ("CODEBUILD_WEBHOOK_BASE_REF", None),
    ("PULL_BASE_REF", None),  # Prow
    ("ghprbTargetBranch", None),  # Jenkins, by its plugin GitHub Pull Request Builder
    ("gitlabTargetBranch", "gitlabMergeRequestIid"),  # Jenkins, by its plugin GitLab
    ("bamboo_repository_pr_targetBranch", None),
)
"""Each variable with the one that decides, where needed, whether the build is of a change or of a branch."""
SYSTEMS = (
    "CI",  # nearly all of them; a job may be run without it, by `env -i` or in a container
    "GITHUB_ACTIONS",
    "GITEA_ACTIONS",
    "FORGEJO_ACTIONS",
    "GITLAB_CI",
    "BUILDKITE",
    "CIRCLECI",
    "BITBUCKET_BUILD_NUMBER",
    "TRAVIS",
    "APPVEYOR",
    "DRONE",
    "SEMAPHORE",
    "CIRRUS_CI",
    "BITRISE_IO",
    "TF_BUILD",  # Azure
    "JENKINS_URL",
    "TEAMCITY_VERSION",
    "CODEBUILD_BUILD_ID",
    "CF_BUILD_ID",  # Codefresh
    "PROW_JOB_ID",
    "bamboo_buildKey",
    "GO_PIPELINE_NAME",
)
"""Variables that are set in builds only."""
_NO = ("", "0", "false")
_MERGE_BASE = "CI_MERGE_REQUEST_DIFF_BASE_SHA"


@dataclass(frozen=True)
class TargetBranch:
    """A branch by its name alone, and the variable that names it."""

    name: str
    variable: str
    merge_base: str | None = None
    """The commit that the change branched off, where the CI system names it."""


def target_branch(environment: Mapping[str, str]) -> TargetBranch | None:
    """The branch that the change in this build is meant for; ``None`` if the build is of no change."""
    for variable, guard in VARIABLES:
        name = environment.get(variable, "").strip().removeprefix("refs/heads/")
        if name and (guard is None or environment.get(guard, "").lower() not in _NO):
            merge_base = environment.get(_MERGE_BASE, "") if variable.startswith("CI_MERGE_REQUEST") else ""
            return TargetBranch(name, variable, merge_base or None)
    return _target_of_queue(environment)


def _target_of_queue(environment: Mapping[str, str]) -> TargetBranch | None:
    """The branch that a merge queue of GitHub merges into, from its event."""
    group = event_of(environment, "merge_group").get("merge_group")
    name = group.get("base_ref") if isinstance(group, dict) else None
    return TargetBranch(name.removeprefix("refs/heads/"), EVENT) if isinstance(name, str) and name else None


def in_ci(environment: Mapping[str, str]) -> bool:
    """Return whether this runs in a build."""
    said = any(environment.get(variable, "").lower() not in _NO for variable in SYSTEMS)
    return said or target_branch(environment) is not None
