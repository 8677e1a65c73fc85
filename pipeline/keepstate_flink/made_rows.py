"""Rows made for two scripts: with the constants that they compare with, and at several paces.

A pace decides how many rows share a window or lie in one frame, so rows at one pace may hide what others show.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial

from keepstate.syntax.splitter import split
from keepstate.syntax.tokens import Token, TokenKind, lex
from keepstate_flink.restarts import RowsOf
from keepstate_flink.rows import Pace, Rows, TableColumn, rows_of

PACES = (
    Pace(timedelta(minutes=4), (timedelta(minutes=50),)),
    # All rows in one window of ten minutes, with the restart in its middle.
    Pace(timedelta(seconds=5), (timedelta(seconds=20),)),
    Pace(timedelta(seconds=20), (timedelta(minutes=3), timedelta(minutes=4), timedelta(minutes=12))),
    Pace(timedelta(minutes=25), (timedelta(minutes=75), timedelta(minutes=35), timedelta(hours=9))),
)
MOST_TEXTS = 5
MOST_NUMBERS = 6
_LONGEST = 40
_LARGEST = 1_000_000
_UNITS = frozenset({"INTERVAL", "DATE", "TIME", "TIMESTAMP"})
_SILENT = frozenset({"CREATE", "SET", "ALTER", "DROP", "USE", "RESET"})
_SIZES = frozenset({"LIMIT", "FETCH", "(", "[", "DECIMAL", "INTERVAL"})


def made_rows(texts: Sequence[str]) -> tuple[RowsOf, ...]:
    """The rows of any table, once for each pace."""
    words, numbers = constants(texts)
    return tuple(partial(_rows, words, numbers, pace) for pace in PACES)


def constants(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The texts and the whole numbers that queries compare with, the first ones of each.

    >>> constants(["SELECT a FROM t WHERE s = 'paid' AND a > 100 AND ts > TIMESTAMP '2026-01-01 00:00:00' LIMIT 5"])
    (('paid',), (100,))
    """
    words: dict[str, None] = {}
    numbers: dict[int, None] = {}
    for text in texts:
        for span in split(text).statements:
            tokens = lex(text[span.start : span.end]).tokens
            for before, token in _compared(tokens):
                if token.kind is TokenKind.STRING and len(token.text) <= _LONGEST:
                    words[token.text.strip("'").replace("''", "'").replace("%", "")] = None
                elif token.kind is TokenKind.NUMBER and token.text.isdecimal() and before.word not in _SIZES:
                    numbers[min(int(token.text), _LARGEST)] = None
    return tuple(filter(None, words))[:MOST_TEXTS], tuple(numbers)[:MOST_NUMBERS]


def _compared(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """The tokens of a query that may be compared with columns, each with the one before. A view has a query as well."""
    words = [token.word for token in tokens]
    if not words or (words[0] in _SILENT and "VIEW" not in words[:6]):
        return
    in_hint = False
    for before, token in itertools.pairwise(tokens):
        in_hint = (in_hint or token.word == "/*+") and token.word != "*/"
        if not in_hint and before.word not in _UNITS:
            yield before, token


def _rows(words: Sequence[str], numbers: Sequence[int], pace: Pace, table: str, columns: Sequence[TableColumn]) -> Rows:
    return rows_of(columns, words, numbers, pace, own_words=True)
