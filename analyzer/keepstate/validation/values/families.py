"""Families of types, and what Flink lets meet: in comparisons, casts, CASE and UNION, and in the columns of a sink.

Measured on Flink 2.3: each pair of types in each of these places. A type that is not known, or is in no family here
(RAW), fits everywhere: then the script does not tell.
"""

from __future__ import annotations

from enum import Enum

from keepstate.plan.types.common_types import APPROXIMATE, BINARY, NUMERIC, TEXT
from keepstate.plan.types.logical_types import LogicalType

INTERVAL = "interval"
NUMBER, STRING, BYTES, BOOLEAN, DATE, TIME, TIMESTAMP = (
    "number",
    "string",
    "bytes",
    "boolean",
    "date",
    "time",
    "timestamp",
)
_FAMILIES: dict[str, str] = {
    **dict.fromkeys(NUMERIC, NUMBER),
    **dict.fromkeys(TEXT, STRING),
    **dict.fromkeys(BINARY, BYTES),
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    "TIME": TIME,
    "TIMESTAMP": TIMESTAMP,
    "TIMESTAMP_LTZ": TIMESTAMP,
    "ARRAY": "array",
    "MAP": "map",
    "ROW": "row",
    "MULTISET": "multiset",
    "INTERVAL SECOND": INTERVAL,
    "INTERVAL MONTH": INTERVAL,
    "VARIANT": "variant",
}
ROW = "row"
VARIANT = "variant"
_COLLECTIONS = frozenset({"array", "map", ROW, "multiset"})
_WITH_TEXT = frozenset({BOOLEAN, DATE, TIME, TIMESTAMP, INTERVAL})
"""Families whose values can be compared with strings."""

_FROM_NUMBER = frozenset({NUMBER, BOOLEAN, STRING})
_CASTS: dict[str, frozenset[str]] = {
    NUMBER: _FROM_NUMBER,
    BOOLEAN: _FROM_NUMBER,
    STRING: frozenset({NUMBER, BOOLEAN, STRING, BYTES, DATE, TIME, TIMESTAMP}),
    BYTES: frozenset({STRING, BYTES}),
    DATE: frozenset({STRING, DATE, TIMESTAMP}),
    TIME: frozenset({STRING, TIME, TIMESTAMP}),
    TIMESTAMP: frozenset({STRING, DATE, TIME, TIMESTAMP}),
    INTERVAL: frozenset({STRING, INTERVAL}),
    "array": frozenset({STRING, "array"}),
    "map": frozenset({STRING, "map"}),
    "row": frozenset({STRING, "row"}),
    "multiset": frozenset({STRING, "multiset"}),
    VARIANT: frozenset(),
}
"""The families into which a value of a family can be cast."""


def family_of(type_: LogicalType | None) -> str | None:
    """The family of a type; ``None`` for what is not known here."""
    return _FAMILIES.get(type_.root) if type_ is not None else None


def has_order(type_: LogicalType | None) -> bool:
    """Return whether the planner orders values of a type by ``<``; its validator takes arrays and maps.

    >>> has_order(LogicalType.parse("INT")), has_order(LogicalType.parse("ARRAY<INT>"))
    (True, False)
    """
    return family_of(type_) not in _COLLECTIONS


def can_be_compared(left: LogicalType | None, right: LogicalType | None, equality: bool, joining: bool = False) -> bool:
    """Return whether two values may stand at a comparison sign. ``equality`` stands for ``=`` and ``<>``, ``joining``
    for an equality that a join is made by.
    """
    one, other = family_of(left), family_of(right)
    if one is None or other is None:
        return True
    if one == other:
        if one == INTERVAL:
            return left == right
        if one == VARIANT or (one == ROW and not equality):
            return equality
        return one not in _COLLECTIONS or (equality and one != ROW) or _may_fit(left, right)
    if STRING not in (one, other):
        return False
    rest = other if one == STRING else one
    if rest == NUMBER:
        return not equality
    return rest in _WITH_TEXT and not joining


def without_order(type_: LogicalType | None) -> LogicalType | None:
    """The type, or the one of its elements, whose values Flink cannot sort; ``None`` if it sorts all."""
    if type_ is None or family_of(type_) in ("map", "multiset", VARIANT):
        return type_
    return next((inner for element in type_.elements if (inner := without_order(element)) is not None), None)


def _may_fit(left: LogicalType | None, right: LogicalType | None) -> bool:
    """Return whether the elements of two collections may fit; only different families are sure not to."""
    if left is None or right is None or not left.elements or not right.elements:
        return True
    if len(left.elements) != len(right.elements):
        return left.root != "ROW"
    families = [(family_of(one), family_of(other)) for one, other in zip(left.elements, right.elements, strict=True)]
    return all(one is None or other is None or one == other for one, other in families)


def can_be_cast(source: LogicalType | None, target: LogicalType | None) -> bool:
    one, other = family_of(source), family_of(target)
    if one is None or other is None or other == INTERVAL:
        return True
    if one == other and one in _COLLECTIONS and _has_other_variants(source, target):
        return False
    return other in _CASTS[one] or is_refused_by_planner(source, target)


def _has_other_variants(source: LogicalType | None, target: LogicalType | None) -> bool:
    """Return whether an element of a collection is a VARIANT on one side only."""
    elements = (source.elements, target.elements) if source is not None and target is not None else ((), ())
    families = [(family_of(one), family_of(other)) for one, other in zip(*elements, strict=False)]
    return any(VARIANT in pair and None not in pair and pair[0] != pair[1] for pair in families)


def is_refused_by_planner(source: LogicalType | None, target: LogicalType | None) -> bool:
    """Return whether Flink's validator takes a cast that its planner refuses: between numbers and timestamps, and from
    strings to collections.
    """
    one, other = family_of(source), family_of(target)
    return {one, other} == {NUMBER, TIMESTAMP} or (one == STRING and other in _COLLECTIONS)


DATED = frozenset({DATE, TIME, TIMESTAMP})


def can_be_calculated(sign: str, left: LogicalType | None, right: LogicalType | None) -> bool:
    """Return whether ``left sign right`` is a calculation, by one of ``+ - * / %``. One side that none takes is enough
    to tell that it is not.
    """
    one, other = family_of(left), family_of(right)
    counted = frozenset({NUMBER, INTERVAL, None}) | (DATED if sign in ("+", "-") else frozenset())
    if one not in counted or other not in counted:
        return False
    if one is None or other is None or left is None or right is None:
        return True
    if one == other == NUMBER:
        return sign != "%" or not (is_approximate(left) or is_approximate(right))
    if sign in ("/", "%"):
        return False
    if sign == "*":
        return {one, other} == {NUMBER, INTERVAL}
    if one == other == INTERVAL:
        return left == right
    if other == INTERVAL:
        return one in DATED
    return sign == "+" and one == INTERVAL and other in DATED


class TypeMixPlace(Enum):
    """The place where values of different types meet."""

    BRANCHES = "branches of CASE, columns of UNION, elements"
    ARGUMENTS = "arguments of GREATEST and COALESCE"
    COMPARED = "values in the list of IN"


def have_common_type(types: list[LogicalType | None], mixing: TypeMixPlace = TypeMixPlace.BRANCHES) -> bool:
    """Return whether values may have a type in common: as arguments DATE or TIME and TIMESTAMP have one, but not DATE
    and TIMESTAMP_LTZ.
    """
    known_types = [type_ for type_ in types if type_ is not None and family_of(type_) is not None]
    type_families = {family_of(type_) for type_ in known_types}
    if (
        mixing is TypeMixPlace.COMPARED
        and known_types
        and (type_families <= {DATE, TIMESTAMP} or type_families <= _COLLECTIONS)
    ):
        return True
    if mixing is TypeMixPlace.ARGUMENTS and known_types and TIMESTAMP in type_families:
        zoned = any(type_.root == "TIMESTAMP_LTZ" for type_ in known_types)
        if type_families == {TIMESTAMP} or (
            (type_families <= {DATE, TIMESTAMP} or type_families <= {TIME, TIMESTAMP}) and not zoned
        ):
            return True
    return all(
        family_of(type_) == family_of(known_types[0]) and _may_fit(type_, known_types[0]) for type_ in known_types[1:]
    )


def may_be_folded(types: list[LogicalType | None]) -> bool:
    """Return whether only Flink's planner refuses a mixture, and only if it does not know which branch is taken: of
    numbers and times.
    """
    type_families = {family for type_ in types if (family := family_of(type_)) is not None}
    return NUMBER in type_families and type_families <= {NUMBER, DATE, TIME, TIMESTAMP}


_WIDER = {"TINYINT": 0, "SMALLINT": 1, "INT": 2, "BIGINT": 3, "DECIMAL": 4, "FLOAT": 5, "DOUBLE": 6}


def can_be_stored(source: LogicalType | None, target: LogicalType | None) -> bool:
    """Return whether a column of a query may fill a column of a sink: a cast that Flink adds without being asked."""
    one, other = family_of(source), family_of(target)
    if source is None or target is None or one is None or other is None:
        return True
    if one == NUMBER and other == NUMBER:
        return _WIDER[source.root] <= _WIDER[target.root] or (is_approximate(source) and target.root == "DECIMAL")
    if one == other:
        if one in _COLLECTIONS:
            return len(source.elements) == len(target.elements) and all(
                can_be_stored(element, target_element)
                for element, target_element in zip(source.elements, target.elements, strict=True)
            )
        # A text of any length has no fixed one; the other way round it is cut off or filled up.
        return target.root not in ("CHAR", "BINARY") or source.root == target.root
    if one == INTERVAL:
        return target.root == "BIGINT"
    return source.root == "TIMESTAMP" and other in (DATE, TIME)


def is_approximate(type_: LogicalType) -> bool:
    return type_.root in APPROXIMATE
