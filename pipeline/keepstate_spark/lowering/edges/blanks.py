"""Blanks at the ends of constants. Flink hands filters to the filesystem connector: in batch mode, and over tables
without a watermark. Constants of one length in an IN or at both ends of a range lose their blanks on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.expressions import Column as TableColumn
from keepstate.plan.operators import Calc, Operator, TableSourceScan
from keepstate.plan.predicates import disjuncts
from keepstate.plan.references import ColumnOfRight
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable


def trimmed_constants(operator: Operator, conditions: Sequence[Expr], lowering: Lowering) -> tuple[Expr, ...]:
    """The conditions of a filter or a join without the blanks that Flink takes away.

    Raises ``NotLowerable`` where blanks may be taken away, and the rows do not come from a table itself.
    """
    tables = {scan.table for scan in operator.walk() if isinstance(scan, TableSourceScan) and _takes(scan, lowering)}
    trimmed = {part: other for parts in _sets(conditions) for part, other in _without_blanks(parts)} if tables else {}
    if not trimmed:
        return tuple(conditions)
    is_cast = any(_is_written_with(condition, "CAST") for condition in conditions)
    if is_cast or not isinstance(operator, Calc) or not isinstance(operator.input, TableSourceScan):
        raise NotLowerable(
            "Flink may hand this filter to the source, and takes blanks away from the ends of its constants then.",
            next((part.place for part in trimmed if part.place is not None), conditions[0].place),
        )
    return tuple(_replaced(condition, trimmed) for condition in conditions)


def _takes(scan: TableSourceScan, lowering: Lowering) -> bool:
    """Return whether filters reach the source of a table: on streams not through its watermark."""
    has_watermark = lowering.streams and any(map(lowering.is_time, scan.columns))
    return scan.table in lowering.filtered_sources and not has_watermark


def _is_written_with(condition: Expr, word: str) -> bool:
    return condition.place is not None and word in condition.place.words


def _sets(conditions: Sequence[Expr]) -> Iterator[list[Call]]:
    """Yield the comparisons that Flink makes one set of: those of an IN, of a NOT IN, and the ends of a range."""
    for condition in conditions:
        yield from _of_one_value(part for part in disjuncts(condition) if _is_of(part, "="))
    yield from _of_one_value(part for part in conditions if _is_of(part, "<>"))
    ends = [part for part in conditions if isinstance(part, Call) and part.name in ("<", "<=")]
    for parts in _of_one_value(ends):
        if len({isinstance(part.args[0], Literal) for part in parts}) == 2:
            yield parts


def _is_of(part: Expr, sign: str) -> bool:
    """Return whether a comparison belongs to an IN."""
    return isinstance(part, Call) and part.name == sign and (part.place is None or "IN" in part.place.words)


def _of_one_value(parts: Iterable[Expr]) -> Iterator[list[Call]]:
    """Yield comparisons of a column with several texts, by the columns."""
    groups: dict[Expr, list[Call]] = {}
    for part in parts:
        if isinstance(part, Call) and len(part.args) == 2:
            values = [arg for arg in part.args if isinstance(_plain(arg), TableColumn)]
            if len(values) == 1 and any(isinstance(arg, Literal) and arg.type == "STRING" for arg in part.args):
                groups.setdefault(values[0], []).append(part)
    yield from (group for group in groups.values() if len(group) > 1)


def _plain(value: Expr) -> Expr:
    """A column itself, which may be cast. A condition on a function is not handed to the source."""
    if isinstance(value, Call) and value.name == "CAST":
        return _plain(value.args[0])
    return value.column if isinstance(value, ColumnOfRight) else value


def _without_blanks(parts: Sequence[Call]) -> Iterator[tuple[Call, Call]]:
    """Yield comparisons with blanks at the end of their constant, each with the one that Flink makes of it."""
    texts = [arg.value for part in parts for arg in part.args if isinstance(arg, Literal)]
    if len(set(map(len, texts))) != 1:
        return
    for part in parts:
        args = tuple(
            Literal(arg.value.rstrip(" "), "STRING") if isinstance(arg, Literal) and arg.value.endswith(" ") else arg
            for arg in part.args
        )
        if args != part.args:
            yield part, Call(part.name, args, place=part.place)


def _replaced(expr: Expr, others: Mapping[Call, Call]) -> Expr:
    if isinstance(expr, Call) and expr in others:
        return others[expr]
    if isinstance(expr, Call) and expr.name == "OR":
        return expr.with_children(tuple(_replaced(arg, others) for arg in expr.args))
    return expr
