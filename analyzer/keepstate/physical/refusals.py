"""What open-source Flink refuses to plan although it can be read."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.provenance import Place
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span

_DIGITS = 2
"""How many digits the first field of an interval has where none are given."""
_UNITS = frozenset({"DAY", "HOUR", "MINUTE", "MONTH", "SECOND", "YEAR"})


def refused_intervals(statement: ParsedStatement) -> Iterator[Place]:
    """Intervals with more digits than they are declared to have."""
    tokens = statement.tokens
    for first, value, unit, behind in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        number = value.text.strip("'").lstrip("-+")
        if first.word != "INTERVAL" or unit.word not in _UNITS or behind.text == "(":
            continue
        if value.text.startswith("'") and number.isdecimal() and len(number) > _DIGITS:
            yield Place(statement, Span(first.start, unit.end))
