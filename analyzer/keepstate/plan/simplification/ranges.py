"""Comparisons of one column with constants as a set of ranges, as Calcite's ``Sarg``.

A set is a sorted tuple of ranges between two cuts. A cut lies before or behind a value: ``(0, 5, 0)`` is in front of 5
and ``(0, 5, 1)`` behind it, so that ``a = 5`` is the range between the two, and ``a > 5`` begins at the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, Literal, is_spelled_out
from keepstate.plan.hashed_value import asked_once, with_fields
from keepstate.plan.predicates import FALSE, all_of, any_of, commutative, conjuncts, disjuncts
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion
from keepstate.plan.types.common_types import NUMERIC, TEXT
from keepstate.plan.types.inference import type_of

Cut = tuple[Any, ...]
Sets = tuple[tuple[Cut, Cut], ...]

_LOW: Cut = (-1,)
_HIGH: Cut = (1,)
WHOLE: Sets = ((_LOW, _HIGH),)
COMPARISONS = frozenset({"=", "<>", "<", "<="})
REFERENCES = (Column, AggregateCall, ColumnOfRight, ColumnOfUnion)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,9})?")


@dataclass(frozen=True)
class Ranges:
    """The values of ``operand`` for which a condition is true; ``literals`` are its constants by value."""

    operand: Expr
    sets: Sets
    literals: dict[Any, Literal] = field(compare=False)

    def condition(self) -> Expr:
        """The canonical condition of a set that is not whole.

        >>> a = Column("t", "a", "INT")
        >>> both = Call("OR", (Call("<", (a, Literal("5", "NUMBER"))), Call("<", (Literal("5", "NUMBER"), a))))
        >>> print(ranges_of(both).condition())
        a <> 5
        """
        gaps = [(before[1], after[0]) for before, after in zip(self.sets, self.sets[1:], strict=False)]
        if not self.sets:
            return FALSE
        if all(_is_point(gap) for gap in gaps):
            without = [self._compared("<>", gap[0][1]) for gap in gaps]
            return all_of([*self._bounds((self.sets[0][0], self.sets[-1][1])), *without])
        return any_of([all_of(self._bounds(each)) for each in self.sets])

    def _bounds(self, bounds: tuple[Cut, Cut]) -> list[Expr]:
        if _is_point(bounds):
            return [self._compared("=", bounds[0][1])]
        low, high = bounds
        comparisons: list[Expr] = []
        if low != _LOW:
            comparisons.append(Call("<" if low[2] else "<=", (self.literals[low[1]], self.operand)))
        if high != _HIGH:
            comparisons.append(Call("<=" if high[2] else "<", (self.operand, self.literals[high[1]])))
        return comparisons

    def _compared(self, name: str, value: Any) -> Expr:
        # Of a range the planner makes constants of the type of the column, be they written with decimal places.
        return commutative(name, [self.operand, with_fields(self.literals[value], has_places=False)])


@asked_once
def ranges_of(condition: Expr) -> Ranges | None:
    """The ranges of a condition that compares one column with constants, and nothing else.

    >>> ranges_of(expr("id > 3")).sets, ranges_of(expr("id > price"))
    ((((0, Decimal('3'), 1), (1,)),), None)
    """
    if not isinstance(condition, Call):
        return None
    if condition.name in COMPARISONS:
        return _compared(condition)
    if condition.name not in ("AND", "OR"):
        return None
    all_ranges: list[Ranges] = []
    for part in condition.args:
        ranges = ranges_of(part)
        if ranges is None or (all_ranges and ranges.operand != all_ranges[0].operand):
            return None
        all_ranges.append(ranges)
    return _combination(all_ranges, together=condition.name == "AND")


def merged(conditions: Sequence[Expr], together: bool) -> list[tuple[Expr | Ranges, tuple[Expr, ...]]]:
    """``conditions`` with those on one column made one: each with the conditions that it was made of.

    ``together``: they are joined by AND, else by OR. A comparison alone on its column stays what it is.
    """
    groups: dict[Expr, list[tuple[Expr, Ranges]]] = {}
    result: list[tuple[Expr | Ranges, tuple[Expr, ...]]] = []
    for condition in conditions:
        ranges = ranges_of(condition)
        if ranges is None:
            result.append((condition, (condition,)))
        else:
            groups.setdefault(ranges.operand, []).append((condition, ranges))
    for members in groups.values():
        parts = tuple(condition for condition, _ in members)
        if len(parts) == 1 and isinstance(parts[0], Call) and parts[0].name in COMPARISONS:
            result.append((parts[0], parts))
        else:
            result.append((_combination([ranges for _, ranges in members], together), parts))
    return result


def in_place(condition: Expr, conditions: Iterable[Expr], together: bool) -> list[Expr]:
    """The parts of ``condition``, each as the equal one of ``conditions``, which knows its place."""
    originals = {part: part for each in conditions for part in (each, *(conjuncts if together else disjuncts)(each))}
    return [originals.get(part, part) for part in (conjuncts if together else disjuncts)(condition)]


def _combination(ranges: Sequence[Ranges], together: bool) -> Ranges:
    literals = {value: literal for each in reversed(ranges) for value, literal in each.literals.items()}
    if len(ranges) == 1:
        return ranges[0]
    all_sets = [each.sets for each in ranges]
    sets = intersection(*all_sets) if together else _union(part for each in all_sets for part in each)
    return Ranges(ranges[0].operand, sets, literals)


def intersection(*sets: Sets) -> Sets:
    """The values that all sets hold: those that no complement holds.

    >>> one, other = (ranges_of(expr(each)).sets for each in ("id > 3", "id > 5"))
    >>> intersection(one, other) == other
    True
    """
    return _complement(_union(part for each in sets for part in _complement(each)))


def _union(parts: Iterable[tuple[Cut, Cut]]) -> Sets:
    intervals: list[tuple[Cut, Cut]] = []
    for low, high in sorted(parts):
        if intervals and low <= intervals[-1][1]:
            intervals[-1] = (intervals[-1][0], max(intervals[-1][1], high))
        else:
            intervals.append((low, high))
    return tuple(intervals)


def _complement(sets: Sets) -> Sets:
    cuts = [_LOW, *(cut for each in sets for cut in each), _HIGH]
    pairs = zip(cuts[::2], cuts[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low < high)


def _is_point(bounds: tuple[Cut, Cut]) -> bool:
    low, high = bounds
    return len(low) == len(high) == 3 and low[1] == high[1] and (low[2], high[2]) == (0, 1)


def _compared(condition: Call) -> Ranges | None:
    comparison = compared_with_constant(condition)
    if comparison is None:
        return None
    operand = comparison.operand
    if not isinstance(operand, REFERENCES) and (not isinstance(operand, Call) or is_spelled_out(operand)):
        # The planner makes ranges of columns only: not of ``a + 1 > 3 AND a + 1 > 7``.
        return None
    return comparison


def compared_with_constant(condition: Call) -> Ranges | None:
    """The ranges of a comparison of anything with a constant of its kind."""
    first, second = condition.args
    if isinstance(first, Literal) is isinstance(second, Literal):
        return None
    literal, operand = (first, second) if isinstance(first, Literal) else (second, first)
    assert isinstance(literal, Literal)
    value = _value(literal, operand)
    if value is None:
        return None
    return Ranges(operand, _sets(condition.name, value, is_low=literal is first), {value: literal})


def _sets(name: str, value: Any, is_low: bool) -> Sets:
    before, behind = (0, value, 0), (0, value, 1)
    if name == "=":
        return ((before, behind),)
    if name == "<>":
        return ((_LOW, before), (behind, _HIGH))
    if is_low:
        return ((behind if name == "<" else before, _HIGH),)
    return ((_LOW, before if name == "<" else behind),)


def _value(literal: Literal, operand: Expr) -> Any:
    """The value of a constant of the kind of its column; ``None`` if the two are not of one known kind."""
    type_ = type_of(operand)
    if type_ is None:
        return None
    if type_.root in NUMERIC:
        return Decimal(literal.value) if is_number(literal) else None
    if type_.root in TEXT:
        return literal.value if literal.type == "STRING" and literal.value.isascii() else None
    if type_.root == "DATE" and literal.type == "DATE" and _DATE.fullmatch(literal.value):
        return literal.value
    if type_.root == "TIMESTAMP" and literal.type == "TIMESTAMP" and _TIMESTAMP.fullmatch(literal.value):
        whole, _, fraction = literal.value.partition(".")
        return f"{whole}.{fraction.rstrip('0')}"
    return None


def is_number(literal: Literal) -> bool:
    return literal.type in ("NUMBER", "DOUBLE") and re.fullmatch(r"-?[\d.]+(E[+-]?\d+)?", literal.value) is not None
