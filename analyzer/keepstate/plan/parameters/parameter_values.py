"""Values of job parameters by their meaning: ``60 s`` is ``1 min``, ``TRUE`` is ``true``."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import Enum

from keepstate.plan.duration_words import duration_words

Meaning = bool | Decimal | str
"""Meaning of a value: a switch, a number (of milliseconds for a length of time), or a word in upper case."""

_LENGTHS = {
    label: Decimal(length)
    for length, labels in (
        ("86400000", "d day days"),
        ("3600000", "h hour hours"),
        ("60000", "m min minute minutes"),
        ("1000", "s sec secs second seconds"),
        ("1", "ms milli millis millisecond milliseconds"),
        ("0.001", "µs micro micros microsecond microseconds"),
        ("0.000001", "ns nano nanos nanosecond nanoseconds"),
    )
    for label in labels.split()
} | {"": Decimal(1)}
"""Milliseconds by Flink's labels of units; a bare number is in milliseconds."""
_DURATION = re.compile(r"(\d+)\s*([a-zµ]*)")
_ISO_DURATION = re.compile(
    r"P(?:(?P<d>\d+)D)?(?:T(?=\d)(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?", re.IGNORECASE
)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


class ValueType(Enum):
    BOOLEAN = "true or false"
    DURATION = "a length of time"
    NUMBER = "a number"
    WORD = "a word, in any case"
    TEXT = "a text"

    def read(self, text: str) -> Meaning | None:
        """Return the meaning of ``text``; ``None`` for a value that is not of this type.

        >>> ValueType.DURATION.read("90 s"), ValueType.BOOLEAN.read("TRUE"), ValueType.BOOLEAN.read("perhaps")
        (Decimal('90000'), True, None)
        """
        stripped = text.strip()
        match self:
            case ValueType.BOOLEAN:
                return {"true": True, "false": False}.get(stripped.lower())
            case ValueType.DURATION:
                return milliseconds(stripped)
            case ValueType.NUMBER:
                return Decimal(stripped) if _NUMBER.fullmatch(stripped) else None
            case ValueType.WORD:
                return stripped.upper()
        return stripped

    def words(self, text: str) -> str:
        """Return the value in readable words.

        >>> ValueType.DURATION.words("3600000"), ValueType.BOOLEAN.words("TRUE")
        ('1 hour', 'on')
        """
        meaning = self.read(text)
        if isinstance(meaning, bool):
            return "on" if meaning else "off"
        if isinstance(meaning, Decimal) and self is ValueType.DURATION:
            return duration_words(meaning)
        return text.strip() or "nothing"


def milliseconds(text: str) -> Decimal | None:
    """The length of time that ``1 d``, ``90 s``, ``5000`` or ``PT1H`` names, as Flink reads it.

    >>> milliseconds("1 d"), milliseconds("PT1H"), milliseconds("soon")
    (Decimal('86400000'), Decimal('3600000'), None)
    """
    stripped = text.strip().lower()
    plain = _DURATION.fullmatch(stripped)
    if plain is not None:
        return Decimal(plain[1]) * _LENGTHS[plain[2]] if plain[2] in _LENGTHS else None
    iso = _ISO_DURATION.fullmatch(stripped)
    if iso is None or not any(iso.groups()):
        return None
    return sum((Decimal(count) * _LENGTHS[unit] for unit, count in iso.groupdict().items() if count), Decimal(0))
