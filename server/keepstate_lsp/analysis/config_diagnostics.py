"""What is to be said in the files that jobs obey: in configurations, and in ledgers.

Many jobs feed one such file. What several of them meet at one place is said once there, as long as one meets it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from keepstate.text import Encoding, LineIndex, Position, Span
from keepstate_lsp.analysis.document_analysis import Analysis, ShownFinding
from keepstate_lsp.config.external_settings import baseline_entry, current_entry

WRONG_CONFIGURATION = "wrong-configuration"
_MOST_PLACES = 10
"""Jobs named at one parameter: it may be felt by all of a workspace."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """From where to where, in the units of the client: the text that it is about is not kept."""

    start: Position
    end: Position

    @staticmethod
    def of(span: Span, lines: LineIndex, encoding: Encoding) -> Stretch:
        return Stretch(lines.position(span.start, encoding), lines.position(span.end, encoding))


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    uri: str
    stretch: Stretch
    words: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to be said at a place of a file; ``level`` is a loudness, ``page`` the address of a rule's page."""

    path: Path
    stretch: Stretch
    code: str
    message: str
    level: str = "error"
    page: str | None = None
    places: tuple[RelatedPlace, ...] = ()
    unneeded: bool = False
    """What stands there may as well go."""


class Remarks:
    """All remarks, by the document whose analysis made them."""

    def __init__(self) -> None:
        self._by_document: dict[str, tuple[Remark, ...]] = {}
        self._by_path: dict[Path, dict[str, None]] = {}
        """Documents that say something in a file, in the order in which they began to."""

    def met(self, uri: str, remarks: tuple[Remark, ...]) -> set[Path]:
        """Note what a document says now; the files about which something else is to be said."""
        before = self._by_document.get(uri, ())
        if before == remarks:
            return set()
        for path in {remark.path for remark in before}:
            self._by_path[path].pop(uri, None)
        if remarks:
            self._by_document[uri] = remarks
        else:
            self._by_document.pop(uri, None)
        for remark in remarks:
            self._by_path.setdefault(remark.path, {})[uri] = None
        return {remark.path for remark in {*before} ^ {*remarks}}

    def of(self, path: Path) -> list[Remark]:
        """What is to be said in a file, each thing once with all its places."""
        found: dict[Remark, dict[RelatedPlace, None]] = {}
        for uri in self._by_path.get(path, ()):
            for remark in self._by_document[uri]:
                if remark.path == path:
                    found.setdefault(replace(remark, places=()), {}).update(dict.fromkeys(remark.places))
        return [replace(remark, places=tuple(places)[:_MOST_PLACES]) for remark, places in found.items()]


def remarks_of(analysis: Analysis, encoding: Encoding) -> tuple[Remark, ...]:
    """What an analysis says about configuration files: what is wrong there, and which entries changed at a cost."""
    return tuple(_remarks(analysis, encoding))


def _remarks(analysis: Analysis, encoding: Encoding) -> Iterator[Remark]:
    fault = analysis.terms.fault
    if fault is not None:
        sentence = f"{fault.sentence[:1].upper()}{fault.sentence[1:]}"
        stretch = Stretch.of(fault.span, LineIndex(fault.text), encoding)
        yield Remark(fault.path, stretch, WRONG_CONFIGURATION, sentence)
    for shown in analysis.findings:
        if shown.finding.outside is not None:
            remark = _changed_entry(shown, analysis, encoding)
            if remark is not None:
                yield remark


def _changed_entry(shown: ShownFinding, analysis: Analysis, encoding: Encoding) -> Remark | None:
    """A finding about an entry of the configuration, at that entry."""
    finding, against = shown.finding, analysis.against
    entry = current_entry(finding, analysis.terms.told)
    level = analysis.loudness(finding)
    if entry is None or level == "off":
        return None
    places: list[RelatedPlace] = []
    was = baseline_entry(finding, against.told) if against is not None else None
    if was is not None and against is not None and against.told_uri is not None:
        stretch = Stretch.of(was.span, was.source.lines, encoding)
        places.append(RelatedPlace(against.told_uri, stretch, f"in {was.source.shown}: {was.text}"))
    stretch = Stretch.of(shown.span, analysis.document.lines, encoding)
    places.append(RelatedPlace(analysis.document.uri, stretch, f"felt by {finding.pipeline or 'this job'}"))
    return Remark(
        entry.source.path,
        Stretch.of(entry.span, entry.source.lines, encoding),
        finding.rule,
        finding.message,
        level,
        analysis.pages.get(finding.rule),
        tuple(places),
    )
