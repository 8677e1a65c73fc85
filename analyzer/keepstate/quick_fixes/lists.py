"""Lists in SQL text (select items, columns) and the separators that their author wrote between the entries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepstate.text import Span

_PLAIN = re.compile(r"\s*,\s*")
_ONE_LINE = ", "


def separator(text: str, items: Sequence[Span]) -> str:
    r"""Return the text between the last two entries of a list: a comma, with line break and indentation.

    One entry alone on a line of its own gets another line.

    >>> text = "SELECT a\n     , b FROM t"
    >>> separator(text, [Span(7, 8), Span(16, 17)])
    '\n     , '
    >>> separator("SELECT\n  a\nFROM t", [Span(9, 10)])
    ',\n  '
    """
    if len(items) > 1:
        between = text[items[-2].end : items[-1].start]
        # A comment in between is about one of the two entries.
        return between if _PLAIN.fullmatch(between) else _around(text, items[-1]) or _ONE_LINE
    return (_around(text, items[0]) if items else None) or _ONE_LINE


def _around(text: str, item: Span) -> str | None:
    """A comma and the beginning of the line of an entry; ``None`` if the entry does not begin its line."""
    start = max(text.rfind("\n", 0, item.start), text.rfind("\r", 0, item.start)) + 1
    indentation = text[start : item.start]
    if start == 0 or indentation.strip():
        return None
    end = "\r\n" if text[:start].endswith("\r\n") else "\n"
    return f",{end}{indentation}"
