"""The job graph: execution nodes, and the ids under which a savepoint files the state of their operators.

By default an id is a hash of the graph's shape (Flink's ``StreamGraphHasherV2``): how many operators were met before
this one, how many are chained behind it, and the ids of its inputs. What an operator does is no part of it. With
``table.exec.uid.generation = ALWAYS`` it is made of the number and the type of the execution node.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

EXCHANGE = "Exchange"
UNION = "Union"
_VIRTUAL = frozenset({EXCHANGE, UNION})
"""Nodes that only say how rows travel: they are no operators of the job graph."""


@dataclass(frozen=True, eq=False)
class Node:
    """An execution node. Equal ``digest`` means equal work: then the planner makes one node of several.

    ``doubt`` says why nobody can tell whether the node is there at all.
    """

    kind: str
    inputs: tuple[Node, ...] = ()
    detail: str = ""
    doubt: str = ""
    digest: str = field(default="", repr=False)

    @staticmethod
    def of(kind: str, *inputs: Node, detail: object = "", doubt: str = "") -> Node:
        said = repr(detail)
        return Node(kind, inputs, said, doubt, _hashed(kind, said, doubt, *(below.digest for below in inputs)))


@dataclass(frozen=True)
class OperatorId:
    """Where a savepoint files the state of an operator. ``doubt`` is why the id may be another one."""

    value: str
    doubt: str = ""


@lru_cache(maxsize=16)
def operator_ids(sinks: tuple[Node, ...], by_shape: bool) -> Mapping[str, OperatorId]:
    """The ids of the operators of a job by the digests of their nodes; ``sinks`` in the order of their statements."""
    return ids_of(sinks, by_shape)


def ids_of(sinks: Sequence[Node], by_shape: bool) -> Mapping[str, OperatorId]:
    """Likewise, for a job that is looked at once."""
    nodes = _translated(sinks)
    return _by_shape(nodes) if by_shape else _by_number(nodes)


def _translated(sinks: Sequence[Node]) -> list[Node]:
    """All nodes in the order in which the planner makes them: inputs first, equal ones once."""
    met: dict[str, Node] = {}
    for number, sink in enumerate(sinks):
        for node in _upwards(sink, met):
            # Every statement has a sink of its own.
            met[f"{node.digest}#{number}" if node is sink else node.digest] = node
    return list(met.values())


def _upwards(node: Node, met: dict[str, Node]) -> Iterator[Node]:
    for below in node.inputs:
        if below.digest not in met:
            yield from _upwards(below, met)
    if node.digest not in met:
        yield node


def _by_number(nodes: Sequence[Node]) -> dict[str, OperatorId]:
    doubts = ""
    ids: dict[str, OperatorId] = {}
    for number, node in enumerate(nodes):
        doubts = doubts or node.doubt
        ids[node.digest] = OperatorId(f"{number}_{node.kind}", doubts)
    return ids


def _by_shape(nodes: Sequence[Node]) -> dict[str, OperatorId]:
    operators = [_Vertex(node) for node in nodes if node.kind not in _VIRTUAL]
    by_digest = {vertex.node.digest: vertex for vertex in operators}
    for vertex in operators:
        for below, forward in _edges(vertex.node):
            source = by_digest[below.digest]
            vertex.inputs.append(source)
            source.outputs.append((vertex, forward))
    ids: dict[int, OperatorId] = {}
    waiting = deque(vertex for vertex in operators if not vertex.inputs)
    queued = {id(vertex) for vertex in waiting}
    doubts = ""
    while waiting:
        vertex = waiting.popleft()
        if any(id(below) not in ids for below in vertex.inputs):
            queued.discard(id(vertex))
            continue
        doubts = doubts or vertex.node.doubt
        chained = sum(forward and len(target.inputs) == 1 for target, forward in vertex.outputs)
        # A node of which nobody knows whether it is there is told from all others by what decides it.
        own = vertex.node.digest if vertex.node.doubt else ""
        value = _hashed(str(len(ids)), str(chained), own, *(ids[id(below)].value for below in vertex.inputs))
        ids[id(vertex)] = OperatorId(value, doubts)
        for target, _ in vertex.outputs:
            if id(target) not in queued:
                queued.add(id(target))
                waiting.append(target)
    return {vertex.node.digest: ids[id(vertex)] for vertex in operators if id(vertex) in ids}


class _Vertex:
    """An operator of the job graph; an output says whether rows stay where they are, so that it may be chained."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.inputs: list[_Vertex] = []
        self.outputs: list[tuple[_Vertex, bool]] = []


def _edges(node: Node) -> Iterator[tuple[Node, bool]]:
    """The operators whose rows a node reads, and whether these come without an exchange."""
    for below in node.inputs:
        if below.kind in _VIRTUAL:
            for source, forward in _edges(below):
                yield source, forward and below.kind != EXCHANGE
        else:
            yield below, True


def _hashed(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
