"""Reports with the places of the configuration files that findings and fixes are about, for the JSON format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from keepstate.report import Finding, Verdict
from keepstate.reporting.file_json import Json, parameter_without_files, text_range
from keepstate.text import LineIndex, Span
from keepstate_lsp.config.external_settings import ConfigEntry, baseline_entry, current_entry
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.reporting.context_entry import ContextEntry


@dataclass(frozen=True)
class ContextFix:
    """An entry of the configuration with the verdict behind it. ``path`` is its path in reports."""

    entry: ContextEntry
    path: str
    verdict_after: Verdict

    @property
    def json(self) -> Json:
        """The fix that writes the entry into the configuration: an edit of it, or a new file."""
        entry = self.entry
        edits, new_files = [], []
        if entry.before is None:
            new_files.append({"name": entry.path.name, "path": self.path, "text": entry.text})
        else:
            place = text_range(LineIndex(entry.before), Span(entry.at, entry.at))
            edits.append({"file": self.path, "range": place, "new_text": entry.text})
        return {
            "title": entry.title,
            "verdict_after": self.verdict_after.value,
            "edits": edits,
            "new_files": new_files,
        }


def parameter_places(config: JobConfig, baseline_config: JobConfig, folder: Path) -> Callable[[Finding], Json | None]:
    """The writer of the parameter outside of the SQL that a finding is about; a side is null if no file sets it there.
    Paths of files are shown relative to ``folder``.

    >>> from keepstate import JobVersion, check
    >>> query = "SELECT b, SUM(a) FROM t GROUP BY b"
    >>> days = [JobVersion(query, parameters={"table.exec.state.ttl": f"{days} d"}) for days in (1, 7)]
    >>> places = parameter_places(JobConfig(), JobConfig(), Path())
    >>> [places(finding) for finding in check(*days).findings]
    [{'key': 'table.exec.state.ttl', 'current': None, 'baseline': None}]
    """

    def written(finding: Finding) -> Json | None:
        parameter = parameter_without_files(finding)
        if parameter is None or finding.external is None:
            return None
        if finding.external.current is not None:
            parameter["current"] = _entry(current_entry(finding, config), folder)
        parameter["baseline"] = _entry(baseline_entry(finding, baseline_config), folder)
        return parameter

    return written


def _entry(entry: ConfigEntry | None, folder: Path) -> Json | None:
    if entry is None:
        return None
    path = entry.source.path
    return {
        "path": (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix(),
        "range": text_range(entry.source.lines, entry.span),
        "text": entry.text,
    }
