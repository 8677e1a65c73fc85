"""Execution nodes: what Flink makes of the operators of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, fields, is_dataclass
from functools import cached_property
from hashlib import blake2b

from keepstate.plan.expressions import Expr
from keepstate.value_class import value_class

SOURCE = "Source"
EXCHANGE = "Exchange"
UNION = "Union"
ENFORCER = "ConstraintEnforcer"
MATERIALIZER = "SinkMaterializer"
SINK = "Sink"
VIRTUAL = frozenset({EXCHANGE, UNION})
"""Nodes that only determine how rows travel: they are no operators of the job graph."""


@value_class(frozen=True, eq=False)
class ExecNode:
    """An execution node. Nodes with equal ``digest`` do equal work: the planner makes one node of them.

    ``doubt`` is the reason why the node may be absent. ``detail_value`` holds the values that the detail was made of.
    ``tasks`` is the number of its parallel tasks where it is not that of its input.
    """

    kind: str
    inputs: tuple[ExecNode, ...] = ()
    detail: str = ""
    doubt: str = ""
    digest: str = field(default="", repr=False)
    detail_value: object = field(default="", repr=False)
    tasks: int | None = None

    @staticmethod
    def of(kind: str, *inputs: ExecNode, detail: object = "", doubt: str = "", tasks: int | None = None) -> ExecNode:
        text = repr(detail)
        digest = hashed(kind, text, doubt, str(tasks), *(below.digest for below in inputs))
        return ExecNode(kind, inputs, text, doubt, digest, detail, tasks)

    @property
    def tasks_of_results(self) -> int | None:
        """The number of parallel tasks that what is chained to this node has; ``None`` is that of the job. A source
        with a number of its own keeps it for itself.
        """
        node = self
        while node.kind != SOURCE:
            if node.tasks is not None:
                return node.tasks
            if len(node.inputs) != 1 or node.inputs[0].kind in VIRTUAL:
                return None
            node = node.inputs[0]
        return None

    @cached_property
    def below(self) -> tuple[ExecNode, ...]:
        """All nodes below this one, inputs first, equal ones once."""
        # Not by recursion: an operator may be several nodes, and a plan of them is deeper than Python's stack. Each new
        # node is met twice, before and after what is below it.
        nodes: dict[str, ExecNode] = {}
        waiting = [(each, False) for each in reversed(self.inputs)]
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                nodes.setdefault(node.digest, node)
            elif node.digest not in nodes:
                waiting.append((node, True))
                waiting += [(each, False) for each in reversed(node.inputs)]
        return tuple(nodes.values())

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The digests of all nodes below this one, and its own."""
        return (*[node.digest for node in self.below], self.digest)

    @cached_property
    def form(self) -> str:
        """A digest of the shapes of this node and of all below it, and of their edges: of all that ids can follow from,
        as long as no other statement has one of the nodes.
        """
        places = {digest: place for place, digest in enumerate(self.digests)}
        nodes = (*self.below, self)
        return hashed(repr([(node.shape, [places[below.digest] for below in node.inputs]) for node in nodes]))

    @cached_property
    def shape(self) -> tuple[object, ...]:
        """The facts about this node that ids can follow from, apart from its inputs."""
        kind = self.kind if self.kind in VIRTUAL or self.kind == SOURCE else ""
        doubt = (self.doubt, self.digest) if self.doubt else ("", "")
        return kind, self.tasks, self.tasks_of_results, doubt

    @cached_property
    def source_digest(self) -> str:
        """Digest of the same work as written. The planner finds equal work by its own digests, in which ``a > 1`` and
        ``1 < a`` differ (``SubplanReuser``).
        """
        return hashed(self.kind, *spelled(self.detail_value), *(below.source_digest for below in self.inputs))


class Conditions(tuple[Expr, ...]):
    """Conditions of a filter, in an order without meaning."""

    @staticmethod
    def of(conditions: Iterable[Expr]) -> Conditions:
        return Conditions(sorted(conditions, key=repr))

    @property
    def as_written(self) -> list[Expr]:
        """In the order of the text, those of each statement for itself."""
        texts = [each.place.statement.token_key if each.place is not None else () for each in self]
        starts = [each.place.span.start if each.place is not None else 0 for each in self]
        return [self[index] for index in sorted(range(len(self)), key=lambda index: (texts[index], starts[index]))]


def spelled(value: object) -> Iterator[str]:
    """Yield the parts of a node's detail, with the words of its expressions; columns by their identity."""
    if isinstance(value, Conditions):
        for part in value.as_written:
            yield from spelled(part)
    elif isinstance(value, Expr):
        if not value.children():
            # The planner numbers the columns of an input, by whatever names they came there.
            yield repr(value)
            return
        yield " ".join(value.place.words) if value.place is not None else repr(value)
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


def hashed(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
