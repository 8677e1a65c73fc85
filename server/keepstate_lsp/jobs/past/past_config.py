"""Configurations of jobs at any commit, read without a work tree."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path, PurePosixPath

from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.log import FileState
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import EMPTY_CONFIG, FILE_NAMES, Configuration, ConfigurationError, JobConfig

_REMEMBERED = 4096


class PastJobConfigs:
    """Configurations of the files of one repository, from the configuration files in its commits alone."""

    def __init__(self, history: History) -> None:
        self._history = history
        # A bare clone lies nowhere; what counts is how paths lie to one another.
        self.root = history.root or Path("/")
        self._known: OrderedDict[tuple[str, str], Configuration | None] = OrderedDict()
        self._by_era: OrderedDict[tuple[int, str, Composition], JobConfig] = OrderedDict()

    def at(self, path: str, commit: str, era: int | None = None, several: Composition = NO_COMPOSITION) -> JobConfig:
        """The configuration of the job at ``path`` (inside of the repository) in a commit. Commits of one ``era`` have
        the same configuration files, so that git is asked once for all of them. ``several`` is the table of a job of
        several files.

        Raises:
            ConfigurationError: the file that says so is wrong.
            GitFailure: git cannot read it.
        """
        if era is None:
            return self._read(path, commit, several)
        config = self._by_era.get((era, path, several))
        if config is None:
            config = self._by_era[era, path, several] = self._read(path, commit, several)
            while len(self._by_era) > _REMEMBERED:
                self._by_era.popitem(last=False)
        return config

    def _read(self, path: str, commit: str, several: Composition) -> JobConfig:
        for folder in PurePosixPath(path).parents:
            for name in FILE_NAMES:
                configuration = self._configuration(folder / name, commit)
                if configuration is not None:
                    return configuration.job_config(self.root / path, several)
        return EMPTY_CONFIG

    def _configuration(self, path: PurePosixPath, commit: str) -> Configuration | None:
        file = self._history.state_at(commit, path.as_posix())
        return None if file is None else self.of(file, commit)

    def of(self, file: FileState, commit: str) -> Configuration | None:
        """The configuration in a file of a commit; ``None`` for a ``pyproject.toml`` that has none.

        Raises:
            ConfigurationError: it is wrong.
            GitFailure: git cannot read it.
        """
        key = (file.path, file.blob)
        if key not in self._known:
            text = self._history.text(file)
            words = f"{inline(file.path)} in {commit[:7]}"
            if isinstance(text, NotText):
                raise ConfigurationError(f"{words} {text.fault}")
            self._known[key] = Configuration.parse(self.root / file.path, text, words, is_past=True)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]
