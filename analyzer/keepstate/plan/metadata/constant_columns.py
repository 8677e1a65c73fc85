"""Columns that a filter equates with a constant (``RelMdPredicates``, ``ReduceExpressionsRule``).

The planner writes the constant in place of the column in whatever stands above the filter. If the type of the column
admits NULL, the constant is cast to that type: it stays a key and a column of stored rows, at another position of those
that a window or a ranking stores. Else it is a literal, and behind ``c IS NULL`` it is NULL: literals are neither keys
(``AggregateProjectPullUpConstantsRule``) nor columns of stored rows. Seen in the plans of Flink 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, Literal, WindowField
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
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
from keepstate.plan.references import ColumnOfRight
from keepstate.plan.simplification.literals import fits_decimal
from keepstate.plan.simplification.nullability import NULL, nullable
from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS, TEXT
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LONGEST, LogicalType

Constants = Mapping[Expr, Expr]

_REFERENCES = (Column, AggregateCall, ColumnOfRight)
_EQUATES = frozenset({"=", "<>", "!=", "WHEN"})
_KINDS = {
    "DECIMAL": (*INTEGERS, "DECIMAL"),
    "FLOAT": (*INTEGERS, "DECIMAL", *APPROXIMATE),
    "DOUBLE": (*INTEGERS, "DECIMAL", *APPROXIMATE),
    "VARCHAR": TEXT,
}
"""Types of constants that are computed and then are of a column's type. Other types take their own only."""
_BITS = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}


@asked_once
def literal_columns(operator: Operator) -> Constants:
    """Return the columns of which the planner makes literals above ``operator``.

    Not those of a UNION ALL, nor those of filters below a window table-valued function.
    """
    operator = any_operator(operator)
    match operator:
        case Calc(input=Union() | SetOperation()):
            return {}
        case Calc():
            return {**literal_columns(operator.input), **literals(operator.conditions)}
        case Aggregate():
            below = {} if operator.grouping else literal_columns(operator.input)
            return {key: below[key] for key in operator.keys if key in below}
        case Rank() | OverAggregate() | TemporalSort() | Limit():
            return literal_columns(operator.input)
        case Join():
            return dict(_of_inputs(operator))
        case Union() | SetOperation() | WindowTableFunction() | Correlate() | Match():
            return {}
        case TableSourceScan() | Values() | Unsupported():
            return {}
        case other:
            unhandled(other)


def variable_keys(aggregate: Aggregate) -> tuple[Expr, ...]:
    """The group keys that are no literals; the first key if all are. The rule matches an aggregation on a projection:
    without one all keys stay.
    """
    constants = literal_columns(aggregate.input)
    if aggregate.grouping or not _is_projected(aggregate, constants):
        return aggregate.keys
    keys = without_literals(aggregate.keys, constants)
    return keys if keys or isinstance(aggregate, GroupWindowAggregate) else aggregate.keys[:1]


def _is_projected(aggregate: Aggregate, constants: Constants) -> bool:
    """Return whether the input of an aggregation is a projection: that of its own reads, or one that gives back the
    constant keys of the aggregation below.
    """
    below = aggregate.input
    while isinstance(below, Calc):
        below = below.input
    if not aggregate.is_unprojected or not isinstance(below, Aggregate) or below.is_unprojected:
        return not aggregate.is_unprojected
    # A single key stays.
    return len(below.keys) > 1 and not constants.keys().isdisjoint(below.keys)


def _of_inputs(join: Join) -> Iterator[tuple[Expr, Expr]]:
    """The columns of inputs whose rows are never missing."""
    if join.kind not in ("right", "full"):
        yield from literal_columns(join.left).items()
    if join.kind in ("inner", "right"):
        yield from literals_of_right(join).items()


def literals_of_right(join: Join) -> Constants:
    """The literal columns of the right input, as the join writes them."""
    below, within_right = literal_columns(join.right), JoinSides.of(join).within_right
    return {each: below[own] for each in join.right_fields if (own := within_right(each)) in below} if below else {}


def literals(conditions: Iterable[Expr]) -> Constants:
    """The columns that ``conditions`` make literals.

    >>> h = Column("t", "h", "INT", not_null=True)
    >>> {str(column): str(value) for column, value in literals([Call("=", (h, Literal("3", "NUMBER")))]).items()}
    {'h': '3'}
    """
    facts = tuple(conditions)
    tested = (each.args[0] for each in facts if isinstance(each, Call) and each.name == "IS" and each.args[1] == NULL)
    nulls = {operand: NULL for operand in tested if isinstance(operand, _REFERENCES)}
    return nulls | {
        column: value
        for column, value in equated_with_constants(facts)
        if nullable(column) is False and is_of_type(value, column)
    }


def equated_with_constants(conditions: Iterable[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """The columns that ``conditions`` equate with a constant, each with that."""
    for condition in conditions:
        if isinstance(condition, Call) and condition.name == "=":
            first, second = condition.args
            column, constant = (second, first) if is_constant(first) else (first, second)
            if isinstance(column, _REFERENCES) and is_constant(constant):
                yield column, constant


def has_constants(operator: Operator) -> bool:
    """Return whether conditions of a filter or a join equate a column with a constant."""
    if not isinstance(operator, (Calc, Join)):
        return False
    return bool(literals(operator.conditions)) or any(equated_with_constants(operator.conditions))


def written_twice(window: OverAggregate | Rank, pinned: frozenset[Expr]) -> tuple[Expr, ...]:
    """The columns of ``pinned`` of which the constant stands twice in the rows that a window or a ranking stores.

    The planner gives a text the type of the column that ``=`` or ``<>`` compares it with; behind ``c IN ('x')`` it
    remains a CHAR, and its cast in the select list, if that is read, is another expression than that in the window.
    """
    calls = window.aggregates if isinstance(window, OverAggregate) else ()
    keys = (*window.partition, *(part for each in (*window.order, *calls) for part in each.children()))
    own = [column for column in pinned if column in keys]
    if not own:
        return ()
    uncast, below = set[Expr](), window.input
    while isinstance(below, Calc):
        uncast.update(filter(None, map(_compared_uncast, below.conditions)))
        below = below.input
    return tuple(column for column in dict.fromkeys(keys) if column in own and column in uncast)


def _compared_uncast(condition: Expr) -> Expr | None:
    """The text column that a condition equates with a text, but not by the sign for that."""
    for column, value in equated_with_constants((condition,)):
        type_ = type_of(column)
        is_text = (
            isinstance(value, Literal) and value.type == "STRING" and type_ is not None and type_.root == "VARCHAR"
        )
        if is_text and condition.place is not None and value.place is not None:
            words, own = ("", *condition.place.words, ""), value.place.words
            beside = (words[at - 1 : at + 2 : 2] for at in range(1, len(words) - 1) if words[at : at + 1] == own)
            if len(own) == 1 and all(_EQUATES.isdisjoint(pair) for pair in beside):
                return column
    return None


def without_literals(exprs: tuple[Expr, ...], columns: Constants) -> tuple[Expr, ...]:
    return tuple(expr for expr in exprs if not is_literal(expr, columns)) if columns else exprs


def is_literal(expr: Expr, columns: Constants) -> bool:
    """Return whether ``expr`` reads nothing but ``columns``, and at least one of these."""
    if not columns or is_constant(expr):
        return False
    return is_constant(with_constants(expr, columns))


def with_constants(expr: Expr, columns: Mapping[Expr, Expr]) -> Expr:
    """``expr`` with the constants of ``columns`` in their places."""
    return expr.rewrite(lambda node: columns.get(node, node))


def is_of_type(value: Expr, column: Expr) -> bool:
    """Return whether a constant needs no cast to the type of ``column``. The planner has computed its functions.

    >>> h = Column("t", "h", "INT", not_null=True)
    >>> [is_of_type(Call(name, (Literal("4.2", "NUMBER"),)), h) for name in ("CEIL", "SQRT")]
    [True, False]
    """
    type_ = type_of(column)
    if type_ is None:
        return False
    if isinstance(value, Literal):
        return _is_literal_of(value, type_)
    of_value = type_of(value)
    if of_value is None:
        return False
    if type_.root in INTEGERS:
        is_cast = isinstance(value, Call) and value.name in ("CAST", "TRY_CAST")
        is_whole = of_value.root == "DECIMAL" and of_value.scale == 0 and not is_cast
        return of_value.root in INTEGERS or is_whole
    if type_.root == "CHAR":
        return type_ == of_value
    return of_value.root in _KINDS.get(type_.root, (type_.root,))


def _is_literal_of(value: Literal, type_: LogicalType) -> bool:
    match type_.root:
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            bound = 2 ** _BITS[type_.root]
            is_whole = not value.has_places and value.value.lstrip("-").isdigit()
            return is_whole and -bound <= int(value.value) < bound
        case "DECIMAL":
            return value.type == "NUMBER" and fits_decimal(value.value, type_, len(value.value))
        case "VARCHAR":
            return value.type != "STRING" or len(value.value) <= (type_.length or LONGEST)
        case "CHAR":
            return type_ == type_of(value)
    return True


def are_groups(operator: Operator, columns: frozenset[Expr]) -> bool:
    """Return whether the rows are groups of an aggregation, and ``columns`` hold all of its keys.

    DISTINCT of such rows is gone from the plan (``AggregateRemoveRule``). Any property tells a window of GROUP BY
    TUMBLE, HOP or SESSION; a window table-valued function gives columns, which are keys like others.

    >>> totals = root("SELECT buyer, SUM(price) FROM orders GROUP BY buyer")
    >>> are_groups(totals, frozenset({expr("buyer")})), are_groups(totals, frozenset({expr("price")}))
    (True, False)
    """
    below = operator
    while isinstance(below, Calc):
        below = below.input
    if not isinstance(below, Aggregate) or below.grouping:
        return False
    keys = variable_keys(below)
    if isinstance(below, GroupWindowAggregate):
        if not any(isinstance(column, WindowField) for column in columns):
            return False
        keys = tuple(key for key in keys if not isinstance(key, WindowField))
    return columns.issuperset(keys)
