"""Cuts a script into the texts of its statements.

A tolerant scan over strings, backticks, comments and semicolons, without any grammar: it loses no text and never fails,
whatever stands in the file. What it cannot know without a grammar (a missing semicolon, a quote that was never closed)
is put right by ``script``, which sees that a piece does not parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from keepstate.syntax.tokens import Comment
from keepstate.text import Span

_MARK = re.compile(
    r"""
    (?P<quoted>    (?<![\w$])[eE]'(?: [^'\\] | \\[\s\S] | '' )*' | '[^']*' | `[^`\r\n]*` )
  | (?P<comment>   --[^\r\n]* | //[^\r\n]* | /\*(?!\+)[\s\S]*?\*/ )
  | (?P<cut>       ; )
  | (?P<open>      ' | /\*(?!\+) | ` )
    """,
    re.VERBOSE,
)
_INK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement's place: from its first token to its last one, without the semicolon."""

    span: Span


@dataclass(frozen=True, slots=True)
class Pieces:
    """The statements of a text in order, and its comments."""

    spans: tuple[Span, ...]
    comments: tuple[Comment, ...]


def split(text: str) -> Pieces:
    """The statements of ``text`` (empty ones are left out) and all comments."""
    spans: list[Span] = []
    comments: list[Comment] = []
    first = -1
    last = 0
    done = 0
    for mark in _MARK.finditer(text):
        start = mark.start()
        kind = mark.lastgroup
        if start > done:
            gap = text[done:start]
            stripped = gap.rstrip()
            if stripped:
                last = done + len(stripped)
                if first < 0:
                    first = start - len(gap.lstrip())
        done = mark.end()
        if kind == "quoted":
            if first < 0:
                first = start
            last = done
        elif kind == "cut":
            if first >= 0:
                spans.append(Span(first, last))
                first = -1
        elif kind == "comment":
            comments.append(Comment(Span(start, done), mark.group()))
        else:
            if first < 0:
                first = start
            if mark.group() == "`":
                last = done
            else:
                done = len(text)
                last = len(text.rstrip())
                break
    rest = text[done:].rstrip()
    if rest:
        last = done + len(rest)
        if first < 0:
            first = len(text) - len(text[done:].lstrip())
    if first >= 0:
        spans.append(Span(first, last))
    return Pieces(tuple(spans), tuple(comments))
