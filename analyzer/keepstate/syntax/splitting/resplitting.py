"""The pieces of a text that differs little from one that was split before.

Between two keystrokes nearly all of a script stays where it was, or moves as a whole. Only the statements around the
edit are scanned again; the result is the one that ``split`` gives for the whole text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from keepstate.syntax.splitting.splitter import Pieces, split
from keepstate.syntax.tokens import Comment
from keepstate.text import Span, common_text

_WORTH_IT = 4_000
"""Length below which a text is split anew: that costs less than to find the difference."""
_REMEMBERED = 4
_CONFLICTS = ("<<<<<<<", ">>>>>>>")
_ESCAPE = "\\"
_ESCAPED_STRING = re.compile(r"(?:^|[^\w$])[eE]'")
"""Beginnings of strings in which a backslash escapes, and of few other things."""
_LONGEST_MARK = max(map(len, _CONFLICTS))


@dataclass(frozen=True)
class SimilarText:
    """A text that was split before: so many pieces at its start and at its end are those of the new text."""

    text: str
    first: int
    last: int


@dataclass(frozen=True)
class _Known:
    text: str
    pieces: Pieces
    is_plain: bool
    """See ``_is_plain``."""


class Splits:
    """The pieces of the last long texts."""

    def __init__(self) -> None:
        self._recent: list[_Known] = []

    def resplit(self, text: str) -> tuple[Pieces, SimilarText | None]:
        """Return the pieces of ``text``, and their likeness to earlier ones; ``None`` for a text too short to
        remember.
        """
        if len(text) < _WORTH_IT:
            return split(text), None
        result: tuple[Pieces, SimilarText]
        same = next((each for each in self._recent if each.text == text), None)
        near, ends = (None, (0, 0)) if same is not None else self._nearest(text)
        patched = None if near is None else _patched(near, text, ends)
        if same is not None:
            result, is_plain = (same.pieces, SimilarText(text, len(same.pieces.statements), 0)), same.is_plain
        elif patched is not None:
            result, is_plain = patched, True
        else:
            result = split(text), SimilarText("", 0, 0)
            is_plain = _is_plain(text)
        # The former state of the text is not asked for again. One that differs by much is another text.
        former = same if same is not None or near is None or not _is_close(near.text, text, ends) else near
        others = [other for other in self._recent if other is not former]
        self._recent = [_Known(text, result[0], is_plain), *others[: _REMEMBERED - 1]]
        return result

    def _nearest(self, text: str) -> tuple[_Known | None, tuple[int, int]]:
        """The text that differs least from ``text``, with the lengths of the common start and end: a job of several
        files is two texts at each keystroke.
        """
        nearest: _Known | None = None
        longest = (0, 0)
        for former in self._recent:
            ends = common_text(former.text, text)
            if nearest is None or sum(ends) > sum(longest):
                nearest, longest = former, ends
            if _is_close(former.text, text, ends):
                break
        return nearest, longest


def _is_close(one: str, other: str, ends: tuple[int, int]) -> bool:
    """Return whether two texts with these common ends differ in some statements at most."""
    return sum(ends) + _WORTH_IT > max(len(one), len(other))


def _is_plain(text: str) -> bool:
    """Return whether the scan of each position is its own. The end of a string with escapes may depend on any quote
    behind it, and conflict lines are searched only in texts with conflicts.
    """
    escapes = _ESCAPE in text and _ESCAPED_STRING.search(text) is not None
    return not escapes and not any(mark in text for mark in _CONFLICTS)


def _patched(former: _Known, text: str, ends: tuple[int, int]) -> tuple[Pieces, SimilarText] | None:
    """The pieces of ``text`` from those of a similar text; ``None`` if it is not similar or not simple enough."""
    spans, comments = former.pieces.statements, former.pieces.comments
    if former.pieces.doubtful or former.pieces.conflicts or not spans or not former.is_plain:
        return None
    prefix, suffix = ends
    # A mark that is new has a part in the text between.
    written = text[max(0, prefix - _LONGEST_MARK) : len(text) - suffix + _LONGEST_MARK]
    if _ESCAPE in written or _ESCAPED_STRING.search(written) or any(mark in written for mark in _CONFLICTS):
        return None
    if 2 * (prefix + suffix) < len(text):
        return None
    first = max(bisect_right(spans, prefix, key=_start) - 1, 0)
    begin = spans[first].start if spans[first].start <= prefix else 0
    after = bisect_left(spans, len(former.text) - suffix + 1, key=_start)
    if "`" in text[text.rfind("\n", 0, begin) + 1 : begin]:
        # An open name in backticks on the line before the region may be closed by the edit.
        return None
    before = bisect_left(comments, begin, key=_start_of_comment)
    if after == len(spans):
        # Typing at the end of a script: nothing stands behind the region.
        tail = split(text[begin:])
        if tail.doubtful or tail.conflicts:
            return None
        statements = (*spans[:first], *(span.shift(begin) for span in tail.statements))
        pieces = Pieces(statements, (*comments[:before], *_comments_behind(tail.comments, begin)))
        return pieces, SimilarText(former.text, first, 0)
    shift = len(text) - len(former.text)
    end = spans[after].start + shift
    # The first character of the statement behind the edit tells whether what is before it ends where it should.
    region = text[begin : end + 1]
    if "`" in region[region.rfind("\n") + 1 :]:
        # Whether a name in backticks ends depends on what stands behind the region.
        return None
    middle = split(region)
    if middle.doubtful or middle.conflicts or middle.statements[-1:] != (Span(end - begin, end - begin + 1),):
        return None
    behind = bisect_left(comments, spans[after].start, key=_start_of_comment)
    pieces = Pieces(
        (
            *spans[:first],
            *(span.shift(begin) for span in middle.statements[:-1]),
            *_shifted(spans[after:], shift),
        ),
        (
            *comments[:before],
            *(Comment(comment.span.shift(begin), comment.text) for comment in middle.comments),
            *_comments_behind(comments[behind:], shift),
        ),
    )
    return pieces, SimilarText(former.text, first, len(spans) - after)


def _start(span: Span) -> int:
    return span.start


def _start_of_comment(comment: Comment) -> int:
    return comment.span.start


def _comments_behind(comments: tuple[Comment, ...], by: int) -> Iterable[Comment]:
    if by == 0:
        return comments
    return [Comment(Span(each.span.start + by, each.span.end + by), each.text) for each in comments]


def _shifted(spans: tuple[Span, ...], by: int) -> tuple[Span, ...]:
    return spans if by == 0 else tuple([Span(span.start + by, span.end + by) for span in spans])
