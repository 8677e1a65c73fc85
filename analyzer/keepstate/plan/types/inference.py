"""The type of a canonical expression, as Flink's planner derives it.

An undecidable type is ``None``, never a guess: columns that the script does not declare, functions of users, and types
that differ between versions of Flink. The rules come from ``tests/analyzer/plan/flink_types.txt``, which holds the
types that Flink reports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expr,
    FunctionOrigin,
    Literal,
    Measure,
    Ordering,
    OverCall,
    PatternColumn,
    RankNumber,
    WindowField,
    WindowPart,
)
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion, CorrelatedColumn, SubqueryValue
from keepstate.plan.types.aggregate_types import aggregate_type
from keepstate.plan.types.common_types import TypeMergeRule
from keepstate.plan.types.function_types import FIXED, RULES, merged
from keepstate.plan.types.logical_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_TIME,
    DOUBLE,
    INT,
    TIME,
    YEAR_MONTH,
    LogicalType,
    char,
    decimal,
    timestamp,
)

UNNEST, UNNEST_WITH_ORDINALITY = "UNNEST", "UNNEST WITH ORDINALITY"
"""Names of the functions that make rows of a collection."""

_CONSTANTS = {
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    "DOUBLE": DOUBLE,
    "INTERVAL DAY": DAY_TIME,
    "INTERVAL YEAR": YEAR_MONTH,
}


def type_of(expr: Expr) -> LogicalType | None:
    """Return the type of ``expr``, or ``None`` if the script does not determine it.

    >>> str(type_of(expr("price * id"))), type_of(expr("to_euro(price)"))
    ('DECIMAL(30,2)', None)
    """
    try:
        return _inferred(expr)
    except RecursionError:
        # Columns that come through hundreds of views are deeper than Python's stack.
        return None


@asked_once
def _inferred(expr: Expr) -> LogicalType | None:
    infer = _BY_CLASS.get(type(expr))
    return infer(expr) if infer is not None else None


def row_types(row: Sequence[Expr]) -> tuple[LogicalType | None, ...]:
    """The types of the columns of a row."""
    return tuple(type_of(expr) for expr in row)


def same_row_types(first: Sequence[Expr], second: Sequence[Expr]) -> bool | None:
    """Return whether two rows have the same types, column by column; ``None`` if that is undecidable.

    Equal expressions have equal types, even unknown ones. One known difference decides, whatever else is unknown.

    >>> row = expr("id"), expr("price")
    >>> same_row_types(row, (expr("id + 1"), expr("price")))
    True
    >>> same_row_types(row, (expr("buyer"), expr("to_euro(price)")))
    False
    >>> same_row_types(row, (expr("id"), expr("to_euro(price)"))) is None
    True
    """
    if len(first) != len(second):
        return False
    certain = True
    for one, other in zip(first, second, strict=True):
        if one == other:
            continue
        types = (type_of(one), type_of(other))
        if None in types:
            certain = False
        elif types[0] != types[1]:
            return False
    return True if certain else None


def unnested(function: Expr) -> tuple[tuple[LogicalType, bool], ...]:
    """Return the types of the columns that UNNEST makes of a collection, and which are NOT NULL; empty if they are
    undecidable. WITH ORDINALITY adds a column with the place of each element.
    """
    is_unnest = isinstance(function, Call) and function.name in (UNNEST, UNNEST_WITH_ORDINALITY)
    collection = type_of(function.children()[0]) if is_unnest and len(function.children()) == 1 else None
    if collection is None or collection.root not in ("ARRAY", "MAP", "MULTISET"):
        return ()
    element = collection.elements[0]
    whole = element if element.root == "ROW" else collection
    columns = tuple(zip(whole.elements, whole.required or (False,) * len(whole.elements), strict=True))
    if not has_ordinality(function):
        return columns
    return (*columns, (INT, True))


def has_ordinality(function: Expr) -> bool:
    """Return whether a function of tables is UNNEST WITH ORDINALITY.

    >>> posts = "CREATE TABLE posts (tags ARRAY<STRING>)"
    >>> has_ordinality(root(f"{posts}; SELECT n FROM posts, UNNEST(tags) WITH ORDINALITY AS u (tag, n)").function)
    True
    """
    return isinstance(function, Call) and function.name == UNNEST_WITH_ORDINALITY


def unnested_names(function: Expr, alias: str | None = None) -> tuple[str, ...]:
    """Return the names that the columns of UNNEST have by themselves: those of the fields of ROWs, as they are written.
    An element that is no ROW has the name of an ``alias``.

    >>> carts = "CREATE TABLE carts (parts ARRAY<ROW<sku STRING, n INT>>, tags ARRAY<STRING>)"
    >>> unnested_names(root(f"{carts}; SELECT p.n FROM carts, UNNEST(parts) AS p").function)
    ('sku', 'n')
    >>> unnested_names(root(f"{carts}; SELECT tag FROM carts, UNNEST(tags) AS tag").function, "tag")
    ('tag',)
    """
    collection = type_of(function.children()[0]) if unnested(function) else None
    if collection is None:
        return ()
    element = collection.elements[0]
    ordinality = ("ORDINALITY",) if has_ordinality(function) else ()
    if collection.root == "MAP":
        return ("KEY", "VALUE", *ordinality)
    if element.root == "ROW":
        return (*element.exact_names, *ordinality)
    return (alias or "EXPR$0", *ordinality)


def unnested_columns(function: Expr, name: str) -> tuple[Call, ...]:
    """Return the columns that UNNEST makes of a collection, each with its type; empty if they are undecidable. ``name``
    is that of its rows.

    >>> posts = "CREATE TABLE posts (tags ARRAY<STRING>)"
    >>> correlate = root(f"{posts}; SELECT tag FROM posts, UNNEST(tags) AS u (tag)")
    >>> [str(type_of(column)) for column in unnested_columns(correlate.function, correlate.name)]
    ['STRING']
    """
    return tuple(
        Call(
            "COLUMN",
            (
                Literal(name, "NAME"),
                Literal(str(index), "NUMBER"),
                Literal(str(type_), "TYPE", f"{type_.serializable_string}{' NOT NULL' * required}"),
            ),
        )
        for index, (type_, required) in enumerate(unnested(function))
    )


def is_required(column: Call) -> bool:
    """Return whether a column that UNNEST makes is NOT NULL for each row that has an element.

    >>> posts = "CREATE TABLE posts (tags ARRAY<STRING>)"
    >>> unnest = root(f"{posts}; SELECT n FROM posts, UNNEST(tags) WITH ORDINALITY AS u (tag, n)")
    >>> list(map(is_required, unnested_columns(unnest.function, unnest.name)))
    [False, True]
    """
    type_name = column.args[-1]
    return isinstance(type_name, Literal) and (type_name.written_type or "").endswith(" NOT NULL")


def _column(column: Column) -> LogicalType | None:
    if column.type is None:
        return None
    if column.written_type is not None and (written_type := LogicalType.as_written(column.written_type)) is not None:
        return written_type
    return LogicalType.declared(column.type)


def _literal(literal: Literal) -> LogicalType | None:
    match literal.type:
        case "NUMBER":
            return _number(literal.value)
        case "STRING":
            # Flink counts UTF-16 units, as Java does.
            return char(len(literal.value.encode("utf-16-le", "surrogatepass")) // 2)
        case "TIMESTAMP":
            return timestamp(len(literal.value.partition(".")[2]))
        case "TIME":
            # Fractions of a second count from some version of Flink on.
            return TIME if "." not in literal.value else None
    return _CONSTANTS.get(literal.type)


def _number(text: str) -> LogicalType | None:
    whole, _, fraction = text.lstrip("-").partition(".")
    if not (whole + fraction).isdecimal():
        return None
    if fraction:
        return decimal(len(whole) + len(fraction), len(fraction))
    value = int(text)
    if -(2**31) <= value < 2**31:
        return INT
    return BIGINT if -(2**63) <= value < 2**63 else None


def _call(call: Call) -> LogicalType | None:
    name = call.name
    if name in FIXED:
        return FIXED[name]
    rule = RULES.get(name)
    if rule is None or not call.args:
        return None
    return rule(call.args, tuple(map(type_of, call.args)))


def _aggregate(call: AggregateCall) -> LogicalType | None:
    if call.origin is not FunctionOrigin.BUILT_IN:
        return None
    return aggregate_type(call.function, tuple(map(type_of, call.args)))


def _window_field(field: WindowField) -> LogicalType | None:
    """The ends of a window are timestamps whatever its time is; the time itself keeps its kind."""
    if field.part is not WindowPart.TIME:
        return timestamp(3)
    time = type_of(field.time) if field.time is not None else None
    return LogicalType(time.root, precision=3) if time is not None and time.precision is not None else None


def _measure(measure: Measure) -> LogicalType | None:
    """The type of a measure. ``MATCH_ROWTIME()`` over instants is a TIMESTAMP, and with an argument has its type."""
    if measure.time is None:
        return type_of(measure.value)
    type_ = type_of(measure.time)
    is_instant = type_ is not None and type_.root == "TIMESTAMP_LTZ"
    return timestamp(3) if is_instant and not measure.value.children() else type_


_BY_CLASS: dict[type[Expr], Callable[..., LogicalType | None]] = {
    Column: _column,
    Literal: _literal,
    Call: _call,
    AggregateCall: _aggregate,
    OverCall: lambda over: type_of(over.call),
    RankNumber: lambda _: BIGINT,
    WindowField: _window_field,
    PatternColumn: lambda column: type_of(column.column),
    Measure: _measure,
    Ordering: lambda ordering: type_of(ordering.expr),
    ColumnOfRight: lambda column: type_of(column.column),
    CorrelatedColumn: lambda column: type_of(column.column),
    SubqueryValue: lambda query: type_of(query.row[0]) if len(query.row) == 1 else None if query.row else BOOLEAN,
    ColumnOfUnion: lambda column: merged(
        column.exprs, tuple(map(type_of, column.exprs)), merging=TypeMergeRule.UNORDERED
    ),
}
