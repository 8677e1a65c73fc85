"""Differences between two lists of keys or calls: added, removed and replaced items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from keepstate.plan.expressions import Expr
from keepstate.plan.hashed_value import asked_once
from keepstate.value_class import value_class

Element = TypeVar("Element", bound=Expr)


@value_class(frozen=True)
class SequenceDiff(Generic[Element]):
    """``unchanged`` elements stand in the order of the current side; ``modified`` are pairs of a removed and an added
    element that take each other's place.
    """

    unchanged: tuple[Element, ...] = ()
    added: tuple[Element, ...] = ()
    removed: tuple[Element, ...] = ()
    modified: tuple[tuple[Element, Element], ...] = field(default=())
    reordered: bool = False


Twin = Callable[[Element, Element], bool]


def either(was: object, now: object) -> bool:
    """One went and another one came: it took its place."""
    return True


def same_use(baseline: Expr, current: Expr) -> bool:
    """Return whether two expressions are written alike where they are used: then the meaning of their names differs."""
    return _text(baseline) == _text(current) != ""


@asked_once
def _text(expr: Expr) -> str:
    """Return the text of an expression where it is used, without its layout."""
    return " ".join(expr.place.text.split()) if expr.place is not None else ""


def one_in_the_other(baseline: Expr, current: Expr) -> bool:
    """Return whether one expression contains the other one: a computation around it was added or removed."""
    return any(node == baseline for node in current.walk()) or any(node == current for node in baseline.walk())


def compare(
    baseline: Sequence[Element], current: Sequence[Element], twins: Sequence[Twin[Element]] = ()
) -> SequenceDiff[Element]:
    """Compare by meaning. Each of ``twins``, the surest first, tests whether an added element replaces a removed one.

    >>> from keepstate.plan.expressions import Column
    >>> a, b, c = (Column("t", name) for name in "abc")
    >>> diff = compare([a, b], [c, a], [either])
    >>> [str(one) for one in diff.unchanged], [(str(was), str(now)) for was, now in diff.modified]
    (['a'], [('b', 'c')])
    """
    baseline_set, current_set = set(baseline), set(current)
    unchanged = tuple(element for element in current if element in baseline_set)
    removals = [element for element in baseline if element not in current_set]
    additions = [element for element in current if element not in baseline_set]
    modified: list[tuple[Element, Element]] = []
    # Each test goes over all elements before the next one: a likely pair takes no partner from a certain one.
    for twin in twins:
        for element in list(additions):
            match = next((other for other in removals if twin(other, element)), None)
            if match is not None:
                modified.append((match, element))
                additions.remove(element)
                removals.remove(match)
    # Reports follow the current text.
    modified.sort(key=lambda pair: current.index(pair[1]))
    # An element of one side only has no place on the other: the order is that of the elements that both have.
    reordered = unchanged != tuple(element for element in baseline if element in current_set)
    return SequenceDiff(unchanged, tuple(additions), tuple(removals), tuple(modified), reordered)


def at_same_index(baseline: Sequence[Expr], current: Sequence[Expr]) -> Callable[[Expr, Expr], bool]:
    """A twin for elements at one index of lists of one length."""

    def twin(was: Expr, now: Expr) -> bool:
        return len(baseline) == len(current) and baseline.index(was) == current.index(now)

    return twin
