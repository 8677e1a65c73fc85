"""Declared signatures of the user's functions, such as ``(STRING, INT) RETURNS STRING``.

A scalar function returns a type, a table function ``TABLE (word STRING, length INT)``. Types are those of columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepstate.plan.types.logical_types import LogicalType

_NAME = re.compile(r"\w[\w$]*")
_COLUMN = re.compile(r"(`(?:[^`]|``)+`|\w[\w$]*)\s+(.+)", re.DOTALL)
_RETURNS = re.compile(r"\s*RETURNS\s+(?:(TABLE)\b\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_PART = re.compile(r"`(?:[^`]|``)+`|.", re.DOTALL)
_OPENING, _CLOSING = "(<", ")>"
_FORM = "(STRING, INT) RETURNS STRING, or RETURNS TABLE (word STRING, length INT)"


class SignatureFault(ValueError):
    """Error of a signature that cannot be read: a sentence. ``key`` is the name of the function, if there is one.

    >>> SignatureFault("a type is nested too deeply.", "norm").key
    ('norm',)
    """

    def __init__(self, sentence: str, *key: str) -> None:
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True, slots=True, order=True)
class FunctionSignature:
    """The types of the arguments and of the result, as they are written; a table function has ``columns`` (names and
    types) and no ``result``.

    >>> str(FunctionSignature(("STRING",), columns=(("word", "STRING"),)))
    '(STRING) RETURNS TABLE (word STRING)'
    """

    arguments: tuple[str, ...]
    result: str = ""
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def is_table(self) -> bool:
        return bool(self.columns)

    def __str__(self) -> str:
        returned = self.result or f"TABLE ({', '.join(f'{_quoted(name)} {type_}' for name, type_ in self.columns)})"
        return f"({', '.join(self.arguments)}) RETURNS {returned}"


Functions = Mapping[str, tuple[FunctionSignature, ...]]
"""The signatures of functions by their names, in upper case: Flink ignores the case of functions."""


def read_functions(entries: Mapping[str, Any]) -> dict[str, tuple[FunctionSignature, ...]]:
    """The signatures of functions: a text each, or a list of texts for a function with several.

    >>> read_functions({"norm": "(STRING) RETURNS STRING"})["NORM"][0].result
    'STRING'

    Raises:
        SignatureFault: one of them cannot be read.
    """
    functions: dict[str, tuple[FunctionSignature, ...]] = {}
    for name, spec in entries.items():
        texts = [spec] if isinstance(spec, str) else spec
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise SignatureFault(f"{name} must be a signature such as {_FORM}, or a list of them.", name)
        if not _NAME.fullmatch(name):
            raise SignatureFault(f"{name!r} is no name of a function: leave catalog and database out.", name)
        if name.upper() in functions:
            raise SignatureFault(f"{name} is there twice: names of functions have no case.", name)
        try:
            signatures = tuple(dict.fromkeys(map(read_signature, texts)))
        except SignatureFault as fault:
            raise SignatureFault(f"{name}: {fault}", name) from fault
        if len({signature.is_table for signature in signatures}) > 1:
            raise SignatureFault(f"{name}: a function returns a value or a table, not both.", name)
        if len({_types(signature.arguments) for signature in signatures}) < len(signatures):
            raise SignatureFault(f"{name}: two signatures have the same arguments.", name)
        functions[name.upper()] = signatures
    return functions


def named_signature(text: str) -> tuple[str, FunctionSignature]:
    """The name and the signature of a text such as ``norm(STRING) RETURNS STRING``.

    >>> named_signature("norm(STRING, INT) RETURNS STRING")[1].arguments
    ('STRING', 'INT')

    Raises:
        SignatureFault: it cannot be read.
    """
    name, _, rest = text.strip().partition("(")
    if not _NAME.fullmatch(name.strip()):
        raise SignatureFault(f"{text!r} is no signature: it has the form norm{_FORM}.")
    return name.strip(), read_signature(f"({rest}")


def read_signature(text: str) -> FunctionSignature:
    """Read a signature without the name of its function.

    >>> str(read_signature("( string,DECIMAL(10, 2) ) returns TABLE(word STRING)"))
    '(string, DECIMAL(10, 2)) RETURNS TABLE (word STRING)'

    Raises:
        SignatureFault: it cannot be read.
    """
    text = text.strip()
    end = _end(text)
    returned = _RETURNS.fullmatch(text, end) if end else None
    if returned is None:
        raise SignatureFault(f"{text!r} is no signature: it has the form {_FORM}.")
    arguments = tuple(map(_type, _items(text[1 : end - 1])))
    rest = returned[2].strip()
    if not returned[1]:
        return FunctionSignature(arguments, _type(rest))
    if not rest or _end(rest) != len(rest) or not _items(rest[1:-1]):
        raise SignatureFault(f"{text!r} returns a TABLE without columns, such as TABLE (word STRING, length INT).")
    columns = tuple(map(_column, _items(rest[1:-1])))
    if len({name for name, _ in columns}) < len(columns):
        raise SignatureFault(f"{text!r} has two columns of one name.")
    return FunctionSignature(arguments, columns=columns)


def result_type(signature: FunctionSignature) -> LogicalType | None:
    """The type of a call of a scalar function; ``None`` for a table, and where it depends on the version of Flink."""
    return LogicalType.declared(signature.result) if signature.result else None


def _column(text: str) -> tuple[str, str]:
    match = _COLUMN.fullmatch(text)
    if match is None:
        raise SignatureFault(f"{text!r} is no column: it has a name and a type, such as word STRING.")
    name = match[1]
    return (name[1:-1].replace("``", "`") if name.startswith("`") else name), _type(match[2])


def _type(text: str) -> str:
    try:
        # A text in quotes names a class, or holds a serialized object.
        is_type = "'" not in text and LogicalType.parse(text) is not None
    except RecursionError as error:
        raise SignatureFault("a type is nested too deeply.") from error
    if not is_type:
        raise SignatureFault(f"{text!r} is no type: types are those of columns, without RAW and classes.")
    return re.sub(r"\s+", " ", text)


def _types(arguments: Sequence[str]) -> tuple[LogicalType | None, ...]:
    return tuple(map(LogicalType.parse, arguments))


def _end(text: str) -> int:
    """The position behind the bracket that closes the first one; 0 where there is none."""
    if not text.startswith("("):
        return 0
    return next((end for _, end, depth in _parts(text) if depth == 0), 0)


def _items(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    items = [""]
    for part, _, depth in _parts(text):
        if part == "," and depth == 0:
            items.append("")
        else:
            items[-1] += part
    stripped = [item.strip() for item in items]
    return [] if stripped == [""] else stripped


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Characters and names in backticks, each with its end and the number of brackets that are open behind it."""
    depth = 0
    for part in _PART.finditer(text):
        depth += (part[0] in _OPENING) - (part[0] in _CLOSING)
        yield part[0], part.end(), depth


def _quoted(name: str) -> str:
    return name if _NAME.fullmatch(name) else "`{}`".format(name.replace("`", "``"))
