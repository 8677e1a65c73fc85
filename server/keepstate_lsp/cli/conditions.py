"""Under which conditions each file is compared: the options, the configuration around it, the defaults."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
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
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.circumstances import CircumstancesReader
from keepstate_lsp.cli.arguments import JobSettings, configuration_for, job_settings
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.configuration import Configuration, ConfigurationError


class Conditions:
    """Answers for any path; files of one folder share what is found around it."""

    def __init__(self, arguments: argparse.Namespace, reader: BaselineReader) -> None:
        self._arguments = arguments
        self._reader = reader
        self._circumstances = CircumstancesReader(reader, getattr(arguments, "config", None))
        self._configurations: dict[Path, Configuration | None] = {}
        self._settings: dict[Path, JobSettings] = {}
        self._defaults: dict[Path, BaselineSpec] = {}
        self._against = None if arguments.against is None else _spec(arguments.against, Path.cwd())
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

    def told(self, settings: JobSettings, path: Path, target: Target, baseline: Baseline) -> JobSettings:
        """``settings`` with what the job at ``path`` is and was told outside of its SQL.

        Raises:
            ConfigurationError: a file that says so is wrong, or cannot be read.
        """
        current = self._circumstances.current(path, target)
        told = job_settings(self._arguments, None, current, self._circumstances.baseline(path, baseline, current))
        return replace(settings, current=told.current, baseline=told.baseline)

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
        if folder not in self._defaults:
            self._defaults[folder] = self._default(folder)
        return self._defaults[folder]

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

    def _default(self, folder: Path) -> BaselineSpec:
        """HEAD for a person at work; in CI, where HEAD is what is to be judged, where the change branched off."""
        if os.environ.get("CI", "").lower() in ("", "0", "false"):
            return HEAD
        repository = self._reader.repository(folder, HEAD)
        branch = None if isinstance(repository, NoBaseline) else repository.default_branch()
        return HEAD if branch is None else _spec(f"merge-base:{branch}", folder)


def _spec(text: str, folder: Path) -> BaselineSpec:
    try:
        return BaselineSpec.parse(text, folder)
    except BaselineSpecError as error:
        raise UsageError(str(error)) from error
