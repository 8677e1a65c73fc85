"""Renames of names that other files read: complete over all of these files, or refused with the reason.

The rename is made in each job that reads the declaration, as one composed text, and validated there. What the jobs say
about one file has to agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of
from keepstate.report import Report
from keepstate.text import Edit, Span
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.several_files.composer import Composer
from keepstate_lsp.analysis.several_files.open_projects import OpenProject
from keepstate_lsp.analyzer import Analyzer
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.config.composition_entries import NO_COMPOSITION
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.jobs.named_files import folder_of
from keepstate_lsp.jobs.projects import CompositionError, Project

if TYPE_CHECKING:
    from keepstate import NamePlace, Rename
    from keepstate.project.composition import ComposedJob
    from keepstate.project.file_declarations import Declaration, FileDeclarations

RenameIn = Callable[[str, int, JobConfig], "Rename"]
"""Renames the name at an offset of a composed text. Raises ``RenameRefused``."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RenameTarget:
    """A name that a file declares: the declaration, and the place of the name in its file."""

    declaration: Declaration
    span: Span

    @property
    def path(self) -> str:
        return self.declaration.file.path


@dataclass(frozen=True)
class RenameInFiles:
    """A rename over files: the edits of each by its path, and one of the renames that it was made of."""

    first: Rename
    edits: dict[str, tuple[Edit, ...]]


class ProjectRenames:
    """Renames of names in documents and in the files around them, in the worker thread."""

    def __init__(self, analyzer: Analyzer, composer: Composer) -> None:
        self._analyzer = analyzer
        self._composer = composer

    def place(self, analysis: Analysis, offset: int) -> NamePlace:
        """The name at an offset that can be renamed, with its place in the document.

        Raises:
            RenameRefused: there is none.
        """
        part = analysis.part
        text, at = _text_at(analysis, offset)
        place = self._analyzer.renamed_place(text, at, analysis.workspace)
        span = place.span if part is None else part.to_document(place.span)
        assert span is not None, "the offset is in the document"
        return replace(place, span=span)

    def rename(
        self, analysis: Analysis, offset: int, new_name: str, opened: Iterable[Document]
    ) -> tuple[RenameInFiles, Report | None]:
        """The edits of a rename by the URI of their file, and the report of the job that they make; ``None`` where
        nothing is compared.

        Raises:
            RenameRefused: the name cannot be changed so.
        """
        effective, document = analysis.effective, analysis.document

        def rename(text: str, at: int, config: JobConfig) -> Rename:
            return self._analyzer.rename(text, at, new_name, effective.engine, config, analysis.workspace)

        text, at = _text_at(analysis, offset)
        own_rename = rename(text, at, effective.config)
        around = None if analysis.place is None else self._composer.surroundings(document, *analysis.place, opened)
        if around is None:
            result = RenameInFiles(own_rename, {document.uri: own_rename.edits} if own_rename.edits else {})
        else:
            project = self._composer.with_document(around)
            result = self._in_files(analysis, project, own_rename, rename)
            _refuse_stale(project, result.edits)
            result = replace(result, edits={uri_of(around.root / path): own for path, own in result.edits.items()})
        comparison = analysis.comparison
        if comparison is None or analysis.report is None or not result.edits:
            return result, None
        return result, self._analyzer.report_with(comparison, own_rename.edits)

    def _in_files(self, analysis: Analysis, project: Project, own_rename: Rename, rename: RenameIn) -> RenameInFiles:
        """The edits of a rename by path; ``own_rename`` is the rename in the job of the document."""
        import keepstate

        part = analysis.part
        assert analysis.place is not None, "the document has files around it"
        own = analysis.place[1]
        declared = None if part is None else part.current.composed.place(own_rename.name.span)
        path, span = (own, own_rename.name.span) if declared is None else (declared.path, declared.span)
        target = declared_at(project, file_of(path), span)
        if target is not None:
            return rename_in_files(project, target, own_rename.new_name, rename)
        # Nothing outside of the document reads it.
        edits = own_rename.edits if part is None else part.own_edits(own_rename.edits)
        if edits is None:
            raise keepstate.RenameRefused(
                f"{own_rename.name.words} stands in other files too, which do not declare it."
            )
        return RenameInFiles(own_rename, {own: edits} if edits else {})


def _refuse_stale(project: OpenProject, paths: Iterable[str]) -> None:
    """Refuse edits of a file that differs from what was read.

    Raises:
        RenameRefused: one does.
    """
    import keepstate

    for path in paths:
        if path not in project.buffers and read_text(project.names.root / path) != project.host(path):
            raise keepstate.RenameRefused(f"{path} is changing on disk; rename again when it was read.")


def _text_at(analysis: Analysis, offset: int) -> tuple[str, int]:
    """The text of the job of a document, and an offset of the document in it."""
    part = analysis.part
    return (analysis.document.text, offset) if part is None else (part.current.text, part.to_job(offset))


def declared_at(project: Project, path: str, span: Span) -> RenameTarget | None:
    """The declaration of a file that has the name at ``span``, for other files to read, if there is one."""
    for part in project.names.parts_of(path):
        content = project.read(part)
        for declaration in () if content is None else content.declarations:
            if declaration.span.start <= span.start and span.end <= declaration.span.end:
                return RenameTarget(declaration, span)
    return None


def rename_in_files(project: Project, target: RenameTarget, new_name: str, rename: RenameIn) -> RenameInFiles:
    """Rename a declared name in all files that read it.

    Raises:
        RenameRefused: the name cannot be changed so, or a file of a reader cannot be read for certain.
    """
    import keepstate

    name = target.declaration.name
    edits_by_path: dict[str, dict[Span, str]] = {}
    jobs: list[tuple[ComposedJob, tuple[Edit, ...]]] = []
    first: Rename | None = None
    for job, config in _jobs(project, _readers(project, target)):
        if any(each.upper() == name.upper() for each in job.ambiguous):
            places = ", ".join(each.file.path for each in job.ambiguous.get(name, ())) or target.path
            raise keepstate.RenameRefused(f"{job.path} may read {name} of several files: {places}.")
        at = _offset_of(job, target)
        if at is None:
            continue
        job_rename = rename(job.text, at, config)
        job_edits = job.composed.encoded_edits(job_rename.edits)
        edits = None if job_edits is None else job.composed.edits_by_file(job_edits)
        if job_edits is None or edits is None:
            raise keepstate.RenameRefused(f"{job_rename.new_name} cannot be written into {job.path}.")
        first = first or job_rename
        jobs.append((job, job_edits))
        for path, own in edits.items():
            edits_by_path.setdefault(path, {}).update((edit.span, edit.new_text) for edit in own)
    if first is None:
        raise keepstate.RenameRefused(f"{target.path} cannot be read as a whole.")
    _refuse_taken(project, target, first)
    for job, job_edits in jobs:
        _refuse_half(job, job_edits, edits_by_path, first)
    ordered = {
        path: tuple(Edit(span, own[span]) for span in sorted(own)) for path, own in sorted(edits_by_path.items())
    }
    return RenameInFiles(first, ordered)


def _readers(project: Project, target: RenameTarget) -> list[str]:
    """The files that may read a declaration, directly or through others, after its own one.

    Raises:
        RenameRefused: one of them has a statement that cannot be read, and that mentions the name.
    """
    import keepstate

    readers: dict[str, None] = {target.path: None}
    waiting, visited = [target.declaration.name], set[str]()
    while waiting:
        word = waiting.pop().rpartition(".")[2].strip("`")
        if word.upper() in visited:
            continue
        visited.add(word.upper())
        for content in _mentioning(project, word):
            if _has_broken(content, word):
                raise keepstate.RenameRefused(
                    f"{content.file.path} mentions {word} in a statement that cannot be read."
                )
            if not any(need.rpartition(".")[2].upper() == word.upper() for need in content.needs):
                continue
            readers[content.file.path] = None
            waiting += (
                each.name
                for each in content.declarations
                if any(need.rpartition(".")[2].upper() == word.upper() for need in each.needs)
            )
    return list(readers)


def _mentioning(project: Project, word: str) -> Iterator[FileDeclarations]:
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    for path in (*project.paths, *project.names.pointers):
        text = project.text(path)
        content = project.read(path) if text is not None and pattern.search(text) else None
        if content is not None:
            yield content


def _has_broken(content: FileDeclarations, word: str) -> bool:
    return any(word.upper() in map(str.upper, _WORD.findall(text)) for text in content.unread)


def _jobs(project: Project, paths: Iterable[str]) -> Iterator[tuple[ComposedJob, JobConfig]]:
    """The jobs that files belong to, each composed once; a file that belongs to none is one by itself.

    Raises:
        RenameRefused: a job cannot be composed.
    """
    import keepstate

    visited: set[tuple[str, object]] = set()
    names = project.names
    for path in paths:
        owners = []
        for configuration in names.configurations:
            folder = folder_of(JobConfig(source=configuration), names.root)
            for several in configuration.scripts:
                script = names.script_paths(several, folder)
                if path in script:
                    last = file_of(script[-1])
                    owners.append((last, configuration.job_config(names.root / last, several), several))
        if not owners and file_of(path) == path:
            nearest = names.nearest(path)
            own = EMPTY_CONFIG if nearest is None else nearest.job_config(names.root / path)
            owners.append((path, own, NO_COMPOSITION))
        for last, config, several in owners:
            if (last, several) in visited:
                continue
            visited.add((last, several))
            try:
                text = project.host(last)
                yield project.compose(last, text, config.composition, folder_of(config, names.root)), config
            except CompositionError as error:
                raise keepstate.RenameRefused(str(error)) from error


def _offset_of(job: ComposedJob, target: RenameTarget) -> int | None:
    """The place of the name in a composed text; ``None`` for a job that does not read the declaration."""
    return job.composed.offset(target.path, target.span.start)


def _refuse_taken(project: Project, target: RenameTarget, rename: Rename) -> None:
    """Refuse the name of a table that another file declares.

    Raises:
        RenameRefused: it does.
    """
    import keepstate

    if rename.name.kind.value not in ("table", "view", "function") or rename.name.name == rename.new_name:
        return
    for content in _mentioning(project, rename.new_name):
        if any(each.name.rpartition(".")[2].upper() == rename.new_name.upper() for each in content.declarations):
            raise keepstate.RenameRefused(f"{rename.new_name} is taken: {content.file.path} declares it.")


def _refuse_half(
    job: ComposedJob, job_edits: tuple[Edit, ...], edits_by_path: dict[str, dict[Span, str]], rename: Rename
) -> None:
    """Refuse edits that are right in one job and not in another.

    Raises:
        RenameRefused: they are.
    """
    import keepstate

    own = {(edit.span, edit.new_text) for edit in job_edits}
    for path, edits in edits_by_path.items():
        for name in {file.path for file, _ in job.composed.files if file.file_path == path}:
            for span, text in edits.items():
                at = job.composed.offset(name, span.start)
                if at is not None and (Span(at, at + len(span)), text) not in own:
                    raise keepstate.RenameRefused(
                        f"{rename.name.words} in {path} means another thing in {job.path} than in other jobs."
                    )
