"""Tables that Flink takes as declarations, and refuses as soon as a statement reads them."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.expressions import AggregateCall, Expr
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, TableSourceScan
from keepstate.plan.operators.traversal import expressions_of
from keepstate.plan.types.builtin_functions import AGGREGATES, RANKING
from keepstate.validation.connector_options import refusal_of_source


def refusal_of_scan(scan: TableSourceScan, plan: Plan, catalog: Catalog) -> tuple[str, str] | None:
    """The rule and the reason for which Flink does not read a table in this plan; ``None`` if there is none."""
    table = catalog.tables.get(scan.table)
    if table is None:
        return None
    reason = refusal_of_source(table, catalog, scan.options)
    if reason is not None:
        return "connector-option", reason
    if _has_aggregated_watermark(table):
        return "watermark", f"The watermark of {table.name} is an aggregate, which no single row gives."
    windows = [window for each in table.columns if each.expression for window in each.expression.find_all(exp.Window)]
    if any(_is_rank_without_order(window) for window in windows):
        return "computed-column", f"A column of {table.name} is a rank over rows without ORDER BY."
    if windows:
        # The plan does not tell the results of these windows from aggregates.
        return None
    if any(_is_needed(column, plan) for column in scan.columns):
        return "computed-column", f"A column of {table.name} is computed by an aggregate, which no single row gives."
    return None


def _has_aggregated_watermark(table: TableDefinition) -> bool:
    watermarks = table.statement.nodes_of_class(exp.WatermarkColumnConstraint)
    calls = (call for each in watermarks for call in each.args["expression"].find_all(exp.Anonymous))
    return any(str(call.this).upper() in AGGREGATES for call in calls)


def _is_rank_without_order(window: exp.Window) -> bool:
    call = window.this
    return isinstance(call, exp.Anonymous) and str(call.this).upper() in RANKING and not window.args.get("order")


def _is_needed(column: Expr, plan: Plan) -> bool:
    """Return whether the planner translates an aggregate in a column: if it is read, and COUNT(*) in any case."""
    aggregates = [node for node in column.walk() if isinstance(node, AggregateCall)]
    if any(call.function == "COUNT" and not call.args for call in aggregates):
        return True
    if not aggregates or any(isinstance(operator, Aggregate) for operator in plan.operators):
        # The query may have the same aggregate itself.
        return False
    exprs = (expr for operator in plan.operators for expr in expressions_of(operator))
    return any(node == column for expr in (*plan.output, *exprs) for node in expr.walk())
