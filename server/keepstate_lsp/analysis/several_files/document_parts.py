"""A document as a part of a job of several files.

The analyzer compares composed texts. Everything else in the server knows places in documents alone, so this module is
the one that turns the former into the latter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of
from keepstate.report import (
    Clause,
    Finding,
    Fix,
    PipelineVerdict,
    Problem,
    Refusal,
    Report,
    StateHover,
    UnusedAcceptance,
)
from keepstate.text import Edit, LineIndex, Span

if TYPE_CHECKING:
    from keepstate.project.composed_text import ComposedText, FilePlace
    from keepstate.project.composition import ComposedJob
    from keepstate.project.file_declarations import Declaration
    from keepstate.project.name_uses import DeclarationUse
    from keepstate.project.source_files import SourceFile
    from keepstate.report import RelatedInformation
    from keepstate_lsp.analyzer import Outline

_START = Span(0, 0)


@dataclass(frozen=True, eq=False)
class OutsidePlace:
    """A place of a finding in another file than the document: the changed clause, and how the document reads it."""

    place: FilePlace
    use: DeclarationUse


@dataclass(frozen=True, eq=False)
class DocumentPart:
    """The document at ``path`` in a job as it is composed on both sides. Paths are relative to ``root``, with ``/``; a
    document of another kind has the SQL that pointers of the job name.
    """

    root: Path
    path: str
    former_path: str
    """Path of the document at the baseline."""
    current: ComposedJob
    baseline: ComposedJob
    title: str = ""
    """The name of the job for people."""

    @property
    def name(self) -> str:
        """The path of the job, which is that of the last file of its script, with its pointer."""
        return self.current.path

    @property
    def home(self) -> Path:
        """The file that the ledger knows the job by."""
        return self.root / file_of(self.name)

    @property
    def is_last(self) -> bool:
        """Return whether the document has the last file of the script."""
        return file_of(self.name) == self.path

    @property
    def is_embedded(self) -> bool:
        """Return whether the document holds the SQL of the job as values of another kind of file."""
        return any(file.host is not None and file.file_path == self.path for file in self.current.script)

    @property
    def is_plain(self) -> bool:
        """Return whether the job is the document alone, on both sides."""
        sides = (self.current, self.baseline)
        return all(side.is_plain and not side.ambiguous for side in sides)

    # --------------------------------------------------------------------------------------------- files

    @cached_property
    def imports(self) -> tuple[tuple[Declaration, str], ...]:
        """The declarations of other files that the job reads, with their roles."""
        return tuple((declaration, role.value) for declaration, role in self.current.imports)

    @property
    def scripts(self) -> tuple[str, ...]:
        """The files of the script."""
        return tuple(dict.fromkeys(file.file_path for file in self.current.script))

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names that the job needs from other files, found or not, in upper case."""
        names = [declaration.known_by for declaration, _ in self.current.imports]
        return frozenset(name.upper() for name in (*names, *self.current.ambiguous, *self.current.undeclared))

    @property
    def assumed(self) -> tuple[tuple[str, str], ...]:
        """Names that the job reads without a word of the configuration, each with its file."""
        return tuple(dict.fromkeys((each.says, each.file.path) for each in self.current.assumed))

    # --------------------------------------------------------------------------------------------- places

    def to_document(self, span: Span) -> Span | None:
        """A span of the composed text in the document; ``None`` for one in another file."""
        own = self._own
        if own is not None and own.start <= span.start < own.end and span.end <= own.end:
            return span.shift(-own.start)
        return _within(self.current.composed, span, self.path)

    @cached_property
    def _own(self) -> Span | None:
        """The span of the whole document in the composed text; ``None`` if its SQL are values of it."""
        own = [file for file in self.current.script if file.file_path == self.path]
        if len(own) != 1 or own[0].host is not None:
            return None
        start = self.current.composed.start_of(own[0])
        return None if start is None else Span(start, start + len(own[0].text))

    def _is_own(self, place: FilePlace) -> bool:
        return place.file.file_path == self.path

    def value_at(self, offset: int) -> str:
        """The path of the document in the script, with the pointer to the value that an offset is in, if to any."""
        own = [file for file in self.current.script if file.file_path == self.path]
        return next((file.path for file in own if len(own) == 1 or _holds(file.text, offset)), own[0].path)

    def to_job(self, offset: int) -> int:
        """An offset of the document in the composed text."""
        job_offset = self.current.composed.offset(self.value_at(offset), offset)
        assert job_offset is not None, "a file of a script is in its job as a whole"
        return job_offset

    def outside(self, span: Span, after: int = 0) -> OutsidePlace | None:
        """A span of the composed text in the declaration of another file that the document reads."""
        from keepstate.project.name_uses import declaration_at, felt_at

        place = self.current.composed.place(span)
        declared = None if place is None or self._is_own(place) else declaration_at(self.current, place)
        felt = None if declared is None else felt_at(self.current, declared, self.value_at(after), after)
        return None if place is None or felt is None else OutsidePlace(place, felt)

    # --------------------------------------------------------------------------------------------- reports

    def report(self, report: Report) -> Report:
        """``report`` about the composed texts with places in the document. A finding in another file stands at the name
        by which the document reads that; findings keep their numbers.
        """
        problems = tuple(self._problems(report.problems, self.current.composed, self.path))
        return replace(
            report,
            findings=tuple(map(self._finding, report.findings)),
            pipelines=tuple(self._pipelines(report.pipelines)),
            problems=problems,
            baseline_problems=tuple(self._problems(report.baseline_problems, self.baseline.composed, self.former_path)),
            refusals=tuple(self._refusals(report.refusals, self.current.composed, self.path)),
            baseline_refusals=tuple(self._refusals(report.baseline_refusals, self.baseline.composed, self.former_path)),
            unused_acceptances=tuple(self._acceptances(report.unused_acceptances)),
        )

    def outsides(self, report: Report) -> tuple[OutsidePlace | None, ...]:
        """For each finding of a report about the composed text, its place in another file, if it is in one."""
        starts = {query.name: self.to_document(query.span) for query in _with_findings(report)}
        return tuple(
            self.outside(finding.current.span, (starts.get(finding.pipeline or "") or _START).start)
            for finding in report.findings
        )

    def shows(self, finding: Finding, outside: OutsidePlace | None) -> bool:
        """Return whether a finding about the composed text is shown in the document. Other files of the script show
        theirs themselves; the last one shows whatever has no other place.
        """
        if outside is not None or self.to_document(finding.current.span) is not None:
            return True
        place = self.current.composed.place(finding.current.span)
        return self.is_last and (place is None or place.file.file_path not in self.scripts)

    def queries(self, report: Report) -> tuple[FilePlace | None, ...]:
        """For each finding of a report about the composed text, the query that feels it."""
        places = {query.name: self.current.composed.place(query.span) for query in _with_findings(report)}
        return tuple(places.get(finding.pipeline or "") for finding in report.findings)

    def formers(self, report: Report) -> tuple[FilePlace | None, ...]:
        """For each finding of a report about the composed texts, the place of its former clause, if that is in another
        file than the document was.
        """
        places = (
            None if finding.baseline is None else self.baseline.composed.place(finding.baseline.span)
            for finding in report.findings
        )
        return tuple(None if place is None or place.file.file_path == self.former_path else place for place in places)

    def obstacles(self, report: Report) -> tuple[tuple[OutsidePlace, str], ...]:
        """The statements of other files that cannot be read or that the engine refuses, with the reason."""
        spans = [(problem.span, problem.message) for problem in report.problems]
        spans += [(refusal.span, refusal.message) for refusal in report.refusals if refusal.certain]
        pairs = ((span and self.outside(span), words) for span, words in spans)
        return tuple((outside, words) for outside, words in pairs if outside)

    def _finding(self, finding: Finding) -> Finding:
        was = finding.baseline and self.baseline.composed.place(finding.baseline.span)
        span = self.to_document(finding.current.span)
        if span is None:
            outside = self.outside(finding.current.span)
            span = _START if outside is None else outside.use.span
        return replace(
            finding,
            current=Clause(span, finding.current.text),
            baseline=None if was is None or finding.baseline is None else Clause(was.span, finding.baseline.text),
        )

    def _pipelines(self, pipelines: Iterable[PipelineVerdict]) -> Iterator[PipelineVerdict]:
        for query in pipelines:
            span = self.to_document(query.span)
            if span is not None:
                yield PipelineVerdict(query.name, span, query.verdict, query.effect, query.findings)

    def outline(self, outline: Outline) -> Outline:
        """The outline of the composed text with places in the document."""
        statements = (self.to_document(span) for span in outline.statements)
        broken = (self.to_document(span) for span in outline.broken)
        return replace(
            outline,
            statements=tuple(span for span in statements if span is not None),
            broken=tuple(span for span in broken if span is not None),
            problems=tuple(self._problems(outline.problems, self.current.composed, self.path)),
            refusals=tuple(self._refusals(outline.refusals, self.current.composed, self.path)),
        )

    @staticmethod
    def _problems(problems: Iterable[Problem], text: ComposedText, path: str) -> Iterator[Problem]:
        for problem in problems:
            span = problem.span and _within(text, problem.span, path)
            if problem.span is None or span is not None:
                yield replace(problem, span=span)

    @staticmethod
    def _refusals(refusals: Iterable[Refusal], text: ComposedText, path: str) -> Iterator[Refusal]:
        for refusal in refusals:
            span = _within(text, refusal.span, path)
            if span is not None:
                related = tuple(_in_file(each, text, path) for each in refusal.related)
                yield replace(refusal, span=span, related=tuple(each for each in related if each is not None))

    def _acceptances(self, unused: Iterable[UnusedAcceptance]) -> Iterator[UnusedAcceptance]:
        for each in unused:
            span = each.acceptance.span and self.to_document(each.acceptance.span)
            if each.acceptance.span is None or span is not None:
                yield replace(each, acceptance=replace(each.acceptance, span=span))

    # --------------------------------------------------------------------------------------------- edits

    def fixes_in(self, fixes: Iterable[Fix], path: str) -> tuple[Fix, ...]:
        """The fixes of the composed text that edit the file at ``path`` alone, as edits of that file."""
        result = []
        for fix in fixes:
            edits = self.current.composed.edits_by_file(fix.edits)
            if edits is not None and edits.keys() == {path}:
                result.append(replace(fix, edits=edits[path]))
        return tuple(result)

    def own_edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Edits of the composed text as edits of the document; ``None`` if another file would have to change."""
        job_edits = self.current.composed.encoded_edits(edits)
        by_file = None if job_edits is None else self.current.composed.edits_by_file(job_edits)
        if by_file is None or by_file.keys() - {self.path}:
            return None
        return by_file.get(self.path, ())

    def composed_edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Edits of the document as edits of the composed text."""
        return tuple(
            Edit(Span(self.to_job(edit.span.start), self.to_job(edit.span.start) + len(edit.span)), edit.new_text)
            for edit in edits
        )

    def hovers(self, hovers: Iterable[StateHover]) -> tuple[StateHover, ...]:
        """The notes on state in the document."""
        placed = ((hover, self.to_document(hover.span)) for hover in hovers)
        return tuple(replace(hover, span=span) for hover, span in placed if span is not None)


def _with_findings(report: Report) -> list[PipelineVerdict]:
    """The queries whose names the findings have: few of many, at nearly every keystroke."""
    names = {finding.pipeline for finding in report.findings}
    return [query for query in report.pipelines if query.name in names] if names else []


def _within(text: ComposedText, span: Span, path: str) -> Span | None:
    place = text.place(span)
    return None if place is None or place.file.file_path != path else place.span


def _holds(text: str, offset: int) -> bool:
    """Return whether an offset is in the SQL of a masked text."""
    return len(text) - len(text.lstrip()) <= offset <= len(text.rstrip())


def text_of(file: SourceFile) -> str:
    """The whole text of the file on disk that a file of a job is, or that has its SQL as a value."""
    return file.text if file.host is None else file.host


def lines_of(file: SourceFile) -> LineIndex:
    """The lines of the file on disk.

    >>> from keepstate.project.source_files import SourceFile
    >>> lines_of(SourceFile("ddl/t.sql", "CREATE TABLE t (a INT);")).text
    'CREATE TABLE t (a INT);'
    """
    return LineIndex(text_of(file))


def _in_file(related: RelatedInformation, text: ComposedText, path: str) -> RelatedInformation | None:
    span = _within(text, related.span, path)
    return None if span is None else replace(related, span=span)
