"""Is this text Flink SQL? Keepstate keeps silent on every other ``.sql`` file."""

from __future__ import annotations

import re

_COMMENTS = re.compile(r"--[^\r\n]*|/\*(?!\+)[\s\S]*?\*/")
_COMMENTS_OF_HEAD = re.compile(r"--[^\r\n]*|/\*(?!\+)[\s\S]*?(?:\*/|\Z)")
_HEAD = 8_000
"""Characters of a long text that are looked at first: nearly all Flink jobs show it there, at every keystroke."""

_FLINK_ONLY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bWATERMARK\s+FOR\s+",
        r"\bPROCTIME\s*\(\s*\)",
        r"'connector'\s*=\s*'",
        r"\bTABLE\s*\(\s*(?:TUMBLE|HOP|CUMULATE|SESSION)\s*\(",
        r"\bDESCRIPTOR\s*\(",
        r"\b(?:TUMBLE|HOP|SESSION)_(?:START|END|ROWTIME|PROCTIME)\s*\(",
        r"\bGROUP\s+BY\b[^;]*?\b(?:TUMBLE|HOP|SESSION)\s*\([^;]*?\bINTERVAL\b",
        r"\bMATCH_RECOGNIZE\s*\([^;]*?\bAFTER\s+MATCH\s+SKIP\b",
        r"\bBEGIN\s+STATEMENT\s+SET\b|\bEXECUTE\s+STATEMENT\s+SET\b|\bSTATEMENT\s+SET\s+BEGIN\b",
        r"\bFOR\s+SYSTEM_TIME\s+AS\s+OF\s+[\w.`]+",
        r"\bSET\s+'(?:table|execution|pipeline|state|parallelism|sql-client|restart-strategy|taskmanager)\.",
        r"\bPRIMARY\s+KEY\s*\([^)]*\)\s*NOT\s+ENFORCED",
        r"\bMETADATA\s+(?:FROM\s+'|VIRTUAL\b)",
        r"\bLATERAL\s+TABLE\s*\(",
        r"\bCREATE\s+(?:TEMPORARY\s+)?(?:SYSTEM\s+)?FUNCTION\b[^;]*?\bLANGUAGE\s+(?:JAVA|SCALA|PYTHON)\b",
    )
)


def looks_like_flink(text: str) -> bool:
    """Whether ``text`` shows a construct that Flink SQL has and other dialects do not; comments do not count."""
    if len(text) > 2 * _HEAD:
        head = text[: text.rfind("\n", 0, _HEAD) + 1]
        if _shows_flink(_COMMENTS_OF_HEAD.sub(" ", head)):
            return True
    return _shows_flink(_COMMENTS.sub(" ", text))


def _shows_flink(code: str) -> bool:
    return any(pattern.search(code) for pattern in _FLINK_ONLY)
