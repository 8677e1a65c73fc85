"""The files of a revision by their names, and those that its configurations name. No file is read for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from keepstate.embedded.avro_tables import SCHEMA_SUFFIX
from keepstate.embedded.pointers import FilePointer, file_of
from keepstate_lsp.config.composition_entries import Composition
from keepstate_lsp.config.file import FILE_NAMES, Configuration, ConfigurationError, JobConfig
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.files.plan_folders import plan_scripts


@dataclass(frozen=True, eq=False)
class NamedFiles:
    """Names of files, with ``/``, relative to ``root``."""

    paths: tuple[str, ...] = ()
    """Files that may be SQL by their names."""
    configurations: tuple[Configuration, ...] = ()
    """The configuration files of the revision that can be read."""
    root: Path = Path()
    """Root of the repository, with which the paths of the configuration files begin."""
    schemas: tuple[str, ...] = ()
    """The Avro schemas of the revision."""
    _matching: dict[tuple[tuple[str, ...], str, bool], tuple[str, ...]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(files: Iterable[str], configurations: Iterable[Configuration], root: Path) -> NamedFiles:
        """The files of a revision that count, among all of its files."""
        sorted_paths = sorted(files)
        schemas = tuple(path for path in sorted_paths if path.lower().endswith(SCHEMA_SUFFIX))
        plans = plan_scripts(sorted_paths)
        paths = tuple(path for path in sorted_paths if may_be_job(path) and path not in plans)
        return NamedFiles(paths, tuple(configurations), root, schemas)

    def with_paths(self, more: Iterable[str]) -> NamedFiles:
        """These files, and more of them that may be SQL."""
        new = {*more} - {*self.paths}
        return replace(self, paths=tuple(sorted({*self.paths, *new})), _matching={}) if new else self

    def context_paths(self, composition: Composition, folder: str) -> tuple[str, ...]:
        """The files of a context; ``folder`` is that of the configuration, relative to the repository."""
        return self._matches(composition.context or (), folder)

    def script_paths(self, composition: Composition, folder: str) -> tuple[str, ...]:
        """The files of a script."""
        return self._matches(composition.script, folder)

    def type_paths(self, composition: Composition, folder: str) -> tuple[str, ...]:
        """The schemas of a context, which say the types of columns and nothing else."""
        paths = self._matches(composition.context or (), folder, is_schema=True)
        return tuple(path for path in paths if path.lower().endswith(SCHEMA_SUFFIX))

    def _matches(self, globs: tuple[str, ...], folder: str, *, is_schema: bool = False) -> tuple[str, ...]:
        key = (globs, folder, is_schema)
        if key not in self._matching:
            below = _below(folder, self.schemas if is_schema else self.paths)
            self._matching[key] = _paths_below(folder, Composition(script=globs).script_files(below))
        return self._matching[key]

    @cached_property
    def referenced_paths(self) -> frozenset[str]:
        """The files and values that any context or script of the revision names."""
        return frozenset(self._in_contexts())

    @cached_property
    def pointers(self) -> tuple[str, ...]:
        """The values of other files that the configurations of the revision name."""
        paths = (path for path in self._in_contexts() if FilePointer.parse(path) is not None)
        return tuple(dict.fromkeys(paths))

    @cached_property
    def others(self) -> frozenset[str]:
        """The files that are no SQL by their names, and hold some, or say the types of columns."""
        typed = (path for composition, folder in self.compositions() for path in self.type_paths(composition, folder))
        return frozenset({file_of(path) for path in self.pointers} | set(typed))

    def parts_of(self, path: str) -> tuple[str, ...]:
        """The SQL of the file at ``path``: itself, or the pointers that lead into it."""
        if path in self._path_set or (path in self.others and path in self.schemas):
            return (path,)
        return tuple(pointer for pointer in self.pointers if file_of(pointer) == path)

    def nearest(self, path: str) -> Configuration | None:
        """The nearest configuration above a file."""
        above = [each for each in self.configurations if (self.root / path).is_relative_to(each.folder)]
        return max(above, key=lambda each: len(each.folder.parts), default=None)

    def has_context(self, path: str) -> bool:
        """Return whether the nearest configuration above a file names a context for it, or names it as a job."""
        nearest = self.nearest(path)
        if nearest is None:
            return False
        within = (self.root / path).relative_to(nearest.folder).as_posix()
        is_named = any(table.files and table.is_about(within) for table in nearest.jobs)
        return is_named or bool(nearest.job_config(self.root / path).composition.context)

    def context_of(self, path: str) -> frozenset[str]:
        """The files of the context of a job."""
        nearest = self.nearest(path)
        if nearest is None:
            return frozenset()
        composition = nearest.job_config(self.root / path).composition
        return frozenset(self.context_paths(composition, folder_of(JobConfig(source=nearest), self.root)))

    def __contains__(self, path: str) -> bool:
        return path in self._path_set

    @cached_property
    def _path_set(self) -> frozenset[str]:
        return frozenset(self.paths)

    def _in_contexts(self) -> Iterator[str]:
        for composition, folder in self.compositions():
            yield from self.context_paths(composition, folder)
            yield from self.script_paths(composition, folder)

    def compositions(self) -> Iterator[tuple[Composition, str]]:
        """The compositions of all configurations, each with the folder that it is relative to."""
        for configuration in self.configurations:
            folder = folder_of(JobConfig(source=configuration), self.root)
            for table in configuration.jobs:
                yield table.composition, folder


def tells_jobs(path: str) -> bool:
    """Return whether a path is that of a configuration file.

    >>> tells_jobs("jobs/keepstate.toml"), tells_jobs("jobs/a.sql")
    (True, False)
    """
    return path.rpartition("/")[2] in FILE_NAMES


def configurations_in(root: Path, files: Iterable[tuple[str, str | None]]) -> Iterator[Configuration]:
    """The configurations in files of a revision, each given by path and text. A wrong one is left out here: the jobs
    below it are not compared.

    >>> [each.engine for each in configurations_in(Path("/repository"), [("keepstate.toml", 'engine = "flink"')])]
    ['flink']
    """
    for path, text in files:
        with suppress(ConfigurationError):
            configuration = None if text is None else Configuration.parse(root / path, text, path, is_past=True)
            if configuration is not None:
                yield configuration


def folder_of(config: JobConfig, root: Path) -> str:
    """The folder of the configuration of a job, relative to the root of the repository, empty for the root itself.

    >>> folder_of(JobConfig(), Path("/repository"))
    ''
    """
    if config.source is None:
        return ""
    folder = config.source.folder
    within = folder.relative_to(root).as_posix() if folder.is_relative_to(root) else ""
    return "" if within == "." else within


def _below(folder: str, paths: Iterable[str]) -> list[str]:
    prefix = f"{folder}/" if folder else ""
    return [path[len(prefix) :] for path in paths if path.startswith(prefix)]


def _paths_below(folder: str, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{folder}/{path}" if folder else path for path in paths)
