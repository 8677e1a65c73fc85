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
from keepstate.plan.operators.over import OverAggregate

UNREAD = -1_000_000
"""The largest number of operators that are in the plan of open-source Flink only."""


def numbered(root: Operator) -> Operator:
    """The operator, and all below it, with the numbers of a plan that it is the root of."""
    return _numbered(root, count())


def numbered_alike(held: Operator, root: Operator) -> Operator:
    """Return the root of the stored plan, each operator with the number of its counterpart below ``root``.

    Both have the same operators in the same order, except for windows with unread results, which ``root`` lacks: these
    get numbers from ``UNREAD`` down. A filter that ``root`` carries from one input of a join to the other may lack.
    """
    return _numbered(held, _numbers_of_counterparts(held, root))


def _numbers_of_counterparts(held: Operator, root: Operator) -> Iterator[int]:
    counterparts, unread = list(root.walk()), 0
    count = 0
    for operator in held.walk():
        while isinstance(counterparts[count], Calc) and not isinstance(operator, Calc):
            count += 1
        if isinstance(operator, OverAggregate) and not _is_same_window(operator, counterparts[count]):
            yield UNREAD - unread
            unread += 1
        else:
            yield counterparts[count].number
            count += 1


def _is_same_window(window: OverAggregate, other: Operator) -> bool:
    return isinstance(other, OverAggregate) and other.depth == window.depth


def _numbered(operator: Operator, numbers: Iterator[int]) -> Operator:
    own = next(numbers)
    below = tuple(_numbered(child, numbers) for child in operator.inputs)
    if any(before is not after for before, after in zip(below, operator.inputs, strict=True)):
        operator = operator.with_inputs(below)
    return operator if operator.number == own else with_fields(operator, number=own)
