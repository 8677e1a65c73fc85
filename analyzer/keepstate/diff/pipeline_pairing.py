"""PipelinePairs of the pipelines of the baseline with those of the current version."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import TypeVar

from keepstate.plan.job import Pipeline, Plan
from keepstate.plan.operators import Aggregate, Rank, TableSourceScan
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import bare

_LIKENESS_NEEDED = 0.4
"""Pipelines with different sinks that share less than this are two jobs, not one that was renamed."""
_MOST_COMPARED = 48
"""Of more pipelines than this, one is compared only with those that share something rare with it and with those in its
own place: each with each would be millions of pairs.
"""

_T = TypeVar("_T")

Match = tuple[Pipeline | None, Pipeline | None]
"""A pipeline of the baseline and of the current version; one of them may be missing."""

Features = frozenset[object]
"""Pieces of a plan, by which its likeness to other plans is measured."""


@dataclass(frozen=True, eq=False)
class PipelinePairs:
    """The pipelines of both sides in pairs. Those of the current side come first, in order."""

    baseline: Sequence[Pipeline]
    current: Sequence[Pipeline]
    matches: Sequence[Match]
    by_own_sinks: bool = False
    """Each pipeline has a sink of its own, and both sides have the same sinks: the plans do not matter then."""

    @staticmethod
    def of(baseline: Sequence[Pipeline], current: Sequence[Pipeline]) -> PipelinePairs:
        """Pair pipelines by sink, then by its bare name, then by likeness.

        >>> from keepstate.job_version import JobVersion, job_of
        >>> was = job_of(JobVersion("INSERT INTO x SELECT a FROM t; INSERT INTO y SELECT b FROM t"))
        >>> now = job_of(JobVersion("INSERT INTO y SELECT b FROM t"))
        >>> matches = PipelinePairs.of(was.pipelines, now.pipelines).matches
        >>> [(one and one.name, two and two.name) for one, two in matches]
        [('INSERT INTO y', 'INSERT INTO y'), ('INSERT INTO x', None)]
        """
        by_own_sinks = _by_own_sinks(baseline, current)
        if by_own_sinks is not None:
            return PipelinePairs(baseline, current, by_own_sinks, by_own_sinks=True)
        return PipelinePairs(baseline, current, _matches(baseline, current))

    def edited(
        self, baseline: Sequence[Pipeline], current: Sequence[Pipeline], memo: Memo
    ) -> tuple[PipelinePairs, Sequence[int]] | None:
        """The pairing after an edit that left each pipeline its place and sink, with the numbers of the pairs that have
        another pipeline now. ``None``: it did more.
        """
        if not self.by_own_sinks or baseline is not self.baseline or len(current) != len(self.current):
            return None
        edits = memo.edits(self.current, current)
        matches = [*self.matches]
        for number in edits:
            if current[number].sink != self.current[number].sink:
                return None
            matches[number] = matches[number][0], current[number]
        return replace(self, current=current, matches=matches), edits


def _matches(baseline: Sequence[Pipeline], current: Sequence[Pipeline]) -> Sequence[Match]:
    if len(baseline) == len(current) == 1:
        # A file that holds one query, before and after, is about that query: its job restarts from that state.
        return ((baseline[0], current[0]),)
    partner: dict[int, Pipeline] = {}
    """The counterparts of current pipelines, by the numbers of their statements."""
    by_sink: dict[str | None, _Rivals] = {}
    # Equal plans first: of several pipelines into one sink, an unchanged one must lose no partner to an edited one.
    for was in baseline:
        by_sink.setdefault(was.sink, _Rivals()).add(was)
    current_pipelines: list[Pipeline] = []
    for now in current:
        same = by_sink[now.sink].equal(now) if now.sink in by_sink else None
        if same is None:
            current_pipelines.append(now)
        else:
            partner[now.number] = same
    for now in current_pipelines:
        # What is left for the sink was edited: the most alike has the best chance to keep its state.
        likest = by_sink[now.sink].likest(now) if now.sink is not None and now.sink in by_sink else None
        if likest is not None:
            partner[now.number] = likest
    current_pipelines = [now for now in current_pipelines if now.number not in partner]
    for was, now in _namesakes(by_sink, current_pipelines):
        partner[now.number] = was
    current_pipelines = [now for now in current_pipelines if now.number not in partner]
    baseline_pipelines = [was for rivals in by_sink.values() for was in rivals.remaining]
    queries = [[pipeline for pipeline in side if pipeline.sink is None] for side in (baseline, current)]
    if len(queries[0]) == len(queries[1]) == 1 and queries[1][0].number not in partner:
        # A file that holds one query without a sink, before and after, is about that query.
        partner[queries[1][0].number] = queries[0][0]
        baseline_pipelines = [was for was in baseline_pipelines if was.number != queries[0][0].number]
        current_pipelines = [now for now in current_pipelines if now.number != queries[1][0].number]
    # Neither the sink nor its bare name is left to go by: the sink was renamed. What the query computes is the clue.
    for was, now in _similar_pairs(baseline_pipelines, current_pipelines):
        partner[now.number] = was
    paired_statements = {was.number for was in partner.values()}
    baseline_pipelines = [was for was in baseline_pipelines if was.number not in paired_statements]
    return (*((partner.get(now.number), now) for now in current), *((was, None) for was in baseline_pipelines))


def _by_own_sinks(
    baseline: Sequence[Pipeline], current: Sequence[Pipeline]
) -> tuple[tuple[Pipeline, Pipeline], ...] | None:
    """The pairs where each pipeline has a sink of its own, and both sides have the same sinks; else ``None``."""
    if len(baseline) != len(current):
        return None
    sinks = list(map(_SINK, baseline))
    if sinks == list(map(_SINK, current)):
        # In one order too, if nothing moved.
        return tuple(zip(baseline, current, strict=True)) if None not in sinks and len({*sinks}) == len(sinks) else None
    by_sink = dict(zip(sinks, baseline, strict=True))
    if None in by_sink or len(by_sink) != len(baseline) or by_sink.keys() != {now.sink for now in current}:
        return None
    return tuple([(by_sink[now.sink], now) for now in current])


_SINK = attrgetter("sink")


def _namesakes(
    by_sink: Mapping[str | None, _Rivals], pipelines: Iterable[Pipeline]
) -> Iterator[tuple[Pipeline, Pipeline]]:
    """Pairs of pipelines whose sinks have one name in other catalogs or databases, where it is the only one on either
    side.
    """
    partners: dict[str, list[Pipeline]] = {}
    for sink, rivals in by_sink.items():
        if sink is not None:
            partners.setdefault(bare(sink), []).extend(rivals.remaining)
    come: dict[str, list[Pipeline]] = {}
    for now in pipelines:
        if now.sink is not None:
            come.setdefault(bare(now.sink), []).append(now)
    for name, pipelines_added in come.items():
        if len(pipelines_added) == len(partners.get(name, ())) == 1:
            was = partners[name][0]
            by_sink[was.sink].likest(was)
            yield was, pipelines_added[0]


class _Rivals:
    """The pipelines of the baseline that write to one sink and have no counterpart yet, by their numbers."""

    def __init__(self) -> None:
        self._left: OrderedDict[int, Pipeline] = OrderedDict()
        self._by_plan: dict[Plan, deque[int]] | None = None
        self._crowd: _Crowd | None = None

    @property
    def remaining(self) -> Iterable[Pipeline]:
        return self._left.values()

    def add(self, pipeline: Pipeline) -> None:
        self._left[len(self._left)] = pipeline

    def equal(self, other: Pipeline) -> Pipeline | None:
        """The first one whose plan is equal. It is none of the rivals any more."""
        if not self._left:
            return None
        first, pipeline = next(iter(self._left.items()))
        if pipeline.planned.means(other.planned):
            # So it is for nearly all of them at nearly every keystroke.
            return self._left.pop(first)
        if self._by_plan is None:
            self._by_plan = _numbered((number, one.plan) for number, one in self._left.items())
        return self._first_of(self._by_plan.get(other.plan))

    def likest(self, other: Pipeline) -> Pipeline | None:
        """The first of those that are most like it. It is none of the rivals any more."""
        if not self._left:
            return None
        if self._crowd is None:
            self._crowd = _Crowd((number, _features(one)) for number, one in self._left.items())
        crowd, features = self._crowd, _features(other)
        equal = self._first_of(crowd.equal.get(features))
        if equal is not None:
            return equal
        near = {*islice(self._left, _MOST_COMPARED), *(one for one in crowd.sharing(features) if one in self._left)}
        return self._left.pop(max(sorted(near), key=lambda number: _overlap(crowd.features[number], features)))

    def _first_of(self, numbers: deque[int] | None) -> Pipeline | None:
        while numbers:
            number = numbers.popleft()
            if number in self._left:
                return self._left.pop(number)
        return None


class _Crowd:
    """The plans of numbered pipelines, by their features."""

    def __init__(self, features: Iterable[tuple[int, Features]]) -> None:
        self.features = dict(features)
        self.equal = _numbered(self.features.items())
        """Numbers of pipelines with the same features."""
        holders: dict[object, list[int]] = {}
        for number, own_features in self.features.items():
            for feature in own_features:
                holders.setdefault(feature, []).append(number)
        self._rare = {feature: numbers for feature, numbers in holders.items() if len(numbers) <= _MOST_COMPARED}

    def sharing(self, features: Features) -> Iterator[int]:
        """Yield the numbers of pipelines that share a rare feature."""
        for feature in features:
            yield from self._rare.get(feature, ())


def _numbered(pairs: Iterable[tuple[int, _T]]) -> dict[_T, deque[int]]:
    """The numbers that belong to equal values, in order."""
    numbers: dict[_T, deque[int]] = {}
    for number, value in pairs:
        numbers.setdefault(value, deque()).append(number)
    return numbers


def _similar_pairs(baseline: Sequence[Pipeline], current: Sequence[Pipeline]) -> Iterator[tuple[Pipeline, Pipeline]]:
    """Pairs that are alike enough, the likest first, each pipeline once."""
    baseline_crowd, current_crowd = (_Crowd(enumerate(map(_features, side))) for side in (baseline, current))
    taken_numbers: set[int] = set()
    unpaired: list[int] = []
    for now, features in current_crowd.features.items():
        equals = baseline_crowd.equal.get(features)
        if equals:
            taken_numbers.add(was := equals.popleft())
            yield baseline[was], current[now]
        else:
            unpaired.append(now)
    free = [was for was in baseline_crowd.features if was not in taken_numbers]
    scored: list[tuple[float, int, int]] = []
    for place, now in enumerate(unpaired):
        features = current_crowd.features[now]
        near = free
        if len(free) > _MOST_COMPARED:
            around = free[max(0, place - _MOST_COMPARED // 2) : place + _MOST_COMPARED // 2]
            near = list({*around, *(was for was in baseline_crowd.sharing(features) if was not in taken_numbers)})
        scores = ((_overlap(features, baseline_crowd.features[was]), was) for was in near)
        scored += [(-score, now, was) for score, was in scores if score >= _LIKENESS_NEEDED]
    placed: set[int] = set()
    for _, now, was in sorted(scored):
        if was not in taken_numbers and now not in placed:
            taken_numbers.add(was)
            placed.add(now)
            yield baseline[was], current[now]


def _overlap(before: Features, after: Features) -> float:
    """From 0 to 1: how much of two plans is the same."""
    shared = len(before & after)
    return shared / (len(before) + len(after) - shared)


def _features(pipeline: Pipeline) -> Features:
    """Never empty: there is an operator in every plan."""
    features: set[object] = {*pipeline.plan.output}
    for operator in pipeline.plan.operators:
        features.add(type(operator).__name__)
        match operator:
            case TableSourceScan():
                features.add(operator.table)
            case Aggregate():
                features.update(operator.keys, operator.aggregates)
            case Rank():
                features.update(operator.partition, operator.order)
    return frozenset(features)
