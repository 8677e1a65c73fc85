"""The plan of one query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from keepstate.plan.expressions import Expr
from keepstate.plan.operators import LookupJoin, Operator, TableSourceScan, Union, rewritten
from keepstate.plan.optimizer.fixed_columns import fixed_aggregates
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.plan.optimizer.union_order import Order, canonical_order, reordered_unions
from keepstate.plan.predicates import reordered
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@value_class(frozen=True)
class Plan:
    """Plan of one query. ``root`` gives the rows, ``output`` are their columns.

    Equal plans have the same meaning, independent of names and spelling.
    """

    root: Operator
    output: tuple[Expr, ...]
    names: tuple[str, ...] = field(default=(), compare=False)
    output_place: Place | None = field(default=None, compare=False, repr=False)
    """The select list of the outermost query."""
    row: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The columns as the sink takes them: with a column list in the order of the table, and constants for the rest."""
    storage_root: Operator | None = field(default=None, compare=False, repr=False)
    """Root of the plan with all stored columns, where open-source Flink stores more than ``root``: columns that nothing
    reads any more, below OVER windows (``plan/held_columns``) and dropped aggregates.
    """
    older_roots: Mapping[PlannerGeneration, Operator] = field(default_factory=dict, compare=False, repr=False)
    """Roots of the plan with all stored columns by older planners, where they are others than by the newest one."""
    storage_columns: tuple[Expr, ...] | None = field(default=None, compare=False, repr=False)
    """``output`` and ``row`` over ``storage_root`` and ``older_roots``, where they are others than over ``root``."""
    starred: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The tables of which ``*`` stands for columns that no declaration names."""

    def rewritten(self, step: Callable[[Expr], Expr]) -> Plan:
        """The plan with ``step`` applied to every node of every expression, in canonical form again.

        The inputs of unions stay where they are: see ``with_ordered_unions``.

        >>> total = plan("SELECT buyer, SUM(price) FROM orders GROUP BY buyer")
        >>> euro = total.rewritten(lambda node: replace(node, name="euro") if node == expr("price") else node)
        >>> [str(each) for each in euro.output]
        ['buyer', 'SUM(euro)']
        """
        output = tuple(reordered(expr.rewrite(step)) for expr in self.output)
        row = tuple(reordered(expr.rewrite(step)) for expr in self.row)
        own = tuple(expr.rewrite(step) for expr in self.storage_columns) if self.storage_columns is not None else None
        plan = self.with_roots(lambda root: rewritten(root, step))
        return replace(plan, output=output, row=row, storage_columns=own)

    def with_roots(self, change: Callable[[Operator], Operator]) -> Plan:
        """The plan with ``change`` applied to its root, and to those of what Flink stores.

        >>> one = plan("SELECT buyer FROM orders ORDER BY rowtime")
        >>> one.with_roots(lambda root: root).storage_root is one.storage_root
        True
        """
        held = change(self.storage_root) if self.storage_root is not None else None
        older = {planner: change(root) for planner, root in self.older_roots.items()}
        return replace(self, root=change(self.root), storage_root=held, older_roots=older)

    def with_fixed_columns(self) -> Plan:
        """The plan with aggregates as they are behind filters that fix their columns; equal ones are planned alike."""
        fixed = fixed_aggregates(self.operators)
        return self.rewritten(lambda node: fixed.get(node, node)) if fixed else self

    def with_ordered_unions(self) -> Plan:
        """The plan with the inputs of its unions in canonical order, as after their tables got other names."""
        return self.with_unions_in(canonical_order)

    def with_unions_in(self, order: Order) -> Plan:
        """The plan with the inputs of each union in the order that ``order`` gives for it.

        >>> from keepstate.plan.optimizer.union_order import written_positions
        >>> both = plan("SELECT buyer FROM orders UNION ALL SELECT city FROM buyers")
        >>> str(both.output[0]), str(both.with_unions_in(written_positions).output[0])
        ('city | buyer', 'buyer | city')
        """
        orders: dict[int, Sequence[int]] = {}

        def choose(union: Union) -> Sequence[int]:
            orders[union.number] = order(union)
            return orders[union.number]

        root, columns = reordered_unions(self.root, (*self.output, *self.row), choose)
        if root is self.root:
            return self
        own, width = self.storage_columns, len(self.output)
        plan = replace(self, root=root, output=columns[:width], row=columns[width:])

        def as_chosen(held: Operator) -> tuple[Operator, tuple[Expr, ...]]:
            return reordered_unions(held, own or (), lambda union: orders[union.number])

        older = {planner: as_chosen(each) for planner, each in self.older_roots.items()}
        newest = as_chosen(self.storage_root) if self.storage_root is not None else None
        ordered = next((both[1] for both in (newest, *older.values()) if both is not None), None)
        return replace(
            plan,
            storage_root=newest[0] if newest is not None else None,
            older_roots={planner: both[0] for planner, both in older.items()},
            storage_columns=ordered if own is not None else None,
        )

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        return tuple(self.root.walk())

    @cached_property
    def by_number(self) -> Mapping[int, Operator]:
        """The operators by their numbers (``operators/numbering``)."""
        return {operator.number: operator for operator in self.operators}

    def as_held(self, planner: PlannerGeneration) -> Plan:
        """The plan that open-source Flink makes of the query, with all that it holds.

        >>> counted = plan("SELECT COUNT(*) FROM (SELECT id, SUM(price) OVER (ORDER BY rowtime) FROM orders)")
        >>> [[operator.title for operator in counted.as_held(each).operators] for each in PlannerGeneration][::2]
        [['GroupAggregate', 'TableSourceScan'], ['GroupAggregate', 'OverAggregate', 'TableSourceScan']]
        """
        root = self.older_roots.get(planner, self.storage_root)
        if root is None:
            return self
        columns, width = self.storage_columns or (*self.output, *self.row), len(self.output)
        plan = replace(self, root=root, output=columns[:width], row=columns[width:])
        return replace(plan, storage_root=None, older_roots={}, storage_columns=None)

    @cached_property
    def stateful(self) -> bool:
        return any(operator.stateful for operator in self.operators)

    @cached_property
    def scans(self) -> tuple[TableSourceScan, ...]:
        return tuple(operator for operator in self.operators if isinstance(operator, TableSourceScan))

    @cached_property
    def lookups(self) -> frozenset[int]:
        """Numbers of the tables that lookup joins read."""
        return frozenset(operator.right.number for operator in self.operators if isinstance(operator, LookupJoin))

    @cached_property
    def streamed(self) -> frozenset[str]:
        """Names of the tables that are read as streams, and not only looked up."""
        return frozenset(scan.table for scan in self.scans if scan.number not in self.lookups)

    @cached_property
    def hinted(self) -> frozenset[str]:
        """Names of the tables that have options in a hint."""
        return frozenset(scan.table for scan in self.scans if scan.options)

    @cached_property
    def feeding_state(self) -> frozenset[str]:
        """Names of the tables that it reads as streams and behind which something keeps state."""
        below = (node for operator in self.operators if operator.stateful for node in operator.walk())
        scans = (node for node in below if isinstance(node, TableSourceScan) and node.number not in self.lookups)
        return frozenset(scan.table for scan in scans)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Names of the tables that it reads, in plan order."""
        return tuple(dict.fromkeys(scan.table for scan in self.scans))
