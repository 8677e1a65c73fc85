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
_STEP = timedelta(minutes=4)
_PAUSE = timedelta(minutes=50)
_WORDS = ("red", "green", "blue")
_NULLS = 0.06


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


def rows_of(columns: Sequence[TableColumn], literals: Sequence[str]) -> Rows:
    """Rows of a table; ``literals`` are texts that queries ask for."""
    # Each column has chances of its own, so that one more, or one that may not be NULL, leaves the others as they are.
    chances = {column.name: random.Random(column.name) for column in columns}
    words = [*literals, *_WORDS][:6]
    lines = []
    time = _START
    for number in range(ROWS):
        time += _PAUSE if number % 11 == 10 else _STEP
        row = {column.name: _value(column, chances[column.name], words, time) for column in columns}
        lines.append(f"+I{json.dumps(row)}")
    return Rows(tuple(lines), CUT)


def _value(column: TableColumn, chance: random.Random, words: Sequence[str], time: datetime) -> Any:
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
