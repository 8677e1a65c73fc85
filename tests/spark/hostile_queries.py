"""Queries with names and texts that mean something to other programs: variables, quotes, comments, patterns, templates.

A query is changed throughout: every name that it or its tables give is another one, and so is every text of the data
and every constant that is compared with one. So what it gives is known: the former rows, with the other texts in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from keepstate.syntax.tokens import Token, TokenKind, lex

NAME = "${env:PATH}${system:user.home}${spark:spark.app.name}{{x}}#{x}$x 'a'\"b\"``c``\\d--/*e*/;.f%_é😀"
"""Suffix of each name of a file or a folder, and prefix of all other texts."""
TEXT = NAME + "\x00\n\r\t\\u0024\u2028\u202e"
"""Suffix of each text."""
CONTROLS = "\x00\t\u2028\u202e"
FOLDER = "".join(character for character in NAME if character != "/") + "*[g]?"
"""Suffix of the name of the folder with the rows."""
_KEPT = frozenset({"window_start", "window_end", "window_time"})
_DATA = frozenset("pen ink pad cup north south EUR USD ZZZ many none few x yy a b c".split())
"""Texts of the rows, and constants that stand for such."""


def quoted_name(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def quoted_text(text: str) -> str:
    return f"'{text.replace(chr(39), chr(39) * 2)}'"


def other_name(name: str) -> str:
    """The name for another one, but for those that Flink gives: columns of windows, and what has no name."""
    return name if name in _KEPT or name.startswith("EXPR$") else name + NAME + CONTROLS


def other_text(text: str) -> str:
    """The text for another one of the data, also where several are joined by commas."""
    return ",".join(part + TEXT if part in _DATA else part for part in text.split(","))


def other_value(value: Any) -> Any:
    """The value of a result for another one."""
    if isinstance(value, list):
        return [other_value(element) for element in value]
    return other_text(value) if isinstance(value, str) else value


def other_sql(sql: str) -> str:
    """``sql`` with other names and texts, of which it takes the former lengths.

    In the queries of the tests, names are in lower case and nothing else is.
    """
    return _rewritten(re.sub(r"\bCHAR_LENGTH\(\w+\)", rf"\g<0> - {len(TEXT)}", sql), _other_token)


def _other_token(token: Token, before: str) -> str:
    if token.kind is TokenKind.WORD and token.text == token.text.lower() and token.text not in _KEPT:
        return quoted_name(other_name(token.text))
    if token.kind is TokenKind.STRING and before != "INTERVAL":
        text = token.text[1:-1].replace("''", "'")
        return quoted_text(other_text(text)) if text in _DATA else token.text
    return token.text


def _rewritten(sql: str, of: Callable[[Token, str], str]) -> str:
    parts, end, before = [], 0, ""
    for token in lex(sql).tokens:
        parts += [sql[end : token.start], of(token, before)]
        end, before = token.end, token.word
    return "".join(parts) + sql[end:]


def other_rows(folder: Path, source: Path, names: Iterable[str]) -> None:
    """Files of JSON lines like those in ``source``, with other names of fields and other texts."""
    folder.mkdir()
    for name in names:
        rows = (json.loads(line) for line in (source / name).read_text("utf-8").splitlines())
        others = ({other_name(key): other_value(value) for key, value in row.items()} for row in rows)
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in others), "utf-8")
