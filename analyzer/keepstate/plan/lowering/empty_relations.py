"""Relations that never have a row, by the rules with which the planner takes them out (``PruneEmptyRules``)."""

from __future__ import annotations

from collections.abc import Callable

from keepstate.plan.clauses.grouping_sets import sets_of
from keepstate.plan.expressions import Literal
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
    Calc,
    Correlate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.predicates import FALSE

IsEmpty = Callable[[Operator], bool]
"""Predicate for inputs that never have a row."""


def is_empty(operator: Operator) -> bool:
    """Return whether the planner sees that ``operator`` gives no row.

    >>> queries = "SELECT id FROM orders WHERE 1 = 0", "SELECT COUNT(*) FROM orders WHERE 1 = 0"
    >>> [is_empty(root(query)) for query in queries]
    [True, False]
    """
    return gives_no_row(operator, is_empty)


def gives_no_row(operator: Operator, is_input_empty: IsEmpty) -> bool:
    """Return whether ``operator`` gives no row, where ``is_input_empty`` says it of its inputs.

    Rankings, OVER windows and patterns stay in the plan, whatever their input is.
    """
    operator = any_operator(operator)
    match operator:
        case Values():
            return operator.empty
        case Calc():
            return FALSE in operator.conditions or is_input_empty(operator.input)
        case Limit():
            return _is_zero(operator) or is_input_empty(operator.input)
        case Aggregate():
            return is_input_empty(operator.input) and not has_lone_group(operator)
        case TemporalSort() | WindowTableFunction() | Correlate():
            return is_input_empty(operator.input)
        case Join():
            return _joins_nothing(operator, is_input_empty)
        case Union():
            return all(map(is_input_empty, operator.branches))
        case SetOperation():
            of_both = operator.kind == "INTERSECT"
            return is_input_empty(operator.left) or (of_both and is_input_empty(operator.right))
        case AggregatedSubquery():
            return is_input_empty(operator.rows)
        case Rank() | OverAggregate() | Match() | TableSourceScan() | Unsupported():
            return False
        case other:
            unhandled(other)


def has_lone_group(aggregate: Aggregate) -> bool:
    """Return whether an aggregation gives a row for no input at all: it has a group without keys.

    >>> queries = "SELECT COUNT(*) FROM orders", "SELECT buyer, COUNT(*) FROM orders GROUP BY ROLLUP (buyer)"
    >>> [has_lone_group(root(query)) for query in queries]
    [True, True]
    """
    return not aggregate.keys or (bool(aggregate.grouping) and frozenset() in sets_of(aggregate.elements))


def _is_zero(limit: Limit) -> bool:
    return isinstance(limit.fetch, Literal) and limit.fetch.value == "0"


def _joins_nothing(join: Join, is_input_empty: IsEmpty) -> bool:
    """The planner does not ask for the right input of an outer join: its version decides what becomes of that."""
    if join.kind in ("inner", "semi") and (FALSE in join.conditions or is_input_empty(join.right)):
        return True
    return join.kind in ("inner", "semi", "left", "anti") and is_input_empty(join.left)
