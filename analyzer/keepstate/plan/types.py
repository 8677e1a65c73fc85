"""Type names in one spelling."""

from __future__ import annotations

import re

_SPELLINGS = (
    (re.compile(r"\bINTEGER\b"), "INT"),
    (re.compile(r"\bDEC\b|\bNUMERIC\b"), "DECIMAL"),
    (re.compile(r"\bDECIMAL\b(?!\()"), "DECIMAL(10,0)"),
    (re.compile(r"DECIMAL\((\d+)\)"), r"DECIMAL(\1,0)"),
    (re.compile(r"\bDOUBLE PRECISION\b"), "DOUBLE"),
    (re.compile(r"\b(?:CHARACTER VARYING|CHAR VARYING)\b"), "VARCHAR"),
    (re.compile(r"\bCHARACTER\b"), "CHAR"),
    (re.compile(r"\bVARCHAR\(2147483647\)"), "STRING"),
    (re.compile(r"\bVARCHAR\b(?!\()"), "STRING"),
    (re.compile(r"\bVARBINARY\(2147483647\)"), "BYTES"),
    (re.compile(r"\bTIMESTAMP(\(\d+\))? WITH LOCAL TIME ZONE\b"), r"TIMESTAMP_LTZ\1"),
    (re.compile(r"\bTIMESTAMP(\(\d+\))? WITHOUT TIME ZONE\b"), r"TIMESTAMP\1"),
    (re.compile(r"\b(TIMESTAMP|TIMESTAMP_LTZ)\b(?!\()"), r"\1(6)"),
    (re.compile(r"\bTIME(\(\d+\))? WITHOUT TIME ZONE\b"), r"TIME\1"),
)


def canonical_type(text: str) -> str:
    """A type as written, in the spelling that equal types share: ``decimal(12, 2)`` and ``DEC(12,2)`` are one."""
    name = re.sub(r"\s+", " ", text.replace("`", "").strip()).upper()
    name = re.sub(r"\s*([(),<>])\s*", r"\1", name)
    name = re.sub(r"(?<=[)>\w]) NOT NULL\b|(?<=[)>\w]) NULL\b", "", name)
    for pattern, spelling in _SPELLINGS:
        name = pattern.sub(spelling, name)
    return name
