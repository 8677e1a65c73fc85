"""Numbers of operators: the identity by which changes, stored state and drawings speak of the same one.

The operators of a plan count from 0, from the top and from left to right, as ``Operator.walk`` meets them:

    Rank 0 -> GroupAggregate 1 -> TableSourceScan 2

An operator keeps its number through every rewriting of the plan, so the number finds it in any version of the plan
(``Plan.by_number``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators.base import Operator
from keepstate.plan.operators.inputs import Calc
from keepstate.plan.operators.joins import Join
from keepstate.plan.operators.over import OverAggregate

UNREAD = -1_000_000
"""The largest number of operators that are in the plan of open-source Flink only."""


def numbered(root: Operator) -> Operator:
    """The operator, and all below it, with the numbers of a plan that it is the root of."""
    return _numbered(root, count())


def numbered_alike(held: Operator, root: Operator, numbered_root: Operator) -> Operator:
    """Return the root of the stored plan, each operator with the number of its counterpart below ``numbered_root``.

    ``root`` is that one with its former numbers, by which joins are the same. Both have the same operators, except for
    windows with unread results, which ``root`` lacks (they get numbers from ``UNREAD`` down), and for joins with an
    unread input, which ``held`` lacks. A filter that ``root`` carries from one input of a join to the other may lack.
    """
    return _numbered_as(held, root, numbered_root, count(UNREAD, -1))


def _numbered_as(held: Operator, root: Operator, numbered_root: Operator, unread: Iterator[int]) -> Operator:
    while isinstance(root, Calc) and isinstance(numbered_root, Calc) and not isinstance(held, Calc):
        root, numbered_root = root.input, numbered_root.input
    if isinstance(held, OverAggregate) and not _is_same_window(held, root):
        own = next(unread)
        return _with(held, own, (_numbered_as(held.input, root, numbered_root, unread),))
    if type(root) is Join and type(numbered_root) is Join and not _is_same_join(held, root):
        outer, numbered_outer = root.outer_input, numbered_root.outer_input
        assert outer is not None and numbered_outer is not None, "only outer joins are removed"
        return _numbered_as(held, outer, numbered_outer, unread)
    both = zip(held.inputs, root.inputs, numbered_root.inputs, strict=True)
    return _with(held, numbered_root.number, tuple(_numbered_as(*each, unread) for each in both))


def _is_same_window(window: OverAggregate, other: Operator) -> bool:
    return isinstance(other, OverAggregate) and other.depth == window.depth


def _is_same_join(operator: Operator, join: Join) -> bool:
    return type(operator) is Join and operator.number == join.number


def _numbered(operator: Operator, numbers: Iterator[int]) -> Operator:
    own = next(numbers)
    return _with(operator, own, tuple(_numbered(child, numbers) for child in operator.inputs))


def _with(operator: Operator, number: int, below: tuple[Operator, ...]) -> Operator:
    if any(before is not after for before, after in zip(below, operator.inputs, strict=True)):
        operator = operator.with_inputs(below)
    return operator if operator.number == number else with_fields(operator, number=number)
