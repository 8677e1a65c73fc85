"""Types of columns whose values two declarations take: rows made of them are the same for both versions of a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from keepstate.plan.types.logical_types import LogicalType

NOT_NULL = " NOT NULL"
_WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_NUMBERS = frozenset({*_WHOLE, "DECIMAL", "FLOAT", "DOUBLE"})
_OF_A_LENGTH = (frozenset({"CHAR", "VARCHAR"}), frozenset({"BINARY", "VARBINARY"}))

Declared = Mapping[str, Mapping[str, str]]
"""Types of columns by the last name of their table in small letters, and their own: ``{"orders": {"k": "INT"}}``."""


@dataclass(frozen=True)
class SharedTypes:
    """Declared types of the same columns in two versions."""

    baseline: Declared = field(default_factory=dict)
    current: Declared = field(default_factory=dict)

    def of(self, table: str, column: str) -> str | None:
        """The type of the values that both versions take; ``None`` where one type says it, or none does."""
        was, now = (side.get(table, {}).get(column) for side in (self.baseline, self.current))
        return shared(was, now) if was is not None and now is not None and was != now else None


def shared(first: str, second: str) -> str | None:
    """The type of the values of both types; ``None`` if there is none.

    >>> shared("BIGINT", "INT NOT NULL")
    'INT NOT NULL'
    >>> shared("ROW<a INT, b STRING>", "ROW<a BIGINT NOT NULL>")
    'ROW<a INT NOT NULL,b STRING>'
    """
    types = LogicalType.as_written(first), LogicalType.as_written(second)
    if types[0] is None or types[1] is None:
        return None
    result_type = _shared(types[0], types[1])
    required = any(text.rstrip().upper().endswith(NOT_NULL) for text in (first, second))
    return f"{result_type.serializable_string}{NOT_NULL * required}" if result_type is not None else None


def _shared(first: LogicalType, second: LogicalType) -> LogicalType | None:
    roots = {first.root, second.root}
    if roots <= _NUMBERS:
        return _number(first, second)
    if any(roots <= each for each in _OF_A_LENGTH):
        return min(first, second, key=lambda each: each.length or 0)
    if len(roots) > 1:
        return None
    if first.root == "ROW":
        return _row(first, second)
    if first.elements:
        elements = [_shared(*both) for both in zip(first.elements, second.elements, strict=True)]
        known_elements = tuple(element for element in elements if element is not None)
        return replace(first, elements=known_elements) if len(known_elements) == len(elements) else None
    return min(first, second, key=lambda each: each.precision or 0)


def _number(first: LogicalType, second: LogicalType) -> LogicalType:
    """The type of fewer values: a whole one before any other, and a DECIMAL before a floating point."""
    whole = [each for each in (first, second) if each.root in _WHOLE]
    if whole:
        return min(whole, key=lambda each: _WHOLE.index(each.root))
    exact = [each for each in (first, second) if each.root == "DECIMAL"]
    return min(exact or [first, second], key=lambda each: ((each.precision or 0) - (each.scale or 0), each.root))


def _row(first: LogicalType, second: LogicalType) -> LogicalType | None:
    """A row with the fields of both; a field of one alone is not read by the other one."""
    was, now = dict(_fields(first)), dict(_fields(second))
    columns: dict[str, tuple[LogicalType, bool]] = {}
    for name in (*was, *(name for name in now if name not in was)):
        sides = [side[name] for side in (was, now) if name in side]
        type_ = _shared(sides[0][0], sides[-1][0])
        if type_ is None:
            return None
        columns[name] = type_, any(required for _, required in sides)
    return LogicalType(
        "ROW",
        elements=tuple(type_ for type_, _ in columns.values()),
        names=tuple(name.upper() for name in columns),
        exact_names=tuple(columns),
        required=tuple(required for _, required in columns.values()),
    )


def _fields(row: LogicalType) -> Iterator[tuple[str, tuple[LogicalType, bool]]]:
    required = row.required or (False,) * len(row.elements)
    for name, element, own in zip(row.exact_names or row.names, row.elements, required, strict=True):
        yield name, (element, own)
