"""Which operator of the baseline is which of the current version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from keepstate.plan.operators import (
    Aggregate,
    Join,
    LookupJoin,
    Operator,
    OverAggregate,
    Rank,
    TableSourceScan,
    TemporalSort,
)

_MOST_PAIRINGS = 36
"""Above this product of list lengths (inputs of a long UNION ALL) not all ways of pairing are tried."""
_MOST_FORESTS = 2_000
"""Above this number of compared forests (a dozen joins that all changed) the rest is paired without trying all ways."""
_MOST_NODES = 300
"""Above this number of operators on both sides they are paired from the top down, without trying all ways: trying goes
as deep as there are operators."""
_UNPAIRED = 1.0
"""What it costs to leave a stateful operator without a counterpart; a pair costs its unlikeness, at most 0.9."""


@dataclass(frozen=True)
class Node:
    """A stateful operator or a source, with the nearest such ones below it."""

    operator: Operator
    below: tuple[Node, ...]

    def walk(self) -> Iterator[Node]:
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(node.below)


def skeleton(operator: Operator) -> tuple[Node, ...]:
    """The stateful operators and sources of a plan, the stateless ones between them left out; but a sort that keeps
    nothing may be the counterpart of one that does.
    """
    # What a lookup join asks for is no input: nothing is kept of it.
    inputs = (operator.left,) if isinstance(operator, LookupJoin) else operator.inputs
    below = tuple(node for child in inputs for node in skeleton(child))
    if operator.stateful or isinstance(operator, (TableSourceScan, TemporalSort)):
        return (Node(operator, below),)
    return below


@dataclass(frozen=True)
class Match:
    """A pair; one side is ``None`` for an operator without a counterpart."""

    baseline: Operator | None
    current: Operator | None


def match_operators(baseline: Operator, current: Operator) -> tuple[Match, ...]:
    """Pair the stateful operators and sources of two plans, from the bottom up, at the least cost."""
    _, matches = _forests(skeleton(baseline), skeleton(current), {})
    return matches


_Result = tuple[float, tuple[Match, ...]]
_Known = dict[tuple[tuple[int, ...], tuple[int, ...]], _Result]
"""Results by the identity of the nodes: equal operators of two places are two operators."""


def _forests(baseline: tuple[Node, ...], current: tuple[Node, ...], known: _Known) -> _Result:
    key = (tuple(map(id, baseline)), tuple(map(id, current)))
    if key not in known:
        known[key] = _cheapest(baseline, current, known)
    return known[key]


def _cheapest(baseline: tuple[Node, ...], current: tuple[Node, ...], known: _Known) -> _Result:
    baseline, current = _without_equals(baseline, current)
    if not baseline and not current:
        return 0.0, ()
    if not baseline or not current:
        all_nodes = [node for root in (*baseline, *current) for node in root.walk()]
        lonely = tuple(Match(node.operator, None) if baseline else Match(None, node.operator) for node in all_nodes)
        return sum(_weight(node.operator) for node in all_nodes), lonely
    nodes = (node for root in (*baseline, *current) for node in root.walk())
    is_large = next(islice(nodes, _MOST_NODES, None), None) is not None
    if is_large or len(baseline) * len(current) > _MOST_PAIRINGS or len(known) > _MOST_FORESTS:
        return _greedy(baseline, current, known)
    options: list[_Result] = []
    first = current[0]
    for index, candidate in enumerate(baseline):
        unlikeness = _unlikeness(candidate.operator, first.operator)
        if unlikeness is None:
            continue
        below_cost, below = _forests(candidate.below, first.below, known)
        rest_cost, rest = _forests((*baseline[:index], *baseline[index + 1 :]), current[1:], known)
        pair = Match(candidate.operator, first.operator)
        options.append((unlikeness + below_cost + rest_cost, (*below, pair, *rest)))
    cost, matches = _forests(baseline, (*first.below, *current[1:]), known)
    options.append((cost + _weight(first.operator), (*matches, Match(None, first.operator))))
    head = baseline[0]
    cost, matches = _forests((*head.below, *baseline[1:]), current, known)
    options.append((cost + _weight(head.operator), (*matches, Match(head.operator, None))))
    return min(options, key=lambda option: option[0])


def _without_equals(baseline: tuple[Node, ...], current: tuple[Node, ...]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Both lists without the trees that they share: nothing differs in these, and they are counterparts."""
    ours, theirs = list(baseline), []
    for node in current:
        twin = next((other for other in ours if other.operator == node.operator), None)
        if twin is None:
            theirs.append(node)
        else:
            ours.remove(twin)
    return tuple(ours), tuple(theirs)


def _greedy(baseline: tuple[Node, ...], current: tuple[Node, ...], known: _Known) -> _Result:
    """Pair the roots of long lists one by one, each with what is most like it."""
    ours, total, matches = list(baseline), 0.0, []
    lonely: list[Node] = []
    for node in current:
        scored = [
            (unlikeness, index)
            for index, other in enumerate(ours)
            if (unlikeness := _unlikeness(other.operator, node.operator)) is not None
        ]
        if not scored:
            lonely.append(node)
            continue
        unlikeness, index = min(scored)
        other = ours.pop(index)
        cost, below = _forests(other.below, node.below, known)
        total += unlikeness + cost
        matches += [*below, Match(other.operator, node.operator)]
    for rest in (_forests(tuple(ours), (), known), _forests((), tuple(lonely), known)):
        total += rest[0]
        matches += rest[1]
    return total, tuple(matches)


def _weight(operator: Operator) -> float:
    return _UNPAIRED if operator.stateful else 0.6


def _unlikeness(baseline: Operator, current: Operator) -> float | None:
    """From 0 (the same) to 0.9; ``None`` for operators that cannot be each other's counterpart."""
    match baseline, current:
        case TableSourceScan(), TableSourceScan():
            return 0.0 if baseline.table == current.table else 0.5
        case Aggregate(), Aggregate():
            shared = _overlap(baseline.keys, current.keys) + _overlap(baseline.aggregates, current.aggregates)
            return 0.3 * (2 - shared) + (0.0 if type(baseline) is type(current) else 0.2)
        case Rank(), Rank():
            shared = _overlap(baseline.partition, current.partition) + _overlap(baseline.order, current.order)
            return 0.3 * (2 - shared) + (0.0 if type(baseline) is type(current) else 0.2)
        case Join(), Join():
            return 0.3 * (1 - _overlap(baseline.conditions, current.conditions)) + (
                0.0 if type(baseline) is type(current) else 0.3
            )
        case OverAggregate(), OverAggregate():
            shared = _overlap(baseline.partition, current.partition) + _overlap(baseline.order, current.order)
            shared += _overlap(baseline.aggregates, current.aggregates) + (baseline.frame == current.frame)
            return 0.15 * (4 - shared)
    return 0.3 if type(baseline) is type(current) else None


def _overlap(ours: Sequence[object], theirs: Sequence[object]) -> float:
    union = {*ours, *theirs}
    return len({*ours} & {*theirs}) / len(union) if union else 1.0
