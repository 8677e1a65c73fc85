"""Columns that a window computes again from a column of equal value (``plan/scalars/window_operands``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from keepstate.plan.expressions import Call, Expr, is_proctime
from keepstate.plan.operators import Deduplicate, Operator, OverAggregate, Rank


def lone_copies(root: Operator) -> frozenset[Expr]:
    """The copies that no stored row has beside the column itself: there they are that column."""
    copies = {node for row in _rows(root) for node in row if isinstance(node, Call) and node.name == "COMPUTED"}
    rows = [set(row) for row in _rows(root, stored=True)]
    return frozenset(copy for copy in copies if not any({copy, *copy.children()} <= row for row in rows))


def has_same_rows(root: Operator, plain: Operator, copies: frozenset[Expr]) -> bool:
    """Return whether the columns stand in the stored rows of ``plain`` where their ``copies`` stand in those of
    ``root``.
    """
    step = without_copies(copies)
    before = [tuple(expr.rewrite(step) for expr in row) for row in _rows(root, stored=True)]
    return before == list(_rows(plain, stored=True))


def _rows(root: Operator, stored: bool = False) -> Iterator[tuple[Expr, ...]]:
    """The input rows of windows and rankings. Not ``stored`` are those of which only keys are, nor the processing time
    that an OVER window orders by.
    """
    for operator in root.walk():
        if isinstance(operator, OverAggregate):
            yield tuple(expr for expr in operator.row if not (stored and is_proctime(expr)))
        elif isinstance(operator, Rank) and not (
            stored and isinstance(operator, Deduplicate) and operator.keeps_keys_only
        ):
            yield operator.row


def without_copies(copies: frozenset[Expr]) -> Callable[[Expr], Expr]:
    """The step of a rewriting that puts columns in the places of their ``copies``."""

    def step(node: Expr) -> Expr:
        return node.children()[0] if node in copies else node

    return step
