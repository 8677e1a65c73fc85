"""Projects: the SQL files of one revision of a repository, and the jobs that they make.

All files of a job come from one revision. Files that are not Flink SQL by name or text are no part of a project.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import FilePointer, file_of, is_host
from keepstate.embedded.text_scalars import EmbeddingError, NothingThereError
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.decoding import NotText, decode
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_names import is_job
from keepstate_lsp.files.line_ends import line_end, with_line_ends_of
from keepstate_lsp.jobs.declaration_readers import takers_of
from keepstate_lsp.jobs.declared_words import DeclaredWords, NamePattern, words_behind_create
from keepstate_lsp.jobs.named_files import NamedFiles, configurations_in, tells_jobs

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob
    from keepstate.project.farther_declarations import Takers
    from keepstate.project.file_declarations import Declaration, DeclarationIndex, FileDeclarations
    from keepstate.project.memory import ProjectMemory
    from keepstate.project.source_files import SourceFile

MOST_FILES = 20_000
"""SQL files of a repository of which declarations are looked for without a word of the configuration."""


_CATALOG = "CATALOG "
"""Begins what a catalog is known by, in upper case."""


class CompositionError(Exception):
    """A job cannot be composed; the message is a sentence for a person."""


class ValueMissingError(CompositionError):
    """A pointer of a job names nothing in its file, or there is no such file."""


@dataclass(eq=False)
class Project:
    """The files of one revision. ``text_of`` gives the text of a path, ``None`` for a file that is no text."""

    names: NamedFiles
    text_of: Callable[[str], str | None]
    memory: ProjectMemory
    _texts: dict[str, str | None] = field(default_factory=dict)
    _sources: dict[str, SourceFile | CompositionError] = field(default_factory=dict)
    _indexes: dict[tuple[str, ...], DeclarationIndex] = field(default_factory=dict)
    _on_demand: dict[str | None, DeclarationIndex] = field(default_factory=dict)
    """The declarations that a job may assume, by the line ends that they get."""
    _takers: dict[str, Takers] = field(default_factory=dict)

    @staticmethod
    def of(
        reader: BaselineReader,
        repository: Repository,
        target: Target,
        memory: ProjectMemory,
        buffers: Mapping[str, str] | None = None,
    ) -> Project:
        """The project of a work tree, an index or a commit. ``buffers`` are texts of open documents by path, which take
        the place of those on disk.

        Raises:
            GitFailure: git cannot list the files.
        """
        opened = buffers or {}
        files = repository.files(target)

        @cache
        def is_inside(folder: str) -> bool:
            """Return whether a folder of the work tree is in the repository: a link may lead out of it."""
            return repository.led_to(WORK_TREE, folder) is not None

        def plain_text(path: str) -> str | NotText | None:
            """The text of a file of the work tree that is no link, and on whose way none leads out of it."""
            file = repository.on_disk(path) if is_inside(posixpath.dirname(path)) else None
            return None if file is None or file.content is None or file.is_link else decode(file.content)

        def text_of(path: str) -> str | None:
            if path in opened:
                return opened[path]
            text = plain_text(path) if target is WORK_TREE else None
            if text is None and target is WORK_TREE and not repository.is_left_out(path):
                text = read_text(root / path) if repository.led_to(target, path) is not None else None
            elif path in blobs and (file := repository.on_disk(path)).content is not None and file.holds(blobs[path]):
                # Most files are on disk as they were, and need no git.
                text = decode(file.content)
            elif text is None:
                git_object = repository.find(target, path)
                text = None if git_object is None else reader.text(repository, git_object)
            return text if isinstance(text, str) else None

        root = repository.folders.work_tree
        blobs = {} if target is WORK_TREE else repository.blobs(target)
        configurations = configurations_in(root, ((path, text_of(path)) for path in files if tells_jobs(path)))
        names = NamedFiles.of(files, configurations, root)
        return Project(names.with_paths(path for path in opened if not is_host(path)), text_of, memory)

    @property
    def paths(self) -> tuple[str, ...]:
        """With ``/``, relative to the root of the repository; files that may be SQL by their names."""
        return self.names.paths

    @property
    def others(self) -> frozenset[str]:
        """The files that are no SQL by their names, and hold some, or say the types of columns."""
        return self.names.others

    def script_paths(self, composition: Composition, folder: str) -> tuple[str, ...]:
        """The files of a script."""
        return self.names.script_paths(composition, folder)

    def type_paths(self, composition: Composition, folder: str) -> tuple[str, ...]:
        """The schemas of a context, which say the types of columns and nothing else."""
        return self.names.type_paths(composition, folder)

    def host(self, path: str) -> str | None:
        """The whole text of a file; ``None`` if there is none."""
        if path not in self._texts:
            self._texts[path] = self.text_of(path)
        return self._texts[path]

    def source(self, path: str) -> SourceFile:
        """The SQL of a file, or of the value that a pointer names.

        Raises:
            CompositionError: there is none, or it cannot be read.
        """
        if path not in self._sources:
            try:
                self._sources[path] = sql_source(path, self.host(file_of(path)))
            except CompositionError as error:
                self._sources[path] = error
        source = self._sources[path]
        if isinstance(source, CompositionError):
            raise source
        return source

    def text(self, path: str) -> str | None:
        """The SQL of a file, or of the value that a pointer names; ``None`` if there is none."""
        try:
            return self.source(path).text
        except CompositionError:
            return None

    def read(self, path: str) -> FileDeclarations | None:
        """A file, or the value that a pointer names, with its declarations; ``None`` if there is none."""
        try:
            return self.memory.read_file(self.source(path))
        except CompositionError:
            return None

    def read_parts(self, path: str) -> list[FileDeclarations]:
        """The SQL of the file at ``path``, read."""
        contents = (self.read(part) for part in self.names.parts_of(path))
        return [content for content in contents if content is not None]

    def index(self, paths: Sequence[str]) -> DeclarationIndex:
        """The declarations of some files."""
        from keepstate.project.file_declarations import DeclarationIndex

        key = tuple(paths)
        if key not in self._indexes:
            contents = (self.read(path) for path in key)
            self._indexes[key] = DeclarationIndex(tuple(each for each in contents if each is not None))
        return self._indexes[key]

    @cached_property
    def declaring(self) -> tuple[str, ...]:
        """The files of Flink SQL that declare something: by their text, since a context names them, or since they read
        what another one declares.
        """
        named_paths = self.names.referenced_paths
        if self.is_too_large:
            return tuple(sorted(named_paths))
        paths: set[str] = set()
        doubtful: list[FileDeclarations] = []
        for path in self.paths:
            text = self.text(path)
            if text is None or "CREATE" not in text.upper():
                continue
            if (
                path in named_paths
                or self.is_flink(path, text)
                or (content := self.memory.read(path, text)).has_functions
            ):
                paths.add(path)
            else:
                doubtful.append(content)
        names = {each.name.upper() for path in paths for each in self.index((path,)).declarations}
        while more := [each for each in doubtful if any(need.upper() in names for need in each.needs)]:
            paths |= {each.file.path for each in more}
            names |= {declaration.name.upper() for each in more for declaration in each.declarations}
            doubtful = [each for each in doubtful if each not in more]
        return tuple(sorted(paths))

    @property
    def is_too_large(self) -> bool:
        """Return whether the revision has too many files: then only contexts are searched for declarations."""
        return len(self.paths) > MOST_FILES

    def is_flink(self, path: str, text: str) -> bool:
        """Return whether a file shows Flink SQL by its name or text."""
        return is_job(path, (text,))

    def is_job(self, path: str) -> bool:
        """Return whether a file is Flink SQL and runs a query: by its name or text, since a context is configured for
        its folder, or since it declares nothing itself and names a table that a file of Flink SQL declares.
        """
        if path not in self.names and is_host(path):
            return any(part.runs for part in self.read_parts(path))
        content = self.read(path) if path in self.names else None
        if content is None or not content.runs:
            return False
        if is_job(path, (content.file.text,)) or self.names.has_context(path):
            return True
        index = self.assumed()
        return not content.declarations and any(
            index.of(need) or (_in_first_database(need) and index.of_bare_name(need.rpartition(".")[2]))
            for need in content.needs
        )

    @cached_property
    def words(self) -> DeclaredWords:
        """The files that may declare a name without a word of the configuration."""
        paths = sorted(self.names.referenced_paths) if self.is_too_large else self.paths
        texts = ((path, self.text(path) or "") for path in paths)
        return DeclaredWords.of((path, self.memory.of_text(words_behind_create, text)) for path, text in texts)

    def is_declaring(self, content: FileDeclarations) -> bool:
        """Return whether jobs may assume what a file declares: a context names it, it is Flink SQL by its name or text,
        or it reads what such a file declares.
        """
        path = content.file.path
        return (
            path in self.names.referenced_paths
            or self.is_flink(path, content.file.text)
            # Flink's form of CREATE FUNCTION is that of Hive: a job that calls it has to be Flink SQL.
            or content.has_functions
            or any(map(self.assumed().of, content.needs))
        )

    def assumed(self, like: str | None = None) -> DeclarationIndex:
        """The declarations that a job may read without a word of the configuration, with the line ends of ``like``.
        A file is parsed when a name is looked for that it may declare.
        """
        from keepstate.project.indexes import IndexOnDemand

        ends = None if like is None else line_end(like)
        if ends not in self._on_demand:
            self._on_demand[ends] = IndexOnDemand((), partial(self._declaring, ends))
        return self._on_demand[ends]

    def _declaring(self, ends: str | None, name: str) -> list[FileDeclarations]:
        """The files that may declare a name, with some line ends."""
        contents = (self.read(path) for path in self.words.may_declare(name))
        declaring = (each for each in contents if each is not None and self.is_declaring(each))
        return [self.memory.read_file(_with_line_ends(each.file, ends)) for each in declaring]

    def compose(
        self, path: str, text: str | None, composition: Composition, folder: str, like: str | None = None
    ) -> ComposedJob:
        """The job whose last or only file is at ``path`` with ``text``, if it is there. ``folder`` is that of
        the configuration. ``like`` is a text whose line ends all files get.

        Raises:
            CompositionError: an entry of the composition names no file, or one that cannot be read.
        """
        from keepstate.project.composition import VisibleDeclarations

        def source(name: str) -> SourceFile:
            source_file = sql_source(name, text) if file_of(name) == path else self.source(name)
            return _with_line_ends(source_file, like)

        names = self.names.script_paths(composition, folder) or (path,)
        if path not in map(file_of, names):
            if is_host(path):
                raise ValueMissingError(f"No pointer of the configuration leads into {path}.")
            names = (*names, path)
        context, types = self.names.context_paths(composition, folder), self.names.type_paths(composition, folder)
        unread = next(
            (name for name in (*context, *types) if self.host(file_of(name)) is None and name == file_of(name)), None
        )
        if unread is not None:
            raise CompositionError(f"{unread} belongs to the context of the job and cannot be read.")
        for name in (*context, *types):
            self.source(name)
        visible = VisibleDeclarations(
            self._like(context, like), self.assumed(like), self._like(types, like), self.takers
        )
        return self.memory.compose([source(name) for name in names], visible)

    def takers(self, name: str) -> Takers:
        """The jobs that take each declaration of a name."""
        if name not in self._takers:
            scripts = (
                [content for path in self.script_paths(composition, folder) if (content := self.read(path)) is not None]
                for composition, folder in self.names.compositions()
                if composition.script
            )
            self._takers[name] = takers_of(name, self.mentioning, self._declared_for, scripts)
        return self._takers[name]

    def mentioning(self, name: str) -> list[FileDeclarations]:
        """The files with a name in their text, or with its last part."""
        pattern = NamePattern([name])
        texts = ((path, self.text(path)) for path in self.paths)
        contents = (self.read(path) for path, text in texts if text is not None and pattern.may_be_in(text))
        return [content for content in contents if content is not None]

    def _declared_for(self, path: str, name: str) -> tuple[Declaration, ...]:
        """The declarations of a name in the context of a job, or else those that it may assume."""
        declarations = self.index(tuple(sorted(self.names.context_of(path)))).of(name)
        return declarations or self.assumed().near(name, tuple(path.split("/")[:-1]))

    def _like(self, paths: Sequence[str], like: str | None) -> DeclarationIndex:
        """The declarations of some files, with the line ends of a text."""
        from keepstate.project.file_declarations import DeclarationIndex

        index = self.index(paths)
        if like is None or all(with_line_ends_of(each.file.text, like) == each.file.text for each in index.files):
            return index
        return DeclarationIndex(tuple(self.memory.read_file(_with_line_ends(each.file, like)) for each in index.files))

    def readers(self, names: Iterable[str], sessions: Collection[str] = ()) -> Readers:
        """The files that read one of these names, directly or through declarations of others. What a file declares
        itself it reads from no other. ``sessions`` are files whose SET and RESET changed.
        """
        felt = {name.upper() for name in names}
        reader_paths = {
            path for path in self.paths if sessions and not self.names.context_of(path).isdisjoint(sessions)
        }
        if not felt:
            return Readers(frozenset(), frozenset(reader_paths))
        catalogs = tuple(f"{name.removeprefix(_CATALOG)}." for name in felt if name.startswith(_CATALOG))
        contents: dict[str, FileDeclarations] = {}
        more = set(felt)
        while more:
            contents |= self._naming(more, contents)
            declared = [each for file in contents.values() if self._declares(file) for each in file.declarations]
            more = {
                each.name.upper()
                for each in declared
                if each.name.upper().startswith(catalogs) or any(need.upper() in felt for need in each.needs)
            } - felt
            felt |= more
        bare = {name.rpartition(".")[2] for name in felt if "." in name}
        for path, file in contents.items():
            own = {declaration.name.upper() for declaration in file.declarations}
            needs = {need.upper() for need in file.needs} - own
            # A name without a database may be that of a database in which the session begins.
            is_felt = not needs.isdisjoint(felt) or any(need.startswith(catalogs) for need in needs)
            if is_felt or any(_in_first_database(need) and need.rpartition(".")[2] in bare for need in needs):
                reader_paths.add(file_of(path))
        return Readers(frozenset(felt), frozenset(reader_paths))

    def _naming(self, names: Iterable[str], known_paths: Collection[str]) -> dict[str, FileDeclarations]:
        """The files, without those that are known, whose text may name one of these."""
        pattern = NamePattern(names)
        contents: dict[str, FileDeclarations] = {}
        for path in (*self.paths, *self.names.pointers):
            text = None if path in known_paths else self.text(path)
            content = self.read(path) if text is not None and pattern.may_be_in(text) else None
            if content is not None:
                contents[path] = content
        return contents

    def _declares(self, content: FileDeclarations) -> bool:
        return bool(content.declarations) and (content.file.path in self.names.pointers or self.is_declaring(content))


def _in_first_database(name: str) -> bool:
    """Return whether a name stands in the database that a session or a catalog begins with, which may be any."""
    return "." not in name or ".." in name


def with_composition_of(config: JobConfig, other: JobConfig) -> JobConfig:
    """A configuration of a revision that has no configuration file, with the composition of the other side.

    >>> report = JobConfig(composition=Composition(script=("ddl.sql", "a.sql"), name="revenue"))
    >>> with_composition_of(JobConfig(), report).composition.name
    'revenue'
    """
    if config.source is not None or config.composition != NO_COMPOSITION:
        return config
    return replace(config, source=other.source, composition=other.composition)


@dataclass(frozen=True)
class Readers:
    """The names whose meaning may have changed, in upper case, and the files that read one of them without a
    declaration of their own.
    """

    names: frozenset[str]
    paths: frozenset[str]


def sql_source(path: str, text: str | None) -> SourceFile:
    """The SQL of a file, or of the value that a pointer names. ``text`` is that of the whole file, if there is one.

    >>> sql_source("a.sql", "SELECT 1").text
    'SELECT 1'

    Raises:
        CompositionError: it holds no SQL there; ``ValueMissingError``, if it holds nothing.
    """
    from keepstate.project.host_files import sql_file

    if text is None:
        if FilePointer.parse(path) is not None:
            raise ValueMissingError(f"{path} names nothing: there is no text file {file_of(path)}.")
        raise CompositionError(f"{path} belongs to the job and cannot be read.")
    try:
        return sql_file(path, text)
    except NothingThereError as error:
        raise ValueMissingError(f"{path} {error}.") from error
    except EmbeddingError as error:
        raise CompositionError(f"{path} {error}.") from error


def _with_line_ends(file: SourceFile, like: str | None) -> SourceFile:
    """A file with the line ends of a text."""
    if like is None:
        return file
    host = None if file.host is None else with_line_ends_of(file.host, like)
    return replace(file, text=with_line_ends_of(file.text, like), host=host)
