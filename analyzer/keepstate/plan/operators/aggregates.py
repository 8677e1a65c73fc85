"""Aggregations by GROUP BY, with and without windows."""

from __future__ import annotations

from dataclasses import field

from keepstate.plan.expressions import AggregateCall, Expr, WindowField, WindowPart
from keepstate.plan.operators.base import KEPT_SORTED, UnaryOperator
from keepstate.plan.operators.windows import Window
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfUnion, SetCondition
from keepstate.value_class import value_class


@value_class(frozen=True)
class Aggregate(UnaryOperator):
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
    translated: tuple[AggregateCall, ...] = field(default=(), compare=False, repr=False)
    """The aggregates as they are first translated, each as often as it has other operands of the same meaning."""
    operands: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """Operands of the aggregates as first translated, in order, those of unread aggregates included."""
    counted_row: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The columns of the input where the aggregates read none of them: some planners keep them below COUNT(*)."""
    is_unprojected: bool = field(default=False, compare=False, repr=False)
    """Keys and operands are all columns of FROM, in their order: no projection stands below."""
    doubled: bool = field(default=False, compare=False, repr=False)
    """A key is written in two ways, of which Flink may make one key or two."""
    elements: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """Elements of a GROUP BY with grouping sets, in order: keys, and the grouping elements as text."""
    set_conditions: tuple[Expr, ...] = field(default=(), metadata=KEPT_SORTED)
    """Conditions on keys that some of the grouping sets leave out, and that are NULL there. The rows of each set pass
    them in front of the state.
    """
    pushed_conditions: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """Conditions on keys that are written above it, and that the planner applies in front of it."""
    words: str = field(default="", compare=False, repr=False)
    """``SELECT DISTINCT`` or ``UNION``, where one of these asks for the groups and no GROUP BY."""

    @property
    def asked_by(self) -> str:
        return self.words

    @property
    def stateful(self) -> bool:
        return True

    @property
    def counts_rows(self) -> bool:
        """Return whether the aggregation reads no column: COUNT(*) of all rows."""
        return not self.keys and all(call.function == "COUNT" and not call.children() for call in self.aggregates)

    @property
    def plain_keys(self) -> tuple[Expr, ...]:
        """The keys that are not bare window fields, in order."""
        return tuple(key for key in self.keys if not isinstance(key, WindowField))

    @property
    def window_keys(self) -> tuple[WindowField, ...]:
        return tuple(key for key in self.keys if isinstance(key, WindowField))

    @property
    def filters_of_sets(self) -> tuple[Expr, ...]:
        """The ``set_conditions`` as filters that differ from those on the columns of the input."""
        return tuple(SetCondition(each, place=each.place, via=each.via) for each in self.set_conditions)

    def groups_by_window(self, depth: int) -> bool:
        """Return whether both ends of the window at ``depth`` are among the keys, or operands of keys."""
        parts = {
            node.part
            for key in self.keys
            # A column of a union that is another field of the window in each branch is none.
            if not isinstance(key, ColumnOfUnion)
            for node in key.walk()
            if isinstance(node, WindowField) and node.depth == depth
        }
        return {WindowPart.START, WindowPart.END} <= parts


@value_class(frozen=True)
class WindowAggregate(Aggregate):
    """GROUP BY with both fields of a window table-valued function."""

    window: Window = field(kw_only=True)
    depth: int = field(default=1, kw_only=True)


@value_class(frozen=True)
class GroupWindowAggregate(Aggregate):
    """GROUP BY with TUMBLE, HOP or SESSION as a function; ``fields`` are the window properties that are read."""

    window: Window = field(kw_only=True)
    depth: int = field(default=1, kw_only=True)
    fields: tuple[WindowField, ...] = field(default=(), kw_only=True)


@value_class(frozen=True)
class GroupAggregate(Aggregate):
    """Unbounded GROUP BY. ``window`` is the window of its input when it does not group by both of its ends."""

    window: Window | None = field(default=None, kw_only=True)
    depth: int = field(default=0, kw_only=True)
