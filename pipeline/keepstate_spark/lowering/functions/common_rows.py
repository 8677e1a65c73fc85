"""Rows of INTERSECT and EXCEPT in the types that both inputs have in common."""

from __future__ import annotations

from dataclasses import replace

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.job import Plan
from keepstate.plan.operators import Operator, SetOperation
from keepstate.plan.types.common_types import NUMERIC, common_type
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType

PARTS_OF_ROWS = "Flink compares the rows of {} by the columns that are read above it alone, which is not computed here."
_OF_ONE_ROOT = frozenset({"VARCHAR", "TIMESTAMP", "TIMESTAMP_LTZ"})
"""Types that differ in their lengths or digits."""


def in_common_types(root: Operator, output: tuple[Expr, ...]) -> tuple[Operator, tuple[Expr, ...]]:
    """A plan whose ``root`` is INTERSECT or EXCEPT, and its ``output``, with casts to the common type of columns whose
    types differ. Any other plan stays.
    """
    if not isinstance(root, SetOperation):
        return root, output
    casts: dict[Expr, Expr] = {}
    left, right = [], []
    for one, other in zip(root.left_row, root.right_row, strict=True):
        common = _common(type_of(one), type_of(other))
        if common is None:
            left.append(one)
            right.append(other)
            continue
        left.append(_cast(one, common))
        right.append(_cast(other, common))
        if casts.setdefault(one, left[-1]) != left[-1]:
            # Two columns of one expression have several types.
            return root, output
    new_output = tuple(casts.get(expr, expr) for expr in output)
    return replace(root, left_row=tuple(left), right_row=tuple(right)), new_output


def of_read_columns(plan: Plan) -> SetOperation | None:
    """The first INTERSECT ALL or EXCEPT ALL of a plan that Flink applies to the columns that are read above it alone.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> ddl = "CREATE TABLE t (k INT, s STRING) WITH ('connector' = 'kafka');"
    >>> for columns in ("s, k", "s"):
    ...     sql = f"SELECT {columns} FROM (SELECT * FROM t INTERSECT ALL SELECT * FROM t)"
    ...     print(of_read_columns(job_of(JobVersion(ddl + sql)).pipelines[0].plan) is None)
    True
    False
    """
    operations = (each for each in plan.operators if isinstance(each, SetOperation) and each.every)
    return next((each for each in operations if each.unread_columns), None)


def _common(one: LogicalType | None, other: LogicalType | None) -> LogicalType | None:
    """The common type of two that differ; ``None`` for others."""
    if one is None or other is None or one == other:
        return None
    roots = {one.root, other.root}
    return common_type((one, other)) if roots <= NUMERIC or (len(roots) == 1 and roots <= _OF_ONE_ROOT) else None


def _cast(expr: Expr, type_: LogicalType) -> Expr:
    return Call("CAST", (expr, Literal(str(type_), "TYPE")), place=expr.place) if type_of(expr) != type_ else expr
