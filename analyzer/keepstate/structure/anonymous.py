"""Texts with their names and words replaced, to be shown to others: what they mean to Flink stays.

Equal names stay equal, in all texts together. Comments go. What the planner reads stays: keywords, types, functions,
parameters, numbers, lengths of time, formats of dates, and options such as the connector. A word in a string keeps its
length, which is that of a CHAR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from keepstate.structure.token_meanings import Meaning, MeantToken
from keepstate.text import Span

_LETTERS = {
    Meaning.NAMESPACE: "n",
    Meaning.TABLE: "t",
    Meaning.ALIAS: "r",
    Meaning.COLUMN: "c",
    Meaning.FUNCTION: "f",
    Meaning.TEMPLATE: "p",
}
"""The letter that replaced names begin with, by the meaning that each has at first."""
_KNOWN = frozenset(
    """default_catalog default_database information_schema window_start window_end window_time rowtime proctime
    classifier match_number""".split()
)
"""Names that Flink gives."""
_NAMED = frozenset({Meaning.NAMESPACE, Meaning.TABLE, Meaning.ALIAS, Meaning.COLUMN, Meaning.FUNCTION})
_KEPT_OPTIONS = re.compile(
    r"connector|type|(?:key\.|value\.)?format|.*mode|.*changelog.*|.*upsert.*|table\..*|pipeline\.(?!name).*parallelism"
    r"|pipeline\.operator-chaining.*|parallelism\..*|state\.backend(?:\.type)?|.*\.enabled|lookup\..*|sink\.parallelism",
    re.IGNORECASE,
)
_KEPT_STRING = re.compile(
    r"[-+]?[\d\s.:,/+TZ-]*"  # numbers, dates, times and intervals
    r"|[-+]?\d+(?:\.\d+)?\s*[A-Za-z]{1,12}"  # 10 s, 1 day, 128mb
    r"|true|false|utc|gmt",
    re.IGNORECASE | re.ASCII,
)
_DATE_FORMAT = re.compile(r"(?=.*(?:yy|MM|dd|HH|hh|mm|ss))[yMdHhmsSaEDkKzZXT:\-/ .,']+")
_WORD = re.compile(r"[^\W\d_]\w*|_\w+")
_QUOTED = re.compile(r"(?P<prefix>[^']*)'(?P<body>[\s\S]*)'\Z")


def replaced_names(texts: Sequence[str], tokens: Sequence[Iterable[MeantToken]]) -> tuple[str, ...]:
    """``texts`` with other names; ``tokens`` are those of each, with their meanings.

    >>> from keepstate import Draft
    >>> text = "SELECT price FROM orders WHERE note = 'by Ann' -- of Ann"
    >>> replaced_names([text], [Draft().meant_tokens(text)])
    ("SELECT c1 FROM t1 WHERE c2 = 's1 s02' ",)
    """
    names = _Names()
    pairs = [(text, list(token_list)) for text, token_list in zip(texts, tokens, strict=True)]
    for text, token_list in pairs:
        for token in token_list:
            if token.meaning in _NAMED and not token.built_in:
                names.of(token.span.of(text).strip("`"), token.meaning)
    return tuple(_replaced(text, token_list, names) for text, token_list in pairs)


class _Names:
    """The other names, by the former ones."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._words: dict[str, str] = {}

    def of(self, name: str, meaning: Meaning) -> str:
        """The name that stands for ``name``, which has no quotes."""
        if name.lower() in _KNOWN:
            return name
        if name not in self._names:
            letter = _LETTERS[meaning]
            self._counts[letter] = self._counts.get(letter, 0) + 1
            self._names[name] = f"{letter}{self._counts[letter]}"
        return self._names[name]

    def word(self, word: str) -> str:
        """The word that stands for one in a string: as long, and a letter as it is."""
        if len(word) == 1:
            return word
        if word not in self._words:
            self._words[word] = f"s{len(self._words) + 1:0{len(word) - 1}}"
        return self._words[word]

    def lookup(self, name: str) -> str:
        """The name that stands for ``name``, if there is one so far; else itself."""
        return self._names.get(name, name)


def _replaced(text: str, tokens: Sequence[MeantToken], names: _Names) -> str:
    pieces: list[str] = []
    end = 0
    for number, token in enumerate(tokens):
        if token.span.start < end:
            continue
        pieces += [text[end : token.span.start], _other(text, tokens, number, names)]
        end = token.span.end
    return "".join([*pieces, text[end:]])


def _other(text: str, tokens: Sequence[MeantToken], number: int, names: _Names) -> str:
    token = tokens[number]
    piece = token.span.of(text)
    match token.meaning:
        case Meaning.COMMENT:
            return " " if piece.startswith("/*") else ""
        case Meaning.STRING:
            return _string(piece, _option_of(text, tokens, number), names)
        case Meaning.TEMPLATE:
            return f"${{{names.of(piece, token.meaning)}}}"
        case Meaning.FUNCTION if token.built_in:
            return piece
        case meaning if meaning in _NAMED:
            quoted = piece.startswith("`")
            other = names.of(piece.strip("`"), token.meaning)
            return f"`{other}`" if quoted else other
        case _:
            return piece


def _option_of(text: str, tokens: Sequence[MeantToken], number: int) -> str | None:
    """The key of the option that a string is the value of; empty for a string that is a key, ``None`` for any other."""
    before = list(_around(text, tokens, number, -1))
    if before[:1] == ["="] and len(before) > 1 and before[1].startswith("'"):
        return before[1].strip("'")
    behind = list(_around(text, tokens, number, 1))
    return "" if behind[:1] == ["="] and len(behind) > 1 and behind[1].startswith("'") else None


def _around(text: str, tokens: Sequence[MeantToken], number: int, step: int) -> Iterator[str]:
    """The two tokens before or behind one, if nothing but space is between them."""
    for distance in (1, 2):
        position = number + step * distance
        if not 0 <= position < len(tokens):
            return
        near, far = tokens[position].span, tokens[position - step].span
        gap = Span(near.end, far.start) if step < 0 else Span(far.end, near.start)
        if text[gap.start : gap.end].strip():
            return
        yield near.of(text)


def _key(key: str, names: _Names) -> str:
    """The key of an option: of a hint it may be a name, and that of a column stands in ``fields.price.min``."""
    if key.startswith("fields."):
        return ".".join(names.lookup(part) for part in key.split("."))
    return names.lookup(key)


def _string(piece: str, option: str | None, names: _Names) -> str:
    quoted = _QUOTED.match(piece)
    if option == "" and quoted is not None:
        return f"'{_key(quoted['body'], names)}'"
    if quoted is None or (option is not None and _KEPT_OPTIONS.fullmatch(option)):
        return piece
    body = quoted["body"]
    if _KEPT_STRING.fullmatch(body) or _DATE_FORMAT.fullmatch(body):
        return piece
    words = _WORD.sub(lambda word: names.word(word[0]), body)
    return f"{quoted['prefix']}'{words}'"
