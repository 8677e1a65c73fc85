"""Bounds of a join's condition between the time attributes of its inputs, in any spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.provenance import Place

_COMPARISONS = frozenset({"=", "<", "<="})
_DAY = Decimal(86_400_000)
_DAYS_OF_A_MONTH = 31
"""Length of a month when Flink bounds an interval join."""
_MILLISECONDS = {
    "SECOND": Decimal(1000),
    "MINUTE": Decimal(60_000),
    "HOUR": Decimal(3_600_000),
    "DAY": _DAY,
    "WEEK": 7 * _DAY,
    "MONTH": _DAYS_OF_A_MONTH * _DAY,
}

TimeSide = Callable[[Expr], JoinSide | None]
"""The input of which an expression is a time attribute."""


@dataclass(frozen=True)
class TimeBounds:
    """``left`` minus ``right`` is from ``lower`` to ``upper``; ``conditions`` say so."""

    left: Expr
    right: Expr
    lower: Literal
    upper: Literal
    conditions: tuple[Expr, ...]


@dataclass(frozen=True)
class _Term:
    """A time attribute plus a length of time; ``place`` is where the length is written."""

    attribute: Expr
    side: JoinSide
    offset: Decimal
    place: Place | None = None


def time_bounds(conditions: Sequence[Expr], sides: JoinSides, time_side: TimeSide) -> TimeBounds | None:
    """The bounds of an interval join; ``None`` if Flink plans a regular join.

    There have to be just two comparisons of a time attribute of the one side with one of the other, a bound from below
    and a bound from above, or a single equation (seen in the plans of 1.20 and 2.3).
    """
    reader = _Reader(sides, time_side)
    compared = [condition for condition in conditions if reader.compares_times(condition)]
    terms = [reader.terms(condition) for condition in compared]
    if not compared or any(pair is None for pair in terms):
        return None
    lower: Literal | None = None
    upper: Literal | None = None
    for condition, pair in zip(compared, terms, strict=True):
        assert isinstance(condition, Call) and pair is not None
        first, second = pair
        place = second.place or first.place or condition.place
        distance = second.offset - first.offset
        if condition.name == "=":
            # Flink takes an equation for an interval of no length only if it stands alone, without a length of time.
            if len(compared) > 1 or first.offset or second.offset:
                return None
            lower = upper = _milliseconds(Decimal(0), condition.place)
        elif first.side is JoinSide.LEFT:
            # Bounds are inclusive, and times are whole milliseconds: ``<`` is ``<=`` one millisecond before.
            upper = _milliseconds(distance - (condition.name == "<"), place)
        else:
            lower = _milliseconds(-distance + (condition.name == "<"), place)
    if len(compared) > 2 or lower is None or upper is None:
        return None
    ordered_terms = sorted((term for pair in terms if pair is not None for term in pair), key=_start, reverse=True)
    # The one that is written first stands for the side.
    attributes = {term.side: term.attribute for term in ordered_terms}
    if any(term.attribute != attributes[term.side] for term in ordered_terms):
        return None
    return TimeBounds(attributes[JoinSide.LEFT], attributes[JoinSide.RIGHT], lower, upper, tuple(compared))


def _start(term: _Term) -> int:
    return term.attribute.place.span.start if term.attribute.place is not None else 0


def _milliseconds(value: Decimal, place: Place | None) -> Literal:
    return Literal(format(value, "f"), "INTERVAL DAY", place=place)


@dataclass(frozen=True)
class _Reader:
    """Finds time attributes in conditions. An expression that an input computes of one, before the join, is none any
    more.
    """

    sides: JoinSides
    time_side: TimeSide

    def compares_times(self, condition: Expr) -> bool:
        """Return whether a time attribute of one side is compared with one of the other, each perhaps within an
        expression.
        """
        if not isinstance(condition, Call) or condition.name not in _COMPARISONS:
            return False
        first, second = (set(self._sides_in(operand)) for operand in condition.args)
        return any(side.other in second for side in first)

    def _sides_in(self, expr: Expr) -> Iterator[JoinSide]:
        side = self.time_side(expr)
        if side is not None:
            yield side
        elif self.sides.field_side(expr) is None:
            for child in expr.children():
                yield from self._sides_in(child)

    def terms(self, condition: Expr) -> tuple[_Term, _Term] | None:
        assert isinstance(condition, Call)
        first, second = map(self._term, condition.args)
        return (first, second) if first is not None and second is not None else None

    def _term(self, expr: Expr) -> _Term | None:
        side = self.time_side(expr)
        if side is not None:
            return _Term(expr, side, Decimal(0))
        if not isinstance(expr, Call) or self.sides.field_side(expr) is not None:
            return None
        if expr.name == "TIMESTAMPADD" and len(expr.args) == 3:
            unit, count, operand = expr.args
            return self._shifted(operand, _counted(unit, count), expr.place)
        if expr.name not in ("+", "-") or len(expr.args) != 2:
            return None
        first, second = expr.args
        # A length may stand on either side of a plus; in front of a minus it makes no time.
        if expr.name == "+" and isinstance(first, Literal):
            first, second = second, first
        length = _length(second)
        sign = 1 if expr.name == "+" else -1
        return self._shifted(first, length * sign if length is not None else None, second.place)

    def _shifted(self, operand: Expr, length: Decimal | None, place: Place | None) -> _Term | None:
        term = self._term(operand)
        if term is None or length is None:
            return None
        # With several lengths there is no one place to point at.
        term_place = place if term.place is None else None
        return _Term(term.attribute, term.side, term.offset + length, term_place)


def _length(expr: Expr) -> Decimal | None:
    """An interval in milliseconds."""
    if not isinstance(expr, Literal):
        return None
    if expr.type == "INTERVAL DAY":
        return Decimal(expr.value)
    return Decimal(expr.value) * _DAYS_OF_A_MONTH * _DAY if expr.type == "INTERVAL YEAR" else None


def _counted(unit: Expr, count: Expr) -> Decimal | None:
    words = [node.value for node in unit.walk() if isinstance(node, Literal)]
    length = _MILLISECONDS.get(words[-1].rpartition("=")[2].upper()) if words else None
    if length is None or not isinstance(count, Literal):
        return None
    try:
        return Decimal(count.value) * length
    except InvalidOperation:
        return None
