"""Quoted texts of a query, shortened for the first words of a message; the clause itself has them whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ARROW = " -> "
_DOTS = "..."
_ENDING = re.compile(r"( added| removed| moved| changed)?( in the [a-z ]+)?( \((?:now|by) [^()]*\))?$")
"""Words behind a text that say its fate."""
_UNIT = re.compile(r"(?<=\d )(day|hour|minute|second)s?\b")
_UNITS = {"day": "d", "hour": "h", "minute": "min", "second": "s"}
_LEAD = re.compile("[a-z ]+ ")
"""Words in front of the first of two texts, for both: what they are."""
_FIRST_WORD = re.compile("[ (]")
_LEGIBLE = 1000
"""Characters of a text of which the first words of a message may have some."""
_NAME = re.compile(r"(?<![\w-])[\w-]+(?:\.[\w-]+){2,}")
"""Names of options and classes, of which the last parts say most."""


def clipped(text: str, most: int) -> str:
    """A text in about ``most`` characters, with the words behind it; of ``a -> b`` each side, of which the second one
    leaves out what both share.

    >>> clipped("p.sent_at <= o.ordered_at + INTERVAL '4' HOUR removed", 24)
    'p.sent_at <= o.order... removed'
    """
    match = _ENDING.search(text, max(len(text) - _LEGIBLE, 0))
    ending = match.group() if match is not None else ""
    quoted = text.removesuffix(ending)
    was, arrow, now = quoted.partition(_ARROW)
    if arrow:
        return arrow_of(was, now, most) + ending
    return _cut(quoted, most) + ending


def arrow_of(was: str, now: str, most: int) -> str:
    """``was -> now`` with about ``most`` characters for each side. Long calls that differ in one place are written
    once, with the arrow in that place.

    >>> arrow_of("MIN(price)", "MAX(price)", 40)
    'MIN(price) -> MAX(price)'
    >>> arrow_of("COALESCE(region, 'unknown')", "COALESCE(region, 'none')", 18)
    "COALESCE(region, 'unknown' -> 'none')"
    >>> arrow_of("SUM(CASE WHEN state = 'OPEN' THEN price END)", "SUM(CASE WHEN state IS NULL THEN price END)", 24)
    "SUM(... state = 'OPEN' -> IS NULL THEN price END)"
    >>> arrow_of("filter day >= TIMESTAMP '2026-05-04 00:00:00'", "day >= DATE '2026-05-04'", 24)
    "filter day >= TIMESTAMP '20... -> ... DATE '2026-05-04'"
    """
    # The first text may begin with words for both, as "group key".
    place = was.find(f" {_FIRST_WORD.split(now, maxsplit=1)[0]}") + 1
    if _LEAD.fullmatch(was[:place]) and max(len(was) - place, len(now)) > most:
        return f"{was[:place]}{arrow_of(was[place:], now, most)}"
    if max(len(was), len(now)) > most and (once := _written_once(was, now, 2 * most + len(_ARROW))):
        return once
    return _ARROW.join(clipped_pair(was, now, most))


def _written_once(was: str, now: str, most: int) -> str:
    """One text for two that differ in one place inside of parentheses; empty where that is not so, or above ``most``
    characters.
    """
    if max(len(was), len(now)) > _LEGIBLE:
        return ""
    words = _WORD.findall(was), _WORD.findall(now)
    front = _shared(*words)
    back = _shared(words[0][front:][::-1], words[1][front:][::-1])
    middles = ["".join(side[front : len(side) - back]).strip() for side in words]
    before, after = "".join(words[0][:front]), "".join(words[0][len(words[0]) - back :])
    if not all(middles) or not all(map(_is_closed, middles)) or before.count("(") <= before.count(")"):
        return ""
    change = _ARROW.join(middles)
    whole = f"{before}{change}{after}"
    if len(whole) <= most:
        return whole
    call, parenthesis, inside = before.partition("(")
    start = f"{call}{parenthesis}"
    for nearest in (inside.rstrip().rpartition(" ")[2], ""):
        # The space in front of the changed place stays where there was one.
        opening = f"{start}{_DOTS} {nearest}{' ' * (before.endswith(' ') and bool(nearest))}{change}"
        for rest in (after, f"{_DOTS})"):
            gap = " " if rest is not after or after[:1].isalnum() else ""
            if len(text := f"{opening}{gap}{rest}") <= most:
                return text
    return ""


_WORD = re.compile(r"'(?:[^']|'')*'|\w+|\s+|[^\w\s]")


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of words in front that two sequences share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (word, other_word) in pairs if word != other_word), min(len(one), len(other)))


def _is_closed(text: str) -> bool:
    """True where each parenthesis of a text has its partner in it."""
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def clipped_pair(was: str, now: str, most: int) -> tuple[str, str]:
    """Two texts, of which the second one leaves out the words in front that both share.

    >>> clipped_pair("COUNT(*) FILTER (WHERE duration > 30)", "COUNT(*) FILTER (WHERE duration > 45)", 40)
    ('COUNT(*) FILTER (WHERE duration > 30)', '... (WHERE duration > 45)')
    >>> clipped_pair("COUNT(DISTINCT sender_id)", "COUNT(DISTINCT sender_id) FILTER (WHERE weight > 1)", 28)
    ('COUNT(DISTINCT sender_id)', '... FILTER (WHERE weight...')
    >>> clipped_pair("com.example.MeanOfTops", "com.example.v2.MeanOfTops", 16)
    ('MeanOfTops', 'v2.MeanOfTops')
    """
    if max(len(was), len(now)) > most and _NAME.fullmatch(was) and _NAME.fullmatch(now):
        was, now = _without_package(was, now)
    words = was.split(" "), now.split(" ")
    pairs = zip(*words, strict=False)
    shared = next((index for index, (one, other) in enumerate(pairs) if one != other), min(map(len, words)))
    shared = min(_opening(words[1], shared), len(words[1]) - 1)
    if not was or shared < 1 or (len(was) <= most and len(now) <= most and shared < _MANY):
        pair = _cut(was, most), _cut(now, most)
        return pair if pair[0] != pair[1] or was == now else (_cut_in_front(was, most), _cut_in_front(now, most))
    behind = [f"{_DOTS} {' '.join(side[shared:])}" for side in words]
    # What differs is not cut off.
    is_hidden = len(" ".join(words[0][:shared])) >= most - len(_DOTS) - 1 and shared < len(words[0])
    return _cut(behind[0] if is_hidden else was, most), _cut(behind[1], most)


_MANY = 2
"""From this many shared words on the second text leaves them out, also if both are short."""


def _opening(words: Sequence[str], index: int) -> int:
    """The word that opens the parenthesis around the word ``index``, or ``index`` if there is none behind the first."""
    depth = 0
    for place in range(index - 1, 0, -1):
        depth += words[place].count(")") - words[place].count("(")
        if depth < 0:
            return place
    return index


def _without_package(was: str, now: str) -> tuple[str, str]:
    """Two names without the parts in front that both share."""
    baseline_parts, current_parts = was.split("."), now.split(".")
    shared = 0
    while shared < min(len(baseline_parts), len(current_parts)) - 1 and baseline_parts[shared] == current_parts[shared]:
        shared += 1
    return ".".join(baseline_parts[shared:]), ".".join(current_parts[shared:])


def _cut_in_front(text: str, most: int) -> str:
    return text if len(text) <= most else f"{_DOTS}{text[len(text) - most + len(_DOTS) :]}"


def _cut(text: str, most: int) -> str:
    """At most ``most`` characters of a text: with short units, then without the first parts of names, then its front.

    >>> _cut("HOP of 1 hour every 15 minutes", 24)
    'HOP of 1 h every 15 min'
    >>> _cut("option table.exec.emit.early-fire.enabled", 34)
    'option ...emit.early-fire.enabled'
    """
    # What is cut off anyway is not searched for names.
    text = text[:_LEGIBLE]
    if len(text) > most and "'" not in text:
        text = _UNIT.sub(lambda match: _UNITS[match[1]], text)
    while len(text) > most and (name := _NAME.search(text)):
        text = f"{text[: name.start()].removesuffix(_DOTS)}{_DOTS}{name[0].partition('.')[2]}{text[name.end() :]}"
    return text if len(text) <= most else f"{text[: most - len(_DOTS) - 1].rstrip(' ,')}{_DOTS}"
