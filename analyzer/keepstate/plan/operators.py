"""The relational plan: operators under the names that Flink's planner gives them.

Operators are frozen values; equal operators mean the same. Stateless projections do not appear: every expression of
an operator is already traced to source columns, and ``Calc`` holds only filters. ``place`` is the clause that a
person would point at for the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any

from keepstate.plan.expressions import AggregateCall, Expr, Ordering, WindowField, WindowPart
from keepstate.plan.provenance import Place


@dataclass(frozen=True)
class Operator:
    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return ()

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return self

    @property
    def stateful(self) -> bool:
        """Whether Flink keeps keyed or operator state for it (a source's offsets do not count)."""
        return False

    @property
    def title(self) -> str:
        """The operator's name as Flink prints it."""
        return type(self).__name__

    def walk(self) -> Iterator[Operator]:
        """This operator and all below it, from the top."""
        yield self
        for child in self.inputs:
            yield from child.walk()


@dataclass(frozen=True)
class _Unary(Operator):
    input: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return replace(self, input=inputs[0])


@dataclass(frozen=True)
class TableSourceScan(Operator):
    """A table that the job reads; what it declares beyond its columns is compared through the catalog."""

    table: str


@dataclass(frozen=True)
class Values(Operator):
    """Constant rows."""

    rows: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Calc(_Unary):
    """Filters in front of a stateful operator or of the sink; ``conditions`` are joined by AND and have no order."""

    conditions: tuple[Expr, ...]


class WindowKind(Enum):
    TUMBLE = "TUMBLE"
    HOP = "HOP"
    CUMULATE = "CUMULATE"
    SESSION = "SESSION"


class WindowSyntax(Enum):
    """As a table-valued function in FROM, or as a function in GROUP BY."""

    TVF = "table-valued function"
    LEGACY = "group window function"


@dataclass(frozen=True)
class Window:
    """A window assignment. Lengths are canonical intervals (constant ones in milliseconds).

    ``size`` is the maximum size of CUMULATE; ``partition`` are SESSION's own keys; an offset that shifts by whole
    windows is none.
    """

    kind: WindowKind
    time: Expr
    size: Expr | None = None
    slide: Expr | None = None
    step: Expr | None = None
    gap: Expr | None = None
    offset: Expr | None = None
    partition: tuple[Expr, ...] = ()
    syntax: WindowSyntax = field(default=WindowSyntax.TVF, compare=False)
    place: Place | None = field(default=None, compare=False, repr=False)
    partition_place: Place | None = field(default=None, compare=False, repr=False)

    def exprs(self) -> tuple[Expr, ...]:
        lengths = (self.size, self.slide, self.step, self.gap, self.offset)
        return (self.time, *(length for length in lengths if length is not None), *self.partition)


@dataclass(frozen=True)
class WindowTableFunction(_Unary):
    """Assigns rows to windows; keeps no state itself."""

    window: Window
    depth: int = 1


@dataclass(frozen=True)
class Aggregate(_Unary):
    """Common to all aggregations by GROUP BY.

    ``keys`` are the group keys in order, window fields included where they stand; ``grouping`` is the canonical text
    of GROUPING SETS/CUBE/ROLLUP; ``aggregates`` are in the order in which the query names them.
    """

    keys: tuple[Expr, ...]
    aggregates: tuple[AggregateCall, ...]
    grouping: tuple[str, ...] = ()
    keys_place: Place | None = field(default=None, compare=False, repr=False)
    grouping_place: Place | None = field(default=None, compare=False, repr=False)
    select_place: Place | None = field(default=None, compare=False, repr=False)
    unread: tuple[AggregateCall, ...] = field(default=(), compare=False, repr=False)
    """Aggregates that the query names but nothing reads: the planner drops them."""

    @property
    def stateful(self) -> bool:
        return True

    @property
    def plain_keys(self) -> tuple[Expr, ...]:
        """The keys that are not bare window fields, in order."""
        return tuple(key for key in self.keys if not isinstance(key, WindowField))

    @property
    def window_keys(self) -> tuple[WindowField, ...]:
        return tuple(key for key in self.keys if isinstance(key, WindowField))

    def groups_by_window(self, depth: int) -> bool:
        """Whether both ends of the window at ``depth`` are among the keys, computed on or not."""
        parts = {
            node.part
            for key in self.keys
            for node in key.walk()
            if isinstance(node, WindowField) and node.depth == depth
        }
        return {WindowPart.START, WindowPart.END} <= parts


@dataclass(frozen=True)
class WindowAggregate(Aggregate):
    """GROUP BY with both fields of a window table-valued function."""

    window: Window = field(kw_only=True)
    depth: int = field(default=1, kw_only=True)


@dataclass(frozen=True)
class GroupWindowAggregate(Aggregate):
    """GROUP BY with TUMBLE, HOP or SESSION as a function; ``fields`` are the window properties that are read."""

    window: Window = field(kw_only=True)
    depth: int = field(default=1, kw_only=True)
    fields: tuple[WindowField, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class GroupAggregate(Aggregate):
    """Unbounded GROUP BY. ``window`` is the window of its input when it does not group by both of its ends."""

    window: Window | None = field(default=None, kw_only=True)
    depth: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class OverAggregate(_Unary):
    """Aggregates over OVER windows; one call bears its partition, order and frame."""

    calls: tuple[Expr, ...]
    row: tuple[Expr, ...] = ()

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class RankRange:
    """The constant ranks that are kept, inclusive; ``end`` is ``None`` where a column says it."""

    start: int = 1
    end: int | None = None
    other: tuple[Expr, ...] = ()
    """Conditions on the rank number that are no constant range."""


@dataclass(frozen=True)
class Rank(_Unary):
    """Top-N: the first rows of each partition. It stores its input row: ``row`` are the columns that are read of it,
    in the order in which they reach the rank. ``partition`` is a set kept sorted.
    """

    function: str
    partition: tuple[Expr, ...]
    order: tuple[Ordering, ...]
    range: RankRange | None = None
    row: tuple[Expr, ...] = ()
    partition_place: Place | None = field(default=None, compare=False, repr=False)
    order_place: Place | None = field(default=None, compare=False, repr=False)
    range_place: Place | None = field(default=None, compare=False, repr=False)
    select_place: Place | None = field(default=None, compare=False, repr=False)

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class WindowRank(Rank):
    """Top-N of every window: both window fields are partition keys."""


@dataclass(frozen=True)
class Deduplicate(Rank):
    """The first or last row of each key by a time attribute; ``proctime`` tells which kind."""

    proctime: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class WindowDeduplicate(WindowRank):
    """The first or last row of each key in every window."""


@dataclass(frozen=True)
class Join(Operator):
    """A regular join: keeps both inputs. ``kind`` is inner, left, right, full, semi, anti or cross."""

    left: Operator
    right: Operator
    kind: str
    conditions: tuple[Expr, ...] = ()
    left_row: tuple[Expr, ...] = ()
    right_row: tuple[Expr, ...] = ()

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class IntervalJoin(Join):
    """A join whose condition bounds the time attributes of both sides against each other."""


@dataclass(frozen=True)
class WindowJoin(Join):
    """A join on both window fields of its inputs."""


@dataclass(frozen=True)
class TemporalJoin(Join):
    """FOR SYSTEM_TIME AS OF the time attribute of the left side, against a versioned table."""

    as_of: Expr | None = None


@dataclass(frozen=True)
class LookupJoin(TemporalJoin):
    """FOR SYSTEM_TIME AS OF a processing time: asks an external table, keeps nothing by default."""

    @property
    def stateful(self) -> bool:
        return False


@dataclass(frozen=True)
class Correlate(_Unary):
    """A table function called for each row (LATERAL TABLE, UNNEST)."""

    function: Expr
    left: bool = False


@dataclass(frozen=True)
class Union(Operator):
    """UNION ALL; the inputs have no order."""

    branches: tuple[Operator, ...]
    rows: tuple[tuple[Expr, ...], ...] = ()
    places: tuple[Place, ...] = field(default=(), compare=False, repr=False)
    """The query of each input."""

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.branches

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return replace(self, branches=inputs)


@dataclass(frozen=True)
class SetOperation(Union):
    """INTERSECT or EXCEPT, which count rows of both inputs."""

    kind: str = ""

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class TemporalSort(_Unary):
    """ORDER BY; with a time attribute first it holds rows until their time has come."""

    order: tuple[Ordering, ...]
    row: tuple[Expr, ...] = ()

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class Limit(_Unary):
    """LIMIT and OFFSET, with the order that chooses the rows if there is one."""

    limit: str
    offset: str = ""
    row: tuple[Expr, ...] = ()

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class Match(_Unary):
    """MATCH_RECOGNIZE, compared token by token."""

    tokens: tuple[str, ...]

    @property
    def stateful(self) -> bool:
        return True


@dataclass(frozen=True)
class Unsupported(Operator):
    """A construct that lowering does not know: nothing can be said about its state.

    ``tokens`` are its normalised tokens, so that an unchanged construct stays unchanged.
    """

    construct: str
    tokens: tuple[str, ...] = ()
    below: tuple[Operator, ...] = ()

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return replace(self, below=inputs)

    @property
    def stateful(self) -> bool:
        return True


def expressions_of(operator: Operator) -> Iterator[Expr]:
    """The expressions that the operator itself holds (not those of its inputs)."""
    for spec in fields(operator):
        yield from _expressions(getattr(operator, spec.name) if spec.compare else None)


def _expressions(value: object) -> Iterator[Expr]:
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, (Window, RankRange)):
        for spec in fields(value):
            yield from _expressions(getattr(value, spec.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)


def rewritten(operator: Operator, step: Callable[[Expr], Expr]) -> Operator:
    """The operator and all below it, with ``step`` applied to every node of their expressions."""
    below = operator.with_inputs(tuple(rewritten(child, step) for child in operator.inputs))
    return replace(below, **{spec.name: _rewritten(getattr(below, spec.name), step) for spec in fields(below)})


def _rewritten(value: Any, step: Callable[[Expr], Expr]) -> Any:
    if isinstance(value, Expr):
        return value.rewrite(step)
    if isinstance(value, (Window, RankRange)):
        return replace(value, **{spec.name: _rewritten(getattr(value, spec.name), step) for spec in fields(value)})
    if isinstance(value, tuple):
        return tuple(_rewritten(item, step) for item in value)
    return value
