"""Under which conditions each file is compared: the options, the configuration around it, the defaults."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, replace
from pathlib import Path

from keepstate_lsp.baselines import (
    HEAD,
    Baseline,
    BaselineReader,
    BaselineSpec,
    BaselineSpecError,
    NoBaseline,
    SpecKind,
)
from keepstate_lsp.baselines.deployments import PRODUCTION
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.circumstances import CircumstancesReader
from keepstate_lsp.cli.arguments import JobSettings, configuration_for, job_settings
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.target_branch import TargetBranch, in_ci, target_branch
from keepstate_lsp.configuration import NOTHING_TOLD, Circumstances, Configuration, ConfigurationError

NO_BLAME = "none"
"""Said instead of a baseline: whatever is found counts, whoever did it."""


@dataclass(frozen=True)
class Defaults:
    """What files are compared with when nobody says it."""

    against: BaselineSpec = HEAD
    blame: BaselineSpec | None = None
    """What the change began with, if ``against`` is something else."""
    because: str | None = None
    """How these were found, a sentence; ``None`` for what needs no explanation."""


class Conditions:
    """Answers for any path; files of one folder share what is found around it."""

    def __init__(self, arguments: argparse.Namespace, reader: BaselineReader) -> None:
        self._arguments = arguments
        self._reader = reader
        self._circumstances = CircumstancesReader(reader, getattr(arguments, "config", None), steady=True)
        self._configurations: dict[Path, Configuration | None] = {}
        self._settings: dict[Path, JobSettings] = {}
        self._defaults: dict[Path, Defaults] = {}
        self._untold: set[tuple[Path, Target, str | None, str]] = set()
        self._against = None if arguments.against is None else _spec(arguments.against, Path.cwd())
        blame = getattr(arguments, "blame", None)
        self._blame = None if blame in (None, NO_BLAME) else _spec(blame, Path.cwd())
        self._finds_blame = blame is None
        if self._blame is not None and self._blame.kind is SpecKind.FILE:
            raise UsageError(f"--blame takes what a change began with, not {blame!r}.")
        revision = getattr(arguments, "current", None)
        self._current = None if revision is None else _spec(revision, Path.cwd())
        if self._current is not None and self._current.kind is not SpecKind.REVISION:
            raise UsageError(f"--current takes a git revision, not {revision!r}.")

    @property
    def one_file(self) -> bool:
        """Whether the baseline is itself one file, and so can be that of one file only."""
        return self._against is not None and self._against.kind is SpecKind.FILE

    def configuration(self, folder: Path) -> Configuration | None:
        """The configuration that holds in ``folder``.

        Raises:
            ConfigurationError: it is wrong.
        """
        if folder not in self._configurations:
            self._configurations[folder] = configuration_for(self._arguments, folder)
        return self._configurations[folder]

    def told(
        self, settings: JobSettings, path: Path, target: Target, baseline: Baseline, folder: Path | None = None
    ) -> JobSettings:
        """``settings`` with what the job at ``path`` (in ``folder``) is and was told outside of its SQL.

        Raises:
            ConfigurationError: a file that says so is wrong, or cannot be read.
        """
        folder = path.parent if folder is None else folder
        key = (folder, target, baseline.commit, baseline.path.rpartition("/")[0])
        if key in self._untold and baseline.deployment is None:
            return settings
        current = self._circumstances.current(path, target)
        former = self._circumstances.baseline(path, baseline, current)
        if current == former == NOTHING_TOLD:
            # No file says anything, and that holds for all in this folder.
            self._untold.add(key)
            return settings
        told = job_settings(self._arguments, None, current, former)
        return replace(settings, current=told.current, baseline=told.baseline)

    def told_formerly(self, path: Path, target: Target, baseline: Baseline) -> Circumstances:
        """What the job at ``path`` was told when it was as ``baseline``, before the change. What the command line says,
        it says of that too.

        Raises:
            ConfigurationError: a file that says so is wrong, or cannot be read.
        """
        former = self._circumstances.baseline(path, baseline, self._circumstances.current(path, target))
        return job_settings(self._arguments, None, former).current

    def settings(self, folder: Path) -> JobSettings:
        """How jobs in ``folder`` are compared."""
        if folder not in self._settings:
            self._settings[folder] = job_settings(self._arguments, self.configuration(folder))
        return self._settings[folder]

    def spec(self, folder: Path, job: Path | None = None) -> BaselineSpec:
        """What jobs in ``folder`` are compared with, or one of them, for which the configuration may say otherwise."""
        if self._against is not None:
            return self._against
        configuration = self.configuration(folder)
        written = None
        if configuration is not None:
            written = configuration.baseline if job is None else configuration.baseline_of(job)
        if configuration is not None and written is not None:
            try:
                return BaselineSpec.parse(written, configuration.folder)
            except BaselineSpecError as error:
                raise ConfigurationError(f"{configuration.path}: {error}") from error
        return self._default(folder).against

    def blame(self, folder: Path, job: Path | None = None) -> BaselineSpec | None:
        """What the change to jobs in ``folder``, or to one of them, began with; ``None`` where they are compared with
        that very thing, so that the change answers for all.
        """
        spec = self.spec(folder, job)
        found = self._blame
        if found is None and self._finds_blame and self._against is None and spec.kind is SpecKind.DEPLOYED:
            # What runs is compared with because a configuration says so, or because nobody says otherwise.
            default = self._default(folder)
            found = default.blame or (default.against if default.because is not None else None)
        return None if found == spec else found

    @property
    def explanations(self) -> list[str]:
        """How baselines were found that nobody named, as far as they were used."""
        found = [] if self._blame is not None else self._defaults.values()
        return list(dict.fromkeys(default.because for default in found if default.because))

    def target(self, repository: Repository) -> Target | NoBaseline:
        """What is compared: the work tree, the index (``--staged``), or a commit (``--current``)."""
        if getattr(self._arguments, "staged", False):
            return INDEX
        if self._current is None:
            return WORK_TREE
        commit = repository.commit(self._current)
        return commit if isinstance(commit, NoBaseline) else commit.id

    @property
    def in_work_tree(self) -> bool:
        """Whether current texts are those on disk."""
        return self._current is None and not getattr(self._arguments, "staged", False)

    def _default(self, folder: Path) -> Defaults:
        """HEAD for a person at work; in CI, where HEAD is what is to be judged, where the change branched off, and what
        is deployed if that is known.
        """
        if folder not in self._defaults:
            self._defaults[folder] = _defaults_in_ci(folder, self._reader) if in_ci(os.environ) else Defaults()
        return self._defaults[folder]


def _defaults_in_ci(folder: Path, reader: BaselineReader) -> Defaults:
    repository = reader.repository(folder, HEAD)
    if isinstance(repository, NoBaseline):
        return Defaults()
    branch = target_branch(os.environ)
    if branch is not None:
        start = _branched_off(repository, branch, folder)
        because = f"{branch.variable} names {branch.name} as the branch that this change is meant for"
    else:
        name = repository.default_branch()
        if name is None:
            return Defaults()
        start = _spec(f"merge-base:{name}", folder)
        because = f"this is a build, and {name} is the default branch"
    environment = _environment(repository)
    if environment is None:
        return Defaults(start, None, f"Compared with {start}: {because}.")
    deployed = _spec("deployed" if environment == PRODUCTION else f"deployed:{environment}", folder)
    told = f"Compared with what runs ({deployed}); only what was added since {start} counts: {because}."
    return Defaults(deployed, start, told)


def _branched_off(repository: Repository, branch: TargetBranch, folder: Path) -> BaselineSpec:
    """Where a change left its target: by the remote's branch, by the one here, or by what the CI system says itself."""
    remotes = repository.remotes()
    names = [*(f"{remote}/{branch.name}" for remote in remotes[:1]), branch.name]
    try:
        specs = [_spec(f"merge-base:{name}", folder) for name in names]
    except UsageError as error:
        raise UsageError(f"{branch.variable} names no branch. {error.sentence}") from error
    if branch.merge_base is not None:
        specs.append(_spec(branch.merge_base, folder))
    found = (spec for spec in specs if not isinstance(repository.commit(spec), NoBaseline))
    # If there is none, the first one's absence is told, with the command that brings it.
    return next(found, specs[0])


def _environment(repository: Repository) -> str | None:
    """The environment whose jobs run: production, or the only one there is."""
    environments = repository.deployments.environments()
    if PRODUCTION in environments:
        return PRODUCTION
    return environments[0] if len(environments) == 1 else None


def _spec(text: str, folder: Path) -> BaselineSpec:
    try:
        return BaselineSpec.parse(text, folder)
    except BaselineSpecError as error:
        raise UsageError(str(error)) from error
