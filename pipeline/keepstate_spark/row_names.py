"""The names of columns, and of fields of ROW types as a script writes them; plans have the latter in upper case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.tokens import lex

_ENTRY = ("KEY", "VALUE")
"""The fields of MAP_ENTRIES, which Flink writes in lower case."""

RowNames = Mapping[LogicalType, tuple[str, ...]]


def row_names(script: str) -> dict[LogicalType, tuple[str, ...]]:
    """Return the names of the fields of each ROW type in a script. Of a type that is written in two ways they are
    unknown, and it is left out.
    """
    names_by_row: dict[LogicalType, set[tuple[str, ...]]] = {}
    for text in _types(script):
        type_ = LogicalType.as_written(text)
        for row in _rows(type_) if type_ is not None else ():
            names_by_row.setdefault(row, set()).add(row.exact_names)
    return {row: next(iter(names)) for row, names in names_by_row.items() if len(names) == 1}


def _types(script: str) -> Iterator[str]:
    """The texts of all ROW types that stand in no other."""
    tokens = lex(script).tokens
    end = 0
    for index, token in enumerate(tokens[:-1]):
        if index < end or token.word != "ROW" or tokens[index + 1].text[:1] != "<":
            continue
        depth = 0
        for last, other in enumerate(tokens[index + 1 :], start=index + 1):
            depth += _depth(other.text)
            if depth <= 0:
                end = last + 1
                yield script[token.start : other.end]
                break


def _depth(text: str) -> int:
    return text.count("<") - text.count(">") if set(text) <= {"<", ">"} else 0


def _rows(type_: LogicalType) -> Iterator[LogicalType]:
    if type_.root == "ROW" and type_.exact_names:
        yield type_
    for element in type_.elements:
        yield from _rows(element)


def as_written(type_: LogicalType, names: RowNames) -> LogicalType:
    """Return ``type_`` with the names of its fields as the script writes them; ``names`` are those of types that do not
    know their own.
    """
    elements = tuple(as_written(element, names) for element in type_.elements)
    if type_.root != "ROW":
        return replace(type_, elements=elements) if elements else type_
    own_names = type_.exact_names or names.get(type_)
    field_names = own_names or (("key", "value") if type_.names == _ENTRY else type_.names)
    return replace(type_, elements=elements, names=field_names)


def unlike_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of a result as Flink tells them apart: equal ones get a number.

    >>> unlike_names(["id0", "id", "id", "n"])
    ('id0', 'id', 'id1', 'n')
    """
    result: dict[str, None] = {}
    for name in names:
        other, number = name, count()
        while other in result:
            other = f"{name}{next(number)}"
        result[other] = None
    return tuple(result)
