"""Configurations of jobs at any commit, read without a work tree."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path, PurePosixPath

from keepstate_lsp.baselines.baseline import shown
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.config.file import EMPTY_CONFIG, FILE_NAMES, Configuration, ConfigurationError, JobConfig

_REMEMBERED = 4096


class PastJobConfigs:
    """Configurations of the files of one repository, from the configuration files in its commits alone."""

    def __init__(self, history: History) -> None:
        self._history = history
        # A bare clone lies nowhere; what counts is how paths lie to one another.
        self._root = history.root or Path("/")
        self._known: OrderedDict[tuple[str, str], Configuration | None] = OrderedDict()
        self._by_era: OrderedDict[tuple[int, str], JobConfig] = OrderedDict()

    def at(self, path: str, commit: str, era: int | None = None) -> JobConfig:
        """The configuration of the job at ``path`` (inside of the repository) in a commit. Commits of one ``era`` have
        the same configuration files, so that git is asked once for all of them.

        Raises:
            ConfigurationError: the file that says so is wrong.
            GitFailure: git cannot read it.
        """
        if era is None:
            return self._read(path, commit)
        known = self._by_era.get((era, path))
        if known is None:
            known = self._by_era[era, path] = self._read(path, commit)
            while len(self._by_era) > _REMEMBERED:
                self._by_era.popitem(last=False)
        return known

    def _read(self, path: str, commit: str) -> JobConfig:
        for folder in PurePosixPath(path).parents:
            for name in FILE_NAMES:
                found = self._configuration(folder / name, commit)
                if found is not None:
                    return found.job_config(self._root / path)
        return EMPTY_CONFIG

    def _configuration(self, path: PurePosixPath, commit: str) -> Configuration | None:
        file = self._history.state_at(commit, path.as_posix())
        if file is None:
            return None
        key = (file.path, file.blob)
        if key not in self._known:
            text = self._history.text(file)
            words = f"{shown(file.path)} in {commit[:7]}"
            if isinstance(text, NotText):
                raise ConfigurationError(f"{words} {text.what}")
            self._known[key] = Configuration.parse(self._root / path, text, words, is_past=True)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]
