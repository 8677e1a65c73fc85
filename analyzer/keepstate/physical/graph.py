"""The job graph: execution nodes, and the ids under which a savepoint stores the state of their operators.

By default an id is a hash of the graph's shape (Flink's ``StreamGraphHasherV2``): the number of operators before this
one, the number chained behind it, and the ids of its inputs. The function of an operator does not count. Operators of
different parallelism are not chained. With ``table.exec.uid.generation = ALWAYS`` the id consists of the number and the
type of the execution node.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from keepstate.physical.execution_nodes import EXCHANGE, SOURCE, VIRTUAL, ExecNode, hashed
from keepstate.physical.sink_reuse import SharedSinks, kind_of_sink
from keepstate.state.stored_operators import OperatorId
from keepstate.syntax.memo import Memo


@dataclass(frozen=True)
class IdScheme:
    """The way in which operators get their ids: by the shape of the graph, else by number and type. ``tasks`` is the
    number of parallel tasks of all that sets none, ``None`` if no setting of the job says it. ``merges_sinks`` is true
    if statements that fill one table share its sink.
    """

    by_shape: bool = True
    tasks: int | None = None
    merges_sinks: bool = False


BY_SHAPE = IdScheme()


@dataclass(frozen=True, eq=False)
class JobIds:
    """The ids of the operators of a job. ``names`` has those of all its nodes in the order of the graph, and is one
    object for graphs of one shape.
    """

    by_node: Mapping[str, OperatorId]
    """By the digests of the nodes."""
    names: tuple[OperatorId | None, ...] = ()
    _nodes: _SharedNodes | None = None
    """``None`` where an edit of one statement may have an effect on the ids of all."""

    @staticmethod
    def of(sinks: tuple[ExecNode, ...], naming: IdScheme, memo: Memo) -> JobIds:
        """The ids of a job; ``sinks`` in the order of their statements. Kept in ``memo``: most edits leave the graph
        its shape, and one of the same shape has the same ids in the same places.
        """
        if not naming.by_shape:
            return JobIds(ids_of(sinks, naming))
        shared = _shared(sinks, naming)
        # Asked at each keystroke of a job of any length, so no node has a step of its own in Python.
        numbers = defaultdict[str, int](count().__next__)
        places = tuple([tuple(map(numbers.__getitem__, sink.digests)) for sink in shared.sinks])
        forms = tuple([sink.form for sink in shared.sinks])
        doubts = _doubts(shared.sinks) if _has_respelled(shared.sinks) else ()

        def named() -> tuple[OperatorId | None, ...]:
            ids = _by_shape(_translated(shared), naming.tasks)
            return tuple(map(ids.get, numbers))

        names = memo.of_group(JobIds, (naming.tasks, forms, places, doubts), named)
        ids = {digest: id_ for digest, id_ in zip(numbers, names, strict=True) if id_ is not None}
        ids |= {digest: ids[merged] for digest, merged in shared.ordering.items()}
        return JobIds(ids, names, _SharedNodes.of(sinks) if shared.sinks == sinks and not doubts else None)

    def after_edits(self, was: Sequence[ExecNode], now: Sequence[ExecNode]) -> JobIds | None:
        """The ids of a job in which the sinks ``was`` became the sinks ``now``, one by one, and the graph kept its
        shape; ``None`` where it may have another one.
        """
        edited = None if self._nodes is None else self._nodes.after_edits(was, now)
        if edited is None:
            return None
        nodes, digests = edited
        ids = {**self.by_node}
        for digest, other in digests.items():
            if digest in ids:
                ids[other] = ids.pop(digest)
        return JobIds(ids, self.names, nodes)


@dataclass(frozen=True, eq=False)
class _SharedNodes:
    """The nodes of a graph in which no two statements share a sink, or write equal nodes in several ways."""

    uses: Mapping[str, int]
    """By their digests, the number of statements that have them."""

    @staticmethod
    def of(sinks: Sequence[ExecNode]) -> _SharedNodes:
        return _SharedNodes(Counter(chain.from_iterable([sink.digests for sink in sinks])))

    def after_edits(
        self, was: Sequence[ExecNode], now: Sequence[ExecNode]
    ) -> tuple[_SharedNodes, Mapping[str, str]] | None:
        """The nodes behind an edit of some sinks that leaves the graph its shape, with the new digests of former ones;
        ``None`` where it may get another shape.
        """
        digests: dict[str, str] = {}
        gone = Counter[str]()
        nodes: dict[str, ExecNode] = {}
        for one, other in zip(was, now, strict=True):
            if one.form != other.form or kind_of_sink(one) != kind_of_sink(other):
                return None
            for before, after in zip((*one.below, one), (*other.below, other), strict=True):
                if digests.setdefault(before.digest, after.digest) != after.digest:
                    return None
                gone[before.digest] += 1
                equal = nodes.setdefault(after.digest, after)
                if before.digest == after.digest and self.uses[before.digest] > 1:
                    equal = before
                if equal is not after and equal.source_digest != after.source_digest:
                    return None
        digests = {before: after for before, after in digests.items() if before != after}
        if len({*digests.values()}) < len(digests) or not self.uses.keys().isdisjoint(digests.values()):
            return None
        if any(self.uses[digest] != gone[digest] for digest in digests):
            return None
        uses = {**self.uses}
        for digest, new in digests.items():
            uses[new] = uses.pop(digest)
        return _SharedNodes(uses), digests


def ids_of(sinks: Sequence[ExecNode], naming: IdScheme) -> Mapping[str, OperatorId]:
    """The ids of the operators of a job that is looked at once, by the digests of their nodes; ``sinks`` in the order
    of their statements.
    """
    shared = _shared(sinks, naming)
    graph = _translated(shared)
    ids = _by_shape(graph, naming.tasks) if naming.by_shape else _by_number(graph)
    return ids | {digest: ids[merged] for digest, merged in shared.ordering.items()}


def _shared(sinks: Sequence[ExecNode], naming: IdScheme) -> SharedSinks:
    return SharedSinks.of(sinks) if naming.merges_sinks else SharedSinks(tuple(sinks))


def _translated(shared: SharedSinks) -> _Translated:
    graph = _Translated()
    for number, sink in enumerate(shared.sinks):
        graph.add(number, sink)
    return graph


def _has_respelled(sinks: Sequence[ExecNode]) -> bool:
    """Return whether statements have equal nodes that they write in several ways."""
    nodes: dict[str, ExecNode] = {}
    for sink in sinks:
        first_nodes = tuple(map(nodes.setdefault, sink.digests, sink.below))
        if first_nodes != sink.below and [
            True
            for one, other in zip(first_nodes, sink.below, strict=True)
            if one is not other and one.source_digest != other.source_digest
        ]:
            return True
    return False


def _doubts(sinks: Sequence[ExecNode]) -> tuple[tuple[str, str], ...]:
    """The doubt about each node of the graph."""
    graph = _translated(SharedSinks(tuple(sinks)))
    return tuple(map(graph.doubt, graph.nodes))


_TASKS = (
    "no setting of the job says how many parallel tasks its operators have, and those of another number are not chained"
)
_RESPELLED = "it is not known whether Flink makes one operator of two queries that say the same in other words"


class _Translated:
    """All nodes in the order in which the planner makes them: inputs first, equal ones of a job once."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[ExecNode, int]] = {}
        self._respelled: dict[str, set[str]] = {}
        """Digests of nodes that several statements write in several ways, and these."""

    def add(self, statement: int, sink: ExecNode) -> None:
        nodes = self._met
        for node in sink.below:
            first = nodes.setdefault(node.digest, (node, statement))
            if first[1] != statement and first[0] is not node and first[0].source_digest != node.source_digest:
                self._respell(first[0], node)
        # Every statement has a sink of its own.
        nodes[f"{sink.digest}#{statement}"] = sink, statement

    def _respell(self, one: ExecNode, other: ExecNode) -> None:
        waiting = [(one, other)]
        while waiting:
            first, second = waiting.pop()
            self._respelled.setdefault(first.digest, {first.source_digest}).add(second.source_digest)
            waiting += [
                pair
                for pair in zip(first.inputs, second.inputs, strict=True)
                if pair[0] is not pair[1] and pair[0].source_digest != pair[1].source_digest
            ]

    @property
    def nodes(self) -> list[ExecNode]:
        return [node for node, _ in self._met.values()]

    def doubt(self, node: ExecNode) -> tuple[str, str]:
        """Return the reason why a node may be absent, or be there twice, and the fact that decides; both empty if the
        node is certain.
        """
        if node.doubt:
            return node.doubt, node.digest
        ways = self._respelled.get(node.digest)
        return (_RESPELLED, hashed(*sorted(ways))) if ways else ("", "")


def _by_number(translated: _Translated) -> dict[str, OperatorId]:
    doubts = ""
    ids: dict[str, OperatorId] = {}
    for number, node in enumerate(translated.nodes):
        doubts = doubts or translated.doubt(node)[0]
        ids[node.digest] = OperatorId(f"{number}_{node.kind}", doubts)
    return ids


def _by_shape(translated: _Translated, tasks: int | None) -> dict[str, OperatorId]:
    operators = {node.digest: _Vertex(node) for node in translated.nodes if node.kind not in VIRTUAL}
    for digest, vertex in operators.items():
        for below, forward in _edges(vertex.node):
            vertex.inputs.append(below.digest)
            operators[below.digest].outputs.append((digest, forward))
            if forward:
                vertex.split = _split(below, vertex.node, tasks)
    for vertex in reversed(operators.values()):
        if vertex.node.doubt and any(operators[target].split is not _TOGETHER for target, _ in vertex.outputs):
            # Without it, what is in front of it is split from what is behind it.
            vertex.split = vertex.split if vertex.split is _APART else _Split(vertex.node.doubt, vertex.node.digest)
    ids: dict[str, OperatorId] = {}
    waiting = deque(digest for digest, vertex in operators.items() if not vertex.inputs)
    queued = set(waiting)
    doubts = ""
    while waiting:
        digest = waiting.popleft()
        vertex = operators[digest]
        if any(below not in ids for below in vertex.inputs):
            queued.discard(digest)
            continue
        # A node that may be there twice counts among the outputs of what is in front of it.
        near = [
            translated.doubt(each) for each in (vertex.node, *(operators[target].node for target, _ in vertex.outputs))
        ]
        own_doubt, own = near[0]
        twice = [way for doubt, way in near if doubt == _RESPELLED]
        doubts = doubts or own_doubt or (_RESPELLED if twice else "")
        near_outputs = [target for target, forward in vertex.outputs if forward and len(operators[target].inputs) == 1]
        splits = [operators[target].split for target in near_outputs]
        unsure = [split for split in splits if split.doubt]
        doubts = doubts or next((split.doubt for split in unsure), "")
        chained = splits.count(_TOGETHER)
        # A node in doubt differs from all other nodes by the fact that decides it.
        parts = (
            str(len(ids)),
            str(chained),
            own,
            *twice,
            *(split.fact for split in unsure),
            *(ids[below].value for below in vertex.inputs),
        )
        ids[digest] = OperatorId(hashed(*parts), doubts)
        for target, _ in vertex.outputs:
            if target not in queued:
                queued.add(target)
                waiting.append(target)
    return ids


@dataclass(frozen=True)
class _Split:
    """The relation between the parallel tasks of an operator and of its input: as many, others, or not known, for the
    reason ``doubt``; ``fact`` is the value that decides.
    """

    doubt: str = ""
    fact: str = ""


_TOGETHER = _Split()
_APART = _Split(fact="apart")


class _Vertex:
    """An operator of the job graph and the digests of its neighbours.

    The flag of an output is true if rows stay where they are, so that the output may be chained. ``split`` is how the
    operator and its input differ in their numbers of parallel tasks.
    """

    def __init__(self, node: ExecNode) -> None:
        self.node = node
        self.inputs: list[str] = []
        self.outputs: list[tuple[str, bool]] = []
        self.split = _TOGETHER


def _split(below: ExecNode, node: ExecNode, tasks: int | None) -> _Split:
    below_tasks = below.tasks if below.kind == SOURCE else below.tasks_of_results
    node_tasks = node.tasks if node.tasks is not None else below.tasks_of_results
    if below_tasks == node_tasks:
        return _TOGETHER
    if tasks is None and None in (below_tasks, node_tasks):
        return _Split(_TASKS, f"{below_tasks} {node_tasks}")
    return _TOGETHER if (below_tasks or tasks) == (node_tasks or tasks) else _APART


def _edges(node: ExecNode) -> Iterator[tuple[ExecNode, bool]]:
    """The operators whose rows a node reads, and whether these come without an exchange."""
    for below in node.inputs:
        if below.kind in VIRTUAL:
            for source, forward in _edges(below):
                yield source, forward and below.kind != EXCHANGE
        else:
            yield below, True
