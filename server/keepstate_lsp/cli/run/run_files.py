"""The files of a run.

Files that a configuration names are jobs. From folders and repositories only Flink SQL is taken: files with a suffix of
their own for it, and ``.sql`` files whose text shows Flink constructs. Files named on the command line, also by a glob,
are examined more closely. Files that git ignores are only taken when named in full.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import FilePointer, is_host
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.links import own_path
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.file_result import RunProblem
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.run.submodules import changed_submodules, repositories_within
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import FILE_NAMES
from keepstate_lsp.config.job_names import glob_test, may_be_job
from keepstate_lsp.files.plan_folders import plan_scripts
from keepstate_lsp.jobs.projects import CompositionError

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob


class NewValueError(CompositionError):
    """The pointer of a job names nothing in its baseline, whose configuration does not know the job. ``text`` is the
    SQL of the job.
    """

    def __init__(self, sentence: str, text: str) -> None:
        super().__init__(sentence)
        self.text = text


@dataclass(frozen=True)
class ComposedSides:
    """A job as it is composed on both sides of a comparison."""

    current: ComposedJob
    baseline: ComposedJob
    root: Path = Path()
    """Folder that the files are relative to."""

    @property
    def are_equal(self) -> bool:
        """Return whether both sides are one text, without what only one of several files might say."""
        from keepstate.project.ambiguity import changed_ambiguities

        return self.current.text == self.baseline.text and not any(changed_ambiguities(self.current, self.baseline))


@dataclass(frozen=True)
class JobFile:
    """A file to compare, which may be deleted."""

    path: Path
    """Absolute."""
    is_named: bool
    """A person or a configuration named it, or a glob that matches it."""
    may_differ: bool = True
    """The file itself may differ from its baseline, not only its configuration file."""
    declared: bool = False
    """A configuration names the file as a job, or a record as a deployed one, so its text is not examined."""
    several: Composition = NO_COMPOSITION
    """The table of a job of several files, whose last one this is."""

    @property
    def pointer(self) -> str | None:
        """The last entry of the script, if it leads to a value of the file."""
        last = self.several.script[-1] if self.several.script else None
        return None if last is None or FilePointer.parse(last) is None else last

    @cached_property
    def folder(self) -> Path:
        """The folder that it is in: for files of one folder one object, which is quickly found in tables."""
        return _folder(os.path.dirname(self.path))

    @property
    def display_path(self) -> str:
        """Path as reports name it."""
        return display_path_of(self.path)


@lru_cache(maxsize=4096)
def _folder(name: str) -> Path:
    return Path(name)


def _tells(path: str) -> bool:
    """Return whether a file may configure jobs outside of their SQL."""
    return path.rpartition("/")[2] in FILE_NAMES


def _is_below(path: str, folder: PurePosixPath) -> bool:
    return folder in PurePosixPath(path).parents


ANY_FILE = "**"
"""The glob of all files below a folder."""


class RunFiles:
    """The files of one repository that matter to a run: those of the target, and those of the baseline, which is a
    commit, the paths of what is deployed, or both. ``is_named`` tells whether a script leads into a file that is no SQL
    by its name.
    """

    def __init__(
        self,
        repository: Repository,
        is_named: Callable[[Path], bool],
        commit: Commit | None,
        target: Target,
        deployed: frozenset[str] = frozenset(),
    ) -> None:
        self._repository = repository
        self._is_named = is_named
        self._commit = commit
        self._target = target
        self._deployed = deployed

    def in_folder(self, folder: Path) -> list[JobFile]:
        """The files below ``folder`` that may be jobs, deleted ones too."""
        return [
            JobFile(path, False)
            for path in self._below(folder, lambda name: may_be_job(name) or is_host(name))
            if may_be_job(path.name) or self._is_named(path)
        ]

    def matching(self, folder: Path, glob: str, *, declared: bool = False) -> list[JobFile]:
        """The files whose path relative to ``folder`` matches ``glob``, deleted ones too."""
        return [JobFile(path, True, declared=declared) for path in self._below(folder, glob_test(glob))]

    def candidates(self) -> list[Path]:
        """All files that may be jobs by their name, deleted ones too."""
        root = self._repository.folders.work_tree
        return [root / path for path in self._all if may_be_job(path) and path not in self._plans]

    def changed_jobs(self) -> list[JobFile]:
        """The files that may be jobs and differ from the baseline; without a commit, all of them and all deployed."""
        root = self._repository.folders.work_tree
        if self._commit is None:
            # A file without a record under its name may be a deployed file that was renamed.
            return [
                JobFile(root / path, path in self._deployed, declared=path in self._deployed)
                for path in self._all
                if path in self._deployed or self._may_be_job(path)
            ]
        paths = self._repository.changed_files(
            self._commit, self._target, lambda path: self._may_be_job(path) or _tells(path)
        )
        deployed = [JobFile(root / path, True, declared=True) for path in sorted(self._deployed)]
        folders = [PurePosixPath(path).parent for path in paths if _tells(path)]
        jobs = [JobFile(root / path, False) for path in paths if self._may_be_job(path)]
        # The last entry for a file wins: a deployed file is taken as it is.
        jobs += [
            JobFile(root / path, False, may_differ=False)
            for path in self._all
            if path not in paths and self._may_be_job(path) and any(_is_below(path, folder) for folder in folders)
        ]
        if any(path not in self._current_paths for path in self._deployed):
            # A deployed file that does not exist any more may have been renamed before the change began.
            jobs += [
                JobFile(root / path, False, may_differ=path in paths)
                for path in self._current_paths
                if self._may_be_job(path)
            ]
        return jobs + deployed

    def plans_left_out(self) -> Iterator[Notice]:
        """A notice for each folder with the plan of a cutover, whose scripts are no jobs of the repository."""
        for folder, scripts in groupby(sorted(self._plans & self._current_paths), lambda path: path.rpartition("/")[0]):
            names = ", ".join(path.rpartition("/")[2] for path in scripts)
            yield Notice(folder or ".", f"The plan of a cutover: {names} {'are' if ', ' in names else 'is'} no job.")

    def _may_be_job(self, path: str) -> bool:
        if path in self._plans:
            return False
        return may_be_job(path) or (is_host(path) and self._is_named(self._repository.folders.work_tree / path))

    def changed_submodules(
        self, reader: BaselineReader, folder: Path | None = None, glob: str = ANY_FILE
    ) -> list[RunProblem]:
        """The submodules that may hold changed jobs, which are compared in the submodule itself: those of the whole
        repository, or with files below ``folder`` that ``glob`` matches.
        """
        if self._commit is None:
            return []
        within = None if folder is None else self._repository.relative(folder.resolve())
        if folder is not None and within is None:
            return []
        prefix = "" if within in (None, ".") else f"{within}/"
        matches = glob_test(glob)
        return changed_submodules(
            self._repository,
            self._commit,
            self._target,
            reader,
            # Of a submodule whose files are not known, some may match.
            lambda path: path.startswith(prefix) and (glob == ANY_FILE or "/" in glob),
            lambda path: path.startswith(prefix) and matches(path.removeprefix(prefix)),
        )

    def repositories_within(self, reader: BaselineReader) -> list[Notice]:
        """The other repositories in the work tree, which hold files that no listing of this one has."""
        return [] if self._target is not WORK_TREE else repositories_within(self._repository, reader)

    def _below(self, folder: Path, accepts: Callable[[str], bool]) -> Iterator[Path]:
        """The files below ``folder`` whose path relative to it is wanted."""
        root = self._repository.folders.work_tree
        names = set()
        # A folder that became a link still has the jobs that were in it, under their names.
        for within in dict.fromkeys((own_path(root, folder), self._repository.relative(folder.resolve()))):
            prefix = "" if within in (None, ".") else f"{within}/"
            for path in self._all:
                name = path.removeprefix(prefix)
                if path in self._plans:
                    continue
                if path.startswith(prefix) and name not in names and accepts(name):
                    names.add(name)
                    yield root / path

    @cached_property
    def _plans(self) -> frozenset[str]:
        # A script that stayed where its plan was removed is a job like others.
        return (
            plan_scripts(self._current_paths) | (plan_scripts(self._baseline_paths) - self._current_paths)
        ) - self._deployed

    @cached_property
    def _current_paths(self) -> frozenset[str]:
        return frozenset(self._repository.files(self._target))

    @cached_property
    def _baseline_paths(self) -> frozenset[str]:
        return frozenset(self._repository.files(self._commit.id) if self._commit is not None else [])

    @cached_property
    def _all(self) -> list[str]:
        return sorted(self._current_paths | self._baseline_paths | self._deployed)


def root_of(repository: Repository | None) -> Path:
    """The folder that the paths of a job's files are relative to."""
    return Path() if repository is None else repository.folders.work_tree


def with_same_line_ends(text: str, other: str | None) -> str:
    """A text with the line ends of another one, if there is another one."""
    from keepstate_lsp.files.line_ends import with_line_ends_of

    return text if other is None else with_line_ends_of(text, other)
