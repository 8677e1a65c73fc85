"""The reach of an edit: checks of the files that read what the edited one declares.

Open documents are checked at once. Other files wait for a pause in typing, and for the open documents: a keystroke in
between comes first, and what had not begun is then checked with the newest text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import path_of
from keepstate_lsp.analysis.several_files.dependents import Dependents
from keepstate_lsp.analysis.several_files.repository_files import WorkTreeChange


@dataclass
class EditReach:
    """Lives on the event loop."""

    check_open: Callable[[list[str]], None]
    """Checks open documents again, by URI."""
    check_closed: Callable[[list[Path]], None]
    """Checks files again that are not open."""
    is_open: Callable[[str], bool]
    dependents: Dependents = field(default_factory=Dependents)
    _waiting: dict[str, dict[str, None]] = field(default_factory=dict)
    """Files that wait for a pause in typing, by the document that is being typed."""

    def analysed(self, analysis: Analysis, former: Analysis | None) -> bool:
        """An open document has a new analysis, and had ``former``; whether others wait for a pause in typing there."""
        uri = analysis.document.uri
        reachable = self.dependents.affected_files(analysis, former)
        self.dependents.analysed(analysis)
        if not analysis.document.is_being_typed:
            self.check([*self._waiting.pop(uri, ()), *reachable])
            return False
        # Until then an open document shows nothing new of half a word, and a closed file is not checked.
        waiting = self._waiting.setdefault(uri, {})
        waiting.update(dict.fromkeys(reachable))
        self.check(each for each in reachable if self.is_open(each))
        return bool(waiting)

    def closed(self, analysis: Analysis) -> list[str]:
        """The files that read what a document declared, which is closed now."""
        uri = analysis.document.uri
        self.dependents.remove(uri)
        waiting = self._waiting.pop(uri, {})
        if analysis.place is None:
            return [*waiting]
        return [*waiting, *self.dependents.naming(analysis.place[0], analysis.declared, uri)]

    def check_moves(self, moves: Iterable[WorkTreeChange], more: Iterable[str] = ()) -> None:
        """Files changed on disk."""
        self.check([*more, *(uri for one in moves for uri in self.dependents.reached_from(one))])

    def check(self, uris: Iterable[str]) -> None:
        """Check files again, the open ones first."""
        uri_list = list(dict.fromkeys(uris))
        opened = [uri for uri in uri_list if self.is_open(uri)]
        if opened:
            self.check_open(opened)
        paths = (path_of(uri) for uri in uri_list if not self.is_open(uri))
        closed = [Path(path) for path in paths if path is not None]
        if closed:
            self.check_closed(closed)
