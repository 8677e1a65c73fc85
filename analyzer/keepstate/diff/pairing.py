"""Which pipeline, and which operator, of the baseline is which of the current version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from keepstate.plan.job import Pipeline
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

_LIKENESS_NEEDED = 0.4
"""Pipelines with different sinks that share less than this are two jobs, not one that was renamed."""
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
        yield self
        for node in self.below:
            yield from node.walk()


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


def match_pipelines(
    baseline: Sequence[Pipeline], current: Sequence[Pipeline]
) -> tuple[tuple[Pipeline | None, Pipeline | None], ...]:
    """Pair pipelines by sink, then by likeness; the pairs of the current side come first, in its order."""
    partner: dict[int, Pipeline] = {}
    by_sink: dict[str | None, list[Pipeline]] = {}
    for was in baseline:
        by_sink.setdefault(was.sink, []).append(was)
    theirs: list[Pipeline] = []
    for now in current:
        rivals = by_sink.get(now.sink, [])
        if rivals and rivals[0].plan is now.plan:
            # So it is for nearly all of them at nearly every keystroke.
            partner[id(now)] = rivals.pop(0)
            continue
        same = next((was for was in rivals if was.plan == now.plan), None)
        if same is None:
            theirs.append(now)
        else:
            rivals.remove(same)
            partner[id(now)] = same
    for now in list(theirs):
        rivals = by_sink.get(now.sink, []) if now.sink is not None else []
        if rivals:
            partner[id(now)] = max(rivals, key=lambda was: likeness(was, now))
            rivals.remove(partner[id(now)])
            theirs.remove(now)
    ours = [was for rivals in by_sink.values() for was in rivals]
    shown = [[pipeline for pipeline in side if pipeline.sink is None] for side in (baseline, current)]
    if len(shown[0]) == len(shown[1]) == 1 and id(shown[1][0]) not in partner:
        # A file that holds one query without a sink, before and after, is about that query.
        partner[id(shown[1][0])] = shown[0][0]
        ours = [was for was in ours if was is not shown[0][0]]
        theirs = [now for now in theirs if now is not shown[1][0]]
    for was, now in _alike(ours, theirs):
        partner[id(now)] = was
    paired = {id(was) for was in partner.values()}
    ours = [was for was in ours if id(was) not in paired]
    return (*((partner.get(id(now)), now) for now in current), *((was, None) for was in ours))


def _alike(baseline: Sequence[Pipeline], current: Sequence[Pipeline]) -> Iterator[tuple[Pipeline, Pipeline]]:
    """Pairs that are alike enough, the likest first, each pipeline once."""
    ours = [frozenset(_features(pipeline)) for pipeline in baseline]
    theirs = [frozenset(_features(pipeline)) for pipeline in current]
    by_feature: dict[object, list[int]] = {}
    for index, features in enumerate(ours):
        for feature in features:
            by_feature.setdefault(feature, []).append(index)
    scored: list[tuple[float, int, int]] = []
    for now, features in enumerate(theirs):
        shared = Counter(index for feature in features for index in by_feature.get(feature, ()))
        for was, count in shared.items():
            score = count / (len(features) + len(ours[was]) - count)
            if score >= _LIKENESS_NEEDED:
                scored.append((-score, now, was))
    taken: set[int] = set()
    placed: set[int] = set()
    for _, now, was in sorted(scored):
        if was not in taken and now not in placed:
            taken.add(was)
            placed.add(now)
            yield baseline[was], current[now]


def likeness(baseline: Pipeline, current: Pipeline) -> float:
    """From 0 to 1: how much of two plans is the same."""
    if baseline.plan == current.plan:
        return 1.0
    return _overlap(_features(baseline), _features(current))


def _features(pipeline: Pipeline) -> tuple[object, ...]:
    features: dict[object, None] = {}
    for operator in pipeline.plan.operators:
        features[type(operator).__name__] = None
        match operator:
            case TableSourceScan():
                features[operator.table] = None
            case Aggregate():
                features.update(dict.fromkeys((*operator.keys, *operator.aggregates)))
            case Rank():
                features.update(dict.fromkeys((*operator.partition, *operator.order)))
    features.update(dict.fromkeys(pipeline.plan.output))
    return tuple(features)
