"""How diagnostics reach the client: pushed or pulled, never both (an editor would show each one twice)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

from keepstate_lsp.analysis import Analysis

Items = Sequence[object]
"""Diagnostics as the protocol has them."""


class Channel(Protocol):
    def analysed(self, analysis: Analysis) -> None:
        """A new analysis is there."""

    def closed(self, uri: str) -> None:
        """The client closed a document."""

    def moved(self) -> None:
        """Analyses changed without the client's doing: a baseline moved, or the settings did."""


class PushChannel:
    """Sends every analysis when it is there, with the version it is about."""

    def __init__(self, convert: Callable[[Analysis], Items], send: Callable[[str, int | None, Items], None]) -> None:
        self._convert = convert
        self._send = send
        self._showing: set[str] = set()

    def analysed(self, analysis: Analysis) -> None:
        document = analysis.document
        # Of other SQL nothing is said at all, unless something was said before.
        if not analysis.is_flink and document.uri not in self._showing:
            return
        self._send(document.uri, document.version, self._convert(analysis))
        if analysis.is_flink:
            self._showing.add(document.uri)
        else:
            self._showing.discard(document.uri)

    def closed(self, uri: str) -> None:
        if uri in self._showing:
            self._showing.discard(uri)
            self._send(uri, None, [])

    def moved(self) -> None:
        """Nothing to do: whatever changed was pushed."""


class PullChannel:
    """Answers when asked, and asks to be asked when something moved."""

    def __init__(self, convert: Callable[[Analysis], Items], refresh: Callable[[], None]) -> None:
        self._convert = convert
        self._refresh = refresh

    def analysed(self, analysis: Analysis) -> None:
        """Nothing to do: the client asks after each change on its own."""

    def closed(self, uri: str) -> None:
        """Nothing to do: the client forgets what it pulled."""

    def moved(self) -> None:
        self._refresh()

    def report(self, analysis: Analysis, previous_id: str | None) -> tuple[str, Items | None]:
        """The result id of an analysis and its diagnostics (``None``: the same as those of ``previous_id``)."""
        items = self._convert(analysis)
        result_id = hashlib.blake2s(repr(items).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return result_id, None if result_id == previous_id else items
