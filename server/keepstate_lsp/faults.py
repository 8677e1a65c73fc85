"""What is wrong in configuration files, gathered from the analyses of the documents that they hold for."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.configuration import Fault


class Faults:
    """Many documents feed one file; a fault is shown as long as one of them meets it."""

    def __init__(self) -> None:
        self._by_document: dict[str, Fault] = {}

    def met(self, uri: str, fault: Fault | None) -> list[Path]:
        """Note what a document met (``None``: nothing); the files about which something else is to be said now."""
        before = self._by_document.get(uri)
        if before == fault:
            return []
        others = set(self._by_document.values()) - {before}
        if fault is None:
            del self._by_document[uri]
        else:
            self._by_document[uri] = fault
        moved = [known.path for known in (before, fault) if known is not None and known not in others]
        return list(dict.fromkeys(moved))

    def of(self, path: Path) -> list[Fault]:
        """All faults of a file, each once."""
        return [fault for fault in dict.fromkeys(self._by_document.values()) if fault.path == path]
