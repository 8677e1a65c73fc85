"""Queries of a job that move operator ids, and the operators in front of which they do so.

An id follows from the graph of the whole job, so an edit of one query can move the ids of another. Trial computation
finds such edits: the graph of the baseline with one query taken from the current version has the ids that this query
alone causes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from keepstate.physical.execution_nodes import ExecNode
from keepstate.physical.graph import ids_of
from keepstate.physical.stored_pairing import PairedJobs
from keepstate.physical.stored_query import SINK, StoredPipeline
from keepstate.state.stored_operators import OperatorId
from keepstate.state.stored_queries import Numbers


class _Step(NamedTuple):
    kind: str
    detail: str


_MOST_TRIED = 16
"""With more changed queries than this none is tried: each is taken to move its own ids only."""


@dataclass(frozen=True)
class Moves:
    """The moves of operator ids between the versions ``jobs``; pairs of queries are known by their numbers."""

    jobs: PairedJobs

    def movers(self, pair: int, numbers: Numbers) -> frozenset[int]:
        """The pairs whose change alone gives the operator ``numbers`` of ``pair`` another id. Of those that are on one
        side only all count, or none.
        """
        before, _ = numbers
        pipeline = self._side(pair, 0)
        if pipeline is None or before is None or before not in pipeline.nodes:
            return frozenset()
        was = pipeline.nodes[before]
        id_ = _value(self.jobs.before.by_node, was)
        movers = {other for other, ids in self._ids_with.items() if other != pair and _value(ids, was) != id_}
        if pair in self._ids_with and not self._stays(pair, numbers[1], id_):
            movers.add(pair)
        if self._unpaired and _value(self._ids_with_unpaired, was) != id_:
            movers.update(self._unpaired)
        return frozenset(movers)

    def _stays(self, pair: int, after: int | None, id_: str | None) -> bool:
        """Return whether the change of a pair alone leaves the id ``id_`` to its operator.

        Where that operator is not known, any operator with state counts.
        """
        ids, pipeline = self._ids_with[pair], self._side(pair, 1)
        nodes = pipeline.nodes if pipeline is not None else {}
        if after is not None:
            return after in nodes and _value(ids, nodes[after]) == id_
        return id_ in {_value(ids, node) for node in nodes.values()}

    def origins(self, pair: int) -> tuple[Numbers, ...]:
        """The operators of a pair in front of which, down to the next ones with state, the graph has another shape."""
        return tuple(self._shapes(pair))

    def kinds(self, pair: int) -> frozenset[str]:
        """The kinds of the nodes that came, went or are in doubt there."""
        shapes = self._shapes(pair).values()
        return frozenset(step.kind for was, now in shapes for step in ((was - now) | (now - was)) if step.kind)

    # ---- graphs

    @cached_property
    def _changed_pairs(self) -> tuple[int, ...]:
        """The pairs on both sides whose graphs differ."""
        sides = ((pair, self._side(pair, 0), self._side(pair, 1)) for pair in range(len(self.jobs.numbers)))
        return tuple(
            pair
            for pair, was, now in sides
            if was is not None and now is not None and was.root.digest != now.root.digest
        )

    @cached_property
    def _unpaired(self) -> tuple[int, ...]:
        return tuple(pair for pair, numbers in enumerate(self.jobs.numbers) if None in numbers)

    @cached_property
    def _ids_with(self) -> Mapping[int, Mapping[str, OperatorId]]:
        """The ids of the baseline with one changed query each, by its pair."""
        ids: dict[int, Mapping[str, OperatorId]] = {}
        for pair in self._changed_pairs if len(self._changed_pairs) <= _MOST_TRIED else ():
            now = self._side(pair, 1)
            roots = [pipeline.root for pipeline in self.jobs.before.pipelines]
            number = self.jobs.numbers[pair][0]
            if number is not None and now is not None:
                roots[number] = now.root
            ids[pair] = self._ids(roots)
        return ids

    @cached_property
    def _ids_with_unpaired(self) -> Mapping[str, OperatorId]:
        """The ids of the baseline with the queries that came, and without those that went."""
        places = {now: was for was, now in self.jobs.numbers if was is not None and now is not None}
        before, after = self.jobs.before.pipelines, self.jobs.after.pipelines
        return self._ids([(before[places[n]] if n in places else now).root for n, now in enumerate(after)])

    def _ids(self, roots: list[ExecNode]) -> Mapping[str, OperatorId]:
        return ids_of(roots, self.jobs.before.options.naming)

    def _side(self, pair: int, side: int) -> StoredPipeline | None:
        number = self.jobs.numbers[pair][side]
        job = (self.jobs.before, self.jobs.after)[side]
        return job.pipelines[number] if number is not None else None

    def _shapes(self, pair: int) -> dict[Numbers, tuple[Counter[_Step], Counter[_Step]]]:
        """The kinds of nodes in front of each operator on both sides, where they differ."""
        pipelines, was, now = self.jobs.pairs[pair], self._side(pair, 0), self._side(pair, 1)
        if pipelines is None or was is None or now is None:
            return {}
        digests = frozenset(node.digest for side in (was, now) for node in side.nodes.values())
        numbers = [(one.number if one else None, other.number if other else None) for one, other in pipelines.operators]
        by_numbers: dict[Numbers, tuple[Counter[_Step], Counter[_Step]]] = {}
        for before, after in (*numbers, (SINK, SINK)):
            baseline_node, current_node = _node(was, before, digests), _node(now, after, digests)
            shapes = tuple(
                list(_way(node, digests)) if node is not None else [] for node in (baseline_node, current_node)
            )
            if shapes[0] != shapes[1] or baseline_node is None or current_node is None:
                by_numbers[before, after] = Counter(shapes[0]), Counter(shapes[1])
        return by_numbers


def _node(pipeline: StoredPipeline, number: int | None, digests: frozenset[str]) -> ExecNode | None:
    if number is None:
        return None
    return pipeline.nodes.get(number) or (pipeline.root if number == SINK else None)


def _way(node: ExecNode, digests: frozenset[str]) -> Iterator[_Step]:
    """The nodes below one, in order, down to the next ones that keep something; a step without a kind is a way back."""
    for below in node.inputs:
        if below.digest in digests:
            yield _Step("", "kept")
            continue
        # A node that is in doubt counts by all that it is made of.
        yield _Step(below.kind, below.digest if below.doubt else "")
        yield from _way(below, digests)
        yield _Step("", "back")


def _value(ids: Mapping[str, OperatorId], node: ExecNode) -> str | None:
    id_ = ids.get(node.digest)
    return id_.value if id_ is not None else None
