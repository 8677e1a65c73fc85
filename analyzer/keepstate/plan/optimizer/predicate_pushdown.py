"""Pushdown of the conditions of a query with joins, and the resulting kinds of its joins.

A condition moves down as far as possible: into the input that it reads, or to the join where both of its inputs meet.
Afterwards the conditions of WHERE and of ON look alike. All rules were seen in the plans of Flink 1.20 and 2.3: the
conditions that pass an outer join, WHERE turning an outer join into an inner one, the transfer of a condition from one
side of an equation to the other, and that no condition passes a temporal join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields

from keepstate.plan.clauses.ranking import mentions, narrowed
from keepstate.plan.expressions import Call, Column, Expr, Literal, is_proctime, sort_key
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.filter_placement import reads_function, split_by_keys
from keepstate.plan.lowering.set_operations import with_filter_below
from keepstate.plan.metadata.constant_columns import (
    equated_with_constants,
    literal_columns,
    literals,
    literals_of_right,
    with_constants,
)
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.metadata.time_attributes import is_materialized
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    IntervalJoin,
    Join,
    Limit,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowJoin,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.optimizer.null_rejection import rejecting
from keepstate.plan.optimizer.subquery_values import drops_unmatched, reads_value
from keepstate.plan.optimizer.time_bounds import time_bounds
from keepstate.plan.predicates import reordered
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfRight
from keepstate.plan.scalars.name_scope import filtered

Conditions = tuple[Expr, ...]

# Below the input that an outer join fills with NULLs, a condition of WHERE would remove matches: their partners would
# then come out with NULLs instead of going away.
_WHERE_PASSES = {
    "inner": {JoinSide.LEFT, JoinSide.RIGHT},
    "left": {JoinSide.LEFT},
    "right": {JoinSide.RIGHT},
    "semi": {JoinSide.LEFT},
    "anti": {JoinSide.LEFT},
    "scalar": {JoinSide.LEFT},
}
"""Into which inputs of a join the conditions of WHERE go, by its kind."""
# ON decides on matches only. A row of the kept input comes out without a match, so no condition of ON may remove it.
_ON_PASSES = {
    "inner": {JoinSide.LEFT, JoinSide.RIGHT},
    "left": {JoinSide.RIGHT},
    "right": {JoinSide.LEFT},
    "semi": {JoinSide.LEFT, JoinSide.RIGHT},
    "anti": {JoinSide.RIGHT},
}
"""Likewise those of ON."""
_SUPPLIES_NULLS = {"left": (JoinSide.RIGHT,), "right": (JoinSide.LEFT,), "full": (JoinSide.LEFT, JoinSide.RIGHT)}
_WITHOUT_NULLS = {
    ("left", JoinSide.RIGHT): "inner",
    ("right", JoinSide.LEFT): "inner",
    ("full", JoinSide.LEFT): "left",
    ("full", JoinSide.RIGHT): "right",
}
"""Kind of an outer join when no row may be all NULL on a side."""

IsTime = Callable[[Expr], bool]
"""Predicate for time attributes of the source that an expression comes from."""


def with_conditions_in_place(operator: Operator, is_time: IsTime, as_planned: bool = False) -> Operator:
    """``operator`` with the conditions of its joins, and of the filters above these or above a table function, where
    the planner puts them.

    With ``as_planned`` a constant takes the place of a column that is equated with it, as in open-source Flink, and
    joins lose the conditions that then read one input only.
    """
    if not any(isinstance(each, (Join, Correlate)) for each in operator.walk()):
        return operator
    return _Pushdown(is_time, as_planned).behind(operator, ())


class _Pushdown:
    def __init__(self, is_time: IsTime, as_planned: bool) -> None:
        self._is_time = is_time
        self._as_planned = as_planned

    def behind(self, operator: Operator, conditions: Conditions, row: Conditions = ()) -> Operator:
        """``operator`` behind a filter; ``row`` is the projection that the filter stands on."""
        operator = any_operator(operator)
        match operator:
            case Calc():
                return self.behind(operator.input, (*operator.conditions, *conditions), row or operator.row)
            case LookupJoin():
                return self._lookup(operator, conditions, row)
            case TemporalJoin() | Unsupported():
                pass
            case Join():
                return self._join(operator, conditions, row)
            case Correlate():
                # A row that such a condition removes needs no call of the function.
                below = tuple(condition for condition in conditions if not reads_function(condition, operator))
                rest = tuple(condition for condition in conditions if condition not in below)
                return filtered(with_fields(operator, input=self.behind(operator.input, below)), rest, row)
            case Union() | SetOperation():
                # Without a join in a branch, refinement spreads the filter: nothing here has to be settled before.
                if conditions and _joins(operator):
                    filter_ = Calc(operator, conditions)
                    spread = with_filter_below(filter_)
                    if spread is not filter_:
                        return self.behind(spread, ())
            case Aggregate():
                # A condition on keys decides about whole groups, so their rows can go before they are aggregated.
                below, conditions = split_by_keys(operator, conditions)
                operator = with_fields(
                    operator,
                    input=self.behind(operator.input, below),
                    pushed_conditions=(*operator.pushed_conditions, *below),
                )
                return self._behind_rest(operator, conditions, row)
            case Rank():
                on_rank = tuple(condition for condition in conditions if mentions(condition, operator.rank_number))
                # A rank within a rank is one Top-N: ``n <= 2`` above ``n <= 5`` stores two rows.
                rank = narrowed(operator, on_rank) if on_rank else None
                if rank is not None:
                    conditions = tuple(condition for condition in conditions if condition not in on_rank)
                    operator = rank
            case WindowTableFunction() | OverAggregate() | Match() | TemporalSort() | Limit():
                # Conditions stay above: they may read what it gives, or decide which rows it sees.
                pass
            case TableSourceScan() | Values():
                pass
            case other:
                unhandled(other)
        inputs = tuple(self.behind(child, ()) for child in operator.inputs)
        return self._behind_rest(operator.with_inputs(inputs), conditions, row)

    # Joins that keep state

    def _join(self, join: Join, above: Conditions, row: Conditions) -> Operator:
        sides = JoinSides.of(join)
        # The kind comes first: an inner join passes on conditions that an outer one has to keep.
        kind, decisive = _without_nulls(join.kind, above, sides)
        to: dict[JoinSide, list[Expr]] = {JoinSide.LEFT: [], JoinSide.RIGHT: []}
        join_conditions: list[Expr] = []
        over: list[Expr] = []
        drops = drops_unmatched(join, above)
        for condition in join.conditions:
            if not drops and reads_value(condition, join):
                # WHERE stays a filter of its own above a join that keeps the rows without a value.
                over.append(condition)
                continue
            side = _only_side(condition, sides)
            (to[side] if side in _ON_PASSES.get(kind, ()) else join_conditions).append(condition)  # type: ignore[index]
        for condition in above:
            # WHERE and ON of an inner join are one condition; above an outer join WHERE stays a filter of its own.
            side = _only_side(condition, sides)
            if side in _WHERE_PASSES.get(kind, ()) and not reads_value(condition, join):
                to[side].append(condition)  # type: ignore[index]
            else:
                (join_conditions if kind == "inner" and sides.read(condition) else over).append(condition)
        left_conditions = (*self._seen_above(join.left), *to[JoinSide.LEFT])
        right_conditions = (*self._seen_above(join.right), *map(sides.within_right, to[JoinSide.RIGHT]))
        pairs = list(_equated_columns(join_conditions, sides))
        # What an equation makes hold for the one side holds for the other.
        for_left = (
            _carried(right_conditions, {right: left for left, right in pairs}) if kind in ("inner", "right") else ()
        )
        for_right = _carried(left_conditions, dict(pairs)) if kind in ("inner", "left") else ()
        settled = with_fields(
            join,
            left=self.behind(join.left, (*to[JoinSide.LEFT], *for_left)),
            right=self.behind(join.right, (*map(sides.within_right, to[JoinSide.RIGHT]), *for_right)),
            kind=kind,
            conditions=_ordered(join_conditions),
            kind_place=decisive if kind != join.kind else join.kind_place,
            drops_unmatched=drops,
        )
        if self._as_planned:
            settled = _with_constants(settled, join, (*above, *join.conditions) if kind == "inner" else above)
        return self._behind_rest(self._by_time(settled), tuple(over), row)

    def _behind_rest(self, operator: Operator, rest: Conditions, row: Conditions) -> Operator:
        """An operator behind the conditions that stay above it. Without any, the projection that the filter stood on
        stays: the planner has settled by then what windows above read.
        """
        return Calc(operator, (), row) if self._as_planned and row and not rest else filtered(operator, rest, row)

    def _seen_above(self, input_: Operator) -> Conditions:
        """The conditions of an input that a join sees: not those of columns that are casts of constants above them."""
        conditions = input_.conditions if isinstance(input_, Calc) else ()
        if not self._as_planned:
            return conditions
        cast = dict(equated_with_constants(conditions)).keys() - literals(conditions).keys()
        return tuple(each for each in conditions if cast.isdisjoint(dict(equated_with_constants((each,)))))

    def _by_time(self, join: Join) -> Join:
        """The join as an interval join, if its conditions bound time attributes."""
        if isinstance(join, WindowJoin):
            return join
        sides = JoinSides.of(join)
        inputs = {JoinSide.LEFT: join.left, JoinSide.RIGHT: join.right}
        shifted = frozenset(_shifted(join.conditions))

        def time_side(expr: Expr) -> JoinSide | None:
            side = _only_side(expr, sides)
            if side is None:
                return None
            own = sides.within_right(expr) if side is JoinSide.RIGHT else expr
            is_time = self._is_time(own) or expr in shifted
            return side if is_time and not is_materialized(own, inputs[side]) else None

        bounds = time_bounds(join.conditions, sides, time_side)
        if bounds is None or is_proctime(bounds.left) is not is_proctime(sides.within_right(bounds.right)):
            return join
        # The new class has all fields of the former one: nothing of the join is lost, and none is listed twice.
        values = {part.name: getattr(join, part.name) for part in fields(join)}
        values["conditions"] = tuple(condition for condition in join.conditions if condition not in bounds.conditions)
        return IntervalJoin(
            **values,
            left_time=bounds.left,
            right_time=bounds.right,
            lower=bounds.lower,
            upper=bounds.upper,
            time_conditions=bounds.conditions,
        )

    # Lookup joins

    def _lookup(self, lookup: LookupJoin, above: Conditions, row: Conditions) -> Operator:
        """Move conditions of WHERE on the looked-up table into a lookup join."""
        sides = JoinSides.of(lookup)
        kind, decisive = _without_nulls(lookup.kind, above, sides)
        join_conditions: list[Expr] = []
        below: list[Expr] = []
        over: list[Expr] = []
        for condition in lookup.conditions:
            # The looked-up table is asked row by row: no filter can stand in front of it, so its conditions stay here.
            passes = kind == "inner" and _only_side(condition, sides) is JoinSide.LEFT
            (below if passes else join_conditions).append(condition)
        for condition in above:
            if _only_side(condition, sides) is JoinSide.LEFT:
                below.append(condition)
            else:
                (join_conditions if kind == "inner" and sides.read(condition) else over).append(condition)
        settled = with_fields(
            lookup,
            left=self.behind(lookup.left, tuple(below)),
            kind=kind,
            conditions=_ordered(join_conditions),
            kind_place=decisive if kind != lookup.kind else lookup.kind_place,
        )
        return filtered(settled, tuple(over), row)


def _joins(operator: Operator) -> bool:
    return any(isinstance(node, Join) for node in operator.walk())


def _ordered(conditions: Iterable[Expr]) -> Conditions:
    # AND has no order. Equal joins have to be equal values, in whatever order they are written.
    return tuple(sorted(dict.fromkeys(conditions), key=sort_key))


def _only_side(condition: Expr, sides: JoinSides) -> JoinSide | None:
    """The one input that a condition is about."""
    read_sides = sides.read(condition)
    return next(iter(read_sides)) if len(read_sides) == 1 else None


def _without_nulls(kind: str, above: Conditions, sides: JoinSides) -> tuple[str, Place | None]:
    """Return the kind of an outer join under the conditions above it, and the condition that decides."""
    place: Place | None = None
    for side in _SUPPLIES_NULLS.get(kind, ()):
        rejection = rejecting(above, lambda expr, side=side: _is_column_of(side, expr, sides))  # type: ignore[misc]
        if rejection is not None:
            kind, place = _WITHOUT_NULLS[kind, side], rejection.place
    return kind, place


def _is_column_of(side: JoinSide, expr: Expr, sides: JoinSides) -> bool:
    own = sides.field_side(expr)
    if own is not None:
        return own is side
    return isinstance(expr, Column) and _only_side(expr, sides) is side


def _with_constants(join: Join, original: Join, above: Conditions) -> Join:
    """``join`` with the constants of its inputs as ``original``, and of the conditions ``above`` it.

    A condition that then reads one input has moved into that one.
    """
    sides, kind = JoinSides.of(join), join.kind
    literals_by_side = {JoinSide.LEFT: literal_columns(original.left), JoinSide.RIGHT: literals_of_right(original)}
    kept_sides = _WHERE_PASSES.get(kind, set())
    equated: dict[Expr, Expr] = {**dict(equated_with_constants(above)), **literals(above)}
    settled = {column: value for column, value in equated.items() if _only_side(column, sides) in kept_sides}
    settled |= {column: value for side in kept_sides for column, value in literals_by_side[side].items()}
    constants = {**literals_by_side[JoinSide.LEFT], **literals_by_side[JoinSide.RIGHT], **settled}
    if not constants:
        return join
    conditions: list[Expr] = []
    for condition in join.conditions:
        merged = reordered(with_constants(condition, constants))
        if merged == condition or not (_only_side(merged, sides) in _ON_PASSES.get(kind, ()) or is_constant(merged)):
            conditions.append(merged)
        elif kind == "inner":
            settled |= dict(equated_with_constants((merged,)))
    return with_fields(join, conditions=_ordered(conditions), constants=frozenset(settled))


def _equated_columns(conditions: Iterable[Expr], sides: JoinSides) -> Iterator[tuple[Expr, Expr]]:
    """Columns of the left input with those of the right one, as that writes them, that conditions equate."""
    for condition in conditions:
        if not isinstance(condition, Call) or condition.name != "=":
            continue
        by_side = {_only_side(operand, sides): operand for operand in condition.args}
        left_column, right_column = by_side.get(JoinSide.LEFT), by_side.get(JoinSide.RIGHT)
        if left_column is None or right_column is None:
            continue
        right_column = sides.within_right(right_column)
        if (
            isinstance(left_column, Column)
            and isinstance(right_column, Column)
            and left_column.type == right_column.type
        ):
            yield left_column, right_column


def _shifted(conditions: Iterable[Expr]) -> Iterator[Column]:
    """Columns that the script does not declare and that are compared with a time some way off: these must be times."""
    for condition in conditions:
        nodes = list(condition.walk())
        lengths = (isinstance(node, Literal) and node.type.startswith("INTERVAL") for node in nodes)
        if isinstance(condition, Call) and condition.name in ("<", "<=") and any(lengths):
            yield from (node for node in nodes if isinstance(node, Column) and node.type is None)


def _carried(conditions: Iterable[Expr], equals: dict[Expr, Expr]) -> Iterator[Expr]:
    """The conditions that read nothing but columns with an equal on the other side, about those."""
    for condition in conditions:
        leaves = {node for node in condition.walk() if not node.children() and not isinstance(node, Literal)}
        is_marked = any(isinstance(node, ColumnOfRight) for node in condition.walk())
        if leaves and leaves <= equals.keys() and not is_marked:
            yield reordered(condition.rewrite(lambda node: _equal(node, equals)))


def _equal(node: Expr, equals: dict[Expr, Expr]) -> Expr:
    equal = equals.get(node)
    return with_fields(equal, place=node.place, via=node.via) if equal is not None else node
