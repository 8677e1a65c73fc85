"""Text of a call, as a query writes it: ``CASE WHEN ... END``, ``x IS NULL``, ``amount > 10``."""

from __future__ import annotations

from collections.abc import Sequence

_INFIX = {
    "OR": 1,
    "AND": 2,
    "=": 4,
    "<>": 4,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "||": 5,
    "*": 6,
    "/": 6,
    "%": 6,
}
"""Operators between their operands, and how tightly each binds."""
_LIKE = frozenset({"LIKE", "SIMILAR TO", "IS", "IS NOT"})
"""Words between two operands."""
_SPELLINGS = {"SIMILARTO": "SIMILAR TO"}
_CONDITIONS = _LIKE | _SPELLINGS.keys() | {"ESCAPE"}
_WITHOUT_PARENTHESES = frozenset(
    "CURRENT_TIMESTAMP CURRENT_DATE CURRENT_TIME LOCALTIME LOCALTIMESTAMP CURRENT_ROW_TIMESTAMP".split()
)
_DEFAULT = "DEFAULT "
_PART = "this="
"""In front of a word that is a part of its call, and no operand."""
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT, _COMPARISON, _ATOM = 3, 4, 9
_CLAUSE = _ATOM + 1
"""Tightness of a clause behind the operands of a call: no comma precedes it."""


def tightness(name: str, count: int) -> int:
    """Return how tightly a call of ``count`` operands binds: an operand that binds less needs parentheses.

    >>> tightness("OR", 2) < tightness("AND", 2) < tightness("UPPER", 1)
    True
    """
    if name == "NOT" and count == 1:
        return _NOT
    if name == "FUNCTIONCLAUSE":
        return _CLAUSE
    if name in _CONDITIONS and count == 2:
        return _COMPARISON
    return _INFIX.get(name, _ATOM) if count >= 2 else _ATOM


def call_words(name: str, operands: Sequence[tuple[str, int]], constant_first: bool = False) -> str:
    """The text of a call. ``operands`` are their texts, each with how tightly it binds; ``constant_first`` says that
    the first of two is a constant, which a query writes behind the column.

    >>> call_words("<", [("10", 9), ("amount", 9)], constant_first=True)
    'amount > 10'
    >>> call_words("CASE", [("kind = 'a'", 4), ("v", 9), ("NULL", 9)])
    "CASE WHEN kind = 'a' THEN v END"
    >>> call_words("COLUMN", [("UNNEST(tags)", 9), ("0", 9), ("STRING", 9)])
    'column 1 of UNNEST(tags)'
    >>> call_words("FLOOR", [("ts", 9), ("HOUR", 9)]), call_words("BRACKET", [("attributes", 9), ("'k'", 9)])
    ('FLOOR(ts TO HOUR)', "attributes['k']")
    >>> call_words("JSON_QUERY", [("doc", 9), ("'$.a'", 9), ("WITH WRAPPER", tightness("FUNCTIONCLAUSE", 1))])
    "JSON_QUERY(doc, '$.a' WITH WRAPPER)"
    """
    name = _SPELLINGS.get(name, name)
    texts = [text for text, _ in operands]
    if name == "COLUMN":
        # An exact spelling has the type behind the number.
        return f"column {int(texts[1].split()[0]) + 1} of {texts[0]}"
    if name == "CASE" and len(texts) >= 2:
        return _case(texts)
    if name == "NOT" and len(texts) == 1:
        return _negated(texts[0], operands[0][1])
    if name == "NEGATE" and len(texts) == 1:
        return f"-{texts[0] if operands[0][1] == _ATOM else f'({texts[0]})'}"
    if special := _with_words(name, texts):
        return special
    own = tightness(name, len(texts))
    if own == _ATOM:
        tail = "".join(f" {text}" for text, tight in operands if tight == _CLAUSE)
        return f"{name}({', '.join(text for text, tight in operands if tight != _CLAUSE)}{tail})"
    if constant_first and name in _MIRRORED:
        operands, name = [operands[1], operands[0]], _MIRRORED[name]
    # Comparisons do not follow one another, and what follows a minus or a slash is taken as a whole.
    bounds = [own + (own == _COMPARISON or (bool(index) and name in "-/%")) for index in range(len(operands))]
    pairs = zip(operands, bounds, strict=True)
    return f" {name} ".join(text if bound <= tight else f"({text})" for (text, tight), bound in pairs)


def _with_words(name: str, texts: Sequence[str]) -> str:
    """The text of a call that has words between its operands, or brackets; empty for all others."""
    words = " ".join(text.removeprefix(_PART) for text in texts)
    if name == "FUNCTIONCLAUSE" and words.startswith(_DEFAULT):
        return f"DEFAULT {texts[1]} {texts[0].removeprefix(_PART + _DEFAULT)}"
    if name == "HEXSTRING":
        return f"X'{words}'"
    if name in ("VAR", "FUNCTIONCLAUSE"):
        return words
    if name == "JSON" and all(text.startswith(_PART) for text in texts):
        return f"JSON {words}".strip()
    if name in _WITHOUT_PARENTHESES and not texts:
        return name
    if name in ("ARRAY", "MAP"):
        return f"{name}[{', '.join(texts)}]"
    match name, *texts:
        case "BRACKET", value, index:
            return f"{value}[{index}]"
        case "JSONKEYVALUE", key, value:
            return f"KEY {key} VALUE {value}"
        case (("FLOOR" | "CEIL"), value, unit):
            return f"{name}({value} TO {unit})"
        case "ESCAPE", condition, sign:
            return f"{condition} ESCAPE {sign}"
    return ""


def _case(texts: Sequence[str]) -> str:
    """Conditions with their results, and the last text for all other rows: NULL is what CASE gives without ELSE."""
    pairs = zip(texts[0:-1:2], texts[1::2], strict=False)
    whens = " ".join(f"WHEN {condition} THEN {result}" for condition, result in pairs)
    otherwise = texts[-1] if len(texts) % 2 else "NULL"
    return f"CASE {whens}{f' ELSE {otherwise}' if otherwise != 'NULL' else ''} END"


def _negated(text: str, tight: int) -> str:
    for positive, negative in ((" IS ", " IS NOT "), (" LIKE ", " NOT LIKE ")):
        before, operator, behind = text.rpartition(positive)
        if tight == _COMPARISON and operator and "'" not in before and not behind.startswith("NOT "):
            return f"{before}{negative}{behind}"
    return f"NOT {text}" if tight > _COMPARISON else f"NOT ({text})"
