"""The kinds of operators, so that the type checker finds a function that forgets one.

A function that treats operators by their kind has a case for each kind, and ends in ``unhandled``::

    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            ...
        case other:
            unhandled(other)

A kind that is added to ``AnyOperator`` is an error of mypy at every such function. A test finds one without that end.
"""

from __future__ import annotations

from typing import NoReturn, cast

from keepstate.plan.operators.aggregates import Aggregate
from keepstate.plan.operators.base import Operator
from keepstate.plan.operators.inputs import Calc, Correlate, TableSourceScan, Union, Unsupported, Values
from keepstate.plan.operators.joins import Join
from keepstate.plan.operators.ordering import Limit, TemporalSort
from keepstate.plan.operators.over import OverAggregate
from keepstate.plan.operators.patterns import Match
from keepstate.plan.operators.ranks import Rank
from keepstate.plan.operators.set_operations import SetOperation
from keepstate.plan.operators.windows import WindowTableFunction

AnyOperator = (
    TableSourceScan
    | Values
    | Calc
    | Correlate
    | WindowTableFunction
    | Aggregate
    | OverAggregate
    | Rank
    | Match
    | TemporalSort
    | Limit
    | Join
    | SetOperation
    | Union
    | Unsupported
)
"""An operator of any kind. Joins, ranks and aggregations are classes below ``Join``, ``Rank`` and ``Aggregate``."""


def any_operator(operator: Operator) -> AnyOperator:
    """The same operator as one of the kinds."""
    return cast(AnyOperator, operator)


def unhandled(operator: NoReturn) -> NoReturn:
    """End of a function that has a case for each kind.

    Raises:
        AssertionError: there is none for this one.
    """
    raise AssertionError(f"no case for {operator}")


def is_one_row(operator: Operator) -> bool:
    """Return whether a query gives rows without reading any, or one row whatever it reads.

    >>> is_one_row(root("SELECT MAX(price) FROM orders")), is_one_row(root("SELECT price FROM orders"))
    (True, False)
    """
    while isinstance(operator, Calc):
        operator = operator.input
    return isinstance(operator, Values) or (isinstance(operator, Aggregate) and not operator.keys)
