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
from keepstate_lsp.config.composition import NO_COMPOSITION
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.jobs.named_files import folder_of
from keepstate_lsp.jobs.projects import CompositionError, Project

if TYPE_CHECKING:
    from keepstate import NamePlace, Rename
    from keepstate.project.composition import ComposedJob
    from keepstate.project.declarations import Declaration, FileDeclarations

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
        span = place.span if part is None else part.here(place.span)
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
        here = rename(text, at, effective.config)
        around = None if analysis.place is None else self._composer.surroundings(document, *analysis.place, opened)
        if around is None:
            found = RenameInFiles(here, {document.uri: here.edits} if here.edits else {})
        else:
            project = self._composer.with_document(around)
            found = self._in_files(analysis, project, here, rename)
            _refuse_stale(project, found.edits)
            found = replace(found, edits={uri_of(around.root / path): own for path, own in found.edits.items()})
        comparison = analysis.comparison
        if comparison is None or analysis.report is None or not found.edits:
            return found, None
        return found, self._analyzer.report_with(comparison, here.edits)

    def _in_files(self, analysis: Analysis, project: Project, here: Rename, rename: RenameIn) -> RenameInFiles:
        """The edits of a rename by path; ``here`` is the rename in the job of the document."""
        import keepstate

        part = analysis.part
        assert analysis.place is not None, "the document has files around it"
        own = analysis.place[1]
        declared = None if part is None else part.current.composed.place(here.name.span)
        path, span = (own, here.name.span) if declared is None else (declared.path, declared.span)
        target = declared_at(project, file_of(path), span)
        if target is not None:
            return rename_in_files(project, target, here.new_name, rename)
        # Nothing outside of the document reads it.
        edits = here.edits if part is None else part.own_edits(here.edits)
        if edits is None:
            raise keepstate.RenameRefused(f"{here.name.words} stands in other files too, which do not declare it.")
        return RenameInFiles(here, {own: edits} if edits else {})


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
    return (analysis.document.text, offset) if part is None else (part.current.text, part.there(offset))


def declared_at(project: Project, path: str, span: Span) -> RenameTarget | None:
    """The declaration of a file that has the name at ``span``, for other files to read, if there is one."""
    for part in project.names.parts_of(path):
        read = project.read(part)
        for declaration in () if read is None else read.declarations:
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
    found: dict[str, dict[Span, str]] = {}
    jobs: list[tuple[ComposedJob, tuple[Edit, ...]]] = []
    first: Rename | None = None
    for job, config in _jobs(project, _readers(project, target)):
        if any(each.upper() == name.upper() for each in job.ambiguous):
            places = ", ".join(each.file.path for each in job.ambiguous.get(name, ())) or target.path
            raise keepstate.RenameRefused(f"{job.path} may read {name} of several files: {places}.")
        at = _offset_of(job, target)
        if at is None:
            continue
        made = rename(job.text, at, config)
        written = job.composed.written(made.edits)
        edits = None if written is None else job.composed.edits_by_file(written)
        if written is None or edits is None:
            raise keepstate.RenameRefused(f"{made.new_name} cannot be written into {job.path}.")
        first = first or made
        jobs.append((job, written))
        for path, own in edits.items():
            found.setdefault(path, {}).update((edit.span, edit.new_text) for edit in own)
    if first is None:
        raise keepstate.RenameRefused(f"{target.path} cannot be read as a whole.")
    _refuse_taken(project, target, first)
    for job, written in jobs:
        _refuse_half(job, written, found, first)
    ordered = {path: tuple(Edit(span, own[span]) for span in sorted(own)) for path, own in sorted(found.items())}
    return RenameInFiles(first, ordered)


def _readers(project: Project, target: RenameTarget) -> list[str]:
    """The files that may read a declaration, directly or through others, after its own one.

    Raises:
        RenameRefused: one of them has a statement that cannot be read, and that mentions the name.
    """
    import keepstate

    found: dict[str, None] = {target.path: None}
    waiting, met = [target.declaration.name], set[str]()
    while waiting:
        word = waiting.pop().rpartition(".")[2].strip("`")
        if word.upper() in met:
            continue
        met.add(word.upper())
        for read in _mentioning(project, word):
            if _has_broken(read, word):
                raise keepstate.RenameRefused(f"{read.file.path} mentions {word} in a statement that cannot be read.")
            if not any(need.rpartition(".")[2].upper() == word.upper() for need in read.needs):
                continue
            found[read.file.path] = None
            waiting += (
                each.name
                for each in read.declarations
                if any(need.rpartition(".")[2].upper() == word.upper() for need in each.needs)
            )
    return list(found)


def _mentioning(project: Project, word: str) -> Iterator[FileDeclarations]:
    wanted = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    for path in (*project.paths, *project.names.pointers):
        text = project.text(path)
        read = project.read(path) if text is not None and wanted.search(text) else None
        if read is not None:
            yield read


def _has_broken(read: FileDeclarations, word: str) -> bool:
    return any(word.upper() in map(str.upper, _WORD.findall(text)) for text in read.unread)


def _jobs(project: Project, paths: Iterable[str]) -> Iterator[tuple[ComposedJob, JobConfig]]:
    """The jobs that files belong to, each composed once; a file that belongs to none is one by itself.

    Raises:
        RenameRefused: a job cannot be composed.
    """
    import keepstate

    met: set[tuple[str, object]] = set()
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
            if (last, several) in met:
                continue
            met.add((last, several))
            try:
                text = project.host(last)
                yield project.compose(last, text, config.composition, folder_of(config, names.root)), config
            except CompositionError as error:
                raise keepstate.RenameRefused(str(error)) from error


def _offset_of(job: ComposedJob, target: RenameTarget) -> int | None:
    """The place of the name in a composed text; ``None`` for a job that does not read the declaration."""
    return job.composed.offset(target.path, target.span.start)


def _refuse_taken(project: Project, target: RenameTarget, made: Rename) -> None:
    """Refuse the name of a table that another file declares.

    Raises:
        RenameRefused: it does.
    """
    import keepstate

    if made.name.kind.value not in ("table", "view", "function") or made.name.name == made.new_name:
        return
    for read in _mentioning(project, made.new_name):
        if any(each.name.rpartition(".")[2].upper() == made.new_name.upper() for each in read.declarations):
            raise keepstate.RenameRefused(f"{made.new_name} is taken: {read.file.path} declares it.")


def _refuse_half(job: ComposedJob, written: tuple[Edit, ...], found: dict[str, dict[Span, str]], made: Rename) -> None:
    """Refuse edits that are right in one job and not in another.

    Raises:
        RenameRefused: they are.
    """
    import keepstate

    own = {(edit.span, edit.new_text) for edit in written}
    for path, edits in found.items():
        for name in {file.path for file, _ in job.composed.files if file.file_path == path}:
            for span, text in edits.items():
                at = job.composed.offset(name, span.start)
                if at is not None and (Span(at, at + len(span)), text) not in own:
                    raise keepstate.RenameRefused(
                        f"{made.name.words} in {path} means another thing in {job.path} than in other jobs."
                    )
