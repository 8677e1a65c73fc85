"""Jobs that open documents and closed files are composed to, in the worker thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.several_files.document_parts import DocumentPart
from keepstate_lsp.analysis.several_files.open_projects import OpenProject, OpenProjects
from keepstate_lsp.analysis.several_files.repository_files import RepositoryFiles
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_config import former_table
from keepstate_lsp.files.line_ends import line_end
from keepstate_lsp.jobs.deployed import RecordedTexts, recorded_job, refuse_unrecorded
from keepstate_lsp.jobs.named_files import folder_of
from keepstate_lsp.jobs.projects import (
    CompositionError,
    ValueMissingError,
    sql_source,
    with_composition_of,
)

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob
    from keepstate.project.file_declarations import FileDeclarations


@dataclass(frozen=True)
class ProjectDocument:
    """A document among the files of its repository. ``own`` is its path below the root."""

    root: Path
    own: str
    document: Document
    project: OpenProject
    typed: frozenset[str] = frozenset()
    """The other files that are being typed."""


@dataclass(frozen=True)
class FormerVersion:
    """The baseline of a document: its text, with the line ends of the document, and where it was."""

    text: str
    path: str
    commit: str | None
    recorded: RecordedTexts | None = None
    """The files of a deployed job; ``None`` where the record has but the commit, or where nothing was deployed."""
    is_deployed: bool = False


@dataclass(frozen=True)
class DocumentJob:
    """A job of a document, composed on both sides, with its configurations. ``part`` is ``None`` for a job that is the
    document alone.
    """

    part: DocumentPart | None
    config: JobConfig
    former_config: JobConfig
    is_new: bool = False
    """The baseline does not have the job: there the pointer of it names nothing."""


@dataclass
class Composer:
    """Composes jobs of the files that were read and of open documents."""

    files: RepositoryFiles
    _projects: OpenProjects = field(init=False)
    _places: dict[str, tuple[Path, str]] = field(default_factory=dict)
    """Root and path of each document, by its URI."""
    _formers: dict[str, dict[Composition, tuple[tuple[object, ...], ComposedJob]]] = field(default_factory=dict)
    """The composed baselines of documents, job by job, with what they were composed of."""

    def __post_init__(self) -> None:
        self._projects = OpenProjects(self.files)

    def surroundings(
        self, document: Document, root: Path | None, own: str | None, opened: Iterable[Document]
    ) -> ProjectDocument | None:
        """The surroundings of a document; ``None`` for one that has no other files around it."""
        if root is None or own is None:
            return None
        self._places[document.uri] = root, own
        buffers: dict[str, str] = {}
        typed = set()
        for each in opened:
            place = self._places.get(each.uri)
            if place is not None and place[0] == root and place[1] != own:
                buffers[place[1]] = each.text
                if each.is_being_typed:
                    typed.add(place[1])
        project = self._projects.current(root, buffers)
        if project is None or not (own in project.others or self._has_others(project.paths, root, own)):
            return None
        return ProjectDocument(root, own, document, project, frozenset(typed))

    def _has_others(self, paths: Iterable[str], root: Path, own: str) -> bool:
        """Return whether there are other files, or were in a commit that was read: a job may have lost one of them."""
        revisions = (self.files.at_commit(root, commit) for commit in self.files.stored_commits(root))
        return any(path != own for path in chain(paths, *(each.names.paths for each in revisions if each is not None)))

    def with_document(self, around: ProjectDocument) -> OpenProject:
        """The project with the text of the document itself, for what concerns other files."""
        project = around.project
        return OpenProject.over(project.disk, {**project.buffers, around.own: around.document.text})

    def forget(self, uri: str) -> None:
        """Let go of a document that was closed."""
        self._places.pop(uri, None)
        self._formers.pop(uri, None)

    def tidy(self) -> None:
        """Let go of texts that are gone."""
        self._projects.tidy()

    def is_flink(self, around: ProjectDocument, config: JobConfig) -> bool:
        """Return whether the document is Flink SQL since a script or a context says so, or by the tables that it reads,
        which files of Flink SQL declare.
        """
        if self._jobs(around, config):
            return True
        contents = self._read(around)
        if around.document.is_host or not contents:
            return False
        (content,) = contents
        if content.runs and config.composition.context:
            return True
        if content.declarations and (content.runs or around.own in around.project.names.referenced_paths):
            return not content.runs
        declared = around.project.assumed()
        return any(declared.of(need) or declared.of_bare_name(need) for need in content.needs)

    def was_flink(self, around: ProjectDocument, path: str, commit: str | None) -> bool:
        """Return whether the baseline of the document was a job of its commit: what made it one may have gone."""
        project = None if commit is None else self._projects.at_commit(around.root, commit, around.document.text)
        return project is not None and project.is_job(path)

    def declares_only(self, around: ProjectDocument) -> bool:
        """Return whether the document runs no query."""
        return not any(content.runs for content in self._read(around))

    def declared(self, around: ProjectDocument, config: JobConfig) -> dict[str, object]:
        """The meaning of a document for others: the words of each declaration by its name, and all words of a file of a
        script.
        """
        from keepstate.project.word_index import declared_words, script_words

        contents = self._read(around)
        values: dict[str, object] = {
            name.upper(): words for content in contents for name, words in declared_words(content).items()
        }
        if self._jobs(around, config):
            memo = around.project.memory.memo
            values[script_key(around.own)] = tuple(script_words(content.file, memo) for content in contents)
        return values

    def declared_on_disk(self, around: ProjectDocument) -> Mapping[str, object]:
        """The same of the file on disk, without the words of a script."""
        from keepstate.project.word_index import declared_words

        contents = (around.project.disk.read(part) for part in around.project.names.parts_of(around.own))
        return {
            name.upper(): words for each in contents if each is not None for name, words in declared_words(each).items()
        }

    def sides(
        self, around: ProjectDocument, config: JobConfig, former: FormerVersion, former_config: JobConfig
    ) -> tuple[DocumentJob, ...]:
        """Each job that the document belongs to, on both sides, in the order of the configuration.

        Raises:
            CompositionError: a part of a job cannot be read.
        """
        jobs = self._jobs(around, config) or (NO_COMPOSITION,)
        all_sides = tuple(self._sides(around, several, config, former, former_config) for several in jobs)
        self._keep_formers(around, jobs)
        return all_sides

    def _sides(
        self,
        around: ProjectDocument,
        several: Composition,
        config: JobConfig,
        former: FormerVersion,
        former_config: JobConfig,
    ) -> DocumentJob:
        if several is not NO_COMPOSITION:
            config = _config_of(config, around.root, self._script_paths(around, several, config)[-1], several)
        folder = folder_of(config, around.root)
        now = around.project.compose(around.own, around.document.text, config.composition, folder)
        title = several.name or now.path
        is_new = False
        if former.recorded is not None:
            was = self._recorded(around, several, former.recorded)
        elif former.commit is None or (former.is_deployed and not self._has(around, former.commit)):
            was = now.with_former(former.text, former.path)
            if former.is_deployed:
                refuse_unrecorded(former.path, now, was)
        else:
            if several is not NO_COMPOSITION and former_config.source is not None:
                was_last = former.path if around.own == now.path else now.path
                table = former_table(config, former_config.source, around.root / file_of(was_last))
                former_config = _config_of(former_config, around.root, was_last, table)
            composed_config = with_composition_of(former_config, config)
            try:
                was = self._former(around, several, former, composed_config)
            except ValueMissingError:
                was, is_new = now, True
        from keepstate.project.composition import agreed

        now, was = agreed(now, was)
        part = DocumentPart(around.root, around.own, former.path, now, was, title)
        is_alone = part.is_plain and not around.document.is_host
        return DocumentJob(None if is_alone else part, config, former_config, is_new)

    def _has(self, around: ProjectDocument, commit: str) -> bool:
        """Return whether the files of a commit were read: one that was deployed may not be in this clone."""
        return self._projects.at_commit(around.root, commit, around.document.text) is not None

    def _recorded(self, around: ProjectDocument, several: Composition, texts: RecordedTexts) -> ComposedJob:
        """The deployed job, which stays the same while the document is typed in."""
        key = (texts, line_end(around.document.text))
        formers = self._formers.setdefault(around.document.uri, {})
        entry = formers.get(several)
        if entry is None or entry[0] != key:
            entry = key, recorded_job(texts, around.document.text, self._projects.memory)
            formers[several] = entry
        return entry[1]

    def _former(
        self, around: ProjectDocument, several: Composition, former: FormerVersion, config: JobConfig
    ) -> ComposedJob:
        """The composed baseline, which stays the same while the document is typed in."""
        assert former.commit is not None
        project = self._projects.at_commit(around.root, former.commit, around.document.text)
        if project is None:
            raise CompositionError(f"The files of {former.commit[:7]} cannot be read.")
        folder = folder_of(config, around.root)
        key = (project, former.text, former.path, config.composition, folder)
        formers = self._formers.setdefault(around.document.uri, {})
        entry = formers.get(several)
        if entry is not None and entry[0] == key:
            return entry[1]
        job = project.compose(former.path, former.text, config.composition, folder)
        formers[several] = key, job
        return job

    def _keep_formers(self, around: ProjectDocument, jobs: Iterable[Composition]) -> None:
        """Let go of the baselines of jobs that the document belongs to no more."""
        formers, current_keys = self._formers.get(around.document.uri, {}), {*jobs}
        for former_key in formers.keys() - current_keys:
            del formers[former_key]

    def _jobs(self, around: ProjectDocument, config: JobConfig) -> tuple[Composition, ...]:
        """The jobs of several files, and those of values, that the document belongs to."""
        scripts = () if config.source is None else config.source.scripts
        return tuple(each for each in scripts if around.own in map(file_of, self._script_paths(around, each, config)))

    def _script_paths(self, around: ProjectDocument, several: Composition, config: JobConfig) -> tuple[str, ...]:
        return around.project.script_paths(several, folder_of(config, around.root))

    def _read(self, around: ProjectDocument) -> list[FileDeclarations]:
        """The SQL of the document, value by value."""
        contents = []
        for part in around.project.names.parts_of(around.own) or ((around.own,) if not around.document.is_host else ()):
            with suppress(CompositionError):
                contents.append(around.project.memory.read_file(sql_source(part, around.document.text)))
        return contents


def script_key(path: str) -> str:
    """The name under which the whole of a file of a script is declared, which no table can have."""
    return f"script {path}"


def _config_of(config: JobConfig, root: Path, path: str, several: Composition) -> JobConfig:
    """The configuration of a job with a script."""
    assert config.source is not None
    return config.source.job_config(root / file_of(path), several)
