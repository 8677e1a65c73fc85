"""Columns that a window computes again from a column of equal value (``plan/scalars/window_operands``)."""

from __future__ import annotations

from collections.abc import Callable

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.operators import Deduplicate, Operator, OverAggregate, Rank


def lone_copies(root: Operator) -> frozenset[Expr]:
    """The copies that no stored row has beside the column itself: there they are that column."""
    found: set[Expr] = set()
    beside: set[Expr] = set()
    for operator in root.walk():
        if isinstance(operator, (OverAggregate, Rank)):
            copies = {expr for expr in operator.row if isinstance(expr, Call) and expr.name == "COMPUTED"}
            found |= copies
            if not (isinstance(operator, Deduplicate) and operator.keeps_keys_only):
                beside |= {copy for copy in copies if copy.args[0] in operator.row}
    return frozenset(found - beside)


def has_same_rows(root: Operator, plain: Operator, copies: frozenset[Expr]) -> bool:
    """Return whether the columns stand in the stored rows of ``plain`` where their ``copies`` stand in those of
    ``root``.
    """
    step = without_copies(copies)
    rows = ([each.row for each in whole.walk() if isinstance(each, (OverAggregate, Rank))] for whole in (root, plain))
    before, after = rows
    return [tuple(expr.rewrite(step) for expr in row) for row in before] == after


def without_copies(copies: frozenset[Expr]) -> Callable[[Expr], Expr]:
    """The step of a rewriting that puts columns in the places of their ``copies``."""

    def step(node: Expr) -> Expr:
        return node.children()[0] if node in copies else node

    return step
