"""Configurations of jobs outside of their SQL, today and at their baselines.

The configuration file is versioned like the SQL beside it. So the configuration of a baseline is that of the same
revision, and empty if there was no file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, NoBaseline, SpecKind
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.index import may_track
from keepstate_lsp.baselines.head import find_git_folders
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition, table_of
from keepstate_lsp.config.engine_versions import version_fault
from keepstate_lsp.config.file import FILE_NAMES, Configuration, ConfigurationError, JobConfig

_REMEMBERED = 64


class JobConfigReader:
    """Answers for any file. ``pinned`` is the one configuration file that counts, instead of the nearest. ``steady``:
    nothing changes while this lives, so that files of one folder share what was found for the first.
    """

    def __init__(self, reader: BaselineReader, pinned: Path | None = None, steady: bool = False) -> None:
        self._folders: dict[tuple[Path, Target], Configuration | None] | None = {} if steady else None
        self._reader = reader
        self._pinned = None if pinned is None else pinned.absolute()
        self._known: OrderedDict[tuple[Path, str, str], Configuration | None] = OrderedDict()

    def current(self, path: Path, target: Target = WORK_TREE, several: Composition = NO_COMPOSITION) -> JobConfig:
        """The configuration of the job at ``path``: today's, or the one in the index or commit that has its text.
        ``several`` is the table of a job of several files.

        Raises:
            ConfigurationError: the file that says so is wrong, or cannot be read.
        """
        repository = None if target is WORK_TREE else self._repository(path)
        if repository is None:
            return _job_config(self._on_disk(path), path, several)
        where = "the index" if target is INDEX else str(target)[:7]
        return _job_config(self._configuration_at(repository, path, target, where), path, several)

    def baseline(self, path: Path, baseline: Baseline, current: JobConfig) -> JobConfig:
        """The configuration of the baseline of the job at ``path``; ``current`` is the job's configuration today. What
        the platform runs as one job is, like the engine and the signatures of functions, what is said today.

        Raises:
            ConfigurationError: the file that said so is wrong, or cannot be read.
        """
        return replace(self._baseline(path, baseline, current), jobs=current.jobs, functions=current.functions)

    def _baseline(self, path: Path, baseline: Baseline, current: JobConfig) -> JobConfig:
        if baseline.deployment is not None:
            version = baseline.deployment.engine_version
            # A record may be older than the check of what is recorded.
            valid_version = None if version_fault(None, version) else version
            return JobConfig(valid_version, baseline.deployment.parameters)
        if baseline.spec.kind is SpecKind.FILE:
            return self.of_other_file(Path(baseline.spec.value), current)
        repository = self._repository(path)
        if repository is None or baseline.commit is None:
            return current
        former = repository.folders.work_tree / PurePosixPath(baseline.path)
        configuration = self._configuration_at(repository, former, baseline.commit, baseline.origin)
        return (
            JobConfig()
            if configuration is None
            else configuration.job_config(former, former_table(current, configuration, former))
        )

    def of_other_file(self, path: Path, current: JobConfig) -> JobConfig:
        """The configuration of a job in another file on disk, to compare with the job in ``current``: that of its own
        configuration file, or else ``current``.

        Raises:
            ConfigurationError: the file that says so is wrong.
        """
        own = None if self._pinned is not None else self._on_disk(path)
        if own is None or (current.source is not None and own.path == current.source.path):
            return current
        return replace(own.job_config(path.absolute()), jobs=current.jobs, functions=current.functions)

    def _on_disk(self, path: Path) -> Configuration | None:
        return self._once(path.parent, WORK_TREE, lambda: self._found_on_disk(path))

    def _once(self, folder: Path, target: Target, find: Callable[[], Configuration | None]) -> Configuration | None:
        if self._folders is None:
            return find()
        key = (folder, target)
        if key not in self._folders:
            self._folders[key] = find()
        return self._folders[key]

    def _found_on_disk(self, path: Path) -> Configuration | None:
        if self._pinned is not None:
            return Configuration.at(self._pinned)
        self.unless_left_out(path)
        return Configuration.around(path.parent)

    def unless_left_out(self, path: Path) -> None:
        """Raises ``ConfigurationError`` if a configuration file that holds for ``path`` is tracked, and a sparse
        checkout left it out of the work tree.
        """
        located = find_git_folders(path.absolute().parent)
        try:
            # Seen without git, which a comparison of two files needs for nothing else.
            if located is None or not may_track(located.git, FILE_NAMES):
                return
            repository = self._repository(path)
            relative = None if repository is None else repository.relative(path.absolute())
            if repository is None or relative is None:
                return
            for name in _candidates(relative):
                if (repository.folders.work_tree / name).is_file() and name.endswith(FILE_NAMES[0]):
                    return
                if repository.is_left_out(name) and self._tells(repository, name):
                    raise ConfigurationError(
                        f"{inline(name)} holds for this job, and a sparse checkout left it out of the work tree. "
                        f"To mend: git checkout --ignore-skip-worktree-bits -- {inline(name)}"
                    )
        except GitFailure as failure:
            raise ConfigurationError(f"The index cannot be read: {failure.message}.") from failure

    def _tells(self, repository: Repository, name: str) -> bool:
        """Return whether a file in the index configures jobs: most ``pyproject.toml`` do not."""
        blob = repository.find(INDEX, name)
        text = self._reader.text(repository, blob) if blob is not None else ""
        return isinstance(text, NotText) or name.endswith(FILE_NAMES[0]) or "keepstate" in text

    def _repository(self, path: Path) -> Repository | None:
        repository = self._reader.repository(path.parent, HEAD)
        return None if isinstance(repository, NoBaseline) else repository

    def _configuration_at(self, repository: Repository, path: Path, target: Target, where: str) -> Configuration | None:
        """The configuration that held for ``path`` in a commit or in the index."""
        return self._once(path.parent, target, lambda: self._found_stored(repository, path, target, where))

    def _found_stored(self, repository: Repository, path: Path, target: Target, where: str) -> Configuration | None:
        work_tree = repository.folders.work_tree
        try:
            if self._pinned is not None:
                relative = repository.relative(self._pinned)
                if relative is None:
                    # A file outside of the repository has no history here: it holds for both sides.
                    return Configuration.at(self._pinned)
                return self._at(repository, relative, target, where)
            for name in _candidates(repository.relative(path.absolute()) or path.name):
                configuration = self._at(repository, name, target, where)
                if configuration is not None:
                    return configuration
        except GitFailure as failure:
            raise ConfigurationError(f"The configuration in {where} cannot be read: {failure.message}.") from failure
        return Configuration.around(work_tree.parent)

    def _at(self, repository: Repository, name: str, target: Target, where: str) -> Configuration | None:
        blob = repository.find(target, name)
        if blob is None or blob.type != "blob":
            return None
        key = (repository.folders.work_tree / name, blob.id, where)
        if key not in self._known:
            text = self._reader.text(repository, blob)
            words = f"{inline(name)} in {where}"
            if isinstance(text, NotText):
                raise ConfigurationError(f"{words} {text.fault}")
            self._known[key] = Configuration.parse(key[0], text, words, is_past=True)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]


def _candidates(relative: str) -> Iterator[str]:
    """The paths at which a configuration for a file of the repository may lie, the nearest first."""
    for folder in PurePosixPath(relative).parents:
        for name in FILE_NAMES:
            yield (folder / name).as_posix()


def former_table(current: JobConfig, former: Configuration, path: Path) -> Composition:
    r"""The table in ``former`` of the job with the configuration ``current``, or an empty one; ``path`` is its last
    file there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = '[[job]]\nname = "revenue"\nscript = ["ddl.sql", "a.sql"]\n'
    ...     _ = Path(folder, "keepstate.toml").write_text(table)
    ...     former = Configuration.around(Path(folder))
    ...     current = JobConfig(composition=Composition(script=("a.sql",), name="revenue"))
    ...     former_table(current, former, Path(folder, "a.sql")).script
    ('ddl.sql', 'a.sql')
    """
    scripts = () if current.source is None else current.source.scripts
    last = path.relative_to(former.folder).as_posix() if path.is_relative_to(former.folder) else None
    return table_of(current.composition, scripts, former.scripts, last) or NO_COMPOSITION


def _job_config(configuration: Configuration | None, path: Path, several: Composition = NO_COMPOSITION) -> JobConfig:
    return JobConfig() if configuration is None else configuration.job_config(path.absolute(), several)
