"""Help with the text of an open document, in a thread of its own.

Completion comes right behind a keystroke, for which the worker begins an analysis. Help with the text needs no baseline
and no analysis, so it has another thread and another memory of each document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analyzer import Analyzer
from keepstate_lsp.runtime.time_limit import within

if TYPE_CHECKING:
    from keepstate import Draft

T = TypeVar("T")

DRAFT_SECONDS = 5.0
"""CPU seconds for one answer about a text that is being written."""


@dataclass(frozen=True)
class DraftVersion:
    """One version of a document, and the engine that will run it."""

    document: Document
    engine: str
    engine_version: str | None
    before: str = ""
    """The declarations of other files that the document reads, which stand in front of it."""


class Drafts:
    """The memories of documents. All calls come from one thread."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._drafts: dict[str, Draft | None] = {}

    def answer(self, document: Document, question: Callable[[Draft], T], default: T) -> T:
        """The answer about the text of ``document``; ``default`` where the analyzer gives no help with texts.

        Raises:
            TookTooLong: the answer took too long.
        """
        if document.uri not in self._drafts:
            self._drafts[document.uri] = self._analyzer.draft()
        draft = self._drafts[document.uri]
        return default if draft is None else within(DRAFT_SECONDS, lambda: question(draft))

    def forget(self, uri: str) -> None:
        """Let go of the memory of a document that was closed."""
        self._drafts.pop(uri, None)
