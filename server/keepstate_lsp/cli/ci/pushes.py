"""The commit of a branch before the push that is built, from variables of CI systems.

A build of the default branch has no other target branch: the merge base of main with itself is the commit that is
built, and a comparison with that shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from keepstate_lsp.cli.ci.events import EVENT, event_of
from keepstate_lsp.cli.errors import UsageError

BEFORE = "KEEPSTATE_BEFORE"
"""Keepstate's own variable, for systems without a variable for it."""
VARIABLES = (
    BEFORE,
    EVENT,  # GitHub Actions, Gitea, Forgejo: `before` of a push, in a file
    "CI_COMMIT_BEFORE_SHA",  # GitLab
    "GIT_PREVIOUS_SUCCESSFUL_COMMIT",  # Jenkins, by its git plugin
    "GIT_PREVIOUS_COMMIT",
    "CODEBUILD_WEBHOOK_PREV_COMMIT",
    "DRONE_COMMIT_BEFORE",
    "CI_PREV_COMMIT_SHA",  # Woodpecker
    "CIRRUS_LAST_GREEN_CHANGE",
    "TRAVIS_COMMIT_RANGE",
    "SEMAPHORE_GIT_COMMIT_RANGE",
)
"""The first one that names a commit counts."""
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_RANGE = re.compile(r"([0-9a-f]{7,64})\.{2,3}[0-9a-f]{7,64}")


@dataclass(frozen=True)
class Push:
    """The commit of a branch before a push, and the variable that names it."""

    before: str
    variable: str


def push_of(environment: Mapping[str, str]) -> Push | None:
    """The push of this build; ``None`` without a variable, and for a new branch.

    Raises:
        UsageError: a variable says something that is no commit, or a file that cannot be read.
    """
    for variable, before in _commits(environment):
        # Hashes of zeros stand for a branch that was not there, and for builds that are of no push.
        if before.strip("0"):
            return Push(before, variable)
    return None


def new_branch(environment: Mapping[str, str]) -> str | None:
    """The variable that says, by a hash of zeros, that the pushed branch was not there before.

    Raises:
        UsageError: a variable says something that is no commit, or a file that cannot be read.
    """
    commits = list(_commits(environment))
    return commits[0][0] if commits and not any(before.strip("0") for _, before in commits) else None


def _commits(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables that name a commit, each with the commit."""
    for variable in VARIABLES:
        value = environment.get(variable, "").strip()
        before = _before(variable, value, environment) if value else None
        if before is not None:
            yield variable, before


def _before(variable: str, value: str, environment: Mapping[str, str]) -> str | None:
    """The commit that a variable names, in its way."""
    if variable == BEFORE:
        # Our own variable is set by a person, so any revision is accepted.
        return value
    if variable == EVENT:
        # The event of a pull request has a `before` as well: what its branch was, and not what it goes into.
        before = event_of(environment, "push").get("before")
        return before if isinstance(before, str) and _COMMIT.fullmatch(before) else None
    if variable.endswith("_RANGE"):
        # COMMIT^...COMMIT, which Travis writes for a new branch, is no state of the branch.
        match = _RANGE.fullmatch(value)
        return None if match is None else match[1]
    if value.lower() == "null":
        return None
    if not _COMMIT.fullmatch(value):
        raise UsageError(f"{variable} names no commit: {value[:80]!r}.")
    return value
