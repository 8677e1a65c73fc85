"""Open documents: immutable values, one per version.

The store is Keepstate's own. The one of pygls breaks lines where ``str.splitlines`` does (also at U+2028 and form
feed), so its positions disagree with those of editors. A document is a value, hence a worker thread may keep one while
the user types on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from keepstate.embedded.pointers import is_host
from keepstate.reporting.new_names import FLINK_SUFFIXES
from keepstate.text import Edit, Encoding, LineIndex, Position, Span, apply_edits

FLINK_LANGUAGE_ID = "flink-sql"
SCHEMES = ("file", "untitled")


@dataclass(frozen=True)
class ContentChange:
    """One entry of a ``didChange``: ``text`` replaces what is between two positions (``None``: the whole document)."""

    start: Position | None
    end: Position | None
    text: str


@dataclass(frozen=True)
class Document:
    """One version of an open document."""

    uri: str
    language_id: str
    version: int
    text: str
    is_being_typed: bool = False
    """The last edit was a keystroke, and no pause came since."""

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def path(self) -> str | None:
        """The file behind the document, ``None`` if there is none on this machine."""
        return path_of(self.uri)

    @property
    def name(self) -> str:
        """The last part of the name, for people."""
        return unquote(parts_of(self.uri).path).rpartition("/")[2] or self.uri

    @property
    def is_declared_flink(self) -> bool:
        """Return whether the language id or the name says Flink SQL; otherwise the text decides."""
        return self.language_id == FLINK_LANGUAGE_ID or self.name.lower().endswith(FLINK_SUFFIXES)

    @property
    def is_toml(self) -> bool:
        """A configuration or a ledger, which may well quote SQL."""
        return self.name.lower().endswith(".toml")

    @property
    def is_host(self) -> bool:
        """A file of another kind, in which values that a configuration names may be SQL."""
        return is_host(self.name)

    @property
    def has_known_scheme(self) -> bool:
        """``git:``, ``keepstate-baseline:`` and similar schemes show other versions of a file, without findings."""
        return parts_of(self.uri).scheme in SCHEMES

    def edited(self, changes: Sequence[ContentChange], version: int, encoding: Encoding) -> Document:
        """The document after a ``didChange``; each change refers to the text that the one before it left."""
        text = self.text
        lines = self.lines
        batch: list[Edit] = []
        for change in changes:
            if change.start is None or change.end is None:
                batch.clear()
                text, lines = change.text, LineIndex(change.text)
                continue
            if batch and not _is_before(change.end, lines.position(batch[-1].span.start, encoding)):
                text = apply_edits(text, reversed(batch))
                batch.clear()
                lines = LineIndex(text)
            start, end = sorted((lines.offset(change.start, encoding), lines.offset(change.end, encoding)))
            # Editors send the edits of several cursors last one first, so positions of the unedited text still hold
            # and one line index serves them all.
            batch.append(Edit(Span(start, end), change.text))
        typed = len(changes) == 1 and len(batch) == 1 and _is_keystroke(batch[0].span.of(text), batch[0].new_text)
        return Document(self.uri, self.language_id, version, apply_edits(text, reversed(batch)), typed)


_LETTERS = 8
"""Letters that an editor may send together: Neovim gathers those of 150 milliseconds."""


def _is_keystroke(removed_text: str, added_text: str) -> bool:
    """Return whether an edit may be of a few keys: it puts some letters in, or takes some out, or is white space.

    For a line feed Neovim replaces the rest of the line by itself. Other replacements of several letters are no keys.
    """
    if "\n" in added_text:
        start = _shared(removed_text, added_text)
        removed_text, added_text = removed_text[start:], added_text[start:]
        end = _shared(removed_text[::-1], added_text[::-1])
        removed_text, added_text = removed_text[: len(removed_text) - end], added_text[: len(added_text) - end]
    if added_text.isspace():
        return len(removed_text) <= 1
    most = max(len(added_text), len(removed_text))
    return most <= 1 or (most <= _LETTERS and not (added_text and removed_text))


def _shared(one: str, other: str) -> int:
    """The number of characters that two texts share at their beginning."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def _is_before(position: Position, edited: Position) -> bool:
    """Return whether an edit that starts at ``edited`` leaves the text up to ``position`` in place.

    A position directly at the edit may move: a line feed put behind a carriage return makes one line break of two.
    """
    return (position.line, position.character) < (edited.line, edited.character)


class Documents:
    """The documents that the client has open."""

    def __init__(self, encoding: Encoding = Encoding.UTF16) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        return self._open.get(uri)

    def open(self, uri: str, language_id: str, version: int, text: str) -> Document:
        document = self._open[uri] = Document(uri, language_id, version, text)
        return document

    def change(self, uri: str, version: int, changes: Sequence[ContentChange]) -> Document:
        """Store the next version.

        Raises:
            KeyError: the client changes a document that it has not opened.
        """
        document = self._open[uri] = self._open[uri].edited(changes, version, self.encoding)
        return document

    def pause(self, uri: str) -> bool:
        """Mark the last edit of a document as finished; whether it was not yet."""
        document = self._open.get(uri)
        if document is None or not document.is_being_typed:
            return False
        self._open[uri] = replace(document, is_being_typed=False)
        return True

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)


_DRIVE = re.compile(r"/+[A-Za-z]:")
"""The beginning of a path with a drive of Windows in a URI; two strokes without one are a share of a server."""


def path_of(uri: str) -> str | None:
    """The path of a ``file:`` URI; ``None`` for other schemes, and for what is no URI of a file.

    Bytes that are no UTF-8 survive, as Python's own file names have it (surrogate escapes).

    >>> path_of(Path.cwd().as_uri()) == str(Path.cwd()), path_of("untitled:a.sql")
    (True, None)
    """
    parts = parts_of(uri)
    path = unquote(parts.path, errors="surrogateescape")
    if parts.scheme != "file" or path in ("", "/") or "\0" in path:
        return None
    if parts.netloc not in ("", "localhost"):
        path = f"//{unquote(parts.netloc)}{path}"
    elif os.name == "nt" and _DRIVE.match(path):
        path = path.lstrip("/")
    return os.path.normpath(path)


def parts_of(uri: str) -> SplitResult:
    """The parts of a URI; none of what is none."""
    try:
        return urlsplit(uri)
    except ValueError:
        return SplitResult("", "", "", "", "")


def uri_of(path: str | Path) -> str:
    """The ``file:`` URI of an absolute path.

    >>> uri_of(Path.cwd() / "a b.sql").endswith("/a%20b.sql")
    True
    """
    return Path(path).as_uri()
