"""Filters over aggregations and table functions, where the planner puts them: in front, as far as they can go.

Where a condition is written does not count: HAVING, WHERE of a query around it, a view or a branch of a union. One that
reads nothing but group keys chooses groups, so the planner applies it to the rows that make them
(``FilterAggregateTransposeRule``), and goes on below. The fields of a window table-valued function are group keys like
others; those of a group window function are results. Seen in the plans of Flink 1.20 and 2.3.
"""

from __future__ import annotations

from keepstate.plan.clauses.grouping_sets import sets_of
from keepstate.plan.clauses.ranking import mentions, narrowed
from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    WindowField,
    holds_window_field,
    sort_key,
)
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.empty_relations import has_lone_group
from keepstate.plan.metadata.output_rows import output_columns
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
    Operator,
    Rank,
    WindowTableFunction,
)
from keepstate.plan.predicates import FALSE
from keepstate.plan.references import CorrelatedColumn
from keepstate.plan.scalars.name_scope import Source, filtered

Conditions = tuple[Expr, ...]

_OF_THE_SET = frozenset({"GROUPING", "GROUPING_ID", "GROUP_ID"})
"""Functions that distinguish grouping sets."""


def in_front_of(operator: Aggregate, conditions: Conditions) -> tuple[Aggregate, Conditions]:
    """An aggregation behind those of ``conditions`` that the planner applies in front of it, and the others."""
    below, above = split_by_keys(operator, conditions)
    moved_conditions = (*operator.pushed_conditions, *below)
    return (
        with_fields(operator, input=behind(operator.input, below), pushed_conditions=moved_conditions)
        if below
        else operator
    ), above


def behind_where(source: Source, conditions: tuple[Expr, ...]) -> Source:
    """Return the source behind WHERE. A condition on the rank number determines the range of a Top-N."""
    ranked = source.input
    if isinstance(ranked, Rank) and not any(mentions(expr, ranked.rank_number) for expr in source.filters):
        on_rank = tuple(condition for condition in conditions if mentions(condition, ranked.rank_number))
        rank = narrowed(ranked, on_rank) if on_rank else None
        if rank is not None:
            rest = tuple(condition for condition in conditions if condition not in on_rank)
            return with_fields(source, input=rank, filters=(*source.filters, *rest))
    if isinstance(ranked, Aggregate):
        below, conditions = in_front_of(ranked, conditions)
        source = with_fields(source, input=below)
    return with_fields(source, filters=tuple(dict.fromkeys((*source.filters, *conditions))))


def behind(operator: Operator, conditions: Conditions, row: Conditions = ()) -> Operator:
    """``operator`` behind a filter on the projection ``row``, each condition as far down as it goes."""
    if not conditions:
        return operator
    match operator:
        case Calc():
            return behind(operator.input, (*operator.conditions, *conditions), row or operator.row)
        case Aggregate():
            operator, conditions = in_front_of(operator, conditions)
        case Correlate():
            below = tuple(condition for condition in conditions if not reads_function(condition, operator))
            conditions = tuple(condition for condition in conditions if condition not in below)
            operator = with_fields(operator, input=behind(operator.input, below))
    return filtered(operator, conditions, row)


def without_projections(operator: Operator) -> Operator:
    """The operator without the projections that filters have left behind, which open-source Flink alone plans.

    >>> groups = "SELECT * FROM (SELECT buyer, SUM(price) FROM orders GROUP BY buyer, id) WHERE buyer <> 'ann'"
    >>> [each.title for each in plan(groups).operators]
    ['GroupAggregate', 'Calc', 'TableSourceScan']
    """
    if not any(map(is_projection, operator.walk())):
        return operator
    if is_projection(operator):
        (below,) = operator.inputs
        return without_projections(below)
    return operator.with_inputs(tuple(map(without_projections, operator.inputs)))


def is_projection(operator: Operator) -> bool:
    """Return whether an operator is a projection that a filter has left behind.

    >>> is_projection(root("SELECT id FROM orders WHERE id > 1"))
    False
    """
    return isinstance(operator, Calc) and not operator.conditions


def below_projection(operator: Operator) -> Operator:
    """The operator, or the one below it if it is such a projection.

    >>> below_projection(root("SELECT id FROM orders")).title
    'TableSourceScan'
    """
    return operator.inputs[0] if is_projection(operator) else operator


def on_list_of(operator: Operator, planned: Operator) -> Operator:
    """``planned`` with the columns in the order of ``operator``, of which it was made, where that stands on such a
    projection.

    >>> scan = root("SELECT id FROM orders")
    >>> on_list_of(scan, scan) is scan
    True
    """
    below = operator.input if isinstance(operator, WindowTableFunction) else operator
    return Calc(planned, (), output_columns(operator)) if is_projection(below) else planned


def with_conditions_of_sets(operator: Operator) -> Operator:
    """Move conditions on keys that some grouping sets omit from the filter into the aggregation below it.

    Flink applies such conditions to the rows of each set, in front of the state (``DecomposeGroupingSetsRule``).
    """
    if not isinstance(operator, Calc) or not isinstance(operator.input, Aggregate) or not operator.input.grouping:
        return operator
    aggregation = operator.input
    keys = frozenset(_keys(aggregation))
    key_conditions = tuple(condition for condition in operator.conditions if _reads_only(condition, keys))
    above = tuple(condition for condition in operator.conditions if condition not in key_conditions)
    conditions = tuple(sorted({*aggregation.set_conditions, *key_conditions}, key=sort_key))
    return filtered(with_fields(aggregation, set_conditions=conditions), above, operator.row)


def split_by_keys(operator: Aggregate, conditions: Conditions) -> tuple[Conditions, Conditions]:
    """Conditions above an aggregation that the planner moves below it, and the others. A group without keys is there
    without a row too, so none moves below an aggregation without keys, and FALSE below no such group.
    """
    if not operator.keys:
        return (), conditions
    keys = frozenset(_keys(operator))
    if operator.grouping:
        keys = keys.intersection(*sets_of(operator.elements))
        of_sets = tuple(condition for condition in conditions if _tells_sets_apart(condition))
    else:
        of_sets = ()
    if has_lone_group(operator) and FALSE in conditions:
        return (), conditions
    below = tuple(each for each in conditions if each not in of_sets and _reads_only(each, keys))
    return below, tuple(condition for condition in conditions if condition not in below)


def reads_function(condition: Expr, correlate: Correlate) -> bool:
    """Return whether a condition reads the result of a table function.

    >>> query = "SELECT id FROM orders, LATERAL TABLE(words(buyer)) AS w (word) WHERE word = 'a' AND id > 1"
    >>> above, correlate, below, _ = plan(query).operators
    >>> [reads_function(calc.conditions[0], correlate) for calc in (above, below)]
    [True, False]
    """
    name = correlate.name
    return any(
        (isinstance(node, Column) and node.table == name)
        or (isinstance(node, Call) and node.name == "COLUMN" and str(node.args[0]) == name)
        for node in condition.walk()
    )


def _keys(operator: Aggregate) -> Conditions:
    """The group keys that are keys to the planner too."""
    if not isinstance(operator, GroupWindowAggregate):
        return operator.keys
    return tuple(key for key in operator.keys if not _is_field(key, operator.depth))


def _is_field(key: Expr, depth: int) -> bool:
    return isinstance(key, WindowField) and key.depth == depth


def _reads_only(expr: Expr, keys: frozenset[Expr]) -> bool:
    """Return whether ``expr`` reads nothing of a row but ``keys``."""
    if expr in keys or isinstance(expr, Literal):
        return True
    if isinstance(expr, (AggregateCall, CorrelatedColumn)):
        return False
    children = expr.children()
    # A call without operands, RAND() or CURRENT_TIMESTAMP, reads nothing.
    return all(_reads_only(part, keys) for part in children) if children else isinstance(expr, Call)


def _tells_sets_apart(condition: Expr) -> bool:
    return any(isinstance(node, Call) and node.name in _OF_THE_SET for node in condition.walk())


def moved_down(calc: Calc) -> Operator:
    """A filter over an aggregation or a table function, as far down as it goes.

    >>> calc = root("SELECT MAX(id) FROM orders GROUP BY buyer HAVING MAX(id) > 1")
    >>> moved_down(calc) == calc
    True
    """
    return with_conditions_of_sets(behind(calc.input, calc.conditions, calc.row))


def moved_below_window(calc: Calc) -> Operator | None:
    """Move conditions that do not read the window of a windowed set operation in front of the windows, and on into the
    inputs. ``None`` if all conditions read the window.

    >>> windows = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"
    >>> calc = root(f"SELECT id FROM {windows} WHERE window_start IS NULL")
    >>> isinstance(calc, Calc) and moved_below_window(calc) is None
    True
    """
    assignment = calc.input
    assert isinstance(assignment, WindowTableFunction)
    plain = tuple(condition for condition in calc.conditions if not holds_window_field(condition))
    if not plain:
        return None
    rest = tuple(condition for condition in calc.conditions if condition not in plain)
    windowed = with_fields(assignment, input=filtered(assignment.input, plain))
    return filtered(windowed, rest, calc.row)
