"""Calls over a window, as the planner splits them, and the state that follows from their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from keepstate.plan.expressions import AggregateCall, Expr
from keepstate.plan.operators import OverAggregate
from keepstate.state.stored_operators import Fields, StoredField


def constants(operator: OverAggregate) -> Iterator[StoredField]:
    """The arguments of COUNT(1) and its likes: over a window they become columns, though they mean COUNT(*)."""
    numbers = set()
    for call in operator.calls:
        words = call.call.place.words if call.call.place is not None else ()
        if words[:2] == ("COUNT", "(") and len(words) > 2 and words[2].isdecimal():
            numbers.add(words[2])
    yield from (StoredField(f"constant {number}", "INT NOT NULL") for number in sorted(numbers))


def is_written_in_two_ways(operator: OverAggregate) -> bool:
    """Return whether calls of one meaning have operands in different words: a computed column, say, and its
    definition.
    """
    ways: dict[Expr, tuple[str, ...]] = {}
    for call in operator.calls:
        words = call.call.place.words if call.call.place is not None else ()
        operands = words[words.index("(") :] if "(" in words else ()
        if operands and ways.setdefault(call.call, operands) != operands:
            return True
    return False


def over_parts(call: AggregateCall) -> tuple[AggregateCall, ...]:
    """Calcite writes a sum over a window as the sum where there is anything to sum, and a mean as a quotient."""
    if call.function in ("SUM", "AVG") and not call.distinct:
        return replace(call, function="COUNT"), replace(call, function="SUM")
    return (call,)


def without_counts_of_sums(fields: Fields) -> Fields:
    """The fields without the counts that stand behind sums to take rows back; that of a mean stays."""
    before = (None, *fields)
    pairs = zip(before, fields, strict=False)
    return tuple(now for was, now in pairs if not (_part(now) == "COUNT of" and _part(was) != "SUM for AVG"))


def _part(field: StoredField | None) -> object:
    return field.meaning[0] if field is not None and isinstance(field.meaning, tuple) else None
