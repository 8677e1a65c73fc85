"""Rewrites and edits of any script by its tokens: the first mean the same, the second mostly do not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from keepstate import parse_script
from keepstate.syntax.tokens import Token, TokenKind

_RESERVED = frozenset(
    """ALL AND AS BETWEEN BY CASE CAST CREATE DISTINCT ELSE END EXISTS FROM FULL GROUP HAVING IN INNER INSERT INTO IS
    JOIN LEFT LIKE NOT NULL ON OR ORDER OUTER OVER PARTITION RIGHT SELECT TABLE THEN UNION VALUES WHEN WHERE
    WITH""".split()
)
"""Words that are no names unless they are quoted, so their case means nothing."""
_GAPS = (" ", "\n", "\t", "  \n   ", "\r\n")
_COMMENTS = ("/* a comment */", " /* ; */ ", "\n-- it's a comment; with marks\n", " /* SELECT */\n")
_FUNCTIONS = ("SUM", "MAX", "MIN", "COUNT", "AVG", "FIRST_VALUE", "LAST_VALUE", "ABS", "UPPER")
_SYMBOLS = ("=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/")
Edit = Callable[[list[str], Sequence[Token], random.Random], None]


def respelled(text: str, chance: random.Random) -> str:
    """The script in another layout, with comments, and its reserved words in another case."""
    with_comments = "/*+" not in text and chance.random() < 0.5
    gaps = (*_GAPS, *_COMMENTS) if with_comments else _GAPS

    def gap(was: str) -> str:
        # What has a comment in it may be read as more than that.
        return chance.choice(gaps) if was and was.isspace() and chance.random() < 0.5 else was

    def word(token: Token) -> str:
        if token.kind is TokenKind.WORD and token.word in _RESERVED and chance.random() < 0.5:
            return chance.choice((token.text.lower(), token.text.upper(), token.text.title()))
        return token.text

    return _rebuilt(text, gap, lambda tokens: [word(token) for token in tokens])


def edited(text: str, chance: random.Random) -> str:
    """The script with one thing changed at one token."""
    statements = [each for each in parse_script(text).statements if len(each.parsed.tokens) > 2]
    if not statements:
        return text
    chosen = chance.randrange(len(statements))
    edit, seen = chance.choice(EDITS), -1

    def change(tokens: Sequence[Token]) -> list[str]:
        nonlocal seen
        words = [token.text for token in tokens]
        if len(tokens) > 2:
            seen += 1
            if seen == chosen:
                edit(words, tokens, chance)
        return words

    return _rebuilt(text, lambda gap: gap, change)


def _rebuilt(text: str, gap: Callable[[str], str], words: Callable[[Sequence[Token]], list[str]]) -> str:
    pieces, done = [], 0
    for statement in parse_script(text).statements:
        begin = statement.span.start
        tokens = [token for token in statement.parsed.tokens if token.kind is not TokenKind.END]
        for token, word in zip(tokens, words(tokens), strict=True):
            pieces += [gap(text[done : begin + token.start]), word]
            done = begin + token.end
    return "".join([*pieces, text[done:]])


def _at(tokens: Sequence[Token], chance: random.Random, *kinds: TokenKind) -> int | None:
    found = [index for index, token in enumerate(tokens) if token.kind in kinds]
    return chance.choice(found) if found else None


def _another_number(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    index = _at(tokens, chance, TokenKind.NUMBER)
    if index is not None:
        words[index] = chance.choice(("0", "1", "7", "1000000", "2.5", "1e3"))


def _another_string(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    index = _at(tokens, chance, TokenKind.STRING)
    if index is not None:
        words[index] = chance.choice(("'1'", "'x'", "''", "'it''s'", words[index][:-1] + "0'"))


def _another_name(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    index, other = (_at(tokens, chance, TokenKind.WORD, TokenKind.NAME) for _ in range(2))
    if index is not None and other is not None and tokens[index].word not in _RESERVED:
        words[index] = words[other]


def _another_function(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    found = [
        index for index, token in enumerate(tokens[:-1]) if token.word in _FUNCTIONS and tokens[index + 1].word == "("
    ]
    if found:
        words[chance.choice(found)] = chance.choice(_FUNCTIONS)


def _another_symbol(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    found = [index for index, token in enumerate(tokens) if token.word in _SYMBOLS]
    if found:
        words[chance.choice(found)] = chance.choice(_SYMBOLS)


def _filter(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    found = [index for index, token in enumerate(tokens) if token.word == "WHERE"]
    if found:
        words[chance.choice(found)] += f" {chance.choice(('1 = 1', 'TRUE', 'a > 5', 'x IS NULL'))} AND "


def _item(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    found = [index for index, token in enumerate(tokens) if token.word == "SELECT"]
    if found:
        words[chance.choice(found)] += (
            f" {chance.choice(('COUNT(*)', 'MAX(a)', '1', 'a', 'DISTINCT'))}{chance.choice((',', ''))} "
        )


def _without(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    start = chance.randrange(len(words))
    words[start : start + chance.choice((1, 1, 2, 5))] = [""] * len(words[start : start + 1])
    words += [""] * (len(tokens) - len(words))


def _twice(words: list[str], tokens: Sequence[Token], chance: random.Random) -> None:
    index = chance.randrange(len(words))
    words[index] = f"{words[index]} {words[index]}"


EDITS: tuple[Edit, ...] = (
    _another_number,
    _another_string,
    _another_name,
    _another_function,
    _another_symbol,
    _filter,
    _item,
    _without,
    _twice,
)
