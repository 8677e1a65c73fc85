"""The job graph: execution nodes, and the ids under which a savepoint stores the state of their operators.

By default an id is a hash of the graph's shape (Flink's ``StreamGraphHasherV2``): the number of operators before this
one, the number chained behind it, and the ids of its inputs. The function of an operator does not count. With
``table.exec.uid.generation = ALWAYS`` the id consists of the number and the type of the execution node.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from hashlib import blake2b

from keepstate.plan.expressions import Expr
from keepstate.state.stored import OperatorId
from keepstate.syntax.memo import Memo

EXCHANGE = "Exchange"
UNION = "Union"
_VIRTUAL = frozenset({EXCHANGE, UNION})
"""Nodes that only determine how rows travel: they are no operators of the job graph."""


@dataclass(frozen=True, eq=False)
class Node:
    """An execution node. Nodes with equal ``digest`` do equal work: the planner makes one node of them.

    ``doubt`` is the reason why the node may be absent. ``detail_value`` holds the values that the detail was made of.
    """

    kind: str
    inputs: tuple[Node, ...] = ()
    detail: str = ""
    doubt: str = ""
    digest: str = field(default="", repr=False)
    detail_value: object = field(default="", repr=False)

    @staticmethod
    def of(kind: str, *inputs: Node, detail: object = "", doubt: str = "") -> Node:
        said = repr(detail)
        digest = _hashed(kind, said, doubt, *(below.digest for below in inputs))
        return Node(kind, inputs, said, doubt, digest, detail)

    @cached_property
    def written(self) -> str:
        """Digest of the same work as written. The planner finds equal work by its own digests, in which ``a > 1`` and
        ``1 < a`` differ (``SubplanReuser``).
        """
        return _hashed(self.kind, *spelled(self.detail_value), *(below.written for below in self.inputs))


def operator_ids(sinks: tuple[Node, ...], by_shape: bool, memo: Memo) -> Mapping[str, OperatorId]:
    """The ids of the operators of a job by the digests of their nodes; ``sinks`` in the order of their statements. Kept
    in ``memo``: a baseline is compared with many versions.
    """
    return memo.of_group(operator_ids, (sinks, by_shape), lambda: ids_of(sinks, by_shape))


def ids_of(sinks: Sequence[Node], by_shape: bool) -> Mapping[str, OperatorId]:
    """Likewise, for a job that is looked at once."""
    found = _Translated()
    for number, sink in enumerate(sinks):
        found.add(number, sink)
    return _by_shape(found) if by_shape else _by_number(found)


_RESPELLED = "it is not known whether Flink makes one operator of two queries that say the same in other words"


class _Translated:
    """All nodes in the order in which the planner makes them: inputs first, equal ones of a job once."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[Node, int]] = {}
        self._respelled: dict[str, set[str]] = {}
        """Digests of nodes that several statements write in several ways, and these."""

    def add(self, statement: int, sink: Node) -> None:
        for below in sink.inputs:
            self._add(statement, below)
        # Every statement has a sink of its own.
        self._met[f"{sink.digest}#{statement}"] = sink, statement

    def _add(self, statement: int, node: Node) -> None:
        # Not by recursion: an operator may be several nodes, and a plan of them is deeper than Python's stack. Each new
        # node is met twice, before and after what is below it.
        waiting = [(node, False)]
        while waiting:
            here, is_done = waiting.pop()
            met = self._met.get(here.digest)
            if met is None and is_done:
                self._met[here.digest] = here, statement
            elif met is None:
                waiting.append((here, True))
                waiting += [(below, False) for below in reversed(here.inputs)]
            elif met[1] != statement and met[0] is not here and met[0].written != here.written:
                self._respell(met[0], here)

    def _respell(self, one: Node, other: Node) -> None:
        waiting = [(one, other)]
        while waiting:
            ours, theirs = waiting.pop()
            self._respelled.setdefault(ours.digest, {ours.written}).add(theirs.written)
            waiting += [
                pair
                for pair in zip(ours.inputs, theirs.inputs, strict=True)
                if pair[0] is not pair[1] and pair[0].written != pair[1].written
            ]

    @property
    def nodes(self) -> list[Node]:
        return [node for node, _ in self._met.values()]

    def doubt(self, node: Node) -> tuple[str, str]:
        """Return the reason why a node may be absent, or be there twice, and the fact that decides; both empty if the
        node is certain.
        """
        if node.doubt:
            return node.doubt, node.digest
        ways = self._respelled.get(node.digest)
        return (_RESPELLED, _hashed(*sorted(ways))) if ways else ("", "")


class Conditions(tuple[Expr, ...]):
    """Conditions of a filter, in an order without meaning."""

    @staticmethod
    def of(conditions: Iterable[Expr]) -> Conditions:
        return Conditions(sorted(conditions, key=repr))

    @property
    def as_written(self) -> list[Expr]:
        """In the order of the text, those of each statement for itself."""
        texts = [each.place.statement.text if each.place is not None else "" for each in self]
        starts = [each.place.span.start if each.place is not None else 0 for each in self]
        return [self[index] for index in sorted(range(len(self)), key=lambda index: (texts[index], starts[index]))]


def spelled(value: object) -> Iterator[str]:
    """Yield the parts of a node's detail, with the words of its expressions; columns by their identity."""
    if isinstance(value, Conditions):
        for part in value.as_written:
            yield from spelled(part)
    elif isinstance(value, Expr):
        if value.place is None or not value.children():
            yield repr(value)
        else:
            yield " ".join(value.place.words)
        yield from (" ".join(place.words) for place in value.via)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from spelled(part)
    elif is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__
        for each in fields(value):
            if each.compare:
                yield from spelled(getattr(value, each.name))
    else:
        yield repr(value)


def _by_number(translated: _Translated) -> dict[str, OperatorId]:
    doubts = ""
    ids: dict[str, OperatorId] = {}
    for number, node in enumerate(translated.nodes):
        doubts = doubts or translated.doubt(node)[0]
        ids[node.digest] = OperatorId(f"{number}_{node.kind}", doubts)
    return ids


def _by_shape(translated: _Translated) -> dict[str, OperatorId]:
    operators = {node.digest: _Vertex(node) for node in translated.nodes if node.kind not in _VIRTUAL}
    for digest, vertex in operators.items():
        for below, forward in _edges(vertex.node):
            vertex.inputs.append(below.digest)
            operators[below.digest].outputs.append((digest, forward))
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
        chained = sum(forward and len(operators[target].inputs) == 1 for target, forward in vertex.outputs)
        # A node in doubt differs from all other nodes by the fact that decides it.
        parts = (str(len(ids)), str(chained), own, *twice, *(ids[below].value for below in vertex.inputs))
        ids[digest] = OperatorId(_hashed(*parts), doubts)
        for target, _ in vertex.outputs:
            if target not in queued:
                queued.add(target)
                waiting.append(target)
    return ids


class _Vertex:
    """An operator of the job graph and the digests of its neighbours.

    The flag of an output is true if rows stay where they are, so that the output may be chained.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.inputs: list[str] = []
        self.outputs: list[tuple[str, bool]] = []


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
