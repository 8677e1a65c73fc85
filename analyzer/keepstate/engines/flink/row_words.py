"""Differences of two stored rows in the words of the query: columns and aggregates by name, and no serializers.

A row is that of a key, of a stored row, of accumulators or of a sort order (``StatePart``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from keepstate.plan.spelling import exact, qualified
from keepstate.report import Effect
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import Fields, StatePart, StoredField

_SHOWN = 3
"""Up to this many names of one kind are listed."""
_ROWS = "the number of rows"
_LONGEST = 60
"""Up to this many characters a name is shown whole."""
_UNKNOWN = "types unknown: table not declared here"
_FORMS = (
    (re.compile(r"distinctAcc_\d+<(.*)>"), r"a set of \1"),
    (re.compile(r"\w+WithRetract<(.*)>"), r"\1"),
    (re.compile(r"ROW<(?:first|last)Value (.*), (?:first|last)Order BIGINT> \w+"), r"\1"),
    (re.compile(r"\w+\((.*)\)(?: retracting)?"), r"\1"),
)
"""Names that the engine has for accumulators, and the types of the values in them."""
_STRUCTURES = (
    ("by a key of", "rows are stored by a unique key", "rows by a unique key"),
    ("counts", "rows are stored with their counts", "rows with their counts"),
    ("row", "one row is stored for each key", "one row for each key"),
)
"""A word for a structure around rows, what the savepoint then has, and what is expected."""
_TAKEN_BACK = "rows can be taken back now, and the accumulators are those of rows that only come"
_ONLY_COME = "rows only come now, and the accumulators are those of rows that can be taken back"


def row_words(part: StatePart, before: Fields, after: Fields, about: tuple[str, str] = ("", "")) -> str:
    """The difference between the row in the savepoint and the expected one. ``about`` are the former and the current
    name that a change is about: where they differ, all others are left out.

    >>> row_words(StatePart.ROWS, (StoredField("id"),), (StoredField("id"), StoredField("name")))
    'the stored rows have no name'
    """
    baseline_names, current_names = _names(before), _names(after)
    is_same = {*baseline_names} - {_ROWS} == {*current_names} - {_ROWS}
    if part is StatePart.ACCUMULATORS and is_same and _takes_back(before) is not _takes_back(after):
        return _TAKEN_BACK if _takes_back(after) else _ONLY_COME
    if part in (StatePart.KEY, StatePart.ORDER) and baseline_names != current_names:
        opening = "state is kept" if part is StatePart.KEY else "rows are sorted"
        by = f"by {_row(baseline_names)}" if baseline_names else "without a key"
        return f"{opening} {by}, where {_row(current_names) if current_names else 'no key'} is expected"
    removed_names, added_names = _unlike(baseline_names, current_names)
    if about[0] in removed_names or about[1] in added_names:
        removed_names, added_names = (
            [name for name in names if name == own]
            for names, own in zip((removed_names, added_names), about, strict=True)
        )
    if removed_names or added_names:
        return _lacking(part, removed_names, added_names)
    return _retyped(part, before, after)


def reason_at(difference: StateDifference, was: str, now: str) -> tuple[str, bool]:
    """The reason of a difference at a change from one column or aggregate to another one, and whether the reason names
    one of them.
    """
    before, after = difference.rows
    if difference.effect is Effect.DOES_NOT_START and (before or after):
        removed_names, added_names = _unlike(_names(before), _names(after))
        return row_words(difference.part, before, after, (was, now)), was in removed_names or now in added_names
    pairs = (distinct_texts(*both) for both in zip(before, after, strict=False))
    own = next((pair for pair in pairs if was == pair[0] or now == pair[1]), None)
    return (swapped_words(*own), True) if own is not None and all(own) else (difference.reason, False)


def _unlike(baseline_names: Sequence[str], current_names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names that one of two rows has more often than the other one."""
    counts = Counter(baseline_names), Counter(current_names)
    return list((counts[0] - counts[1]).elements()), list((counts[1] - counts[0]).elements())


def swapped_words(before: str, after: str) -> str:
    """The reason where a value is read as another one of its type."""
    return f"the stored {_short(before)} is read as {_short(after)}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _lacking(part: StatePart, old: Sequence[str], new: Sequence[str]) -> str:
    """The sentence about what one of both rows has, and the other one has not."""
    holder = "the savepoint has" if part is StatePart.ACCUMULATORS else "the stored rows have"
    if not old:
        return f"{holder} no {_list(new, 'and no')}"
    if not new:
        return f"{holder} {_list(old, 'and')}, which nothing takes"
    return f"{holder} {_list(old, 'and')}, where {_list(new, 'and')} {'is' if len(new) == 1 else 'are'} expected"


def _retyped(part: StatePart, before: Fields, after: Fields) -> str:
    """The sentence about rows with the same names: of other types, or in another order."""
    old, new = _names(before), _names(after)
    if old != new:
        kind = "aggregates" if part is StatePart.ACCUMULATORS else "columns"
        return f"{kind} are stored as {_row(old)}, not {_row(new)}"
    pairs = [(was, now) for was, now in zip(before, after, strict=False) if was.type != now.type]
    if not pairs:
        return f"the {part.value} in the savepoint have another form"
    was, now = pairs[0]
    if was.type is None or now.type is None:
        return f"the type of {_name(now)} decides ({_UNKNOWN})"
    types = _type(was.type), _type(now.type)
    more = f" ({len(pairs) - 1} more)" if len(pairs) > 1 else ""
    if types[0] == types[1]:
        return f"{_name(now)} is stored in another form{more}"
    return f"{_name(now)} is stored as {types[0]}, and {types[1]} is expected{more}"


def structure_words(before: str, after: str) -> str:
    """The difference of two structures around rows (``StoredState.form``).

    >>> structure_words("map of counts", "map of counts and partners")
    'the stored rows have no number of partners'
    """
    if ("partners" in before) is not ("partners" in after):
        more = "no number of partners" if "partners" in after else "a number of partners, which nothing takes"
        return f"the stored rows have {more}"
    was, now = (next((each for each in _STRUCTURES if each[0] in form), None) for form in (before, after))
    if was is not None and now is not None and was != now:
        return f"{was[1]}, where {now[2]} {'is' if now[0] == 'row' else 'are'} expected"
    if before.startswith("sorted map") and after.startswith("sorted map"):
        return "the stored rows are sorted in another direction or by another number of keys"
    return "the stored rows are filed in another way"


def distinct_texts(before: StoredField, after: StoredField) -> tuple[str, str]:
    """The names of two fields: with their tables, or their types too, where their names are the same."""
    spells = (str, qualified, exact)
    pairs = ((before.spelled(spell), after.spelled(spell)) for spell in spells)
    return next((pair for pair in pairs if pair[0] != pair[1]), (_name(before), _name(after)))


def _takes_back(row: Fields) -> bool:
    """Return whether accumulators can take rows back: by their types, or by the count beside a sum."""
    names = [field.meaning[0] if isinstance(field.meaning, tuple) and field.meaning else "" for field in row]
    counts = "COUNT of" in names and "SUM for AVG" not in names
    return counts or any("Retract" in (field.type or "") or "retracting" in (field.type or "") for field in row)


def _names(row: Fields) -> list[str]:
    """The names of a row, of an aggregate once."""
    names = [_name(field) for field in row]
    return [name for number, name in enumerate(names) if name and (name not in names[:number] or name[-1] != ")")]


def _name(field: StoredField) -> str:
    """A column or an aggregate as a query writes it; empty for a count that belongs to an average or to a sum."""
    match field.meaning if field.query_meaning is None else field.query_meaning:
        case ("COUNT", (), *_) if field.place is None:
            return _ROWS
        case ("COUNT of", *_):
            return ""
        case ("distinct values of", (*operands,), *_):
            return f"the values of DISTINCT {', '.join(map(str, operands))}"
        case ("SUM for AVG", *_):
            return field.words.replace("SUM for AVG(", "AVG(", 1)
    return field.words


def _list(names: Sequence[str], word: str) -> str:
    first, more = names[:_SHOWN], len(names) - _SHOWN
    if more > 0:
        return f"{', '.join(first)} and {more} more"
    return f" {word} ".join(filter(None, (", ".join(first[:-1]), first[-1])))


def _row(names: Sequence[str]) -> str:
    if not names:
        return "nothing"
    return f"({', '.join(names[:_SHOWN])}{', ...' if len(names) > _SHOWN else ''})"


def _type(type_: str) -> str:
    for pattern, words in _FORMS:
        match = pattern.fullmatch(type_)
        if match is not None and not type_.startswith(
            ("DECIMAL(", "VARCHAR(", "CHAR(", "TIMESTAMP", "TIME(", "BINARY(")
        ):
            return match.expand(words)
    return type_
