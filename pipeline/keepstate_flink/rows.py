"""Rows for the tables of a script: the same for the same columns, with enough in common that groups and joins fill."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

ROWS = 90
CUT = 40
"""Number of rows before the savepoint."""
_START = datetime(2026, 3, 2, 6, 0, 30)
_WORDS = ("red", "green", "blue")
_OWN = (1, 2, 3)
_NULLS = 0.06
_ASKED = 0.4
"""Share of the whole numbers that are about as large as one that a query asks for."""


@dataclass(frozen=True)
class TableColumn:
    """``type`` is written as in Flink's DDL."""

    name: str
    type: str


@dataclass(frozen=True)
class Rows:
    """Lines of a kind ("+I") and a JSON object each, in the order of time."""

    lines: tuple[str, ...]
    cut: int


@dataclass(frozen=True)
class Pace:
    """The time between two rows, and the longer ones behind each eleventh, in turn."""

    step: timedelta
    pauses: tuple[timedelta, ...]

    def behind(self, number: int) -> timedelta:
        """The time behind the row of a number, which counts from 0."""
        return self.pauses[number // 11 % len(self.pauses)] if number % 11 == 10 else self.step


_PACE = Pace(timedelta(minutes=4), (timedelta(minutes=50),))


def rows_of(
    columns: Sequence[TableColumn],
    literals: Sequence[str],
    numbers: Sequence[int] = (),
    pace: Pace = _PACE,
    own_words: bool = False,
) -> Rows:
    """Rows of a table; ``literals`` are texts and ``numbers`` whole numbers that queries ask for. With ``own_words`` a
    column has texts that no column of another name has, beside those that all have.
    """
    # Each column has chances of its own, so that one more, or one that may not be NULL, leaves the others as they are.
    chances = {column.name: random.Random(column.name) for column in columns}
    words = [*literals, *_WORDS][:6]
    lines = []
    time = _START
    for number in range(ROWS):
        time += pace.behind(number)
        row = {
            column.name: _value(
                column,
                chances[column.name],
                [*words, *(f"{column.name}{n}" for n in _OWN)] if own_words else words,
                numbers,
                time,
            )
            for column in columns
        }
        lines.append(f"+I{json.dumps(row)}")
    return Rows(tuple(lines), CUT)


def _value(
    column: TableColumn, chance: random.Random, words: Sequence[str], numbers: Sequence[int], time: datetime
) -> Any:
    name, type_name = column.name, column.type.upper()
    required = "NOT NULL" in type_name
    if type_name.startswith("TIMESTAMP"):
        text = time.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        return f"{text}Z" if "LOCAL TIME ZONE" in type_name or "LTZ" in type_name else text
    if chance.random() < _NULLS and not required:
        return None
    if re.match(r"(VAR)?CHAR|STRING", type_name):
        return chance.choice(words)
    if re.match(r"(TINY|SMALL|BIG)?INT", type_name):
        if numbers and chance.random() < _ASKED:
            return min(chance.choice(numbers) + chance.randint(-1, 1), 127 if type_name.startswith("TINY") else 32_767)
        return chance.randint(1, 6)
    if re.match(r"DECIMAL|DOUBLE|FLOAT", type_name):
        return chance.randint(1, 400) / 4
    if type_name.startswith("BOOLEAN"):
        return chance.random() < 0.5
    if type_name.startswith("DATE"):
        return time.strftime("%Y-%m-%d")
    if type_name.startswith("TIME"):
        return time.strftime("%H:%M:%S")
    if type_name.startswith("ARRAY"):
        return []
    if type_name.startswith(("MAP", "MULTISET", "ROW")):
        return {}
    if not required:
        return None
    raise ValueError(f"no rows for column {name} of type {type_name}")
