"""The automaton of a pattern: states with edges, in the order in which Flink follows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FINAL = 0
"""The state of a complete match."""


class Edge(NamedTuple):
    """A step to the state ``target``. With ``takes`` it takes a row for the variable of that number, if its condition
    holds; without, it takes none. It is closed while the condition of one of the variables ``unless`` holds.
    """

    takes: int | None
    target: int
    unless: tuple[int, ...] = ()


class Automaton(NamedTuple):
    """``edges`` of each state; the search begins in the state ``start``."""

    edges: tuple[tuple[Edge, ...], ...]
    start: int


def automaton(quantifiers: Sequence[tuple[int, int | None, bool]]) -> Automaton:
    """Return the automaton of variables that take ``(low, high, greedy)`` rows each, one after the other.

    Greedy is no preference among matches here: while a greedy variable can take a row, no later one does, so there is
    no match in which it gives rows back.

    >>> automaton([(1, 1, False), (1, None, True), (1, 1, False)]).edges[1]
    (Edge(takes=2, target=0, unless=(1,)),)
    """
    states: list[list[Edge]] = [[]]
    sink = FINAL
    for variable, (low, high, greedy) in reversed(list(enumerate(quantifiers))):
        sink = _converted(states, sink, variable, low, high, greedy)
    return Automaton(tuple(map(tuple, states)), sink)


def _converted(states: list[list[Edge]], sink: int, variable: int, low: int, high: int | None, greedy: bool) -> int:
    """Add the states of one variable in front of the state ``sink``. Return the first of them."""
    if greedy:
        states[sink] = [edge._replace(unless=(*edge.unless, variable)) for edge in states[sink]]
    least = max(low, 1)
    first = sink
    if high is None:
        first = len(states)
        states.append([Edge(None, sink), Edge(variable, first)])
    else:
        for _ in range(least, high):
            states.append([Edge(variable, first), Edge(None, sink)])
            first = len(states) - 1
    for _ in range(least - 1):
        states.append([Edge(variable, first)])
        first = len(states) - 1
    states.append([Edge(variable, first), *([Edge(None, sink)] if not low else [])])
    return len(states) - 1
