"""Statements of a job that fill one table: from Flink 2.1 on they share its sink (``SinkReuser``).

The rows come together in a union, which nothing is chained to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from keepstate.physical.execution_nodes import ENFORCER, EXCHANGE, MATERIALIZER, SINK, UNION, ExecNode

_OF_THE_SINK = frozenset({SINK, MATERIALIZER, ENFORCER})


@dataclass(frozen=True)
class SharedSinks:
    """The sinks of a job, each in the place of the first statement that fills it. ``ordering`` has the digests of
    operators that order updates in front of a sink: of a statement alone, and of all that share the sink.
    """

    sinks: tuple[ExecNode, ...]
    ordering: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(sinks: Sequence[ExecNode]) -> SharedSinks:
        """Return what the sinks of single statements become."""
        alike: dict[tuple[str, ...], list[ExecNode]] = {}
        for sink in sinks:
            alike.setdefault(kind_of_sink(sink), []).append(sink)
        if len(alike) == len(sinks):
            return SharedSinks(tuple(sinks))
        nodes: list[ExecNode] = []
        ordering: dict[str, str] = {}
        for members in alike.values():
            merged = members[0]
            if len(members) > 1:
                rows = ExecNode.of(UNION, *(_tail(member)[-1].inputs[0] for member in members))
                merged = _behind(rows, _tail(members[0]))
                for member in members:
                    pairs = zip(_tail(member), _tail(merged), strict=True)
                    ordering |= {was.digest: now.digest for was, now in pairs if was.kind == MATERIALIZER}
            nodes.append(merged)
        return SharedSinks(tuple(nodes), ordering)


def kind_of_sink(sink: ExecNode) -> tuple[str, ...]:
    """The value by which statements share a sink. A sink that orders updates is another one than a sink of the same
    table that does not.
    """
    return sink.detail, *[each.kind for each in _tail(sink)]


def _tail(sink: ExecNode) -> list[ExecNode]:
    """The nodes that belong to a sink, from the sink up to the first of them."""
    tail = [sink]
    while True:
        below = tail[-1].inputs[0]
        is_exchange = below.kind == EXCHANGE and tail[-1].kind in (SINK, MATERIALIZER)
        if below.kind not in _OF_THE_SINK and not is_exchange:
            return tail
        tail.append(below)


def _behind(rows: ExecNode, tail: Sequence[ExecNode]) -> ExecNode:
    node = rows
    for each in reversed(tail):
        node = ExecNode.of(each.kind, node, detail=each.detail_value, doubt=each.doubt, tasks=each.tasks)
    return node
