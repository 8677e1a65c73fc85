"""Texts and numbers that the queries of a script compare values with, for rows that pass their conditions."""

from __future__ import annotations

import re

from keepstate.syntax.splitting.splitter import split
from keepstate.syntax.tokens import Token, TokenKind, lex

_MOST = 6
_ASKING = frozenset({"=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "BETWEEN", "WHEN"})
_LISTING = frozenset({"(", ",", "AND", "-"})
"""Tokens behind which one more value follows the first one, as in ``IN ('a', 'b')`` and ``BETWEEN 1 AND 5``."""
_HINT = re.compile(r"/\*\+.*?\*/", re.DOTALL)
_WILD = re.compile(r"[%_]+")


def asked_for(baseline: str, current: str) -> tuple[str, ...]:
    """The first texts and numbers of the queries of both: those that stand in only one of them come first.

    >>> asked_for("SELECT k FROM t WHERE k = 'a' AND n > 5", "SELECT k FROM t WHERE k IN ('b', 'c') AND n > 5")
    ('a', 'b', 'c', '5')
    """
    was, now = (dict.fromkeys(_of(script)) for script in (baseline, current))
    changed_values = [value for value in (*was, *now) if (value in was) is not (value in now)]
    return tuple([*changed_values, *(value for value in was if value in now)][:_MOST])


def _of(script: str) -> list[str]:
    values = []
    for span in split(script).statements:
        # Options of hints, of tables and settings are no conditions.
        tokens = lex(_HINT.sub(" ", script[span.start : span.end])).tokens
        if any(token.word == "SELECT" for token in tokens):
            values += [_value(token) for number, token in enumerate(tokens) if _is_asked(tokens, number)]
    return [value for value in values if value]


def _is_asked(tokens: tuple[Token, ...], number: int) -> bool:
    if tokens[number].kind not in (TokenKind.STRING, TokenKind.NUMBER):
        return False
    before = number - 1
    while before > 0 and (
        tokens[before].word in _LISTING or tokens[before].kind in (TokenKind.STRING, TokenKind.NUMBER)
    ):
        before -= 1
    return tokens[before].word in _ASKING or (tokens[before].word == "IN" and before < number - 1)


def _value(token: Token) -> str:
    if token.kind is TokenKind.NUMBER:
        return token.text
    # Escaped and national texts are rare: their rows are the usual ones.
    return _WILD.sub("", token.text[1:-1].replace("''", "'")) if token.text.startswith("'") else ""
