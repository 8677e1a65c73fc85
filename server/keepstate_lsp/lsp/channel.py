"""The channel of diagnostics to the client: pushed or pulled, never both (an editor would show each one twice)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from keepstate_lsp.analysis.document_analysis import Analysis

Items = Sequence[object]
"""Diagnostics as the protocol has them."""


class Channel(Protocol):
    def analysed(self, analysis: Analysis) -> None:
        """A new analysis is there."""

    def closed(self, uri: str) -> None:
        """The client closed a document."""

    def surveyed(self, uri: str, analysis: Analysis) -> None:
        """A file that is not open was checked."""

    def publish_unopened(self, uri: str, items: Items) -> None:
        """Replace the diagnostics of a file that is not open."""

    def stirred(self, uri: str) -> None:
        """The diagnostics of an open document changed, and its text did not."""

    def vanished(self, uri: str) -> None:
        """Remove the diagnostics of a file that is not open: it is gone, or such files are not checked any more."""

    def publish_file(self, uri: str, items: Items) -> None:
        """Replace the diagnostics of a file that is no document of ours, such as a configuration."""

    def refresh(self) -> None:
        """Analyses changed without the client's doing: a baseline moved, or the settings did."""


class PushChannel:
    """Sends every analysis when it is finished, with the version of its document."""

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

    def surveyed(self, uri: str, analysis: Analysis) -> None:
        self.publish_unopened(uri, self._convert(analysis))

    def publish_unopened(self, uri: str, items: Items) -> None:
        if items or uri in self._showing:
            self._send(uri, None, items)
        if items:
            self._showing.add(uri)
        else:
            self._showing.discard(uri)

    def stirred(self, uri: str) -> None:
        """Nothing to do: the analysis was pushed again."""

    def vanished(self, uri: str) -> None:
        self.closed(uri)

    def publish_file(self, uri: str, items: Items) -> None:
        self._send(uri, None, items)

    def refresh(self) -> None:
        """Nothing to do: whatever changed was pushed."""


class PullChannel:
    """Answers when asked, and asks to be asked when something moved."""

    def __init__(self, convert: Callable[[Analysis], Items], refresh: Callable[[], None]) -> None:
        self._convert = convert
        self._refresh = refresh
        self._surveyed: dict[str, tuple[str, Items]] = {}
        self._asked_for: set[str] = set()
        self._news = asyncio.Event()

    def asked_for(self, uri: str) -> None:
        """The client asks about an open document, and does so after each change of it on its own."""
        self._asked_for.add(uri)

    def analysed(self, analysis: Analysis) -> None:
        # VS Code opens documents that no tab shows (some extension looked into them), and never asks about those.
        if analysis.document.uri not in self._asked_for:
            self.surveyed(analysis.document.uri, analysis)

    def closed(self, uri: str) -> None:
        self._asked_for.discard(uri)

    def surveyed(self, uri: str, analysis: Analysis) -> None:
        self.publish_file(uri, self._convert(analysis))

    def publish_file(self, uri: str, items: Items) -> None:
        last = self._surveyed.get(uri)
        report = (_result_id(items), items)
        if last is None and not items:
            return
        if last is None or last[0] != report[0]:
            self._surveyed[uri] = report
            self._news.set()
            if uri in self._asked_for:
                # Of a document that it has open the client asks by itself only when that changes.
                self._refresh()

    def publish_unopened(self, uri: str, items: Items) -> None:
        self.publish_file(uri, items)

    def stirred(self, uri: str) -> None:
        if uri in self._asked_for:
            self._refresh()

    def vanished(self, uri: str) -> None:
        if uri in self._surveyed:
            # An empty report takes back what the client shows.
            self._surveyed[uri] = (_result_id(()), ())
            self._news.set()

    def refresh(self) -> None:
        self._refresh()

    async def survey(self, previous: Mapping[str, str]) -> list[tuple[str, str, Items | None]]:
        """URI, result id and diagnostics of every file that is not asked for (``None``: as under its previous id).

        Waits until there is anything new to say: a client asks again as soon as it has an answer.
        """
        while True:
            self._news.clear()
            reports = [
                (uri, result_id, None if previous.get(uri) == result_id else items)
                for uri, (result_id, items) in sorted(self._surveyed.items())
            ]
            if any(items is not None for _, _, items in reports):
                return reports
            await self._news.wait()

    def report(self, analysis: Analysis, previous_id: str | None) -> tuple[str, Items | None]:
        """The result id of an analysis and its diagnostics (``None``: the same as those of ``previous_id``)."""
        items = self._convert(analysis)
        result_id = _result_id(items)
        return result_id, None if result_id == previous_id else items


def _result_id(items: Items) -> str:
    return hashlib.blake2s(repr(items).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
