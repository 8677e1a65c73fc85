"""The text of a dump as a tree: JSON, several JSON documents one after the other, or YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from keepstate.embedded.text_scalars import EmbeddingError
from keepstate.embedded.yaml_values import yaml_scalars

Tree: TypeAlias = "str | Mapping[str, Tree]"
"""A list is a mapping of positions, ``0`` first. Numbers and truth values are texts, and null is left out."""
LARGEST_DUMP = 32 * 1024 * 1024
"""Bytes of a file: thousands of deployments."""


class DumpError(Exception):
    """A dump cannot be read or taken; the message is a sentence for a person, ``hint`` a command or an option."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.hint = hint


def documents(text: str, name: str) -> list[Tree]:
    """The documents of a dump.

    >>> documents('{"spec": {"sql": "SELECT 1"}}', "dump.json")
    [{'spec': {'sql': 'SELECT 1'}}]

    Raises:
        DumpError: the text is neither JSON nor YAML that can be read.
    """
    text = text.removeprefix("\ufeff")
    try:
        trees = list(_json(text)) if text.lstrip().startswith(("{", "[")) else _yaml(text)
    except json.JSONDecodeError as error:
        raise DumpError(f"{name} is no JSON: {error.msg} in line {error.lineno}.") from error
    except RecursionError as error:
        raise DumpError(f"{name} is nested too deeply.") from error
    except EmbeddingError as error:
        raise DumpError(f"{name} is no JSON, and as YAML it {error}.", "write the dump as JSON (-o json)") from error
    if not any(isinstance(tree, Mapping) and tree for tree in trees):
        raise DumpError(f"{name} holds no deployment: it is neither JSON nor YAML with keys.")
    return trees


def _json(text: str) -> Iterator[Tree]:
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        yield _tree(value)


def _tree(value: Any) -> Tree:
    if isinstance(value, Mapping):
        return {key: _tree(below) for key, below in value.items() if below is not None}
    if isinstance(value, list):
        return {str(index): _tree(below) for index, below in enumerate(value) if below is not None}
    return json.dumps(value) if isinstance(value, (bool, int, float)) else str(value)


def _yaml(text: str) -> list[Tree]:
    by_document: dict[int, Any] = {}
    for document, parts, value in yaml_scalars(text):
        if not parts:
            by_document[document] = value
            continue
        tree = by_document.setdefault(document, {})
        *above, last = parts
        for part in above:
            tree = tree.setdefault(part, {})
        if last in tree:
            raise EmbeddingError(f"has {last} twice in one place")
        tree[last] = value
    return [by_document[document] for document in sorted(by_document)]


def at_path(tree: Tree, path: str) -> list[tuple[str, str]]:
    """The texts at a path, each with its place: ``data.*.statement``, or with slashes where keys have dots.

    >>> at_path({"data": {"0": {"sql": "a"}, "1": {"sql": "b"}}}, "data.*.sql")
    [('data.0.sql', 'a'), ('data.1.sql', 'b')]
    """
    sign = "/" if path.startswith("/") else "."
    places: list[tuple[str, Tree]] = [("", tree)]
    for part in path.strip(sign).split(sign):
        below = []
        for place, each in places:
            if isinstance(each, Mapping):
                keys = list(each) if part == "*" else [part] if part in each else []
                below += [(f"{place}{sign if place or sign == '/' else ''}{key}", each[key]) for key in keys]
        places = below
    return [(place, each) for place, each in places if isinstance(each, str)]


def text_at(tree: Tree, *parts: str) -> str | None:
    """The text under some keys; ``None`` if there is none."""
    node = tree_at(tree, *parts)
    return node if isinstance(node, str) else None


def tree_at(tree: Tree, *parts: str) -> Tree | None:
    """The part of a tree under some keys; ``None`` if there is nothing."""
    node: Tree | None = tree
    for part in parts:
        node = node.get(part) if isinstance(node, Mapping) else None
    return node


def flat(tree: Tree | None, prefix: str = "") -> dict[str, str]:
    """The texts of a mapping by dotted names.

    >>> flat({"a": {"b": "1"}, "c.d": "2"})
    {'a.b': '1', 'c.d': '2'}
    """
    values: dict[str, str] = {}
    for key, value in tree.items() if isinstance(tree, Mapping) else ():
        name = f"{prefix}{key}"
        values |= {name: value} if isinstance(value, str) else flat(value, f"{name}.")
    return values
