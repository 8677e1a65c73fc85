"""Names for the rows that an expression of a pattern looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal, PatternColumn
from keepstate_spark.lowering.matching.evaluation import ALL
from keepstate_spark.lowering.refusals import NotLowerable

ROWTIME = "MATCH_ROWTIME"
"""The variable of the time of the row at which a match is sent out."""


@dataclass(frozen=True)
class Row:
    """A row of a match: of ``variable`` (or of all rows, ``ALL``) the first or the last one, and ``offset`` rows
    further inside.
    """

    variable: int
    first: bool = False
    offset: int = 0


def navigated(expr: Expr, numbers: dict[str, int]) -> tuple[Expr, dict[str, Row]]:
    """Return ``expr`` with FIRST and LAST moved down to the columns, and the rows by the names that stand in the place
    of variables there. ``numbers`` are those of the variables.

    Raises ``NotLowerable`` for variables and functions of patterns that Flink does not have.
    """
    rows: dict[str, Row] = {}
    return _navigated(expr, None, numbers, rows), rows


def rewritten(expr: Expr, step: Callable[[Expr], Expr]) -> Expr:
    """Return ``expr`` with ``step`` applied to its parts, but not to those of a column of the input, which may be the
    result of another pattern.
    """
    if isinstance(expr, PatternColumn):
        return step(expr)
    children = tuple(rewritten(child, step) for child in expr.children())
    return step(expr.with_children(children) if children else expr)


def _navigated(expr: Expr, around: tuple[bool, int] | None, numbers: dict[str, int], rows: dict[str, Row]) -> Expr:
    if isinstance(expr, PatternColumn):
        row = Row(_number(expr, numbers), *(around or (False, 0)))
        name = f"{'FIRST' if row.first else 'LAST'} {row.offset} {expr.variable}"
        rows[name] = row
        return replace(expr, variable=name)
    if isinstance(expr, AggregateCall):
        # It looks at all rows of its variable.
        return expr
    if isinstance(expr, Call) and expr.name in ("FIRST", "LAST"):
        return _navigated(expr.args[0], (expr.name == "FIRST", _offset(expr)), numbers, rows)
    if isinstance(expr, Call) and expr.name in ("PREV", "NEXT", "CLASSIFIER", "MATCH_NUMBER"):
        raise NotLowerable(f"Flink has no {expr.name} in a pattern.", expr.place)
    if isinstance(expr, Call) and expr.name == "MATCH_PROCTIME":
        raise NotLowerable("MATCH_PROCTIME is the clock of the job, which files do not have.", expr.place)
    children = tuple(_navigated(child, around, numbers, rows) for child in expr.children())
    return expr.with_children(children) if children else expr


def _number(column: PatternColumn, numbers: dict[str, int]) -> int:
    if not column.variable:
        return ALL
    if column.variable not in numbers:
        raise NotLowerable(f"{column.variable} is no variable of the pattern.", column.place)
    return numbers[column.variable]


def _offset(call: Call) -> int:
    if len(call.args) == 1:
        return 0
    offset = call.args[1]
    if isinstance(offset, Literal) and offset.type == "NUMBER" and offset.value.isdecimal():
        return int(offset.value)
    raise NotLowerable(f"{call.name} needs a constant number of rows.", call.place)
