"""The entries of configuration files that findings are about."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Finding
from keepstate.text import Span
from keepstate_lsp.config.file import Circumstances, Configuration


@dataclass(frozen=True)
class Entry:
    """A place in one version of a configuration file."""

    source: Configuration
    span: Span

    @property
    def text(self) -> str:
        return self.span.of(self.source.text)


def current_entry(finding: Finding, told: Circumstances) -> Entry | None:
    """The entry that changed, or, for one that went, where it would stand; ``None`` where the SQL says it all, or
    something else than a file.
    """
    outside = finding.outside
    if outside is None or told.source is None:
        return None
    if outside.current is None:
        return Entry(told.source, told.home) if finding.removed else None
    return _entry(told, outside.current)


def baseline_entry(finding: Finding, told: Circumstances) -> Entry | None:
    """The same of the baseline."""
    key = finding.outside.baseline if finding.outside is not None else None
    return _entry(told, key) if key is not None else None


def _entry(told: Circumstances, key: str) -> Entry | None:
    place = told.place(key)
    return Entry(told.source, place) if told.source is not None and place is not None else None
