"""Guards: conditions on the rows that a query writes, so that each result is written by one of two jobs.

The guard of the new job lets pass what comes out behind the boundary. It stands around the query where a written column
has the time that decides, and in HAVING or WHERE of the outermost SELECT where none has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.cutover.emission import Emission
from keepstate.cutover.times import Boundary, Order, interval, sql_time
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr, WindowField, WindowPart
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.names.full_names import function_name
from keepstate.plan.operators import Calc, WindowRank, WindowSyntax
from keepstate.plan.types.builtin_functions import LEGACY_WINDOWS
from keepstate.plan.types.inference import type_of
from keepstate.syntax.reserved import quoted
from keepstate.syntax.spans import span_of
from keepstate.text import Edit, Span

_UNNAMED = "EXPR$"
_DERIVED = "guarded"
_COLUMN_OF_OWN = "c{}"


@dataclass(frozen=True)
class Guard:
    """``edits`` of the script put the guard in; ``condition`` is what they add."""

    edits: tuple[Edit, ...]
    condition: str


def guard_of(pipeline: Pipeline, job: Job, emission: Emission, boundary: Boundary) -> Guard | None:
    """The guard that lets results behind ``boundary`` pass; ``None`` where no place for it is found."""
    query = _query(pipeline)
    span = span_of(query) if query is not None else None
    if query is None or span is None:
        return None
    if emission.may_be_null:
        # NULL is behind no boundary: the rows that one side has alone would never be written.
        return None
    guard = (
        _around(pipeline, job.catalog, emission, boundary, span)
        or _inside(pipeline, emission, boundary, query)
        or _beside(pipeline, emission, boundary, query)
    )
    if guard is None:
        return None
    start = job.statement_of(pipeline).span.start
    return Guard(tuple(Edit(edit.span.shift(start), edit.new_text) for edit in guard.edits), guard.condition)


def _query(pipeline: Pipeline) -> exp.Query | None:
    tree = pipeline.statement.tree
    query = tree.expression if isinstance(tree, exp.Insert) else None
    return query if isinstance(query, exp.Query) else None


def _around(pipeline: Pipeline, catalog: Catalog, emission: Emission, boundary: Boundary, span: Span) -> Guard | None:
    """The query in a SELECT of its own, where one of its columns has the time."""
    plan = pipeline.plan
    names = plan.names
    filled = pipeline.target.filled(catalog, names) if pipeline.target is not None else ()
    for number, expr in enumerate(plan.output):
        if (operator := _condition(expr, emission, boundary)) is None:
            continue
        own = _names(names, filled, len(plan.output))
        column = quoted(own[number])
        columns = "" if own == names else f" AS {_DERIVED} ({', '.join(map(quoted, own))})"
        condition = f"{column} {operator}"
        edits = (
            Edit(Span(span.start, span.start), "SELECT * FROM (\n"),
            Edit(Span(span.end, span.end), f"\n){columns}\nWHERE {condition}"),
        )
        return Guard(edits, condition)
    return None


def _names(names: tuple[str, ...], filled: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Names for a query's columns: its own, else those of the sink, if each column has one and no two have the same."""
    for candidates in (names, filled):
        if len(candidates) == len(set(candidates)) == width and not any(
            name.startswith(_UNNAMED) for name in candidates
        ):
            return candidates
    return tuple(_COLUMN_OF_OWN.format(number) for number in range(1, width + 1))


def _condition(expr: Expr, emission: Emission, boundary: Boundary) -> str | None:
    """The comparison that holds for results behind the boundary, without its left side, if ``expr`` has their time."""
    if emission.order is Order.ROW_TIME:
        return f"> {_literal(expr, boundary)}" if expr == emission.time else None
    if not isinstance(expr, WindowField) or expr.depth != emission.depth:
        return None
    match expr.part:
        case WindowPart.END:
            return f"> TIMESTAMP '{sql_time(boundary.wall)}'"
        case WindowPart.TIME:
            # The last millisecond of the window.
            return f">= {_literal(expr, boundary)}"
        case WindowPart.START:
            length = emission.fixed_length
            return None if length is None else f"> TIMESTAMP '{sql_time(boundary.wall - length)}'"


def _literal(expr: Expr, boundary: Boundary) -> str:
    type_ = type_of(expr)
    if type_ is not None and type_.root == "TIMESTAMP_LTZ":
        return f"TO_TIMESTAMP_LTZ({boundary.epoch}, 3)"
    return f"TIMESTAMP '{sql_time(boundary.wall)}'"


def _inside(pipeline: Pipeline, emission: Emission, boundary: Boundary, query: exp.Query) -> Guard | None:
    """The guard in HAVING of a SELECT that groups by its window."""
    group = query.args.get("group") if isinstance(query, exp.Select) else None
    if group is None or emission.order is not Order.WINDOW_END:
        return None
    text = pipeline.statement.text
    end = next(_ends(group, emission.windows[0].syntax, text), None)
    if end is None:
        return None
    condition = f"{end} > TIMESTAMP '{sql_time(boundary.wall)}'"
    having = query.args.get("having")
    span = span_of(having.this) if having is not None else None
    if having is not None and span is None:
        return None
    if span is not None:
        edits = (
            Edit(Span(span.start, span.start), "("),
            Edit(Span(span.end, span.end), f") AND {condition}"),
        )
        return Guard(edits, condition)
    behind = span_of(group)
    if behind is None:
        return None
    return Guard((Edit(Span(behind.end, behind.end), f"\nHAVING {condition}"),), condition)


def _beside(pipeline: Pipeline, emission: Emission, boundary: Boundary, query: exp.Query) -> Guard | None:
    """The guard in WHERE of a SELECT over a Top-N or a deduplication, whose rows have the window."""
    where = query.args.get("where") if isinstance(query, exp.Select) else None
    rank = pipeline.plan.root
    while isinstance(rank, Calc):
        rank = rank.input
    if where is None or emission.order is not Order.WINDOW_END or not isinstance(rank, WindowRank):
        return None
    # The ranking is made in the subquery: of its own query the filter would go in front.
    source = query.args.get("from_") or query.args.get("from")
    if source is None or not isinstance(source.this, exp.Subquery) or query.args.get("joins"):
        return None
    span = span_of(where.this)
    if span is None:
        return None
    alias = f"{quoted(source.this.alias)}." if source.this.alias else ""
    condition = f"{alias}window_end > TIMESTAMP '{sql_time(boundary.wall)}'"
    edits = (
        Edit(Span(span.start, span.start), "("),
        Edit(Span(span.end, span.end), f") AND {condition}"),
    )
    return Guard(edits, condition)


def last_time(pipeline: Pipeline, catalog: Catalog, emission: Emission) -> str:
    """The query that reads from the sink up to which time it is filled; empty where no column has that time."""
    target = pipeline.target
    filled = target.filled(catalog, pipeline.plan.names) if target is not None else ()
    for number, expr in enumerate(pipeline.plan.output):
        if target is None or number >= len(filled) or emission.may_be_null:
            break
        column, table = quoted(filled[number]), " ".join(target.place.text.split())
        if emission.order is Order.ROW_TIME and expr == emission.time:
            return f"SELECT MAX({column}) FROM {table}"
        if not isinstance(expr, WindowField) or expr.depth != emission.depth:
            continue
        if expr.part is WindowPart.END:
            return f"SELECT MAX({column}) FROM {table}"
        if expr.part is WindowPart.START and emission.fixed_length is not None:
            # The boundary is an end, and the sink has the start.
            return f"SELECT MAX({column}) + {interval(emission.fixed_length)} FROM {table}"
    return ""


def _ends(group: exp.Expression, syntax: WindowSyntax, text: str) -> Iterator[str]:
    """The end of the window as the keys of GROUP BY allow to write it."""
    for key in group.expressions:
        span = span_of(key)
        if span is None:
            continue
        clause = span.of(text)
        if syntax is WindowSyntax.TVF:
            if isinstance(key, exp.Column) and key.name.lower() == WindowPart.END.value:
                yield clause
        elif isinstance(key, exp.Anonymous) and function_name(key) in LEGACY_WINDOWS:
            name, bracket, rest = clause.partition("(")
            yield f"{name.strip()}_END{bracket}{rest}"
