"""Which version of Flink a text names, as people write it: ``2.3``, ``v1.20.1``, ``vvr-11.1-flink-1.20``."""

from __future__ import annotations

import re

_FLINK = re.compile(r"(?:^\s*v?|flink-)([12]\.\d+)(?![\d])", re.IGNORECASE)
FLINK = "flink"
"""The engine that knows no other versions."""


def flink_version(text: str) -> str | None:
    """Its first two numbers; ``None`` for a text that names no version of Flink."""
    found = _FLINK.search(text)
    return None if found is None else found[1]


def version_fault(engine: str | None, version: str | None) -> str | None:
    """What is wrong with a version of an engine, in a sentence; ``None`` if it can be understood."""
    if engine != FLINK or version is None or flink_version(version) is not None:
        return None
    return f"{version!r} is no version of Flink: say 2.3, 1.20 or vvr-11.1-flink-1.20."
