"""Rows for the tables of a script: the same for the same columns, with enough in common that groups and joins fill."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from keepstate.plan.types.logical_types import LogicalType

ROWS = 90
CUT = 40
"""Number of rows before the savepoint."""
_START = datetime(2026, 3, 2, 6, 0, 30)
_WORDS = ("red", "green", "blue")
_NULLS = 0.06
_ELEMENTS = (0, 3)
"""The fewest and the most elements of an ARRAY, MAP or MULTISET."""
_TEXTS = frozenset({"CHAR", "VARCHAR"})
_MOST_VALUES = 6
"""Texts of a column: more would leave few rows for each."""
_MOST_WORDS = 2
_NEAR = 0.3
_GROWS = 20
_NUMERAL = re.compile(r"-?\d{1,15}(\.\d{1,6})?")
_WHOLE = re.compile(r"(TINY|SMALL|BIG)?INT")
_FRACTION = re.compile(r"DECIMAL|DOUBLE|FLOAT")
_DECIMAL = re.compile(r"DECIMAL\((\d+)(?:, *(\d+))?\)")
_MOST = {"TINYINT": 120, "SMALLINT": 32_000, "INT": 2_000_000_000, "DECIMAL": 2.0**30}


@dataclass(frozen=True)
class TableColumn:
    """``type`` is written as in Flink's DDL."""

    name: str
    type: str


@dataclass(frozen=True)
class GeneratedRows:
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


def rows_of(columns: Sequence[TableColumn], literals: Sequence[str], pace: Pace = _PACE) -> GeneratedRows:
    """Rows of a table; ``literals`` are texts that queries ask for."""
    # Each column has chances of its own, so that one more, or one that may not be NULL, leaves the others as they are.
    chances = {column.name: random.Random(column.name) for column in columns}
    words = [*literals, *_WORDS][:_MOST_VALUES]
    lines = []
    time = _START
    for number in range(ROWS):
        time += pace.behind(number)
        row = {column.name: _value(column, chances[column.name], words, time) for column in columns}
        lines.append(f"+I{json.dumps(row)}")
    return GeneratedRows(tuple(lines), CUT)


def telling_rows(columns: Sequence[TableColumn], values_asked: Sequence[str], pace: Pace = _PACE) -> GeneratedRows:
    """Rows with the texts and numbers of ``values_asked``, which queries compare values with, so that some pass their
    conditions. The later ones have values that the former do not: a greatest value moves after the savepoint, and
    columns are not all alike.
    """
    columns_made = []
    for column in columns:
        words = [text for text in values_asked if _number(text) is None]
        plain_rows = rows_of([column], [*words[:_MOST_WORDS], *_WORDS, column.name], pace)
        values = [json.loads(line[2:])[column.name] for line in plain_rows.lines]
        chance = random.Random(f"{column.name}, numbers")
        numbers = [number for number in map(_number, values_asked) if number is not None]
        columns_made.append(
            [_growing_number(value, column, place, numbers, chance) for place, value in enumerate(values)]
        )
    names = [column.name for column in columns]
    lines = (f"+I{json.dumps(dict(zip(names, row, strict=True)))}" for row in zip(*columns_made, strict=True))
    return GeneratedRows(tuple(lines), CUT)


def _growing_number(
    value: Any, column: TableColumn, place: int, numbers: Sequence[float], chance: random.Random
) -> Any:
    """A number that grows with its place in the rows, or that is near to one that a query asks for."""
    kind = column.type.upper()
    whole = _WHOLE.match(kind)
    if value is None or not (whole or _FRACTION.match(kind)):
        return value
    near = [number for number in numbers if abs(number) <= _most(kind) and (number == int(number) or not whole)]
    if near and chance.random() < _NEAR:
        number = chance.choice(near) + chance.choice((-1, 0, 1))
    else:
        number = value + place // _GROWS
    return int(number) if whole else number


def _number(text: str) -> float | None:
    return float(text) if _NUMERAL.fullmatch(text) else None


def _most(kind: str) -> float:
    """A number that the type holds, and the next one as well."""
    if (decimal := _DECIMAL.match(kind)) is not None:
        return float(10 ** (int(decimal[1]) - int(decimal[2] or 0)) - 2)
    return next((most for name, most in _MOST.items() if kind.startswith(name)), 2.0**50)


def _value(column: TableColumn, chance: random.Random, words: Sequence[str], time: datetime) -> Any:
    name, type_name = column.name, column.type.upper()
    required = type_name.endswith("NOT NULL")
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
    if type_name.startswith(("BINARY", "VARBINARY", "BYTES")):
        return _encoded(chance.choice(words))
    nested = LogicalType.as_written(column.type)
    if nested is not None and nested.elements:
        return _nested(nested, chance, words, time)
    if not required:
        return None
    raise ValueError(f"no rows for column {name} of type {type_name}")


def _nested(type_: LogicalType, chance: random.Random, words: Sequence[str], time: datetime) -> Any:
    """A value of an ARRAY, MAP, MULTISET or ROW as JSON has it. Nothing inside is NULL, since it may be NOT NULL."""

    def inside(element: LogicalType) -> Any:
        if element.elements:
            return _nested(element, chance, words, time)
        return _value(TableColumn("", f"{element} NOT NULL"), chance, words, time)

    if type_.root == "ROW":
        return {name: inside(each) for name, each in zip(type_.exact_names or type_.names, type_.elements, strict=True)}
    values = [inside(type_.elements[-1]) for _ in range(chance.randint(*_ELEMENTS))]
    if type_.root == "ARRAY":
        return values
    if type_.elements[0].root not in _TEXTS:
        # Flink's JSON has no other keys.
        return {}
    if type_.root == "MULTISET":
        return {value: values.count(value) for value in values}
    return {inside(type_.elements[0]): value for value in values}


def _encoded(word: str) -> str:
    """Bytes as JSON has them."""
    return b64encode(word.encode()).decode()
