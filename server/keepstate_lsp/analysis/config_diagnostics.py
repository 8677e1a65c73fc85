"""Diagnostics at places in configuration files and ledgers.

Many jobs share one such file. If several jobs have the same diagnostic at one place, the file shows the diagnostic
once, as long as one of the jobs has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from keepstate.text import Encoding, LineIndex, Position, Span
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedFinding
from keepstate_lsp.config.external_settings import baseline_entry, current_entry

WRONG_CONFIGURATION = "wrong-configuration"
_MOST_PLACES = 10
"""Most jobs that are named at one parameter: all jobs of a workspace may feel it."""


@dataclass(frozen=True, slots=True)
class ClientRange:
    """Start and end in the units of the client; the text itself is not kept."""

    start: Position
    end: Position

    @staticmethod
    def of(span: Span, lines: LineIndex, encoding: Encoding) -> ClientRange:
        return ClientRange(lines.position(span.start, encoding), lines.position(span.end, encoding))


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    uri: str
    client_range: ClientRange
    words: str


@dataclass(frozen=True, slots=True)
class ConfigDiagnostic:
    """A diagnostic at a place of a file; ``level`` is its severity, ``page`` the address of a rule's page."""

    path: Path
    client_range: ClientRange
    code: str
    message: str
    level: str = "error"
    page: str | None = None
    places: tuple[RelatedPlace, ...] = ()
    unneeded: bool = False
    """The text at this place has no effect and can be removed."""


class ConfigDiagnostics:
    """All diagnostics of configuration files, by the document whose analysis made them."""

    def __init__(self) -> None:
        self._by_document: dict[str, tuple[ConfigDiagnostic, ...]] = {}
        self._by_path: dict[Path, dict[str, None]] = {}
        """Documents with diagnostics in a file, the earliest first."""

    def update(self, uri: str, diagnostics: tuple[ConfigDiagnostic, ...]) -> set[Path]:
        """Replace the diagnostics of a document; returns the files whose diagnostics change."""
        before = self._by_document.get(uri, ())
        if before == diagnostics:
            return set()
        for path in {diagnostic.path for diagnostic in before}:
            self._by_path[path].pop(uri, None)
        if diagnostics:
            self._by_document[uri] = diagnostics
        else:
            self._by_document.pop(uri, None)
        for diagnostic in diagnostics:
            self._by_path.setdefault(diagnostic.path, {})[uri] = None
        return {diagnostic.path for diagnostic in {*before} ^ {*diagnostics}}

    def of(self, path: Path) -> list[ConfigDiagnostic]:
        """Diagnostics of a file, each once with all its related places."""
        by_diagnostic: dict[ConfigDiagnostic, dict[RelatedPlace, None]] = {}
        for uri in self._by_path.get(path, ()):
            for diagnostic in self._by_document[uri]:
                if diagnostic.path == path:
                    by_diagnostic.setdefault(replace(diagnostic, places=()), {}).update(
                        dict.fromkeys(diagnostic.places)
                    )
        return [
            replace(diagnostic, places=tuple(places)[:_MOST_PLACES]) for diagnostic, places in by_diagnostic.items()
        ]


def config_diagnostics(analysis: Analysis, encoding: Encoding) -> tuple[ConfigDiagnostic, ...]:
    r"""Diagnostics that an analysis adds to configuration files: faults, and entries whose change costs state.

    >>> from dataclasses import replace
    >>> from keepstate_lsp.config.effective_settings import EffectiveSettings
    >>> from keepstate_lsp.config.file import Fault
    >>> fault = Fault(Path("/jobs/keepstate.toml"), "engine = 'flnk'\n", Span(9, 15), "there is no engine 'flnk'.")
    >>> job = analysis("SELECT a FROM t", "SELECT a FROM t")
    >>> job = replace(job, effective=EffectiveSettings("flink", fault=fault))
    >>> [(each.path.name, each.message) for each in config_diagnostics(job, Encoding.UTF16)]
    [('keepstate.toml', "There is no engine 'flnk'.")]
    """
    return tuple(
        dict.fromkeys(diagnostic for each in analysis.every for diagnostic in _config_diagnostics(each, encoding))
    )


def _config_diagnostics(analysis: Analysis, encoding: Encoding) -> Iterator[ConfigDiagnostic]:
    fault = analysis.effective.fault
    if fault is not None:
        sentence = f"{fault.sentence[:1].upper()}{fault.sentence[1:]}"
        client_range = ClientRange.of(fault.span, LineIndex(fault.text), encoding)
        yield ConfigDiagnostic(fault.path, client_range, WRONG_CONFIGURATION, sentence)
    for placed in analysis.findings:
        if placed.finding.external is not None:
            diagnostic = _changed_entry(placed, analysis, encoding)
            if diagnostic is not None:
                yield diagnostic


def _changed_entry(placed: PlacedFinding, analysis: Analysis, encoding: Encoding) -> ConfigDiagnostic | None:
    """A finding about an entry of the configuration, at that entry."""
    finding, against = placed.finding, analysis.against
    entry = current_entry(finding, analysis.effective.config)
    level = analysis.severity_of(finding)
    if entry is None or level == "off":
        return None
    places: list[RelatedPlace] = []
    was = baseline_entry(finding, against.config) if against is not None else None
    if was is not None and against is not None and against.config_uri is not None:
        client_range = ClientRange.of(was.span, was.source.lines, encoding)
        places.append(RelatedPlace(against.config_uri, client_range, f"in {was.source.display_name}: {was.text}"))
    client_range = ClientRange.of(placed.span, analysis.document.lines, encoding)
    places.append(RelatedPlace(analysis.document.uri, client_range, f"felt by {finding.pipeline or 'this job'}"))
    return ConfigDiagnostic(
        entry.source.path,
        ClientRange.of(entry.span, entry.source.lines, encoding),
        finding.rule,
        finding.message,
        level,
        analysis.pages.get(finding.rule),
        tuple(places),
    )
