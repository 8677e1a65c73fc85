"""Versions of engines, as people write them: ``2.3``, ``v1.20.1``, ``vvr-11.1-flink-1.20``, ``8.0``.

A version that no engine has, such as one with a slip of the pen, is refused where it is written: taken as it is, it
would be just another version, and the comparison would find a change of engine that is none.
"""

from __future__ import annotations

import re

FLINK, VVR = "flink", "vvr"
_FLINK = r"(?:^\s*v?|flink-)([12]\.\d+)(?![\d])"
_OF_FLINK = r"flink-[12]\.\d+(?:\.\d+)*"
_OTHER = r"(?:-(?!flink)\w[\w.]*)*"
"""Parts such as ``-jdk11`` and ``-rc1``."""
_TEXTS = {
    FLINK: r"(?:flink-|v)?[12]\.\d+(?:\.\d+)*" + _OTHER,
    # By its own number, by that of the Flink in it, or by both.
    VVR: rf"(?:vvr-|v)?\d+(?:\.\d+)*{_OTHER}(?:-{_OF_FLINK})?{_OTHER}|{_OF_FLINK}",
}
"""Patterns, which are compiled where a version is written: few commands have one."""
_SUGGESTED = {FLINK: "2.3 or 1.20", VVR: "vvr-11.1-flink-1.20"}
_LONGEST = 100


def flink_version(text: str) -> str | None:
    """The first two numbers of a version; ``None`` for a text that names no version of Flink.

    >>> flink_version("vvr-8.0.11-flink-1.17"), flink_version("vvr-8.0.11")
    ('1.17', None)
    """
    match = re.search(_FLINK, text, re.IGNORECASE)
    return None if match is None else match[1]


def version_fault(engine: str | None, version: str | None) -> str | None:
    """The fault of an engine version (``None``: of any), in a sentence with what to write instead; ``None``
    if it can be understood.

    >>> version_fault("flink", "1.19"), version_fault("flink", "one")
    (None, "'one' is no version of flink: say one such as 2.3 or 1.20.")
    """
    if version is None:
        return None
    having = [name for name in _TEXTS if _is_version(name, version)]
    if engine in having or (engine not in _TEXTS and having):
        return None
    quoted = repr(version if len(version) <= _LONGEST else f"{version[:_LONGEST]}...")
    if having and engine is not None:
        flink = flink_version(version)
        instead = _SUGGESTED[engine] if flink is None else flink
        return f"{quoted} is a version of {having[0]}, not of {engine}: say {instead}, or name the engine {having[0]}."
    suggested = _SUGGESTED[engine] if engine in _TEXTS else " or ".join(_SUGGESTED[name] for name in (VVR, FLINK))
    return f"{quoted} is no version of {engine or 'an engine'}: say one such as {suggested}."


def _is_version(engine: str, version: str) -> bool:
    if len(version) > _LONGEST:
        return False
    return re.fullmatch(_TEXTS[engine], version.strip(), re.IGNORECASE | re.ASCII) is not None
