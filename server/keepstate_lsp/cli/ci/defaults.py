"""Baselines of a build without option and configuration.

A change is compared with the commit at which it left its target branch. A push to that very branch is compared with the
former state of the branch: its merge base with itself is the commit that is built, and equals it. Where a record of
deployed jobs is known, findings are those against the deployed version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines import HEAD, BaselineSpec, BaselineSpecError, NoBaseline, SpecKind
from keepstate_lsp.baselines.deployments import PRODUCTION
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import Target
from keepstate_lsp.cli.ci.pushes import BEFORE, new_branch, push_of
from keepstate_lsp.cli.ci.target_branch import TargetBranch, target_branch
from keepstate_lsp.cli.errors import UsageError

_COMMITS = (SpecKind.REVISION, SpecKind.MERGE_BASE, SpecKind.TAG)


@dataclass(frozen=True)
class Defaults:
    """Baselines without option and configuration."""

    against: BaselineSpec = HEAD
    start: BaselineSpec | None = None
    """The commit that the change began with; ``None`` if unknown, so that all findings count."""
    because: str | None = None
    """The way in which these were found, a sentence; ``None`` if it needs no explanation."""


@dataclass(frozen=True)
class Build:
    """A run on a build machine: the variables of its CI system, and what it compares with a baseline."""

    environment: Mapping[str, str]
    target: Callable[[Repository], Target | NoBaseline]

    def defaults(self, folder: Path, repository: Repository) -> Defaults:
        """The default baselines of the files in ``folder``, which is one of ``repository``.

        Raises:
            UsageError: a variable of the CI system says something that makes no sense.
        """
        branch = target_branch(self.environment)
        name = repository.default_branch() if branch is None else branch.name
        if name is None:
            return Defaults()
        if branch is None:
            against = spec_of(f"merge-base:{name}", folder)
            because = f"this is a build, and {name} is the default branch"
        else:
            against = _branched_off(repository, branch, folder)
            because = f"{branch.variable} names {name} as the branch that this change is meant for"
        start: BaselineSpec | None = against
        if self.is_itself(repository, against):
            start = self.before_push(repository, folder)
            against = start or against
            because = f"{name} holds this commit already, and {self._start_named(start)}"
        environments = repository.deployments.environments()
        environment = _environment(environments)
        if environment is None:
            # Records that are here and count for nothing would go unnoticed.
            several = ", ".join(environments)
            hint = f" What runs is recorded for {several}; --against deployed:ENV takes one." if several else ""
            return Defaults(against, start, f"Compared with {against}: {because}.{hint}")
        truth = spec_of("deployed" if environment == PRODUCTION else f"deployed:{environment}", folder)
        counts = "all of it counts" if start is None else f"only what was added since {start} counts"
        return Defaults(truth, start, f"Compared with what runs ({truth}); {counts}: {because}.")

    def before_push(self, repository: Repository, folder: Path) -> BaselineSpec | None:
        """The commit that was there before the push that this build is of; ``None`` if no variable names another one.

        Raises:
            UsageError: a variable names something that is no commit.
        """
        push = push_of(self.environment)
        if push is None:
            return None
        spec = spec_of(push.before, folder)
        if spec.kind is not SpecKind.REVISION:
            raise UsageError(f"{push.variable} names no commit: {push.before!r}.")
        return None if self.is_itself(repository, spec) else spec

    @property
    def new_branch(self) -> str | None:
        """The variable that says that the pushed branch was not there before this build."""
        return new_branch(self.environment)

    def is_itself(self, repository: Repository, spec: BaselineSpec) -> bool:
        """Return whether a baseline is the compared commit itself, or the commit that the work tree was checked out
        from.
        """
        target = self.target(repository)
        if spec.kind not in _COMMITS or isinstance(target, NoBaseline):
            return False
        commit = repository.commit(spec, target)
        tip = target if isinstance(target, str) else _id(repository.commit(HEAD))
        return not isinstance(commit, NoBaseline) and commit.id == tip

    def _start_named(self, start: BaselineSpec | None) -> str:
        push = push_of(self.environment)
        if start is None or push is None:
            variable = self.new_branch
            if variable is not None:
                return f"{variable} says that the branch is new"
            return f"nothing tells what it held before (set {BEFORE} to that commit)"
        return f"{push.variable} names what it held before"


def spec_of(text: str, folder: Path) -> BaselineSpec:
    """The spec that a text names.

    Raises:
        UsageError: it names none.
    """
    try:
        return BaselineSpec.parse(text, folder)
    except BaselineSpecError as error:
        raise UsageError(str(error)) from error


def _id(commit: Commit | NoBaseline) -> str | None:
    return None if isinstance(commit, NoBaseline) else commit.id


def _branched_off(repository: Repository, branch: TargetBranch, folder: Path) -> BaselineSpec:
    """The commit at which a change left its target: by the remote's branch, the local one, or a variable of the CI
    system.
    """
    remotes = repository.remotes()
    names = [*(f"{remote}/{branch.name}" for remote in remotes[:1]), branch.name]
    try:
        specs = [spec_of(f"merge-base:{name}", folder) for name in names]
    except UsageError as error:
        raise UsageError(f"{branch.variable} names no branch. {error.sentence}") from error
    if branch.merge_base is not None:
        specs.append(spec_of(branch.merge_base, folder))
    branches = (spec for spec in specs if not isinstance(repository.commit(spec), NoBaseline))
    # If there is none, report that the first one is missing, with the command that fetches it.
    return next(branches, specs[0])


def _environment(environments: Sequence[str]) -> str | None:
    """The environment whose jobs run: production, or the only one there is."""
    if PRODUCTION in environments:
        return PRODUCTION
    return environments[0] if len(environments) == 1 else None
