"""Inputs made of others: pieces of them cut out, doubled, swapped, spliced, and words put in between."""

from __future__ import annotations

import random
import re

from fuzz_target import Target

_PIECE = re.compile(rb"\s+|[A-Za-z_0-9]+|'[^']*'|.", re.DOTALL)
_LONGEST = 30_000
_ODD_BYTES = (
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xa8",
    b"\r",
    b"'",
    b"`",
    b"\\",
    b"\xef\xbb\xbf",
)

_FRESH = 0.15
"""The share of inputs that begin from one that was made for them."""


def next_input(known: bytes, pool: list[bytes], target: Target, chance: random.Random) -> bytes:
    """The next input: a mutation of ``known``, or of a fresh input."""
    if target.fresh is not None and chance.random() < _FRESH:
        known = target.fresh(chance)
        if chance.random() < _FRESH:
            return known
    return mutated(known, pool, target.words, chance)


def mutated(data: bytes, others: list[bytes], words: tuple[str, ...], chance: random.Random) -> bytes:
    """A few changes of ``data``, most of them along its words, so that much of it still makes sense."""
    pieces = _PIECE.findall(data)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        pieces = _step(pieces, others, words, chance)
    return b"".join(pieces)[:_LONGEST]


def _step(pieces: list[bytes], others: list[bytes], words: tuple[str, ...], chance: random.Random) -> list[bytes]:
    if not pieces:
        return _PIECE.findall(chance.choice(others))
    start = chance.randrange(len(pieces))
    end = min(len(pieces), start + chance.choice((1, 1, 1, 2, 5, 20)))
    kind = chance.randrange(10)
    if kind == 0:
        return pieces[:start] + pieces[end:]
    if kind == 1:
        return pieces[:end] + pieces[start:end] + pieces[end:]
    if kind == 2:
        other = chance.randrange(len(pieces))
        pieces = list(pieces)
        pieces[start], pieces[other] = pieces[other], pieces[start]
        return pieces
    if kind == 3:
        return pieces[:start]
    if kind == 4:
        return [*pieces[:start], chance.choice(_ODD_BYTES), *pieces[start:]]
    if kind == 5:
        theirs = _PIECE.findall(chance.choice(others))
        at = chance.randrange(len(theirs)) if theirs else 0
        return pieces[:start] + theirs[at : at + chance.choice((1, 5, 40))] + pieces[end:]
    if kind == 6:
        # A piece of its own text elsewhere: names that are used twice, clauses in the wrong place.
        other = chance.randrange(len(pieces))
        return pieces[:start] + pieces[other : other + chance.choice((1, 3, 12))] + pieces[end:]
    word = chance.choice(words).encode("utf-8", "surrogatepass") if words else b" "
    return [*pieces[:start], b" ", word, b" ", *pieces[start + (kind == 7) :]]
