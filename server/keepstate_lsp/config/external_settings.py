"""The entries of configuration files that findings are about."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Finding
from keepstate.text import Span
from keepstate_lsp.config.file import Configuration, JobConfig


@dataclass(frozen=True)
class ConfigEntry:
    """A place in one version of a configuration file."""

    source: Configuration
    span: Span

    @property
    def text(self) -> str:
        return self.span.of(self.source.text)


def current_entry(finding: Finding, config: JobConfig) -> ConfigEntry | None:
    """The entry that changed, or, for a removed entry, the place for it; ``None`` if the SQL or another source than a
    file sets it.

    >>> from keepstate import JobVersion, check
    >>> finding = check(JobVersion("SELECT SUM(a) FROM t"), JobVersion("SELECT MAX(a) FROM t")).findings[0]
    >>> current_entry(finding, JobConfig()) is None
    True
    """
    external = finding.external
    if external is None or config.source is None:
        return None
    if external.current is None:
        return ConfigEntry(config.source, config.home) if finding.removed else None
    return _entry(config, external.current)


def baseline_entry(finding: Finding, config: JobConfig) -> ConfigEntry | None:
    """The entry at the baseline, if a file sets it there.

    >>> from keepstate import JobVersion, check
    >>> finding = check(JobVersion("SELECT SUM(a) FROM t"), JobVersion("SELECT MAX(a) FROM t")).findings[0]
    >>> baseline_entry(finding, JobConfig()) is None
    True
    """
    key = finding.external.baseline if finding.external is not None else None
    return _entry(config, key) if key is not None else None


def _entry(config: JobConfig, key: str) -> ConfigEntry | None:
    place = config.place(key)
    return ConfigEntry(config.source, place) if config.source is not None and place is not None else None
