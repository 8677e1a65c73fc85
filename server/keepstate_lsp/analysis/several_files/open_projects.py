"""Projects in an editor: the files of a revision, and over those of the work tree the texts of open documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of
from keepstate_lsp.analysis.several_files.repository_files import RepositoryFiles, RevisionFiles
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.files.line_ends import line_end, with_line_ends_of
from keepstate_lsp.jobs.declared_words import DeclaredWords
from keepstate_lsp.jobs.projects import Project

if TYPE_CHECKING:
    from keepstate.project.farther_declarations import Takers
    from keepstate.project.file_declarations import DeclarationIndex
    from keepstate.project.memory import ProjectMemory
    from keepstate.project.source_files import SourceFile

_MOST_READ = 4_000
"""Files, each with each of its texts, of which declarations are kept."""
_MOST_PROJECTS = 8


@dataclass(eq=False)
class RevisionProject(Project):
    """The project of a revision of which all files were read; a file is parsed when a name is looked for that it may
    declare.
    """

    files: RevisionFiles = field(kw_only=True)

    @staticmethod
    def of_files(files: RevisionFiles, memory: ProjectMemory, like: str | None) -> RevisionProject:
        """The project of files, with the line ends of ``like``."""

        def text_of(path: str) -> str | None:
            text = files.texts.get(path)
            return text if text is None or like is None else with_line_ends_of(text, like)

        return RevisionProject(files.names, text_of, memory, files=files)

    @cached_property
    def words(self) -> DeclaredWords:
        return self.files.words


@dataclass(eq=False)
class OpenProject(Project):
    """The project of a work tree with the texts of open documents, by path, in the place of those on disk."""

    disk: RevisionProject = field(kw_only=True)
    buffers: Mapping[str, str] = field(kw_only=True)
    _assumed: DeclarationIndex | None = None

    @staticmethod
    def over(disk: RevisionProject, buffers: Mapping[str, str]) -> OpenProject:
        """The project of ``disk`` with ``buffers``."""
        names = disk.names.with_paths(filter(may_be_job, buffers))
        return OpenProject(names, buffers.get, disk.memory, disk=disk, buffers=buffers)

    def host(self, path: str) -> str | None:
        return self.buffers[path] if path in self.buffers else self.disk.host(path)

    def source(self, path: str) -> SourceFile:
        return super().source(path) if file_of(path) in self.buffers else self.disk.source(path)

    def index(self, paths: Sequence[str]) -> DeclarationIndex:
        from keepstate.project.indexes import ReplacedIndex

        opened = [path for path in paths if file_of(path) in self.buffers]
        if not opened:
            return self.disk.index(paths)
        closed = self.disk.index(tuple(path for path in paths if file_of(path) not in self.buffers))
        contents = (self.read(path) for path in opened)
        return ReplacedIndex(tuple(each for each in contents if each is not None), closed, frozenset(opened))

    def assumed(self, like: str | None = None) -> DeclarationIndex:
        from keepstate.project.indexes import ReplacedIndex

        if self._assumed is None:
            opened = [path for path, text in self.buffers.items() if path in self.names and "CREATE" in text.upper()]
            contents = (self.read(path) for path in opened)
            declaring = tuple(each for each in contents if each is not None and self.disk.is_declaring(each))
            self._assumed = ReplacedIndex(declaring, self.disk.assumed(), frozenset(self.buffers))
        return self._assumed

    def takers(self, name: str) -> Takers:
        """The jobs that take each declaration of a name, by the files on disk: a keystroke changes none of them."""
        return self.disk.takers(name)


class OpenProjects:
    """The projects of a server, in its worker thread."""

    def __init__(self, files: RepositoryFiles) -> None:
        self._files = files
        self._memory: ProjectMemory | None = None
        self._projects: dict[tuple[RevisionFiles, str | None], RevisionProject] = {}
        self._open: OpenProject | None = None

    @property
    def memory(self) -> ProjectMemory:
        """The files that were parsed."""
        from keepstate.project.memory import ProjectMemory

        if self._memory is None:
            self._memory = ProjectMemory()
        return self._memory

    def current(self, root: Path, buffers: Mapping[str, str]) -> OpenProject | None:
        """The project of a work tree with open documents; ``None`` if it was not read."""
        files = self._files.current(root)
        if files is None:
            return None
        disk = self._project(files, None)
        # While one document is typed in, the others stay as they are, and all that follows from them.
        if self._open is None or self._open.disk is not disk or self._open.buffers != buffers:
            self._open = OpenProject.over(disk, buffers)
        return self._open

    def at_commit(self, root: Path, commit: str, like: str) -> RevisionProject | None:
        """The project of a commit, with the line ends of ``like``; ``None`` if it was not read."""
        files = self._files.at_commit(root, commit)
        return None if files is None else self._project(files, line_end(like))

    def tidy(self) -> None:
        """Let go of texts that are gone."""
        if self._memory is not None:
            self._memory.keep_recent(_MOST_READ)

    def _project(self, files: RevisionFiles, like: str | None) -> RevisionProject:
        key = (files, like)
        project = self._projects.pop(key, None)
        self._projects[key] = project = project or RevisionProject.of_files(files, self.memory, like)
        while len(self._projects) > _MOST_PROJECTS:
            del self._projects[next(iter(self._projects))]
        return project
