"""The version of Flink in a text as people write it: ``2.3``, ``v1.20.1``, ``vvr-11.1-flink-1.20``."""

from __future__ import annotations

import re

_FLINK = re.compile(r"(?:^\s*v?|flink-)([12]\.\d+)(?![\d])", re.IGNORECASE)
FLINK = "flink"
"""The engine whose versions have this form alone."""


def flink_version(text: str) -> str | None:
    """The first two numbers of a version; ``None`` for a text that names no version of Flink."""
    found = _FLINK.search(text)
    return None if found is None else found[1]


def version_fault(engine: str | None, version: str | None) -> str | None:
    """The fault of an engine version, in a sentence; ``None`` for a valid version."""
    if engine != FLINK or version is None or flink_version(version) is not None:
        return None
    return f"{version!r} is no version of Flink: say 2.3, 1.20 or vvr-11.1-flink-1.20."
