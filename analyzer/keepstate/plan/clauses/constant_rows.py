"""VALUES: rows that a query writes down."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.expressions import Call, Expr, Literal, sort_key
from keepstate.plan.operators import Values
from keepstate.plan.provenance import place_of
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Field, Relation
from keepstate.plan.types.function_types import merged
from keepstate.plan.types.inference import row_types
from keepstate.syntax.script import ParsedStatement


def constant_rows(node: exp.Values, statement: ParsedStatement, scalars: ScalarLowering) -> Relation:
    """The relation of VALUES. Its columns bear the names that Flink gives them until an alias gives them others."""
    cells = tuple(tuple(map(scalars.lower, _cells(row))) for row in node.expressions)
    rows = tuple(
        Call("ROW", row, place=place_of(statement, row_node))
        for row, row_node in zip(cells, node.expressions, strict=True)
    )
    width = min(map(len, cells), default=0)
    columns = tuple(_column(index, [row[index] for row in cells]) for index in range(width))
    # Their order says nothing: a restart finds the same state.
    rows = tuple(sorted(rows, key=sort_key))
    values = Values(rows, cells, columns, place=place_of(statement, node))
    return Relation(values, tuple(Field(f"EXPR${index}", column) for index, column in enumerate(columns)))


def _cells(row: exp.Expression) -> list[exp.Expression]:
    if isinstance(row, exp.Tuple):
        return list(row.expressions)
    return [row.this if isinstance(row, exp.Paren) else row]


def _column(index: int, values: list[Expr]) -> Expr:
    """Return the expression for a column, as for a column of a table function."""
    type_ = merged(values, row_types(values))
    types = (Literal(str(type_), "TYPE"),) if type_ is not None else ()
    return Call("COLUMN", (Literal("VALUES", "NAME"), Literal(str(index), "NUMBER"), *types))
