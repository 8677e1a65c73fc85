"""Findings of jobs at clauses of other files, each clause once with all jobs that feel its change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from keepstate.report import Effect
from keepstate.text import Encoding, Span
from keepstate_lsp.analysis.config_diagnostics import ClientRange, RelatedPlace
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedFinding
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.labels import clipped, count
from keepstate_lsp.analysis.offset_map import OffsetMap
from keepstate_lsp.analysis.several_files.document_parts import lines_of, text_of
from keepstate_lsp.analyzer import finding_key

MOST_JOBS = 5
"""Jobs with a place of their own at one clause; all of them are named in its data."""
_LEVELS = ("error", "warning", "information", "hint")


@dataclass(frozen=True)
class OtherFileFinding:
    """A finding of one job at a clause of another file. ``text`` is that of the file when the job was analysed."""

    path: Path
    text: str = field(repr=False)
    span: Span
    rule: str
    key: str
    effect: Effect
    message: str
    level: str
    is_stale: bool
    page: str | None
    job: str
    """Path of the job below the root of its repository."""
    reading_places: tuple[RelatedPlace, ...]
    """The views on the way to the job, and the name in the job that reads them."""
    former: RelatedPlace | None = None
    index: int | None = None
    """The number of the finding in the report of the job."""
    uri: str = ""
    """URI of the document whose analysis this is."""


@dataclass(frozen=True)
class ClauseFindings:
    """All findings of one rule at one clause: ``findings``, the worst first."""

    span: Span
    findings: tuple[OtherFileFinding, ...]

    @property
    def first(self) -> OtherFileFinding:
        return self.findings[0]

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs that feel the change."""
        return tuple(dict.fromkeys(finding.job for finding in self.findings))

    @property
    def message(self) -> str:
        """The change, and the jobs that feel it."""
        jobs = self.jobs
        where = f"in {jobs[0]}" if len(jobs) == 1 else f"in {count(len(jobs), 'job')}"
        return f"{self.first.message} ({where})"

    @property
    def level(self) -> str:
        return min((finding.level for finding in self.findings), key=_LEVELS.index)

    @property
    def places(self) -> tuple[RelatedPlace, ...]:
        """The former clause, and the places of the first jobs."""
        former = () if self.first.former is None else (self.first.former,)
        first_jobs = self.jobs[:MOST_JOBS]
        felt = {
            place: None for finding in self.findings if finding.job in first_jobs for place in finding.reading_places
        }
        return (*former, *felt)

    @property
    def is_stale(self) -> bool:
        return all(finding.is_stale for finding in self.findings)


class OtherFileFindings:
    """All findings at clauses of other files, by the document whose analysis made them."""

    def __init__(self) -> None:
        self._by_document: dict[str, tuple[OtherFileFinding, ...]] = {}
        self._by_path: dict[Path, dict[str, None]] = {}

    def update(self, uri: str, findings: tuple[OtherFileFinding, ...]) -> set[Path]:
        """Replace the findings of a document; returns the files whose findings change."""
        before = self._by_document.get(uri, ())
        if before == findings:
            return set()
        for path in {finding.path for finding in before}:
            self._by_path[path].pop(uri, None)
        if findings:
            self._by_document[uri] = findings
        else:
            self._by_document.pop(uri, None)
        for finding in findings:
            self._by_path.setdefault(finding.path, {})[uri] = None
        return {finding.path for finding in (*before, *findings)}

    def text(self, path: Path) -> str | None:
        """The text of a file as one of its findings has it; ``None`` without findings."""
        return next((finding.text for finding in self._at(path)), None)

    def of(self, path: Path, text: str) -> list[ClauseFindings]:
        """The findings in a file that has now this text, by clause and rule, in text order."""
        maps: dict[str, Callable[[Span], Span]] = {text: lambda span: span}
        groups: dict[tuple[Span, str], list[OtherFileFinding]] = {}
        for finding in self._at(path):
            if finding.text not in maps:
                maps[finding.text] = OffsetMap(finding.text, text).span
            groups.setdefault((maps[finding.text](finding.span), finding.rule), []).append(finding)
        clauses = []
        for (span, _), findings in groups.items():
            ordered = sorted(findings, key=lambda one: (one.is_stale, -one.effect.precedence, one.job, one.key))
            clauses.append(ClauseFindings(span, tuple(ordered)))
        return sorted(clauses, key=lambda clause: (clause.span, clause.first.rule))

    def _at(self, path: Path) -> Iterator[OtherFileFinding]:
        for uri in self._by_path.get(path, ()):
            yield from (finding for finding in self._by_document[uri] if finding.path == path)


def elsewhere_findings(analysis: Analysis, encoding: Encoding) -> tuple[OtherFileFinding, ...]:
    """The findings of an analysis at clauses of other files, but for those that the settings leave out.

    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> len(job.findings), elsewhere_findings(job, Encoding.UTF16)
    (1, ())
    """
    findings = (_elsewhere(placed, each, encoding) for each in analysis.every for placed in each.findings)
    return tuple(each for each in findings if each is not None)


def _elsewhere(placed: PlacedFinding, analysis: Analysis, encoding: Encoding) -> OtherFileFinding | None:
    outside, part, finding = placed.outside, analysis.part, placed.finding
    level = analysis.severity_of(finding)
    if outside is None or part is None or level == "off":
        return None
    felt = [
        RelatedPlace(
            uri_of(part.root / each.file.file_path),
            ClientRange.of(_name_of(each.file.text, each.span, each.name), lines_of(each.file), encoding),
            f"{each.name} reads it",
        )
        for each in outside.use.through
    ]
    clause_range = ClientRange.of(placed.span, analysis.document.lines, encoding)
    felt.append(
        RelatedPlace(analysis.document.uri, clause_range, f"felt by {finding.pipeline or 'this job'} in {part.title}")
    )
    return OtherFileFinding(
        part.root / outside.place.file.file_path,
        text_of(outside.place.file),
        outside.place.span,
        finding.rule,
        finding_key(finding),
        finding.effect,
        finding.message,
        level,
        placed.is_stale,
        analysis.pages.get(finding.rule),
        part.title,
        tuple(felt),
        former_place(placed, analysis, encoding),
        placed.index,
        analysis.document.uri,
    )


def former_place(placed: PlacedFinding, analysis: Analysis, encoding: Encoding) -> RelatedPlace | None:
    """The former clause of a finding in another file.

    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> former_place(job.findings[0], job, Encoding.UTF16) is None
    True
    """
    former, against, was = placed.former, analysis.against, placed.finding.baseline
    uri = None if former is None else analysis.former_uris.get(former.file.file_path)
    if former is None or against is None or was is None or uri is None:
        return None
    text = " ".join(was.text.split())
    words = f"in {against.baseline.words}: {clipped(text)}"
    return RelatedPlace(uri, ClientRange.of(former.span, lines_of(former.file), encoding), words)


def _name_of(text: str, declaration: Span, name: str) -> Span:
    """The name of a declaration in its text, or else its beginning."""
    from keepstate.project.name_uses import use_in

    use = use_in(declaration.of(text), name)
    return Span(declaration.start, declaration.start + 1) if use is None else use.shift(declaration.start)
