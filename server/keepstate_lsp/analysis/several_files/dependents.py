"""Files that read what other files declare: those that an edit reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.several_files.composer import script_key
from keepstate_lsp.analysis.several_files.repository_files import WorkTreeChange


@dataclass(frozen=True, slots=True)
class _Needs:
    """The parts of others that a file reads: names in upper case, and paths below the root."""

    root: Path
    own: str
    names: frozenset[str]
    paths: frozenset[str]


class Dependents:
    """The files of a session by what they need, open or not. Lives on the event loop."""

    def __init__(self) -> None:
        self._needs: dict[str, _Needs] = {}

    @property
    def any(self) -> bool:
        """Return whether any file reads another one."""
        return bool(self._needs)

    def analysed(self, analysis: Analysis) -> None:
        """A file has a new analysis."""
        parts = [each.part for each in analysis.every if each.part is not None]
        place = analysis.place
        if not parts or place is None:
            self.remove(analysis.document.uri)
            return
        scripts = [path for part in parts for path in part.scripts if path != part.path]
        names = frozenset[str]().union(*(part.needs for part in parts), map(script_key, scripts))
        paths = (declaration.file.file_path for part in parts for declaration, _ in part.imports)
        self._needs[analysis.document.uri] = _Needs(*place, names, frozenset((*paths, *scripts)))

    def remove(self, uri: str) -> None:
        """A file is gone, or reads nothing of others."""
        self._needs.pop(uri, None)

    def affected_files(self, analysis: Analysis, previous: Analysis | None) -> list[str]:
        """The files that an edit reaches, by URI: those that need a name whose declaration has other words now."""
        if analysis.place is None:
            return []
        before = analysis.declared_on_disk if previous is None else previous.declared
        names = _differing(before, analysis.declared)
        return self.naming(analysis.place[0], names, analysis.document.uri)

    def naming(self, root: Path, names: Iterable[str], but: str = "") -> list[str]:
        """The files below a root that need one of these names."""
        key_names = frozenset(names)
        if not key_names:
            return []
        return [
            uri
            for uri, needs in self._needs.items()
            if uri != but and needs.root == root and not needs.names.isdisjoint(key_names)
        ]

    def reached_from(self, move: WorkTreeChange) -> list[str]:
        """The files that files on disk reach which changed there."""
        return [
            uri
            for uri, needs in self._needs.items()
            if needs.root == move.root
            and needs.own not in move.paths
            and (
                not needs.paths.isdisjoint(move.paths)
                or any(name.rpartition(".")[2] in move.words for name in needs.names)
            )
        ]

    def paths_of(self, uris: Iterable[str]) -> set[tuple[Path, str]]:
        """The other files that some files read, each by root and path."""
        needs_of_uris = (self._needs.get(uri) for uri in uris)
        return {(needs.root, path) for needs in needs_of_uris if needs is not None for path in needs.paths}


def _differing(before: Mapping[str, object], now: Mapping[str, object]) -> frozenset[str]:
    return frozenset(name for name in {*before, *now} if before.get(name) != now.get(name))
