"""Untrusted text made safe to show: nothing that steers a terminal, reorders a line or breaks a document."""

from __future__ import annotations

import unicodedata

_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINER = "\N{ZERO WIDTH JOINER}"
"""Emoji are made with it."""
_NOT_XML = "\ufffe\uffff"
"""Characters that XML 1.0 forbids besides control characters and surrogates."""


def visible(text: str) -> str:
    """``text`` with line feeds as its line breaks, and replacement characters for control characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if lines.isascii() and lines.replace("\n", "").isprintable():
        return lines
    return "".join(char if _is_plain(char) else "\N{REPLACEMENT CHARACTER}" for char in lines)


def one_line(text: str) -> str:
    """``text`` made visible on one line."""
    return " ".join(visible(text).split())


def shortened(text: str, most: int) -> str:
    """At most ``most`` characters of a text."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _is_plain(char: str) -> bool:
    if char in "\n\t" or char == _JOINER:
        return True
    return char not in _NOT_XML and unicodedata.category(char) not in _STEERING
