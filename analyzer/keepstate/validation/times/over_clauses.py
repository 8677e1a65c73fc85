"""The clauses of OVER windows, compared as Flink's planner does: it takes one window for each query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.scalars.interval_lengths import interval_length, singular

Shape = tuple[object, ...]
"""An expression without spaces, comments, case of words and parentheses: its kind, and its parts."""
_COLUMN, _LITERAL, _INTERVAL = "column", "literal", "interval"
_UNKNOWN: Shape = (_COLUMN, None)
"""A name that the script does not tell."""
_UNBOUNDED, _CURRENT_ROW = "UNBOUNDED", "CURRENT ROW"


@dataclass(frozen=True)
class OverFrame:
    """The rows of a window: their kind, ROWS or RANGE, and both ends with their sides."""

    kind: str
    start: Shape = (_UNBOUNDED, "PRECEDING")
    end: Shape = (_CURRENT_ROW, "")

    @staticmethod
    def of(spec: exp.Expression, column: Callable[[exp.Column], Shape | None]) -> OverFrame:
        """The frame that ``spec`` writes; without an end it goes to the current row."""

        def bound(which: str) -> Shape:
            value = spec.args[which]
            shape = shape_of(value, column) if isinstance(value, exp.Expression) else str(value)
            return (shape, str(spec.args.get(f"{which}_side") or ""))

        kind = str(spec.args["kind"])
        return (
            OverFrame(kind, bound("start"), bound("end")) if spec.args.get("end") else OverFrame(kind, bound("start"))
        )

    def differs_from(self, other: OverFrame) -> bool:
        """Return whether the rows surely are others; what computes a bound is not computed here."""
        if self.kind != other.kind:
            return True
        pairs = ((self.start, other.start), (self.end, other.end))
        return any(one != two and _is_written(one) and _is_written(two) for one, two in pairs)


@dataclass(frozen=True)
class OverClauses:
    """The clauses of one window. ``partition`` is without constants, which part nothing; ``order`` is its first key.

    >>> time, hour, day = (("column", name) for name in ("time", "hour", "day"))
    >>> windows = [OverClauses(frozenset((key,)), time, False, OverFrame("ROWS")) for key in (hour, day)]
    >>> [windows[0].differs_from(each) for each in windows]
    [False, True]
    """

    partition: frozenset[Shape]
    order: Shape | None
    nulls_last: bool
    frame: OverFrame

    def differs_from(self, other: OverClauses) -> bool:
        """Return whether Flink surely takes the windows for two; expressions over the same columns may become one."""
        if self.order is None or other.order is None:
            return False
        return (
            self.nulls_last != other.nulls_last
            or _differ(self.order, other.order)
            or self.frame.differs_from(other.frame)
            or _lacks(self.partition, other.partition)
            or _lacks(other.partition, self.partition)
        )


def shape_of(node: exp.Expression, column: Callable[[exp.Column], Shape | None]) -> Shape:
    """The shape of an expression; ``column`` gives the meaning of a name, ``None`` where the script does not tell."""
    if isinstance(node, exp.Paren):
        return shape_of(node.this, column)
    if isinstance(node, exp.Column):
        return (_COLUMN, column(node))
    if isinstance(node, exp.Literal):
        return (_LITERAL, str(node.is_string), node.name)
    if isinstance(node, exp.Interval):
        return _interval(node, column)
    parts: list[object] = [type(node).__name__]
    for name in sorted(node.args):
        value = node.args[name]
        several = value if isinstance(value, list) else [value]
        shapes = [shape_of(each, column) for each in several if isinstance(each, exp.Expression)]
        # IN takes its values in any order.
        parts += sorted(shapes, key=repr) if isinstance(node, exp.In) else shapes
        parts += (str(each).upper() for each in several if isinstance(each, (str, bool)) and each)
    return tuple(parts)


def _interval(node: exp.Interval, column: Callable[[exp.Column], Shape | None]) -> Shape:
    """An interval is its unit with its digits, and its length: that of another unit has another type."""
    unit, value = node.args.get("unit"), node.this
    fields = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit,)
    names = [field.name for field in fields if field is not None]
    length = interval_length(value.name, *names) if names and isinstance(value, exp.Literal) else None
    amount: Shape = (_LITERAL, "True", *length) if length is not None else shape_of(value, column)
    digits = tuple(each.name for each in node.args.get("precision") or ())
    return (_INTERVAL, tuple(map(singular, names)), digits, amount)


def _is_written(bound: Shape) -> bool:
    """Return whether a bound of a frame is a word, a number or an interval as it is written."""
    shape = bound[0]
    if isinstance(shape, tuple) and shape[0] == _INTERVAL:
        shape = shape[-1]
    return isinstance(shape, str) or (isinstance(shape, tuple) and shape[0] == _LITERAL)


def _lacks(keys: Iterable[Shape], others: Iterable[Shape]) -> bool:
    """Return whether one of ``keys`` surely is none of ``others``."""
    other_keys = tuple(others)
    return any(all(_differ(key, other) for other in other_keys) for key in keys)


def _differ(one: Shape, other: Shape) -> bool:
    columns, other_columns = set(_columns(one)), set(_columns(other))
    if one == other or _UNKNOWN in columns | other_columns:
        return False
    if columns != other_columns:
        return True
    return _without_literals(one) == _without_literals(other)


def _columns(shape: Shape) -> Iterator[Shape]:
    if shape[:1] == (_COLUMN,):
        yield shape
        return
    for part in shape:
        if isinstance(part, tuple):
            yield from _columns(part)


def _without_literals(shape: Shape) -> Shape:
    if shape[:1] == (_LITERAL,):
        return (_LITERAL,)
    return tuple(_without_literals(part) if isinstance(part, tuple) else part for part in shape)
