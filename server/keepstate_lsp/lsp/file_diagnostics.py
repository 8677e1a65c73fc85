"""Diagnostics that analyses make in other files than their own: in configurations, in ledgers, and at the clauses of
declarations. Those of one file are collected for a moment and published together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from keepstate.text import LineIndex
from keepstate_lsp.analysis.config_diagnostics import ConfigDiagnostic, ConfigDiagnostics, config_diagnostics
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.several_files.other_file_findings import OtherFileFindings, elsewhere_findings
from keepstate_lsp.lsp import diagnostics
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.channel import Channel

TOGETHER_SECONDS = 0.1
"""Seconds in which the diagnostics of one configuration file are collected and published together."""


class FileDiagnostics:
    """``analysis_of`` gives the last analysis of an open document by its URI."""

    def __init__(
        self,
        profile: ClientProfile,
        channel: Callable[[], Channel],
        analysis_of: Callable[[str], Analysis | None],
        elsewhere: OtherFileFindings,
    ) -> None:
        self.config = ConfigDiagnostics()
        self.elsewhere = elsewhere
        self._profile = profile
        self._channel = channel
        self._analysis_of = analysis_of
        self._stirred: set[Path] = set()
        self._published: dict[Path, list[Any]] = {}
        self._closed: dict[Path, list[Any]] = {}
        """The own diagnostics of files that are not open."""

    def items(self, analysis: Analysis) -> list[Any]:
        """All diagnostics of a document."""
        path = analysis.document.path
        if path is None:
            return list(diagnostics.diagnostics(analysis, self._profile))
        clauses = self.elsewhere.of(Path(path), analysis.document.text)
        items: list[Any] = diagnostics.diagnostics(analysis, self._profile, clauses)
        return items if analysis.is_flink else items + self._of_config(Path(path))

    def analysed(self, uri: str, analysis: Analysis | None) -> None:
        """A document or a closed file has a new analysis, or is gone (``None``)."""
        encoding = self._profile.encoding
        self.note(uri, config_diagnostics(analysis, encoding) if analysis is not None else ())
        felt = elsewhere_findings(analysis, encoding) if analysis is not None else ()
        for path in sorted(self.elsewhere.update(uri, felt)):
            self._publish_others(path)

    def surveyed(self, path: Path, analysis: Analysis) -> None:
        """A file that is not open was checked."""
        own = diagnostics.diagnostics(analysis, self._profile)
        if own:
            self._closed[path] = own
        else:
            self._closed.pop(path, None)

    def opened(self, path: Path) -> None:
        """A file is open, or gone: what was found while it was closed does not count any more."""
        self._closed.pop(path, None)

    def note(self, uri: str, problems: tuple[ConfigDiagnostic, ...]) -> None:
        """Replace the diagnostics that a document makes in configurations and ledgers."""
        paths = self.config.update(uri, problems)
        if paths and not self._stirred:
            # A thousand jobs may have the same diagnostic; it is published once.
            asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._publish_config)
        self._stirred |= paths

    def _publish_config(self) -> None:
        stirred, self._stirred = self._stirred, set()
        for path in sorted(stirred):
            items = self._of_config(path)
            if items != self._published.get(path, []):
                self._published[path] = items
                self._channel().publish_file(uri_of(path), items)

    def _publish_others(self, path: Path) -> None:
        """Publish the diagnostics of a file anew."""
        uri = uri_of(path)
        analysis = self._analysis_of(uri)
        if analysis is not None:
            self._channel().analysed(analysis)
            self._channel().stirred(uri)
            return
        text = self.elsewhere.text(path)
        rest = [] if text is None else self._of_others(path, LineIndex(text))
        self._channel().publish_unopened(uri, [*self._closed.get(path, ()), *rest])

    def _of_config(self, path: Path) -> list[Any]:
        return [diagnostics.config_diagnostic(one, self._profile) for one in self.config.of(path)]

    def _of_others(self, path: Path, lines: LineIndex) -> list[Any]:
        return [
            diagnostics.clause_diagnostic(clause, lines, self._profile)
            for clause in self.elsewhere.of(path, lines.text)
        ]
