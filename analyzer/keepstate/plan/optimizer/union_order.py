"""A canonical order for the inputs of UNION ALL.

SQL gives the inputs no order, yet each column of a union is written input by input. Two plans are equal values only if
both name the inputs in one order, so inputs are sorted by their meaning, once everything unread is gone: an unread
column must not decide. Every expression above follows, up to the select list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from keepstate.plan.expressions import Expr, sort_key
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import Join, Operator, SetOperation, Union, mapped
from keepstate.plan.predicates import reordered
from keepstate.plan.references import ColumnOfRight

Renaming = Callable[[Expr], Expr]
"""Rewrites an expression over the columns of an operator whose unions were put into another order."""


Order = Callable[[Union], Sequence[int]]
"""Gives the present positions of the inputs of a union in the order wanted, as in ``(1, 0)``. It gets the union with
all below it done.
"""


def in_written_order(root: Operator, output: tuple[Expr, ...]) -> tuple[Operator, tuple[Expr, ...]]:
    """The plan with the inputs of each union as they stand in the text, and as lowering gives them.

    >>> both = plan("SELECT id FROM orders UNION ALL SELECT CHAR_LENGTH(city) FROM buyers")
    >>> written, _ = in_written_order(both.root, both.output)
    >>> [[scan.table for scan in union.branches] for union in (both.root, written)]
    [['buyers', 'orders'], ['orders', 'buyers']]
    """
    return reordered_unions(root, output, written_positions)


def written_positions(union: Union) -> list[int]:
    """The positions of the inputs of a union in the order of the text.

    >>> union = root("SELECT buyer FROM orders UNION ALL SELECT city FROM buyers")
    >>> [union.branches[position].table for position in written_positions(union)]
    ['orders', 'buyers']
    """
    return sorted(range(len(union.branches)), key=union.text_ranks.__getitem__)


def reordered_unions(root: Operator, output: tuple[Expr, ...], order: Order) -> tuple[Operator, tuple[Expr, ...]]:
    """The plan with the inputs of each union in the order that ``order`` gives for it."""
    if not any(isinstance(operator, Union) for operator in root.walk()):
        return root, output
    new_root, renaming = _reordered(root, order)
    if new_root is root or renaming is None:
        return new_root, output
    return new_root, tuple(map(renaming, output))


def canonical_order(union: Union) -> list[int]:
    """Return the order of the inputs by their meaning (an ``Order``)."""
    keys = [
        # The select list may be in any order.
        (repr(branch), sorted(map(sort_key, row)), tuple(map(sort_key, row)))
        for branch, row in zip(union.branches, union.rows, strict=True)
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _reordered(operator: Operator, order: Order) -> tuple[Operator, Renaming | None]:
    """The operator, and how expressions over its columns are to be rewritten; ``None`` for not at all."""
    if not operator.inputs:
        return operator, None
    below = [_reordered(child, order) for child in operator.inputs]
    if any(before is not after for (before, _), after in zip(below, operator.inputs, strict=True)):
        operator = operator.with_inputs(tuple(child for child, _ in below))
    renamings = [renaming for _, renaming in below]
    if isinstance(operator, Union):
        return _union(operator, renamings, order)
    if all(renaming is None for renaming in renamings):
        return operator, None
    match operator:
        case Join():
            renaming = _of_join(operator, renamings[0] or _unchanged, renamings[1] or _unchanged)
        case SetOperation():
            left, right = (each or _unchanged for each in renamings)
            rows = tuple(map(left, operator.left_row)), tuple(map(right, operator.right_row))
            return with_fields(operator, left_row=rows[0], right_row=rows[1]), left
        case _:
            renaming = next(each for each in renamings if each is not None)
    return mapped(operator, renaming), renaming


def _union(union: Union, renamings: list[Renaming | None], order: Order) -> tuple[Operator, Renaming | None]:
    columns = union.columns
    rows = [
        tuple(map(renaming, row)) if renaming is not None else row
        for row, renaming in zip(union.rows, renamings, strict=True)
    ]
    union = with_fields(union, rows=tuple(rows))
    positions = order(union)
    if list(positions) != sorted(positions):
        union = with_fields(
            union,
            branches=tuple(union.branches[position] for position in positions),
            rows=tuple(union.rows[position] for position in positions),
            places=tuple(union.places[position] for position in positions),
            text_ranks=tuple(union.text_ranks[position] for position in positions),
        )
    renamed = {was: now for was, now in zip(columns, union.columns, strict=True) if was != now}
    return union, _replacing(renamed) if renamed else None


def _replacing(columns: Mapping[Expr, Expr]) -> Renaming:
    def renamed(expr: Expr) -> Expr:
        column = columns.get(expr)
        if column is not None:
            return with_fields(column, place=expr.place, via=expr.via)
        return _with_children(expr, renamed)

    return lambda expr: reordered(renamed(expr))


def _of_join(join: Join, left: Renaming, right: Renaming) -> Renaming:
    """Expressions about the right input bear the mark of the join wherever the left input could give them as well."""
    mark = join.mark

    def renamed(expr: Expr) -> Expr:
        if isinstance(expr, ColumnOfRight):
            inner = right if expr.mark == mark else renamed
            return with_fields(expr, column=inner(expr.column))
        if any(isinstance(node, ColumnOfRight) for node in expr.walk()):
            return _with_children(expr, renamed)
        return right(left(expr))

    return lambda expr: reordered(renamed(expr))


def _with_children(expr: Expr, step: Renaming) -> Expr:
    children = expr.children()
    renamed = tuple(map(step, children))
    same = all(before is after for before, after in zip(children, renamed, strict=True))
    return expr if same else expr.with_children(renamed)


def _unchanged(expr: Expr) -> Expr:
    return expr
