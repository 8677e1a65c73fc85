"""Parts of expressions that are columns of an operator's input row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepstate.plan.expressions import Expr, Ordering, is_spelled_out
from keepstate.plan.metadata.output_rows import is_constant

Reads = tuple[Expr, ...]


def leaves_outside(expr: Expr, fields: frozenset[Expr]) -> Iterator[Expr]:
    """The columns in ``expr`` that none of ``fields`` stands for: those of a table that the script does not declare."""
    if expr in fields:
        return
    if not expr.children():
        yield expr
    for child in expr.children():
        yield from leaves_outside(child, fields)


def occurring(candidates: frozenset[Expr], exprs: Iterable[Expr], by_name: bool = False) -> set[Expr]:
    """Return the candidates that occur in ``exprs``, with ``by_name`` only where their names are written, without
    looking inside of a candidate.
    """
    occurrences: set[Expr] = set()
    waiting = list(exprs)
    while waiting:
        expr = waiting.pop()
        if expr in candidates and not (by_name and is_spelled_out(expr)):
            occurrences.add(expr)
        else:
            waiting += expr.children()
    return occurrences


def unread_of(row: Reads, reads: Iterable[Expr]) -> Reads:
    """The columns of a row that ``reads`` lack.

    >>> [str(each) for each in unread_of((expr("id"), expr("buyer")), (expr("UPPER(buyer)"),))]
    ['id']
    """
    read_columns = occurring(frozenset(row), reads)
    return tuple(expr for expr in row if expr not in read_columns and not is_constant(expr))


def row_parts(exprs: Iterable[Expr], results: frozenset[Expr], keys: Reads) -> Iterator[Expr]:
    """The columns that an OVER window's input row must have for ``exprs``: the largest parts of these without a result
    of the window, and for each result its arguments and the window's ``keys``.
    """
    for expr in exprs:
        if isinstance(expr, Ordering):
            yield from row_parts((expr.expr,), results, keys)
        elif expr in results:
            yield from row_parts((*expr.children(), *keys), frozenset(), ())
        elif occurring(results, (expr,)):
            yield from row_parts(expr.children(), results, keys)
        elif not is_constant(expr):
            yield expr
