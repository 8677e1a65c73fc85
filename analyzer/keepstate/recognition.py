"""Is this text Flink SQL? Keepstate keeps silent on every other ``.sql`` file."""

from __future__ import annotations

import re

_LINE_COMMENTS = re.compile(r"--[^\r\n]*")
# A comment without an end is taken to the end of the text, so that it is looked for once and not at each of its stars.
_COMMENTS = re.compile(r"--[^\r\n]*|/\*(?!\+)[\s\S]*?(?:\*/|\Z)")
_HEAD = 8_000
"""Characters of a long text that are looked at first: nearly all Flink jobs show it there, at every keystroke."""

_FLINK_ONLY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bWATERMARK\s+FOR\s+",
        r"\bPROCTIME\s*\(\s*\)",
        # Keys in quotes: elsewhere the properties of a table are bare words, or stand behind another keyword.
        r"\bWITH\s*\(\s*'[^'\r\n]*'\s*=\s*'",
        r"'connector'\s*=\s*'",
        r"\bROW\s*<\s*[\w`]+\s+\w+(?:\s+NOT\s+NULL)?\s*[,<>(]",
        r"\bDISTRIBUTED\s+(?:BY\s+(?:(?:HASH|RANGE)\s*)?\([^()]*\)\s*)?INTO\s+\d+\s+BUCKETS\b",
        r"\bTABLE\s*\(\s*(?:TUMBLE|HOP|CUMULATE|SESSION)\s*\(",
        r"\bDESCRIPTOR\s*\(",
        r"\b(?:TUMBLE|HOP|SESSION)_(?:START|END|ROWTIME|PROCTIME)\s*\(",
        r"\bBEGIN\s+STATEMENT\s+SET\b|\bEXECUTE\s+STATEMENT\s+SET\b|\bSTATEMENT\s+SET\s+BEGIN\b",
        r"\bFOR\s+SYSTEM_TIME\s+AS\s+OF\s+[\w.`]+",
        r"\bSET\s+'(?:table|execution|pipeline|state|parallelism|sql-client|restart-strategy|taskmanager)\.",
        r"\bPRIMARY\s+KEY\s*\([^()]*\)\s*NOT\s+ENFORCED",
        r"\bMETADATA\s+(?:FROM\s+'|VIRTUAL\b)",
        r"\bLATERAL\s+TABLE\s*\(",
        r"\bCREATE\s+CATALOG\s+(?:IF\s+NOT\s+EXISTS\s+)?[\w`$-]+\s+(?:COMMENT\s+'[^']*'\s+)?WITH\s*\(\s*'",
    )
)
_IN_TURN = tuple(
    tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for patterns in (
        (r"\bGROUP\s+BY\b", r"\b(?:TUMBLE|HOP|SESSION)\s*\(", r"\bINTERVAL\b"),
        (r"\bMATCH_RECOGNIZE\s*\(", r"\bAFTER\s+MATCH\s+SKIP\b"),
        (r"\bCREATE\s+(?:TEMPORARY\s+)?(?:SYSTEM\s+)?FUNCTION\b", r"\bLANGUAGE\s+(?:JAVA|SCALA|PYTHON)\b"),
    )
)
"""Patterns that indicate Flink SQL if they occur in this order within one statement. Each is searched for by itself: a
single pattern would start again at each GROUP BY.
"""


_FLINK_OPTIONS = re.compile(r"'connector'\s*=\s*'", re.IGNORECASE)
_OTHER_DIALECTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:SOURCE|SINK|STREAM|CONNECTION|MATERIALIZED\s+VIEW)\s+[\w\"`.]",
        r"\bFORMAT\s+\w+\s+ENCODE\s+\w+",
        r"\bEMIT\s+(?:CHANGES|FINAL|ON\s+WINDOW\s+CLOSE)\b",
    )
)
"""Statements of other dialects of streams that share constructs with Flink SQL, as RisingWave shares WATERMARK FOR."""
_WRITES = re.compile(r"\bINSERT\s+(?:INTO|OVERWRITE)\b|\bSTATEMENT\s+SET\b", re.IGNORECASE)
_CREATES_AS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (r"\bCREATE\b", r"\bTABLE\b", r"\bAS\s+SELECT\b"))


def may_be_flink_job(text: str) -> bool:
    """Return whether ``text`` shows Flink SQL, or writes into a table as a job does. A job on tables of a catalog may
    have no construct that other dialects lack.

    >>> may_be_flink_job("INSERT INTO s SELECT a FROM t"), may_be_flink_job("SELECT a FROM t")
    (True, False)
    """
    if looks_like_flink(text):
        return True
    code = _COMMENTS.sub(_blank, text)
    if any(pattern.search(code) for pattern in _OTHER_DIALECTS):
        return False
    if _WRITES.search(code):
        return True
    return any(_stand_in_turn(_CREATES_AS, statement) for statement in code.split(";"))


def looks_like_flink(text: str) -> bool:
    """Return whether ``text`` has a construct of Flink SQL that other dialects lack. Comments do not count.

    >>> looks_like_flink("SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))")
    True
    """
    if len(text) > 2 * _HEAD:
        head = text[: text.rfind("\n", 0, _HEAD) + 1]
        if _shows_flink(_COMMENTS.sub(" ", head)):
            return True
    return _shows_flink(_COMMENTS.sub(_blank, text))


def _blank(comment: re.Match[str]) -> str:
    """Nothing in place of a comment; one that is still being written hides none of the code behind it."""
    is_open = comment[0].startswith("/*") and (len(comment[0]) < 4 or not comment[0].endswith("*/"))
    return _LINE_COMMENTS.sub(" ", comment[0]) if is_open else " "


def _shows_flink(code: str) -> bool:
    if not _FLINK_OPTIONS.search(code) and any(pattern.search(code) for pattern in _OTHER_DIALECTS):
        return False
    if any(pattern.search(code) for pattern in _FLINK_ONLY):
        return True
    return any(_stand_in_turn(patterns, statement) for statement in code.split(";") for patterns in _IN_TURN)


def _stand_in_turn(patterns: tuple[re.Pattern[str], ...], text: str) -> bool:
    at = 0
    for pattern in patterns:
        match = pattern.search(text, at)
        if match is None:
            return False
        at = match.end()
    return True
