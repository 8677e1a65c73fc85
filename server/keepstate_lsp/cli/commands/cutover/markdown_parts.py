"""Parts of a Markdown page with texts of scripts and names of files in them: each text stays a text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from urllib.parse import quote

_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#~&$"})
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that end lines or cannot be written: a name of a file may have them."""
_IN_QUOTES = re.compile(f"[\\\\']|{_UNSEEN.pattern}")
_TICKS = re.compile("`+")


def plain(text: str) -> str:
    r"""A text without the marks of Markdown, on one line.

    >>> print(plain("a_b # c"))
    a\_b \# c
    """
    return one_line(text).translate(_MARKS)


def one_line(text: str) -> str:
    r"""A text on one line, without characters that a file of UTF-8 or XML cannot have.

    >>> one_line("a\nb"), one_line("a\x1bb")
    ('a b', 'a�b')
    """
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def link(name: str) -> str:
    r"""A link to a file beside the page.

    >>> print(link("state_1.sql"), link("a](b) c.sql"))
    [state\_1.sql](state_1.sql) [a\](b) c.sql](a%5D%28b%29%20c.sql)
    """
    return f"[{plain(name)}]({quote(name, errors='surrogateescape')})"


def fenced(lines: Iterable[str], language: str = "") -> Iterator[str]:
    """A block of code. Its fence is longer than any run of backticks in it.

    >>> list(fenced(["SELECT 1;"], "sql")), list(fenced(["```"]))[0]
    (['```sql', 'SELECT 1;', '```'], '````')
    """
    split = [part for line in lines for part in re.split(r"\r\n|\n|\r", line)]
    longest = max((len(ticks[0]) for line in split for ticks in _TICKS.finditer(line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}{language}", *split, fence)


def code(text: str) -> str:
    """A text between backticks, of which it has none.

    >>> code("+I[a`b]")
    "`+I[a'b]`"
    """
    return "`" + one_line(text).replace("`", "'") + "`"


def shell_word(word: str) -> str:
    r"""A word of a command line, on one line.

    >>> print(shell_word("a b"), shell_word("a\nb"))
    'a b' $'a\nb'
    """
    if not _UNSEEN.search(word):
        return shlex.quote(word)
    return f"$'{_IN_QUOTES.sub(_escape, word)}'"


def _escape(match: re.Match[str]) -> str:
    """A character as ``$'...'`` of a shell has it: by its bytes, but for those that are seen."""
    char = match[0]
    if char in "\\'":
        return f"\\{char}"
    if char == "\n":
        return "\\n"
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
