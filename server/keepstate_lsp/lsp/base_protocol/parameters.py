"""The shape of parameters that a client sends, held against the types of the protocol.

The converter of the protocol library makes a text of a number and a list of a text. A URI that is the number 5 is no
URI, and what is made of it is the answer to another question.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import attrs
from lsprotocol import types as lsp

_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
_UNIONS = (Union, types.UnionType)


def misfits(value: Any, kind: Any, place: str = "params") -> Iterator[str]:
    """The faults of ``value``, read from JSON, for a type of the protocol, with its place: ``params.position.line
    is a text, not a whole number``.
    """
    origin = get_origin(kind)
    if origin in _UNIONS:
        yield from _of_union(value, get_args(kind), place)
    elif kind in (Any, object):
        return
    elif origin is Literal:
        if value not in get_args(kind):
            yield f"{place} is not {' or '.join(map(repr, get_args(kind)))}"
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        yield from _of_list(value, get_args(kind)[0], place)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            yield f"{place} is {_type_name(value)}, not an object"
    elif attrs.has(kind):
        yield from _of_object(value, kind, place)
    else:
        plain_kind = type(next(iter(kind)).value) if issubclass(kind, Enum) else kind
        if not _is(value, plain_kind):
            yield f"{place} is {_type_name(value)}, not {_NAMES[plain_kind]}"


def _of_union(value: Any, kinds: Sequence[Any], place: str) -> Iterator[str]:
    """The faults by the kind that fits best: the one that comes furthest."""
    faults_by_kind = [list(misfits(value, kind, place)) for kind in kinds]
    if all(faults_by_kind):
        yield from max(faults_by_kind, key=lambda faults: (faults[0].partition(" ")[0].count("."), -len(faults)))


def _of_list(value: Any, kind: Any, place: str) -> Iterator[str]:
    # An empty table of Lua may be either.
    if value == {}:
        return
    if not isinstance(value, list):
        yield f"{place} is {_type_name(value)}, not a list"
        return
    for number, one in enumerate(value):
        yield from misfits(one, kind, f"{place}[{number}]")


def _of_object(value: Any, kind: type, place: str) -> Iterator[str]:
    if value == []:
        value = {}
    if not isinstance(value, dict):
        yield f"{place} is {_type_name(value)}, not an object"
        return
    for name, of_name, is_needed in _attributes(kind):
        if name in value:
            yield from misfits(value[name], of_name, f"{place}.{name}")
        elif is_needed:
            yield f"{place}.{name} is missing"


@cache
def _attributes(kind: type) -> tuple[tuple[str, Any, bool], ...]:
    """Name in JSON, type, and whether it has to be there, of each attribute of a class."""
    # Some refer to classes by name.
    attrs.resolve_types(kind, lsp.ALL_TYPES_MAP, {})
    return tuple((_in_json(one.name), one.type, one.default is attrs.NOTHING) for one in attrs.fields(kind))


def _in_json(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(map(str.capitalize, rest))


def _is(value: Any, kind: type) -> bool:
    if kind is bool:
        # Vim script has no other truth values.
        return isinstance(value, bool) or (isinstance(value, int) and value in (0, 1))
    if isinstance(value, bool):
        return False
    if kind is int:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, (int, float)) if kind is float else isinstance(value, kind)


def _type_name(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return _NAMES.get(type(value), "something else")
