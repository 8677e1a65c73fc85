"""PipelinePairs of the operators of the baseline with those of the current version."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from math import inf

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
from keepstate.value_class import value_class

_MOST_PAIRINGS = 36
"""Above this product of list lengths (inputs of a long UNION ALL) not all ways of pairing are tried."""
_MOST_FORESTS = 2_000
"""Above this number of compared forests (a dozen joins that all changed) the rest is paired without trying all ways."""
_MOST_NODES = 300
"""Above this number of operators on both sides they are paired from the top down, without trying all ways."""
_UNPAIRED = 1.0
"""Cost of a stateful operator without a counterpart. A pair costs its unlikeness, at most 0.9."""


@value_class(frozen=True)
class PairingNode:
    """A stateful operator or a source, with the nearest such ones below it."""

    operator: Operator
    below: tuple[PairingNode, ...]
    size: int
    """Number of nodes, this one included."""
    cost: float
    """Cost of leaving all of the nodes without a counterpart."""

    @classmethod
    def of(cls, operator: Operator, below: tuple[PairingNode, ...]) -> PairingNode:
        cost = _weight(operator) + sum(node.cost for node in below)
        return cls(operator, below, 1 + sum(node.size for node in below), cost)

    def walk(self) -> Iterator[PairingNode]:
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(node.below)


def skeleton(operator: Operator) -> tuple[PairingNode, ...]:
    """The stateful operators and sources of a plan, the stateless ones between them left out; but a sort that keeps
    nothing may be the counterpart of one that does.
    """
    # Not by recursion: a chain of joins is deep. Each operator is met twice, before and after what is below it.
    pending: list[tuple[Operator, bool]] = [(operator, False)]
    forests: list[tuple[PairingNode, ...]] = []
    while pending:
        top, is_done = pending.pop()
        # What a lookup join asks for is no input: nothing is kept of it.
        inputs = (top.left,) if isinstance(top, LookupJoin) else top.inputs
        if not is_done:
            pending.append((top, True))
            pending += [(child, False) for child in reversed(inputs)]
            continue
        first = len(forests) - len(inputs)
        below = tuple(node for nodes in forests[first:] for node in nodes)
        del forests[first:]
        kept = top.stateful or isinstance(top, (TableSourceScan, TemporalSort))
        forests.append((PairingNode.of(top, below),) if kept else below)
    return forests[0]


@dataclass(frozen=True)
class OperatorPair:
    """A pair; one side is ``None`` for an operator without a counterpart."""

    baseline: Operator | None
    current: Operator | None


def match_operators(baseline: Operator, current: Operator) -> tuple[OperatorPair, ...]:
    """Pair the stateful operators and sources of two plans, from the bottom up, at the least cost.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> texts = (f"SELECT b, {call} FROM t GROUP BY b" for call in ("SUM(a)", "MAX(a)"))
    >>> was, now = (job_of(JobVersion(text)).pipelines[0] for text in texts)
    >>> [(match.baseline.title, match.current.title) for match in match_operators(was.plan.root, now.plan.root)]
    [('GroupAggregate', 'GroupAggregate')]
    """
    return _paired(skeleton(baseline), skeleton(current))


_Result = tuple[float, tuple[OperatorPair, ...]]
_Forests = tuple[tuple[PairingNode, ...], tuple[PairingNode, ...]]
_Steps = Generator[_Forests, _Result, _Result]
"""A pairing that yields the forests it depends on, and receives their results."""


def _paired(baseline: tuple[PairingNode, ...], current: tuple[PairingNode, ...]) -> tuple[OperatorPair, ...]:
    """Return the cheapest pairing of two forests.

    Waiting pairings are kept in a list: they nest as deep as the operators, which is deeper than Python's stack.
    """
    results: dict[tuple[tuple[int, ...], tuple[int, ...]], _Result] = {}
    # Results go by the identity of the nodes: equal operators of two places are two operators.
    waiting: list[tuple[tuple[tuple[int, ...], tuple[int, ...]], _Steps]] = []
    question: _Forests | None = (baseline, current)
    result: _Result = (0.0, ())
    while question is not None or waiting:
        if question is not None:
            key = (tuple(map(id, question[0])), tuple(map(id, question[1])))
            if key in results:
                result, question = results[key], None
                continue
            steps = _cheapest(*question, is_late=len(results) > _MOST_FORESTS)
            waiting.append((key, steps))
            answer: _Result | None = None
        else:
            key, steps = waiting[-1]
            answer = result
        try:
            question = next(steps) if answer is None else steps.send(answer)
        except StopIteration as end:
            waiting.pop()
            results[key] = result = end.value
            question = None
    return result[1]


def _cheapest(baseline: tuple[PairingNode, ...], current: tuple[PairingNode, ...], is_late: bool) -> _Steps:
    baseline, current = _without_equals(baseline, current)
    if not baseline or not current:
        roots = (*baseline, *current)
        all_nodes = (node for root in roots for node in root.walk())
        unpaired = tuple(
            OperatorPair(node.operator, None) if baseline else OperatorPair(None, node.operator) for node in all_nodes
        )
        return sum(root.cost for root in roots), unpaired
    is_large = sum(root.size for root in (*baseline, *current)) > _MOST_NODES
    # The search grows with each pair of forests. Beyond these bounds a good pairing at once beats the best one late.
    if is_large or len(baseline) * len(current) > _MOST_PAIRINGS or is_late:
        return (yield from _greedy(baseline, current))
    best: _Result = (inf, ())
    first = current[0]
    for index, candidate in enumerate(baseline):
        unlikeness = _unlikeness(candidate.operator, first.operator)
        # Operators of two kinds have no state in common: they are never a pair, whatever is below them.
        if unlikeness is None:
            continue
        below_cost, below = yield candidate.below, first.below
        rest_cost, rest = yield (*baseline[:index], *baseline[index + 1 :]), current[1:]
        cost = unlikeness + below_cost + rest_cost
        if cost < best[0]:
            best = cost, (*below, OperatorPair(candidate.operator, first.operator), *rest)
    # Nothing is cheaper than what leaving an operator alone costs by itself: then that need not be tried.
    if _weight(first.operator) < best[0]:
        cost, matches = yield baseline, (*first.below, *current[1:])
        cost += _weight(first.operator)
        if cost < best[0]:
            best = cost, (*matches, OperatorPair(None, first.operator))
    head = baseline[0]
    if _weight(head.operator) < best[0]:
        cost, matches = yield (*head.below, *baseline[1:]), current
        cost += _weight(head.operator)
        if cost < best[0]:
            best = cost, (*matches, OperatorPair(head.operator, None))
    return best


def _without_equals(
    baseline: tuple[PairingNode, ...], current: tuple[PairingNode, ...]
) -> tuple[tuple[PairingNode, ...], tuple[PairingNode, ...]]:
    """Both lists without the trees that they share: nothing differs in these, and they are counterparts."""
    baseline_nodes, current_nodes = list(baseline), []
    for node in current:
        # Equal trees need no search, and most trees of an edited query are equal: only the rest is paired at a cost.
        twin = next((other for other in baseline_nodes if other.operator == node.operator), None)
        if twin is None:
            current_nodes.append(node)
        else:
            baseline_nodes.remove(twin)
    return tuple(baseline_nodes), tuple(current_nodes)


def _greedy(baseline: tuple[PairingNode, ...], current: tuple[PairingNode, ...]) -> _Steps:
    """Pair the roots of long lists one by one, each with the most similar one."""
    remaining, total, matches = list(baseline), 0.0, []
    unpaired: list[PairingNode] = []
    for node in current:
        scored = [
            (unlikeness, index)
            for index, other in enumerate(remaining)
            if (unlikeness := _unlikeness(other.operator, node.operator)) is not None
        ]
        if not scored:
            unpaired.append(node)
            continue
        unlikeness, index = min(scored)
        other = remaining.pop(index)
        cost, below = yield other.below, node.below
        total += unlikeness + cost
        matches += [*below, OperatorPair(other.operator, node.operator)]
    for forests in ((tuple(remaining), ()), ((), tuple(unpaired))):
        cost, rest = yield forests
        total += cost
        matches += rest
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


def _overlap(before: Sequence[object], after: Sequence[object]) -> float:
    union = {*before, *after}
    # Two empty lists agree: no keys on either side are the same keys.
    return len({*before} & {*after}) / len(union) if union else 1.0
