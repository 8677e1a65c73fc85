"""Random atoms of predicates and values over the columns in reach, and templates that they fill.

A template is SQL with holes: ``{P}``, ``{Q}``, ``{R}`` predicates; ``{i}``, ``{j}`` columns of numbers, ``{h}`` one
that is NOT NULL, ``{s}`` of text, ``{b}`` of truth, ``{t}`` a row time; ``{n}`` < ``{m}`` < ``{o}`` numbers; ``{w}``,
``{v}`` letters without quotation marks. The same hole has the same text wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from sql_places import PlaceColumn

_HOLE = re.compile(r"\{(\w)\}")
_NUMBERS = ("INT", "INTEGER")
_TYPES = {
    "i": _NUMBERS, "j": _NUMBERS, "h": _NUMBERS, "s": ("STRING", "VARCHAR"), "b": ("BOOLEAN",), "t": ("ROWTIME",),
}  # fmt: skip
_ATOMS = (
    "{i} > {n}", "{i} < {m}", "{i} <> {n}", "{j} >= {n}", "{i} = {m}", "{s} = '{w}'", "{s} <> '{v}'", "{b}",
    "{i} IS NOT NULL", "{s} IS NULL", "{i} BETWEEN {n} AND {o}", "{s} LIKE '{w}%'", "{i} IN ({n}, {m}, {o})",
    "{i} < {j}", "{h} > {m}",
)  # fmt: skip


class Unfilled(Exception):
    """No column in reach has the type of a hole."""


class Holes:
    """Fills the holes of several templates alike."""

    def __init__(self, random: Random, columns: Sequence[PlaceColumn]) -> None:
        self._random = random
        self._columns = columns
        self._filled: dict[str, str] = {}
        numbers = sorted(random.sample(range(1, 30), 3))
        self._filled.update(zip("nmo", map(str, numbers), strict=True))
        self._filled.update(zip("wv", random.sample("abcdex", 2), strict=True))

    def give(self, hole: str, text: str) -> None:
        self._filled[hole] = text

    def fill(self, template: str) -> str:
        """The template without holes.

        Raises:
            Unfilled: see there.
        """
        return _HOLE.sub(lambda match: self._hole(match[1]), template)

    def _hole(self, hole: str) -> str:
        if hole not in self._filled:
            self._filled[hole] = self._atom() if hole in "PQR" else self._column(hole)
        return self._filled[hole]

    def _column(self, hole: str) -> str:
        taken = {self._filled.get(other) for other in "ij"} if hole in "ij" else set()
        fitting = [
            column.reference
            for column in self._columns
            if column.type in _TYPES[hole] and (hole != "h" or column.not_null) and column.reference not in taken
        ]
        if not fitting:
            raise Unfilled
        return self._random.choice(fitting)

    def _atom(self) -> str:
        for _ in range(8):
            try:
                inner = Holes(self._random, self._columns)
                return inner.fill(self._random.choice(_ATOMS))
            except Unfilled:
                continue
        raise Unfilled
