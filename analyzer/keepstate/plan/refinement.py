"""What the planner does to a whole query: it drops what nothing reads, and tells the kinds of ranks apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from keepstate.plan.expressions import (
    Call,
    Column,
    Expr,
    Ordering,
    OverCall,
    RankNumber,
    Unresolved,
    WindowField,
    WindowPart,
    sort_key,
)
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Deduplicate,
    GroupWindowAggregate,
    Join,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    RankRange,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    WindowDeduplicate,
    WindowRank,
    WindowTableFunction,
)

Reads = tuple[Expr, ...]


def refined(operator: Operator, reads: Reads, time_columns: frozenset[tuple[str, str]]) -> Operator:
    """``operator`` with all that ``reads`` (the expressions its consumer needs) does not need dropped, and with every
    rank under the name that Flink gives it.

    ``time_columns`` are the (table, column) pairs that bear a watermark.
    """
    return _Refinement(time_columns).operator(operator, reads)


class _Refinement:
    def __init__(self, time_columns: frozenset[tuple[str, str]]) -> None:
        self._time_columns = time_columns

    def operator(self, operator: Operator, reads: Reads) -> Operator:
        match operator:
            case Aggregate():
                return self._aggregate(operator, reads)
            case Rank():
                return self._rank(operator, reads)
            case OverAggregate():
                return self._over(operator, reads)
            case Calc():
                return replace(operator, input=self.operator(operator.input, (*reads, *operator.conditions)))
            case WindowTableFunction():
                return replace(operator, input=self.operator(operator.input, (*reads, *operator.window.exprs())))
            case Correlate():
                return replace(operator, input=self.operator(operator.input, (*reads, operator.function)))
            case Join():
                return self._join(operator, reads)
            case Union():
                return self._union(operator, reads)
            case TemporalSort():
                row = _unique((*reads, *(element.expr for element in operator.order)))
                return replace(operator, input=self.operator(operator.input, row), row=row)
            case Limit():
                return replace(operator, input=self.operator(operator.input, reads), row=_unique(reads))
            case Unsupported():
                return operator
        inputs = tuple(self.operator(child, (*reads, *_everything(child))) for child in operator.inputs)
        return operator.with_inputs(inputs)

    def _aggregate(self, operator: Aggregate, reads: Reads) -> Operator:
        own = frozenset(operator.aggregates)
        read = _occurring(own, reads)
        kept = tuple(call for call in operator.aggregates if call in read)
        unread = tuple(call for call in operator.aggregates if call not in read)
        window = getattr(operator, "window", None)
        arguments = (child for call in kept for child in call.children())
        below = (*operator.keys, *arguments, *(window.exprs() if window is not None else ()))
        operator = replace(operator, aggregates=kept, unread=unread, input=self.operator(operator.input, below))
        if isinstance(operator, GroupWindowAggregate):
            fields = {
                node
                for expr in reads
                for node in expr.walk()
                if isinstance(node, WindowField) and node.depth == operator.depth
            }
            return replace(operator, fields=tuple(sorted(fields, key=repr)))
        return operator

    def _rank(self, rank: Rank, reads: Reads) -> Operator:
        if rank.range is None:
            call = OverCall(RankNumber(rank.function), rank.partition, rank.order, place=rank.place)
            return self._over(OverAggregate(rank.input, (call,), place=rank.place), (*reads, call))
        conditions = rank.range.other
        order = tuple(element.expr for element in rank.order)
        needed = (*reads, *rank.partition, *order, *conditions)
        row = _stored_row(rank, needed)
        input_ = self.operator(rank.input, needed)
        kind = self._rank_kind(rank)
        values = {
            name: getattr(rank, name)
            for name in ("function", "partition", "order", "range", "partition_place", "order_place", "range_place")
        }
        values |= {"select_place": rank.select_place, "place": rank.place, "input": input_, "row": row}
        if kind is Deduplicate:
            return Deduplicate(**values, proctime=_is_proctime(rank.order[0].expr))
        return kind(**values)

    def _rank_kind(self, rank: Rank) -> type[Rank]:
        parts = {key.part for key in rank.partition if isinstance(key, WindowField)}
        # Flink ranks the rows of a legacy group window without knowing that they belong to windows.
        legacy = any(isinstance(operator, GroupWindowAggregate) for operator in rank.input.walk())
        windowed = {WindowPart.START, WindowPart.END} <= parts and not legacy
        first_row = (
            rank.range == RankRange(1, 1)
            and rank.function == "ROW_NUMBER"
            and len(rank.order) == 1
            and self._is_time_attribute(rank.order[0].expr)
        )
        if windowed:
            return WindowDeduplicate if first_row else WindowRank
        return Deduplicate if first_row else Rank

    def _is_time_attribute(self, expr: Expr) -> bool:
        if isinstance(expr, Column):
            return (expr.table, expr.name) in self._time_columns
        return _is_proctime(expr) or (isinstance(expr, WindowField) and expr.part is WindowPart.TIME)

    def _over(self, operator: OverAggregate, reads: Reads) -> Operator:
        read = _occurring(frozenset(operator.calls), reads)
        calls = tuple(call for call in operator.calls if call in read or _holds_rank(call))
        passed = _unique(expr for expr in _without(reads, frozenset(operator.calls)))
        row = _unique((*passed, *(part for call in calls for part in call.children())))
        return replace(operator, calls=calls, row=row, input=self.operator(operator.input, row))

    def _join(self, operator: Join, reads: Reads) -> Operator:
        needed = (*reads, *operator.conditions)
        if operator.right_row:
            left = self.operator(operator.left, needed)
            return replace(operator, left=left, right=self.operator(operator.right, operator.right_row))
        left_tables, right_tables = _tables(operator.left), _tables(operator.right)
        return replace(
            operator,
            left=self.operator(operator.left, needed),
            right=self.operator(operator.right, needed),
            left_row=_columns(needed, left_tables - right_tables),
            right_row=_columns(needed, right_tables - left_tables),
        )

    def _union(self, operator: Union, reads: Reads) -> Operator:
        nodes = {node for expr in reads for node in expr.walk()}
        branches, rows = [], []
        for branch, row in zip(operator.branches, operator.rows, strict=True):
            read = tuple(expr for expr in row if expr in nodes)
            branches.append(self.operator(branch, read))
            rows.append(read)
        return replace(operator, branches=tuple(branches), rows=tuple(rows))


def _stored_row(rank: Rank, needed: Reads) -> Reads:
    """The columns of its input that a rank stores, in the order in which they reach it.

    Over an aggregation these are its keys in GROUP BY order and then its aggregates (spec reading C-03); a filter in
    between makes the planner project, and then the order is that of the query's select list.
    """
    below = rank.input.input if isinstance(rank.input, Calc) else rank.input
    if isinstance(below, Aggregate):
        given = (*below.keys, *below.aggregates)
        read = _occurring(frozenset(given), needed)
        projected = _unique((*rank.row, *given)) if isinstance(rank.input, Calc) else given
        return tuple(expr for expr in projected if expr in read)
    fields = frozenset(rank.row)
    read = _occurring(fields, needed)
    leaves = {node for expr in needed for node in _leaves(expr, fields) if isinstance(node, (Column, Unresolved))}
    return (*(expr for expr in _unique(rank.row) if expr in read), *sorted(leaves, key=sort_key))


def _leaves(expr: Expr, fields: frozenset[Expr]) -> Iterator[Expr]:
    """The columns in ``expr`` that none of ``fields`` stands for: those of a table that the script does not declare."""
    if expr in fields:
        return
    if not expr.children():
        yield expr
    for child in expr.children():
        yield from _leaves(child, fields)


def _occurring(candidates: frozenset[Expr], exprs: Iterable[Expr]) -> set[Expr]:
    """The candidates that occur in ``exprs``; what is inside of one is not looked at."""
    found: set[Expr] = set()
    waiting = list(exprs)
    while waiting:
        expr = waiting.pop()
        if expr in candidates:
            found.add(expr)
        else:
            waiting += expr.children()
    return found


def _without(exprs: Iterable[Expr], calls: frozenset[Expr]) -> Iterable[Expr]:
    """What ``exprs`` need besides ``calls``."""
    for expr in exprs:
        if expr in calls:
            continue
        if calls and _occurring(calls, (expr,)):
            yield from _without(expr.children(), calls)
        elif not (isinstance(expr, Call) and not expr.args):
            yield expr


def _everything(operator: Operator) -> Reads:
    """All that an operator could give, for a consumer of which nothing is known."""
    below = operator
    while isinstance(below, Calc):
        below = below.input
    return (*below.keys, *below.aggregates) if isinstance(below, Aggregate) else ()


def _columns(exprs: Iterable[Expr], tables: set[str]) -> Reads:
    found = {
        node
        for expr in exprs
        for node in expr.walk()
        if isinstance(node, Column) and node.table.split("#")[0] in tables
    }
    return tuple(sorted(found, key=repr))


def _tables(operator: Operator) -> set[str]:
    return {node.table for node in operator.walk() if isinstance(node, TableSourceScan)}


def _unique(exprs: Iterable[Expr]) -> Reads:
    return tuple(dict.fromkeys(expr for expr in exprs if not isinstance(expr, Ordering)))


def _holds_rank(call: Expr) -> bool:
    return isinstance(call, OverCall) and isinstance(call.call, RankNumber)


def _is_proctime(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.name == "PROCTIME"
