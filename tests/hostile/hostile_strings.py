"""Strings that would do something if a page, a terminal, a log or a table took them for its own; and what tells."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Sequence
from datetime import date, datetime
from enum import Enum
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

HOSTILE = (
    "<script>alert(1)</script>",
    "</style></title></svg></textarea>--><script>alert(1)</script>",
    '" onmouseover="alert(1)" x=\'',
    "' onload='alert(1)",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "]]><![CDATA[<a>&amp;&#x3c;script&#x3e;",
    "\x1b[31m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x9b2J\r\x08",
    "::error file=a,line=1::owned\n::set-output name=x::y",
    "![x](http://evil.example/x.png) [a](javascript:alert(1)) | a | `b` @team #1",
    "\u202e\u2066reversed\u2069",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} $$x$$",
)
ALL = " ".join(HOSTILE)

_ACTIVE = frozenset({"script", "iframe", "object", "embed", "form", "base", "link", "foreignobject"})


class _Reading(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _ACTIVE or (tag == "img" and not dict(attrs).get("src", "").startswith("data:")):
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or "javascript:" in (value or "").lower().replace("\n", "")[:40]:
                self.found.append(f"{name}={value}")


def active_parts(page: str) -> list[str]:
    """The parts of an HTML page that would run or load something: none of our pages has such a part of its own."""
    reading = _Reading()
    reading.feed(page)
    return reading.found


def poisoned(kind: Any, text: str = ALL, within: tuple[Any, ...] = ()) -> Any:
    """A value of a type, ``text`` in every place that takes one: a dataclass, and what its fields are. A dataclass that
    holds others of its own kind, ``within`` itself, gets none.
    """
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is str or kind is Any:
        return text
    if kind in (int, float, bool):
        return kind(3)
    if kind is datetime:
        return datetime(2024, 1, 1)
    if kind is date:
        return date(2024, 1, 1)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(
            **{
                field.name: poisoned(hints[field.name], text, (*within, kind))
                for field in dataclasses.fields(kind)
                if field.init
            }
        )
    if origin in (typing.Union, types.UnionType):
        return poisoned(next(one for one in inner if one is not type(None)), text, within)
    if origin is tuple:
        return tuple(poisoned(one, text, within) for one in inner if one is not Ellipsis and one not in within)
    if origin is frozenset:
        return frozenset({poisoned(inner[0], text, within)})
    if kind is Path:
        return Path(text.replace("\0", ""))
    if origin is not None and issubclass(origin, Sequence):
        return [poisoned(inner[0], text, within)]
    raise TypeError(f"no value of {kind} is known")
