"""Settings of a run for each file: the options, over the configuration file around it, over the defaults."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

from keepstate.embedded.pointers import file_of
from keepstate_lsp.baselines import (
    HEAD,
    Baseline,
    BaselineReader,
    BaselineSpec,
    BaselineSpecError,
    NoBaseline,
    SpecKind,
)
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.cli.arguments import JobSettings, configuration_for, job_settings
from keepstate_lsp.cli.ci.defaults import Build, Defaults, spec_of
from keepstate_lsp.cli.ci.target_branch import in_ci
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import EMPTY_CONFIG, Configuration, ConfigurationError, JobConfig
from keepstate_lsp.config.job_config import JobConfigReader

COUNT_ALL = "none"
"""Written instead of a baseline: all findings count, old and new."""


class RunSettings:
    """Answers for any path; files of one folder share what is found around it."""

    def __init__(self, arguments: argparse.Namespace, reader: BaselineReader) -> None:
        self._arguments = arguments
        self._reader = reader
        self._configs = JobConfigReader(reader, getattr(arguments, "config", None), steady=True)
        self._configurations: dict[Path, Configuration | None] = {}
        self._pointed_at: dict[Path, frozenset[Path]] = {}
        self._settings: dict[Path, JobSettings] = {}
        self._defaults: dict[Path, Defaults] = {}
        self._without_config: set[tuple[Path, Target, str | None, str]] = set()
        self._build = Build(os.environ, self.target) if in_ci(os.environ) else None
        self._began: dict[tuple[Path, BaselineSpec], BaselineSpec | None] = {}
        self._replaced: dict[str, None] = {}
        self._against = None if arguments.against is None else spec_of(arguments.against, Path.cwd())
        new_since = getattr(arguments, "new_since", None)
        self._new_since = None if new_since in (None, COUNT_ALL) else spec_of(new_since, Path.cwd())
        self._finds_new_since = new_since is None
        if self._new_since is not None and self._new_since.kind.is_on_disk:
            raise UsageError(f"--new-since takes what a change began with, not {new_since!r}.")
        revision = getattr(arguments, "current", None)
        self._current = None if revision is None else spec_of(revision, Path.cwd())
        if self._current is not None and self._current.kind is not SpecKind.REVISION:
            raise UsageError(f"--current takes a git revision, not {revision!r}.")

    @property
    def one_file(self) -> bool:
        """Return whether the baseline is itself one file, and so can be that of one file only."""
        return self._against is not None and self._against.kind.is_on_disk

    def configuration(self, folder: Path) -> Configuration | None:
        """The configuration that holds in ``folder``.

        Raises:
            ConfigurationError: it is wrong.
        """
        if folder not in self._configurations:
            self._configurations[folder] = configuration_for(self._arguments, folder)
        return self._configurations[folder]

    def has_script_in(self, path: Path) -> bool:
        """Return whether a script of the configuration that holds for a file leads to a value of it."""
        if path.parent not in self._pointed_at:
            try:
                configuration = configuration_for(self._arguments, path.parent)
            except ConfigurationError:
                # A wrong file is reported where jobs are below it.
                configuration = None
            entries = (
                ()
                if configuration is None
                else ((configuration.folder, entry) for one in configuration.scripts for entry in one.script)
            )
            self._pointed_at[path.parent] = frozenset(
                folder / file_of(entry) for folder, entry in entries if file_of(entry) != entry
            )
        return path in self._pointed_at[path.parent]

    @property
    def configurations(self) -> list[Configuration]:
        """Configurations that were used so far, each once."""
        configurations = {one.path: one for one in self._configurations.values() if one is not None}
        return list(configurations.values())

    def with_config(
        self,
        settings: JobSettings,
        path: Path,
        target: Target,
        baseline: Baseline,
        folder: Path | None = None,
        several: Composition = NO_COMPOSITION,
    ) -> JobSettings:
        """``settings`` with both configurations of the job at ``path`` (in ``folder``), today's and the baseline's.
        ``several`` is the table of a job of several files.

        Raises:
            ConfigurationError: a file that says so is wrong, or cannot be read.
        """
        folder = path.parent if folder is None else folder
        key = (folder, target, baseline.commit, baseline.path.rpartition("/")[0])
        if key in self._without_config and baseline.deployment is None:
            return settings
        current = self._configs.current(path, target, several)
        former = self._configs.baseline(path, baseline, current)
        if current == former == EMPTY_CONFIG:
            # No configuration file exists for any job in this folder.
            self._without_config.add(key)
            return settings
        config = job_settings(self._arguments, None, current, former)
        return replace(settings, current=config.current, baseline=config.baseline)

    def config_before(
        self, path: Path, target: Target, baseline: Baseline, several: Composition = NO_COMPOSITION
    ) -> JobConfig:
        """The configuration of the job at ``path`` as of ``baseline``, before the change. Options of the command line
        override it. ``several`` is the table of a job of several files.

        Raises:
            ConfigurationError: a file that says so is wrong, or cannot be read.
        """
        former = self._configs.baseline(path, baseline, self._configs.current(path, target, several))
        return job_settings(self._arguments, None, former).current

    def settings(self, folder: Path) -> JobSettings:
        """The settings of jobs in ``folder``."""
        if folder not in self._settings:
            self._settings[folder] = job_settings(self._arguments, self.configuration(folder))
        return self._settings[folder]

    def spec(self, folder: Path, job: Path | None = None) -> BaselineSpec:
        """The baseline of jobs in ``folder``, or of one of them, which may have its own in the configuration."""
        if self._against is not None:
            return self._against
        configuration = self.configuration(folder)
        baseline = None
        if configuration is not None:
            baseline = configuration.baseline if job is None else configuration.baseline_of(job)
        if configuration is not None and baseline is not None:
            try:
                spec = BaselineSpec.parse(baseline, configuration.folder)
            except BaselineSpecError as error:
                raise ConfigurationError(f"{configuration.path}: {error}") from error
            return self._before_push(folder, spec) or spec
        return self._default(folder).against

    def new_since(self, folder: Path, job: Path | None = None) -> BaselineSpec | None:
        """The baseline that the change to jobs in ``folder``, or to one of them, began with; ``None`` if that is the
        baseline of the comparison, so that all findings are new.
        """
        spec = self.spec(folder, job)
        start = self._new_since
        if start is None and self._finds_new_since and self._against is None and spec.kind is SpecKind.DEPLOYED:
            # The baseline is the deployed version because of a configuration or a default.
            start = self._default(folder).start
        return None if start == spec else start

    def is_comparison_with_itself(self, folder: Path, spec: BaselineSpec) -> bool:
        """Return whether this is a build, and the baseline of files in ``folder`` is the very commit that is built,
        though the command line does not say HEAD. At a desk there is a work tree that differs, or nothing to compare.
        """
        is_meant = spec == self._against and spec.kind is SpecKind.REVISION and spec.value in ("HEAD", "@")
        return not is_meant and self._itself(folder, spec) is not None

    @property
    def is_build(self) -> bool:
        """Return whether a CI system runs this."""
        return self._build is not None

    @property
    def is_new_branch(self) -> bool:
        """Return whether the CI system says that this build is of the first push of a branch."""
        return self._build is not None and self._build.new_branch is not None

    def same_commit(self, folder: Path, spec: BaselineSpec) -> str | None:
        """The commit, for people, that is both the baseline of files in ``folder`` and what is compared with it."""
        if self._current is None or (spec.kind.is_on_disk or spec.kind is SpecKind.DEPLOYED):
            return None
        repository = self._reader.repository(folder, spec)
        if isinstance(repository, NoBaseline):
            return None
        commit = repository.commit(spec)
        same = not isinstance(commit, NoBaseline) and commit.id == self.target(repository)
        return commit.id[:7] if same and not isinstance(commit, NoBaseline) else None

    @property
    def is_at_desk(self) -> bool:
        """Return whether the work tree of a person is compared with HEAD by default."""
        return self._build is None and self._against is None and self.in_work_tree

    @property
    def explanations(self) -> list[str]:
        """The ways in which default baselines were found, as far as they were used."""
        defaults = [] if self._new_since is not None else self._defaults.values()
        return list(dict.fromkeys((*(default.because for default in defaults if default.because), *self._replaced)))

    def target(self, repository: Repository) -> Target | NoBaseline:
        """The current side of the comparison: the work tree, the index (``--staged``), or a commit (``--current``)."""
        if getattr(self._arguments, "staged", False):
            return INDEX
        if self._current is None:
            return WORK_TREE
        commit = repository.commit(self._current)
        return commit if isinstance(commit, NoBaseline) else commit.id

    @property
    def in_work_tree(self) -> bool:
        """Return whether current texts are those on disk."""
        return self._current is None and not getattr(self._arguments, "staged", False)

    def _default(self, folder: Path) -> Defaults:
        """HEAD for a person at work; in CI, where HEAD is what is to be judged, what the change began with, and what is
        deployed if that is known.
        """
        if self._build is None:
            return Defaults()
        if folder not in self._defaults:
            repository = self._reader.repository(folder, HEAD)
            self._defaults[folder] = (
                Defaults() if isinstance(repository, NoBaseline) else self._build.defaults(folder, repository)
            )
        return self._defaults[folder]

    def _before_push(self, folder: Path, spec: BaselineSpec) -> BaselineSpec | None:
        """The baseline of a push instead of a configured merge base that is the pushed commit itself; ``None`` for all
        others.
        """
        if self._build is None or spec.kind is not SpecKind.MERGE_BASE:
            return None
        key = (folder, spec)
        if key not in self._began:
            repository = self._itself(folder, spec)
            former = None if repository is None else self._build.before_push(repository, folder)
            if former is not None:
                self._replaced[
                    f"Compared with {former}, which was there before the push: {spec} is the commit itself."
                ] = None
            self._began[key] = former
        return self._began[key]

    def _itself(self, folder: Path, spec: BaselineSpec) -> Repository | None:
        """The repository around ``folder``, if this is a build and ``spec`` is the very commit that is built."""
        if self._build is None:
            return None
        repository = self._reader.repository(folder, spec)
        if isinstance(repository, NoBaseline) or not self._build.is_itself(repository, spec):
            return None
        return repository
