"""Parts of a plan in a few words, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from keepstate.plan.expressions import Column, Expr
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import RankRange, Window
from keepstate.plan.references import is_made_column
from keepstate.plan.spelling import exact, qualified


def window_length(window: Window) -> str:
    """Return how long a window stays open, in words; empty if the window has no fixed length."""
    return str(window.size) if window.size is not None else ""


def names(exprs: tuple[Expr, ...]) -> str:
    return ", ".join(str(expr) for expr in exprs)


def new_order(was: tuple[Expr, ...], now: tuple[Expr, ...]) -> str:
    """The same columns in another order, in a few words: the one that moved, where only one did, or both orders, where
    they are short enough to be read whole at the head of a message.

    >>> a, b, c = (Column("t", name) for name in "abc")
    >>> new_order((a, b, c), (b, c, a))
    'column a moved'
    >>> new_order((a, b, c), (c, b, a)), new_order((a, b), (b, a))
    ('columns (a, b, c) -> (c, b, a)', 'columns (a, b) -> (b, a)')
    >>> amount, bidder, price = (Column("t", name) for name in ("amount", "bidder", "price"))
    >>> new_order((amount, bidder, price), (price, bidder, amount))
    'order of the columns changed'
    """
    moved = [expr for expr in was if _without(expr, was) == _without(expr, now)]
    if len(moved) == 1:
        return f"column {moved[0]} moved"
    words = f"columns ({names(was)}) -> ({names(now)})"
    return words if len(words) <= _READ_WHOLE else "order of the columns changed"


_READ_WHOLE = 34
"""Characters of two orders at the head of a message; longer ones would be cut."""


def _without(expr: Expr, row: tuple[Expr, ...]) -> list[Expr]:
    return [each for each in row if each != expr]


def rank_words(ranks: RankRange | None) -> str:
    if ranks is not None and ranks.other:
        texts = [condition.place.text if condition.place else str(condition) for condition in ranks.other]
        return f"ranks where {' AND '.join(texts)}"
    if ranks is None or ranks.end is None:
        return "all ranks" if ranks is None or ranks.start == 1 else f"ranks from {ranks.start}"
    if ranks.start == ranks.end:
        return f"rank {ranks.start}"
    return f"ranks {ranks.start} to {ranks.end}"


def query_text(exprs: Iterable[Expr]) -> str:
    """A list of expressions as the query writes it."""
    return ", ".join(" ".join(expr.place.text.split()) if expr.place is not None else str(expr) for expr in exprs)


def distinct_texts(baseline: Expr, current: Expr) -> tuple[str, str]:
    """Two expressions in words: with the types of the columns that they read, or with their tables, where the words
    alone are the same.

    >>> distinct_texts(Column("t", "a", "INT"), Column("t", "a", "BIGINT"))
    ('a INT', 'a BIGINT')
    >>> distinct_texts(Column("t", "a"), Column("r", "a"))
    ('t.a', 'r.a')
    """
    if baseline == current:
        return str(baseline), str(current)
    pairs = (
        (str(baseline), str(current)),
        _with_types(baseline, current),
        (qualified(baseline), qualified(current)),
        (exact(baseline), exact(current)),
        (_with_functions(baseline), _with_functions(current)),
    )
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def _with_types(baseline: Expr, current: Expr) -> tuple[str, str]:
    types: tuple[dict[str, str | None], ...] = tuple(
        {each.name: each.type for each in expr.walk() if isinstance(each, Column)} for expr in (baseline, current)
    )
    changed_columns = {name for name, type_ in types[0].items() if types[1].get(name) != type_}

    def with_type(expr: Expr) -> Expr:
        if isinstance(expr, Column) and expr.name in changed_columns and expr.type is not None:
            return replace(expr, name=f"{expr.name} {expr.type}")
        return expr

    return str(baseline.rewrite(with_type)), str(current.rewrite(with_type))


def _with_functions(expr: Expr) -> str:
    """An expression whose columns of table functions have these in place of their names."""

    def with_function(node: Expr) -> Expr:
        return Column("", str(with_fields(node, place=None))) if is_made_column(node) else node

    return str(expr.rewrite(with_function))


def as_written(baseline: Expr, current: Expr) -> tuple[str, str]:
    """Two expressions as the query writes them; with more where it writes both alike and means different things."""
    was, now = query_text([baseline]), query_text([current])
    return (was, now) if was != now else distinct_texts(baseline, current)


def name_list(names: Iterable[str]) -> str:
    """A list in parentheses, as a declaration has it; "none" for an empty one.

    >>> name_list(["id", "day"]), name_list([])
    ('(id, day)', 'none')
    """
    text = ", ".join(names)
    return f"({text})" if text else "none"
