"""Planner rules for a whole query: it drops unread columns, and chooses among the kinds of ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Frame,
    Measure,
    Ordering,
    OverCall,
    Unresolved,
    WindowField,
    WindowPart,
    is_proctime,
)
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.filter_placement import (
    below_projection,
    is_projection,
    moved_below_window,
    moved_down,
    on_list_of,
)
from keepstate.plan.lowering.ordering import ordered_row, row_below_projection, unordered
from keepstate.plan.lowering.set_operations import with_filter_below
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.metadata.constant_columns import (
    Constants,
    is_literal,
    literal_columns,
    variable_keys,
    without_literals,
    written_twice,
)
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.metadata.output_rows import arranged, arranged_in_window, is_constant, output_columns, pinned_among
from keepstate.plan.metadata.rank_strategies import ranked_how
from keepstate.plan.metadata.time_attributes import Rowtimes, is_materialized
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Deduplicate,
    GroupWindowAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    RankRange,
    RankStrategy,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowDeduplicate,
    WindowRank,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.operators.window_properties import ranks_in_windows
from keepstate.plan.optimizer.aggregate_reads import translated_calls, window_properties
from keepstate.plan.optimizer.held_columns import (
    columns_of_ranked_rank,
    constant_numbers,
    held_columns,
    hides_key,
    is_projected_for,
    kept_without_readers,
    on_select_list,
)
from keepstate.plan.optimizer.join_rows import kept_rows, stored_rows
from keepstate.plan.optimizer.planners import PlannerContext
from keepstate.plan.optimizer.predicate_pushdown import with_conditions_in_place
from keepstate.plan.optimizer.removed_joins import remaining_input
from keepstate.plan.optimizer.row_parts import leaves_outside, occurring, row_parts, unread_of
from keepstate.plan.references import ColumnOfUnion
from keepstate.plan.scalars.over_windows import over_depth

Reads = tuple[Expr, ...]


def refined(
    operator: Operator,
    reads: Reads,
    times: Rowtimes,
    updating_tables: frozenset[str] = frozenset(),
    as_planned: PlannerContext | None = None,
) -> Operator:
    """Drop everything that ``reads`` (the expressions its consumer needs) does not need from ``operator``, and give
    every rank its kind in Flink.

    ``times`` are the columns with a watermark, ``updating_tables`` the tables whose rows change. With
    ``as_planned`` columns stay which nothing reads in the end, as in open-source Flink: below OVER windows, and for
    aggregates that are dropped; a computed column and its definition are two; and newer planners drop joins that
    nothing reads. By the documents only what is read counts (spec SRC-01), and its meaning.
    """
    refinement = _Refinement(times, updating_tables, as_planned)
    placed = with_conditions_in_place(operator, refinement.is_time_attribute, as_planned is not None)
    return refinement.operator(placed, reads)


class _Refinement:
    def __init__(self, times: Rowtimes, updating_tables: frozenset[str], as_planned: PlannerContext | None) -> None:
        self._times = times
        self._updating_tables = updating_tables
        self._planning = as_planned
        self._as_planned = as_planned is not None

    def operator(self, operator: Operator, reads: Reads, held: Reads = ()) -> Operator:
        """Refine an operator and all below it. ``held`` are columns that a ranking above reads although it does not
        store them all, or the select list of a window that stays apart from what is above: when the planner drops
        unread columns, they still count as read.
        """
        operator = any_operator(_without_idle_orders(operator))
        match operator:
            case Aggregate():
                return self._aggregate(operator, reads, held)
            case Rank():
                return self._rank(operator, reads, held)
            case OverAggregate():
                return self._over(operator, reads, held)
            case Calc() if is_projection(operator):
                return self.operator(operator.input, reads, held)
            case Calc(input=Union() | SetOperation()) if (spread := with_filter_below(operator)) is not operator:
                return self.operator(spread, reads, held)
            case Calc(input=Aggregate() | Correlate()) if (moved_operator := moved_down(operator)) != operator:
                return self.operator(moved_operator, reads, held)
            case Calc(input=WindowTableFunction(input=Union() | SetOperation())) if below := moved_below_window(
                operator
            ):
                return self.operator(below, reads, held)
            case Calc():
                needs = _selected(operator.input, (*reads, *operator.conditions))
                held = (*held, *self._select_list(operator.input))
                return with_fields(operator, input=self.operator(operator.input, needs, held))
            case WindowTableFunction():
                own = {WindowField(part, operator.depth) for part in WindowPart}
                needs = tuple(expr for expr in (*reads, *operator.window.exprs()) if expr not in own)
                needs = tuple(expr for expr in needs if not is_constant(expr))
                held = (*held, *self._select_list(operator.input))
                return with_fields(operator, input=self.operator(operator.input, needs, held))
            case Correlate():
                # No projection is moved through it: all columns stay, and so do all joins below.
                listed = operator.row if self._as_planned else ()
                needs = _selected(operator.input, listed or (*reads, operator.function))
                held = (*held, *self._select_list(operator.input)) or needs
                return with_fields(operator, input=self.operator(operator.input, needs, held))
            case Join():
                return self._join(operator, reads, held)
            case Union():
                return self._union(operator, (*reads, *held))
            case TemporalSort() | Limit():
                return self._ordered(operator, (*reads, *held))
            case SetOperation():
                left, right = map(self.operator, operator.inputs, (operator.left_row, operator.right_row))
                return with_fields(operator, left=left, right=right, unread_columns=unread_of(operator.left_row, reads))
            case Match():
                # It takes every column of its input, read or not; of a table that is not declared those that it reads.
                return with_fields(operator, input=self.operator(operator.input, (*operator.row, *operator.reads())))
            case Unsupported() | TableSourceScan() | Values():
                return operator
            case other:
                unhandled(other)

    def _aggregate(self, operator: Aggregate, reads: Reads, held: Reads) -> Operator:
        if self._as_planned:
            operator = with_fields(operator, keys=variable_keys(operator))
        own = frozenset(operator.aggregates)
        read_calls = occurring(own, (*reads, *kept_without_readers(operator, (*reads, *held))))
        waiting = occurring(own, held)
        kept_calls = tuple(call for call in operator.aggregates if call in read_calls or call in waiting)
        used_calls = read_calls | waiting
        unread = tuple(call for call in operator.aggregates if call not in used_calls)
        window = getattr(operator, "window", None)
        translated = translated_calls(operator, kept_calls, (*reads, *held))
        operands = tuple(child for call in operator.translated or operator.aggregates for child in call.children())
        # Aggregates are dropped when it is settled which columns reach them.
        arguments = operands if self._as_planned else (child for call in translated for child in call.children())
        # A table function reads for itself what it assigns windows by.
        assigned = window.exprs() if isinstance(operator, GroupWindowAggregate) and window is not None else ()
        counted = self._planning.planner.counted_columns(operator) if self._planning is not None else ()
        window_stays = self._planning is not None and self._planning.planner.keeps_window_below(operator)
        below = (*operator.keys, *arguments, *assigned, *counted)
        operator = with_fields(
            operator,
            pushed_conditions=operator.pushed_conditions if self._as_planned else (),
            aggregates=kept_calls,
            translated=translated,
            operands=operands,
            unread=unread,
            unread_columns=tuple(call for call in kept_calls if call not in read_calls),
            input=self.operator(operator.input, below, self._select_list(operator.input) if window_stays else ()),
        )
        if isinstance(operator, GroupWindowAggregate):
            properties, listed = (window_properties(operator, exprs) for exprs in (reads, held))
            unasked = (each for each in listed if each not in properties)
            return with_fields(operator, fields=properties, unread_columns=(*operator.unread_columns, *unasked))
        return operator

    def _rank(self, rank: Rank, reads: Reads, above: Reads) -> Operator:
        if self._as_planned:
            rank = on_select_list(rank)
        if rank.range is None:
            return self._numbered(rank, reads, above)
        listed, on_number = frozenset(rank.row), rank.range.other
        constants = self._literals(rank.input, listed)
        partition = without_literals(rank.partition, constants)
        order = tuple(each for each in rank.order if not is_literal(each.expr, constants))
        rank = with_fields(rank, partition=partition, order=order or rank.order)
        needs = (*reads, *on_number, *rank.partition, *(element.expr for element in rank.order))
        held_exprs, lacks_key = held_columns(rank), hides_key(rank)
        if self._as_planned:
            needs = (*needs, *columns_of_ranked_rank(rank))
        held = self._select_list(rank.input) or held_exprs
        input_ = self.operator(rank.input, _selected(rank.input, needs), held)
        pinned = pinned_among(rank.row, rank.input) if self._as_planned else frozenset()
        projected = on_list_of(rank.input, input_)
        row = without_literals(self._stored_row(rank, (*reads, *on_number), projected, pinned), constants)
        row = (*row, *written_twice(rank, pinned.intersection(occurring(listed, reads))))
        if self._planning is not None and self._planning.planner.keeps_constant_numbers:
            row = (*row, *constant_numbers(rank))
        rank = with_fields(
            rank, input=input_, input_columns=tuple(expr for expr in held_exprs if expr not in pinned), row=row
        )
        kind = self._rank_kind(rank)
        values = {part.name: getattr(rank, part.name) for part in fields(rank)}
        if kind is Deduplicate:
            return Deduplicate(**values, proctime=is_proctime(rank.order[0].expr))
        if kind is Rank:
            undeclared = _keeps_first_row(rank) and _is_undeclared(rank.order[0].expr)
            how = ranked_how(rank, self._updating_tables)
            # A constant identifies no rows.
            if lacks_key or not pinned.isdisjoint(how["upsert_key"]):
                how |= {"strategy": RankStrategy.RETRACT, "upsert_key": ()}
            return with_fields(rank, may_deduplicate=undeclared, **how)
        return kind(**values)

    def _rank_kind(self, rank: Rank) -> type[Rank]:
        time = rank.order[0].expr if _keeps_first_row(rank) else None
        first_row = time is not None and self.is_time_attribute(time) and not is_materialized(time, rank.input)
        if ranks_in_windows(rank):
            return WindowDeduplicate if first_row else WindowRank
        # Rows that change are no case for Deduplicate, whatever they are ordered by.
        return Deduplicate if first_row and not updates(rank.input, self._updating_tables) else Rank

    def is_time_attribute(self, expr: Expr) -> bool:
        if isinstance(expr, Measure):
            return isinstance(expr.value, Call) and expr.value.name in ("MATCH_ROWTIME", "MATCH_PROCTIME")
        if isinstance(expr, ColumnOfUnion):
            return all(map(self.is_time_attribute, expr.exprs))
        is_window_time = isinstance(expr, WindowField) and expr.part is WindowPart.TIME
        return expr in self._times or is_proctime(expr) or is_window_time

    def _over(self, operator: OverAggregate, reads: Reads, held: Reads = ()) -> Operator:
        """Refine an OVER window. ``held`` are all columns of its select list if a filter, a rank or another window
        keeps this list apart from the expressions above; else those expressions are merged into the list.
        """
        if self._as_planned:
            operator = on_select_list(operator)
        listed = held or reads
        constants = self._literals(operator.input, frozenset(operator.row))
        operator = with_fields(operator, partition=without_literals(operator.partition, constants))
        own = frozenset(operator.aggregates)
        used_calls = occurring(own, reads)
        keys = (*operator.partition, *operator.order)
        needs = (*reads, *(call for call in operator.aggregates if call in used_calls))
        used_calls |= set(row_parts(needs, own, keys))
        reads = (*reads, *held)
        read_calls = occurring(own, reads)
        kept_calls = tuple(call for call in operator.aggregates if call in read_calls)
        unread = tuple(call for call in operator.aggregates if call not in read_calls)
        if not kept_calls:
            # Nothing is left of an OVER window without a reader.
            return self.operator(operator.input, reads)
        parts = without_literals(tuple(row_parts((*reads, *kept_calls), own, keys)), constants)
        replaced = {*listed, *(argument for call in kept_calls for argument in call.children())}
        pinned = pinned_among(replaced, operator.input, self._as_planned)
        operator = with_fields(operator, aggregates=kept_calls, unread=unread)
        if self._as_planned and not is_projected_for(operator, listed):
            row = arranged_in_window((*output_columns(operator.input), *parts), operator.input, pinned)
        else:
            row = (
                *self._arranged(parts, operator.input, pinned),
                *written_twice(operator, pinned.intersection(listed)),
            )
        below = self.operator(operator.input, row, self._select_list(operator.input))
        unasked = tuple(expr for expr in (*row, *kept_calls) if expr not in used_calls)
        return with_fields(operator, row=row, unread_columns=unasked, input=below)

    def _stored_row(self, rank: Rank, reads: Reads, input_: Operator, pinned: frozenset[Expr]) -> Reads:
        """Return the input columns that a rank stores, in the order in which they reach it.

        They are the columns that ``reads`` needs of the select list that numbers the rows, and the sort and partition
        keys. Constants are no columns. As planned, a computed column is only read where its name is written, and not
        its definition. Over an aggregation the columns are its keys in GROUP BY order and then its aggregates (spec
        reading C-03).
        """
        fields_ = frozenset(rank.row)
        read_exprs = occurring(fields_, reads, self._as_planned)
        leaves = (
            leaf for expr in reads for leaf in leaves_outside(expr, fields_) if isinstance(leaf, (Column, Unresolved))
        )
        order = tuple(element.expr for element in rank.order)
        read_exprs |= fields_.intersection((*order, *rank.partition))
        columns = (*(expr for expr in rank.row if expr in read_exprs), *leaves, *order, *rank.partition)
        return self._arranged((expr for expr in columns if not is_constant(expr)), input_, pinned)

    def _arranged(self, exprs: Iterable[Expr], operator: Operator, pinned: frozenset[Expr]) -> Reads:
        """Return a stored row in the order of the planner. The documents do not mention columns that a filter makes
        constant (``pinned``).
        """
        return arranged_in_window(exprs, operator, pinned) if self._as_planned else arranged(exprs, operator)

    def _literals(self, operator: Operator, listed: frozenset[Expr]) -> Constants:
        """Return the literals among the columns that the select list of a window on ``operator`` names."""
        if not self._as_planned:
            return {}
        return {column: value for column, value in literal_columns(operator).items() if column in listed}

    def _select_list(self, operator: Operator) -> Reads:
        """Return the select list of a window right below an operator that keeps the window's projection apart."""
        if not self._as_planned:
            return ()
        operator = below_projection(operator)
        if isinstance(operator, Rank) and operator.range is None:
            return (*operator.row, operator.rank_number)
        return operator.row if isinstance(operator, OverAggregate) else ()

    def _numbered(self, rank: Rank, reads: Reads, apart: Reads) -> Operator:
        """A rank that no condition limits: it numbers all rows, as any OVER aggregate does."""
        number = rank.rank_number
        aggregate = AggregateCall(rank.function, over=over_depth(rank.input) + 1, place=rank.place)
        frame = Frame("ROWS") if rank.function == "ROW_NUMBER" else Frame()
        call = OverCall(
            number,
            rank.partition,
            rank.order,
            frame,
            place=rank.place,
            partition_place=rank.partition_place,
            order_place=rank.order_place,
        )
        operator = OverAggregate(
            rank.input,
            rank.partition,
            rank.order,
            frame,
            (aggregate,),
            rank.row,
            aggregate.over,
            (call,),
            rank.select_place,
            place=rank.place,
        )

        def as_aggregate(node: Expr) -> Expr:
            return aggregate if node == number else node

        above, listed = (tuple(expr.rewrite(as_aggregate) for expr in exprs) for exprs in (reads, apart))
        return self._over(operator, above, listed)

    def _ordered(self, operator: TemporalSort | Limit, reads: Reads) -> Operator:
        # The planner drops no column below a limit that the query gives which is limited.
        row = ordered_row(operator, (*reads, *operator.row) if self._as_planned else reads)
        if self._as_planned:
            row = row_below_projection(operator, row, self.is_time_attribute)
        below = self.operator(operator.input, (*reads, *row))
        if isinstance(operator, Limit):
            return with_fields(operator, input=below, row=row)
        sort = with_fields(operator, input=below, row=row, proctime=is_proctime(operator.order[0].expr))
        return sort if sort.stateful else with_fields(sort, row=())

    def _join(self, operator: Join, reads: Reads, held: Reads) -> Operator:
        rows, least = (
            kept_rows(operator, exprs, self.is_time_attribute, self._as_planned) for exprs in ((*reads, *held), reads)
        )
        left_row, right_row = stored_rows(operator, rows)
        least_exprs = {expr for row in least for expr in row}
        within_right = JoinSides.of(operator).within_right
        left = self.operator(operator.left, left_row, self._select_list(operator.left))
        right = self.operator(operator.right, tuple(map(within_right, right_row)), self._select_list(operator.right))
        if not held and (remaining := remaining_input(operator, reads, (left, right), self._planning)) is not None:
            return self.operator(remaining, reads)
        return with_fields(
            operator,
            left=left,
            right=right,
            left_row=left_row,
            right_row=right_row,
            unread_columns=tuple(expr for expr in (*left_row, *right_row) if expr not in least_exprs),
        )

    def _union(self, operator: Union, reads: Reads) -> Operator:
        nodes = {node for expr in reads for node in expr.walk()}
        positions = [position for position, column in enumerate(operator.columns) if column in nodes]
        rows = tuple(tuple(row[position] for position in positions) for row in operator.rows)
        branches = tuple(self.operator(*both) for both in zip(operator.branches, rows, strict=True))
        return with_fields(operator, branches=branches, rows=rows)


def _keeps_first_row(rank: Rank) -> bool:
    """Return whether a ranking keeps one row of each partition, the first by one key."""
    return rank.range == RankRange(1, 1) and rank.function == "ROW_NUMBER" and len(rank.order) == 1


def _is_undeclared(expr: Expr) -> bool:
    return isinstance(expr, Unresolved) or (isinstance(expr, Column) and expr.type is None)


def _selected(operator: Operator, needs: Reads) -> Reads:
    """Return the part of an OVER window's select list that ``needs`` reads, in the order of that list.

    The planner does not merge projections past a filter or a rank.
    """
    operator = below_projection(operator)
    if not isinstance(operator, OverAggregate):
        return needs
    fields = frozenset(operator.row)
    read_fields = occurring(fields, needs)
    leaves = (leaf for expr in needs for leaf in leaves_outside(expr, fields))
    return _unique((*(expr for expr in operator.row if expr in read_fields), *leaves))


def _without_idle_orders(operator: Operator) -> Operator:
    """The operator without orders of its inputs that it takes no notice of: filters and OVER windows keep them."""
    if isinstance(operator, (Calc, OverAggregate)):
        return operator
    below = tuple(map(unordered, operator.inputs))
    same = all(before is after for before, after in zip(below, operator.inputs, strict=True))
    return operator if same else operator.with_inputs(below)


def _unique(exprs: Iterable[Expr]) -> Reads:
    return tuple(dict.fromkeys(expr for expr in exprs if not isinstance(expr, Ordering)))
