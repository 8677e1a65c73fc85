"""Mapping of places in one text to places in its edited version."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from keepstate.text import Span, common_text

_MOST_LINES = 1000
_MOST_WORDS = 400
"""Pieces that are compared one by one; a stretch of more counts as edited as a whole."""

_LINE = re.compile(r".*?(?:\n|\Z)", re.DOTALL)
_WORD = re.compile(r"\w+\s*|\W\s*")


@dataclass(frozen=True)
class _Hunk:
    """An edited stretch: its span in the origin, and its span in the target."""

    origin: Span
    target: Span


class OffsetMap:
    """Mapping of spans of ``origin`` to spans of ``target``. A span in an edited stretch becomes that whole stretch."""

    def __init__(self, origin: str, target: str) -> None:
        whole = _trimmed(origin, target, _Hunk(Span(0, len(origin)), Span(0, len(target))))
        by_line = _split(origin, target, whole, _LINE.findall, _MOST_LINES)
        by_word = (hunk for large in by_line for hunk in _split(origin, target, large, _WORD.findall, _MOST_WORDS))
        self._hunks = [_trimmed(origin, target, hunk) for hunk in by_word]
        self._starts = [hunk.origin.start for hunk in self._hunks]

    def start(self, span: Span) -> int:
        """The start of the span that ``span`` becomes."""
        return self._offset(span.start, at_end=False)

    def span(self, span: Span) -> Span:
        start = self.start(span)
        return Span(start, max(start, self._offset(span.end, at_end=True)))

    def _offset(self, offset: int, *, at_end: bool) -> int:
        index = bisect_right(self._starts, offset) - 1
        # A span that ends where an edit begins was not touched by the edit.
        if index >= 0 and at_end and self._starts[index] == offset:
            index -= 1
        if index < 0:
            return offset
        hunk = self._hunks[index]
        if offset >= hunk.origin.end:
            return offset - hunk.origin.end + hunk.target.end
        return hunk.target.end if at_end else hunk.target.start


def _split(origin: str, target: str, whole: _Hunk, pieces: Callable[[str], list[str]], most: int) -> Iterator[_Hunk]:
    """The hunks of several edits, found by comparing pieces of a stretch."""
    origin_pieces, target_pieces = pieces(whole.origin.of(origin)), pieces(whole.target.of(target))
    if len(origin_pieces) < 2 or len(target_pieces) < 2 or len(origin_pieces) + len(target_pieces) > most:
        yield whole
        return
    origins = list(accumulate(map(len, origin_pieces), initial=whole.origin.start))
    targets = list(accumulate(map(len, target_pieces), initial=whole.target.start))
    for tag, first, last, their_first, their_last in SequenceMatcher(
        None, origin_pieces, target_pieces, False
    ).get_opcodes():
        if tag != "equal":
            yield _Hunk(Span(origins[first], origins[last]), Span(targets[their_first], targets[their_last]))


def _trimmed(origin: str, target: str, hunk: _Hunk) -> _Hunk:
    """``hunk`` without what is equal at its ends."""
    origin_text, target_text = hunk.origin.of(origin), hunk.target.of(target)
    head, tail = common_text(origin_text, target_text)
    return _Hunk(
        Span(hunk.origin.start + head, hunk.origin.end - tail), Span(hunk.target.start + head, hunk.target.end - tail)
    )
