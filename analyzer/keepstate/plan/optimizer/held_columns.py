"""Columns that windows and rankings hold when the planner drops unread columns.

A select list with calls over a window becomes a window over its input (``ProjectToWindowRule``). A projection gets
between the two only if the list, merged with those below it, has something to compute or a constant
(``CalcRelSplitter``); then the columns outside of that projection are dropped (``PruneAggregateCallRule``,
``FlinkProjectJoinTransposeRule``). Else the window stands right on its input and takes all of its columns.

The rank that replaces a window gets a projection later (``CalcRankTransposeRule``), which makes its own rows short, but
by then no aggregate and no column of a join is dropped any more. Measured on Flink 2.3 and 1.20.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Expr,
    Literal,
    OverCall,
    RankNumber,
    WindowField,
    is_computed,
    is_spelled_out,
)
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.metadata.constant_columns import literal_columns
from keepstate.plan.metadata.output_rows import arranged, is_constant, output_columns
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupAggregate,
    GroupWindowAggregate,
    Join,
    Operator,
    OverAggregate,
    Rank,
)
from keepstate.plan.optimizer.row_parts import occurring
from keepstate.plan.scalars.over_windows import is_taken_apart

Row = tuple[Expr, ...]
W = TypeVar("W", bound=Rank | OverAggregate)


def holds_unread(operator: Operator) -> bool:
    """Return whether an operator may hold more than is read: an aggregation with calls that nothing reads, or a join
    that stores a computed column.
    """
    if isinstance(operator, Join):
        return any(is_computed(expr) for expr in (*operator.left_row, *operator.right_row))
    return isinstance(operator, Aggregate) and bool(operator.unread)


def kept_without_readers(operator: Aggregate, reads: Row) -> tuple[AggregateCall, ...]:
    """The first aggregate, if ``reads`` has none and no key is a column: a row has one at least. A legacy window is a
    property of its operator, and no column.

    >>> groups = next(root("SELECT MAX(price), MIN(id) FROM orders").walk())
    >>> [str(call) for call in kept_without_readers(groups, ())]
    ['MAX(price)']
    """
    keys = operator.plain_keys if isinstance(operator, GroupWindowAggregate) else operator.keys
    return () if keys or occurring(frozenset(operator.aggregates), reads) else operator.aggregates[:1]


def held_columns(rank: Rank) -> Row:
    """Return the input columns that count as read because of ``rank``, whichever operator reads its result."""
    return _numbered_list(rank) if _projects(rank) else _columns(rank.input)


def columns_of_ranked_rank(rank: Rank) -> Row:
    """Return the columns that a ranking below another one (``rank``) stores, be they read or not: all of its select
    list. Empty for one that stores what is read.

    It stores what is read if the upper select list computes, if its own list has all columns of its input in order, or
    if it lists its whole row and passes on a number that is no constant. Measured on Flink 1.20, 2.1, 2.2 and 2.3.

    >>> from keepstate.plan.optimizer.planners import NEWEST_GENERATION
    >>> top = "SELECT {}, ROW_NUMBER() OVER (PARTITION BY buyer ORDER BY {}) AS n FROM {}"
    >>> lower = "(SELECT * FROM (" + top.format("id, buyer, price", "rowtime", "orders") + ") WHERE n = 1)"
    >>> for listed in ("id, buyer", "UPPER(buyer) AS buyer, id"):
    ...     upper = plan(f"SELECT id FROM ({top.format(listed, 'id', lower)}) WHERE n <= 3")
    ...     print(*upper.as_held(NEWEST_GENERATION).operators[1].row)
    id buyer price rowtime
    id buyer rowtime
    """
    below = _ranked_rank(rank)
    if below is None or not _columns(below.input):
        return ()
    upper, listed = rank.row, below.row
    if listed == _columns(below.input) or _projects(rank):
        return ()
    keys = _numbered_list(below)[len(listed) :]
    plain = frozenset((*keys, *(expr for expr in _numbered_list(rank) if not is_computed(expr))))
    # What is computed stands below the window where anything is projected for that, and else above.
    stands_below = any(key not in listed for key in keys) or any(_is_projected(expr, plain) for expr in listed)
    parts = (part for expr in listed for part in ((expr,) if stands_below else _columns_in(expr)))
    row = arranged((*parts, *keys), below.input)
    has_constant_number = below.range is not None and below.range.start == below.range.end
    if listed == row and (not has_constant_number or upper == (*listed, below.rank_number)):
        return ()
    named = (part.used_at(rank.place, rank.place) if rank.place is not None else part for part in row)
    return tuple(part for part in named if not is_constant(part))


def on_select_list(window: W) -> W:
    """A ranking or an OVER window right above another one, on the select list of that: the planner merges no two select
    lists with calls over windows.

    >>> summed = "SELECT price, SUM(id) OVER (PARTITION BY buyer ORDER BY rowtime) AS total, buyer, id FROM orders"
    >>> top = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY buyer ORDER BY total) AS n FROM ({summed})"
    >>> from keepstate.plan.optimizer.planners import NEWEST_GENERATION
    >>> query = plan(f"SELECT id, total FROM ({top}) WHERE n <= 3")
    >>> [str(each) for each in query.as_held(NEWEST_GENERATION).root.row]
    ['SUM(id)', 'buyer', 'id']
    """
    below = window.input
    if isinstance(below, OverAggregate):
        return with_fields(window, input=Calc(below, (), below.row))
    if isinstance(below, Rank) and below.range is not None:
        return with_fields(window, input=Calc(below, (), (*below.row, below.rank_number)))
    return window


def constant_numbers(rank: Rank) -> tuple[RankNumber, ...]:
    """The number of a ranking below another one that is a column of its rows although it is the same for all: where the
    lower select list is all of its input, and the upper one not all of the lower.

    >>> from keepstate.plan.optimizer.planners import PlannerGeneration
    >>> lower = "SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY rowtime) AS m FROM orders"
    >>> upper = f"SELECT id, ROW_NUMBER() OVER (PARTITION BY buyer ORDER BY id) AS n FROM ({lower}) WHERE m = 1"
    >>> query = plan(f"SELECT id FROM ({upper}) WHERE n <= 3")
    >>> [[str(each) for each in query.as_held(planner).root.row] for planner in PlannerGeneration][1:]
    [['id', 'buyer', 'ROW_NUMBER()'], ['id', 'buyer', 'ROW_NUMBER()']]
    """
    below = _ranked_rank(rank)
    if below is None or below.range is None or below.range.start != below.range.end:
        return ()
    is_whole = below.row == _columns(below.input) and rank.row != (*below.row, below.rank_number)
    return (below.rank_number,) if is_whole and not _projects(rank) else ()


def hides_key(rank: Rank) -> bool:
    """Return whether the columns below a ranking lack a key of the aggregation or ranking that they come from: then no
    row is found again by it.

    >>> lower = "SELECT id, buyer, ROW_NUMBER() OVER (PARTITION BY {}, buyer ORDER BY id) AS m FROM orders"
    >>> upper = "SELECT *, ROW_NUMBER() OVER (PARTITION BY buyer ORDER BY id) AS n FROM ({}) WHERE m <= 5"
    >>> for key in ("id", "price"):
    ...     print(root(f"SELECT id FROM ({upper.format(lower.format(key))}) WHERE n <= 3").strategy.name)
    UPDATE_FAST
    RETRACT
    """
    below = _below_filters(rank)
    keys = below.keys if isinstance(below, GroupAggregate) else below.partition if isinstance(below, Rank) else ()
    return not set(keys) <= set(held_columns(rank))


def _projects(rank: Rank) -> bool:
    """Return whether a projection stands between a ranking and its input."""
    return _computes(_numbered_list(rank), rank.input)


def _numbered_list(rank: Rank) -> Row:
    """The select list that numbers the rows, with the keys."""
    return (*rank.row, *rank.partition, *(element.expr for element in rank.order))


def _ranked_rank(rank: Rank) -> Rank | None:
    """The ranking right below another one, or below a filter."""
    below = _below_filters(rank)
    return below if isinstance(below, Rank) and below.range is not None else None


def _below_filters(rank: Rank) -> Operator:
    below = rank.input
    while isinstance(below, Calc):
        below = below.input
    return below


def _is_projected(expr: Expr, plain: frozenset[Expr]) -> bool:
    """Return whether an item of a list is computed below its window: of a constant, or of ``plain`` columns, which are
    read anyway (seen in the plans of 40 lists).
    """
    has_constant = any(isinstance(node, Literal) and node.type not in ("TYPE", "NULL") for node in expr.walk())
    columns = (part for part in _columns_in(expr) if not isinstance(part, Literal))
    return is_computed(expr) and (has_constant or plain.issuperset(columns))


def _columns_in(expr: Expr) -> Iterator[Expr]:
    if not is_computed(expr):
        yield expr
        return
    for child in expr.children():
        yield from _columns_in(child)


def is_projected_for(over: OverAggregate, listed: Row) -> bool:
    """Return whether a projection stands below an OVER window.

    The projection passes on only the columns that the select list with the calls reads, and all columns that are merged
    into it (``listed``).
    """
    if over.frame.start.offset is not None or over.frame.end.offset is not None:
        return True
    operands = [expr for call in over.aggregates for expr in call.children()]
    sort_keys = [key for element in over.order for key in element.children()]
    if any(map(is_taken_apart, over.aggregates)) or any(map(_has_constant, _read_calls(over))):
        return True
    results = frozenset(over.aggregates)
    keys = (*over.partition, *sort_keys)
    return _computes((*listed, *operands), over.input, results) or _computes(keys, over.input, results, replaced=False)


def _read_calls(over: OverAggregate) -> list[OverCall]:
    """The calls, as they are written, whose results anything reads."""
    read_calls = {with_fields(call, over=0) for call in over.aggregates}
    return [call for call in over.calls if not isinstance(call.call, AggregateCall) or call.call in read_calls]


def _has_constant(call: OverCall) -> bool:
    """Return whether a call is written with a constant, such as the offset of ``LAG(a, 1)`` or the operand of
    ``COUNT(1)``.
    """
    words = call.call.place.words if call.call.place is not None else ()
    start = words.index("(") + 1 if "(" in words else len(words)
    return words[start : start + 1] not in (("*",), (")",), ()) and (
        len(_operands(words[start:])) > 1 or not isinstance(call.call, AggregateCall) or not call.call.args
    )


def _operands(words: tuple[str, ...]) -> list[str]:
    """The first words of the operands in ``words``, which go on behind the parenthesis that closes them."""
    depth, operands, begins = 0, [], True
    for word in words:
        if depth == 0 and word == ")":
            break
        if begins:
            operands.append(word)
        depth += (word in "([") - (word in ")]")
        begins = depth == 0 and word == ","
    return operands


def _computes(
    exprs: Iterable[Expr], operator: Operator, results: frozenset[Expr] = frozenset(), replaced: bool = True
) -> bool:
    """Return whether a projection of ``exprs`` on ``operator`` does more than choose among its columns and ``results``.

    It does if it computes, or has a constant; a column that a filter below equates with a constant is one too, if it is
    ``replaced`` by that.
    """
    columns = frozenset(_columns(operator)) | results
    constants = _constants(operator) | literal_columns(operator).keys() if replaced else frozenset()
    return any(_needs_projection(expr, columns, results, constants) for expr in exprs)


def _needs_projection(
    expr: Expr, columns: frozenset[Expr], results: frozenset[Expr], constants: frozenset[Expr]
) -> bool:
    if expr in constants:
        return True
    if isinstance(expr, Call) and any(node in results for node in expr.walk()):
        # What is computed of results stands behind the window, with all but its operands.
        return any(_needs_projection(each, columns, results, constants) for each in expr.children())
    return is_spelled_out(expr) or (expr not in columns and isinstance(expr, (Call, Literal, WindowField)))


def is_column_of(expr: Expr, operator: Operator) -> bool:
    """Return whether a projection on ``operator`` need not compute ``expr``.

    >>> scan = root("SELECT * FROM orders")
    >>> is_column_of(expr("price"), scan), is_column_of(expr("price + 1"), scan)
    (True, False)
    """
    return not _computes((expr,), operator)


def _columns(operator: Operator) -> Row:
    """The columns of an operator that need no projection. The properties of a group window are computed behind it."""
    below = operator
    while isinstance(below, Calc) and not below.row:
        below = below.input
    columns = output_columns(operator)
    if isinstance(below, GroupWindowAggregate):
        return tuple(column for column in columns if not isinstance(column, WindowField))
    return columns


def _constants(operator: Operator) -> frozenset[Expr]:
    """The columns that filters below equate with constants."""
    constants: set[Expr] = set()
    while isinstance(operator, (Calc, Aggregate)):
        if isinstance(operator, Calc):
            for condition in operator.conditions:
                if isinstance(condition, Call) and condition.name == "=":
                    plain = [operand for operand in condition.args if not isinstance(operand, Literal)]
                    constants.update(plain if len(plain) == 1 else ())
        operator = operator.input
    return frozenset(constants)
