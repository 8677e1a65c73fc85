"""Splits a script into the texts of its statements.

The splitter is a tolerant scan over strings, backticks, comments and semicolons, without any grammar: it loses no text
and never fails, for any file. Questions that need a grammar (was this quote closed by mistake in a later statement?)
are left to ``script``, which splits a piece that does not parse once more, with ``wary``.
"""

from __future__ import annotations

import re

from keepstate.syntax.tokens import Comment
from keepstate.text import Span
from keepstate.value_class import value_class

# Each alternative begins with a plain character and none is a group: then the engine skips to these characters.
_MARKS = r"'[^']*'|`[^`\r\n]*`|--[^\r\n]*|//[^\r\n]*|/\*(?!\+)[\s\S]*?\*/|;|'|/\*(?!\+)"
_CONFLICT_LINES = r"(?:<{7}|\|{7}|={7}|>{7})(?:[ \t][^\r\n]*)?(?=[\r\n]|\Z)"
_MARK = re.compile(_MARKS)
_MARK_BEHIND_OPEN_COMMENT = re.compile(r"'[^']*'|`[^`\r\n]*`|--[^\r\n]*|//[^\r\n]*|;|'")
_MARK_OR_CONFLICT = re.compile(rf"{_MARKS}|^{_CONFLICT_LINES}", re.MULTILINE)
_ESCAPED_STRING = re.compile(r"'(?:[^'\\]|\\[\s\S]|'')*'")
_STATEMENT_END = re.compile(r";[ \t]*(?:--|\Z)")
_STATEMENT_START = re.compile(
    r"(?:ALTER|BEGIN|CREATE|DROP|END|EXECUTE|EXPLAIN|INSERT|RESET|SELECT|SET|USE|WITH)\b", re.IGNORECASE
)
_LINE_BREAK = re.compile(r"[\r\n]")


@value_class(frozen=True, slots=True)
class Pieces:
    """Pieces of a text, in order."""

    statements: tuple[Span, ...]
    """Each from its first character of code to its last, without the semicolon; empty ones are left out."""
    comments: tuple[Comment, ...] = ()
    conflicts: tuple[Span, ...] = ()
    """Lines that git writes around the two sides of a merge conflict."""
    doubtful: tuple[int, ...] = ()
    """Starts of strings that contain the end of a statement and the start of another one."""


def split(text: str, start: int = 0, wary: bool = False) -> Pieces:
    """The pieces of ``text`` from ``start`` on; with ``wary`` a doubtful string is taken to end with its line.

    >>> text = "SET 'a' = 'b;c'; SELECT a FROM t"
    >>> [span.of(text) for span in split(text).statements]
    ["SET 'a' = 'b;c'", 'SELECT a FROM t']
    """
    statements: list[Span] = []
    comments: list[Comment] = []
    conflicts: list[Span] = []
    doubtful: list[int] = []
    first = -1
    last = 0
    position = start + 1 if start == 0 and text.startswith("\ufeff") else start
    marks = _MARK_OR_CONFLICT if "<<<<<<<" in text or ">>>>>>>" in text else _MARK
    while mark := marks.search(text, position):
        begin, end = mark.span()
        opener = text[begin]
        if first < 0 or opener not in "'`":
            # Code before the mark begins the statement, or is its end so far.
            gap = text[position:begin].rstrip()
            if gap:
                last = position + len(gap)
                if first < 0:
                    first = last - len(gap.lstrip())
        if opener == ";":
            if first >= 0:
                statements.append(Span(first, last))
                first = -1
        elif opener in "<|=>":
            conflicts.append(Span(begin, end))
            if first >= 0:
                last = end
        elif opener == "-" or (opener == "/" and (end - begin > 2 or text[begin + 1] == "/")):
            comments.append(Comment(Span(begin, end), mark.group()))
        else:
            if first < 0:
                first = begin
            if opener == "'" and begin and text[begin - 1] in "eE" and (escaped := _escaped_string(text, begin)):
                end = escaped
            elif opener == "/" or end - begin == 1:
                # Nothing closes it. Without care it takes all that follows; with care, its line.
                doubtful.append(begin)
                end = _end_of_line(text, begin) if wary else len(text)
                if opener == "/":
                    # No later comment has an end either: do not look for it again and again.
                    marks = _MARK_BEHIND_OPEN_COMMENT
            elif "\n" in mark.group() and _holds_next_statement(mark.group()):
                doubtful.append(begin)
                if wary:
                    end = _end_of_line(text, begin)
            last = end
        position = end
    rest = text[position:].rstrip()
    if rest:
        last = position + len(rest)
        if first < 0:
            first = last - len(rest.lstrip())
    if first >= 0:
        statements.append(Span(first, len(text[:last].rstrip())))
    return Pieces(tuple(statements), tuple(comments), tuple(conflicts), tuple(doubtful))


def _escaped_string(text: str, quote: int) -> int:
    r"""Return the end of ``E'it\'s'``, in which a backslash escapes; 0 if the ``E`` before it ends a longer word."""
    if quote > 1 and (text[quote - 2].isalnum() or text[quote - 2] in "_$"):
        return 0
    match = _ESCAPED_STRING.match(text, quote)
    return match.end() if match else 0


def _end_of_line(text: str, offset: int) -> int:
    """The end of the line without a semicolon and a comment at its end."""
    line_break = _LINE_BREAK.search(text, offset)
    line = text[offset : line_break.start() if line_break else len(text)]
    return offset + len(line.partition("--")[0].rstrip(" \t").removesuffix(";"))


def _holds_next_statement(text: str) -> bool:
    """Return whether a statement ends with its line in ``text``, and the next line of code begins like another one.

    Line by line, since one pattern for the whole text would try each comment in many ways, and each semicolon up to the
    end.
    """
    has_ended = False
    for line in _LINE_BREAK.split(text):
        code = line.lstrip()
        if has_ended and code and not code.startswith("--"):
            if _STATEMENT_START.match(code):
                return True
            has_ended = False
        has_ended = has_ended or _STATEMENT_END.search(line) is not None
    return False
