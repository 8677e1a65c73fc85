"""Scalar expressions in canonical form.

An expression is written over *source columns*: names of views, subqueries, CTEs and aliases are gone, so two spellings
of one meaning are equal values. ``place`` and ``via`` show where it was written, and do not count for equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from decimal import Decimal
from enum import Enum

from keepstate.plan.duration_words import duration_words
from keepstate.plan.hashed_value import HashedValue, asked_once, with_fields
from keepstate.plan.provenance import Place
from keepstate.syntax.grammar.call_words import call_words, tightness
from keepstate.value_class import value_class


@value_class(frozen=True)
class Expr(HashedValue):
    """Base of all expressions. ``place`` is where one is used or written; ``via`` are the select items (or column
    definitions) that it came through, from the use inwards to the one that defines it.
    """

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    via: tuple[Place, ...] = field(default=(), compare=False, repr=False, kw_only=True)

    def children(self) -> tuple[Expr, ...]:
        return ()

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return self

    def walk(self) -> Iterator[Expr]:
        """Yield the expression and all in it, outermost first."""
        # Not by recursion: a chain of operators is deep, and each level would hand on all that is below it.
        pending: list[Expr] = [self]
        while pending:
            expr = pending.pop()
            yield expr
            pending += reversed(expr.children())

    def rewrite(self, step: Callable[[Expr], Expr]) -> Expr:
        """The expression with ``step`` applied to every node, innermost first."""
        children = self.children()
        rewritten = tuple(child.rewrite(step) for child in children)
        same = all(before is after for before, after in zip(children, rewritten, strict=True))
        return step(self if same else self.with_children(rewritten))

    def used_at(self, place: Place, via: Place | None) -> Expr:
        """The same expression, read through the select item ``via`` by something at ``place``."""
        return with_fields(self, place=place, via=self.via if via is None else (via, *self.via))


@value_class(frozen=True)
class Column(Expr):
    """A column of a source table; ``type`` is its declared type in canonical spelling, if the script declares it."""

    table: str
    name: str
    type: str | None = None
    metadata: str | None = None
    """For a metadata column the key that it reads."""
    not_null: bool = field(default=False, compare=False, repr=False)
    written_type: str | None = field(default=None, compare=False, repr=False)
    """Its declared type as it is written, with NOT NULL of elements and the names of fields in their own case."""
    may_be_missing: bool = field(default=False, compare=False, repr=False)
    """It is read above an outer join or grouping sets, where it may be NULL whatever its declaration says."""
    of_union: int | None = field(default=None, compare=False, repr=False)
    """Its position in a UNION ALL of which filters leave one input: no filter of that input makes it a constant, and
    the rows of windows keep the order of the union."""

    def __str__(self) -> str:
        return self.name


@value_class(frozen=True)
class Literal(Expr):
    """A constant: intervals as milliseconds or months, times as written, numbers in plain decimals."""

    value: str
    type: str
    written_type: str | None = field(default=None, compare=False, repr=False)
    """For a type, the target of a cast, its own spelling: see ``Column``."""
    has_places: bool = field(default=False, compare=False, repr=False)
    """A whole number that is written with decimal places: ``5.0`` is compared by its value, as a DECIMAL."""

    def __str__(self) -> str:
        if self.type in ("STRING", "DATE", "TIME", "TIMESTAMP"):
            return f"{self.type + ' ' if self.type != 'STRING' else ''}'{self.value}'"
        if self.type == "INTERVAL DAY":
            return duration_words(Decimal(self.value))
        return self.value


@value_class(frozen=True)
class Call(Expr):
    """An operator or a function; ``name`` is an operator sign or a name in upper case."""

    name: str
    args: tuple[Expr, ...] = ()
    is_function: bool = field(default=False, compare=False, repr=False)
    """A CASE that is written as IF: it means the same, but its type admits NULL where that of its condition does."""

    def children(self) -> tuple[Expr, ...]:
        return self.args

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, args=children)

    def __str__(self) -> str:
        if self.name == ".":
            return ".".join(map(str, self.args))
        if self.name in ("COMPUTED", "COLUMN") and self.place is not None and self.place.text != "*":
            return self.place.token_text if self.name == "COMPUTED" else self.place.text
        if self.name in ("CAST", "TRY_CAST"):
            return f"{self.name}({' AS '.join(map(str, self.args))})"
        operands = [(str(arg), _tightness(arg)) for arg in self.args]
        first_is_constant = isinstance(self.args[0], Literal) if self.args else False
        return call_words(self.name, operands, first_is_constant and not isinstance(self.args[-1], Literal))


def _tightness(expr: Expr) -> int:
    if isinstance(expr, Call) and expr.name not in (".", "COMPUTED"):
        return tightness(expr.name, len(expr.args))
    return tightness("", 0)


class FunctionOrigin(Enum):
    """Implementation of an aggregate function, as far as the script shows it."""

    BUILT_IN = "built-in"
    JVM = "jvm"
    PYTHON = "python"
    UNREGISTERED = "unregistered"


@value_class(frozen=True)
class AggregateCall(Expr):
    """One aggregate: function, DISTINCT, FILTER and arguments traced down to source columns.

    This is the *signature* that decides whether two aggregates share their state.
    """

    function: str
    args: tuple[Expr, ...] = ()
    distinct: bool = False
    filter: Expr | None = None
    order: tuple[Expr, ...] = ()
    origin: FunctionOrigin = field(default=FunctionOrigin.BUILT_IN)
    over: int = 0
    """Number of OVER windows that the rows of the result went through, this one included; 0 for no OVER result. The
    window itself is not part of the value: a changed window is one change, at the window.
    """
    nesting: int = 0
    """Number of calls of its function, one in the groups of the other, among the group keys of its query."""
    level: int = field(default=0, compare=False, repr=False)
    """Number of aggregations that its rows went through, its own included."""
    of_group: bool = field(default=False, compare=False, repr=False, kw_only=True)
    """It is of the rows of a group, of which there is at least one, and read where the group is there."""
    item: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    """The select item that holds the call, if it is the whole of it; ``alias`` is its output name."""
    alias: str | None = field(default=None, compare=False, repr=False, kw_only=True)
    operands: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """The operands as they are first translated, where calls of the query have others of the same meaning
    (``plan/translated_operands``): only if these are equal as well, Flink makes one accumulator of two calls.
    """

    def children(self) -> tuple[Expr, ...]:
        return (*self.args, *self.order, *((self.filter,) if self.filter is not None else ()))

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        rest = children
        args, rest = rest[: len(self.args)], rest[len(self.args) :]
        order, rest = rest[: len(self.order)], rest[len(self.order) :]
        return with_fields(self, args=args, order=order, filter=rest[0] if rest else None)

    @property
    def opaque(self) -> bool:
        """Return whether the accumulator is unknown: the function runs in Python, or may do so."""
        return self.origin in (FunctionOrigin.PYTHON, FunctionOrigin.UNREGISTERED)

    def __str__(self) -> str:
        args = ", ".join(map(str, self.args)) or ("*" if self.function == "COUNT" else "")
        clause = f" FILTER (WHERE {self.filter})" if self.filter is not None else ""
        keys = f" per {self.function}" * self.nesting
        return f"{self.function}({'DISTINCT ' if self.distinct else ''}{args}){clause}{keys}"


class WindowPart(Enum):
    START = "window_start"
    END = "window_end"
    TIME = "window_time"


@value_class(frozen=True)
class GroupingElement(Expr):
    """GROUPING SETS, CUBE, ROLLUP or keys in parentheses (no ``word``), with their parts as they are written."""

    word: str
    parts: tuple[Expr, ...] = ()

    def children(self) -> tuple[Expr, ...]:
        return self.parts

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, parts=children)


@value_class(frozen=True)
class WindowField(Expr):
    """``window_start``, ``window_end`` or ``window_time`` of the ``depth``-th window of a cascade (from the source).

    The size of the window is not part of it: a changed window is one change, at the window.
    """

    part: WindowPart
    depth: int
    time: Expr | None = field(default=None, compare=False, repr=False, kw_only=True)
    """The time attribute of the window, whose type ``window_time`` has."""

    def __str__(self) -> str:
        return self.part.value


@value_class(frozen=True)
class RankNumber(Expr):
    """The number that ROW_NUMBER, RANK or DENSE_RANK gives a row; ``depth`` counts the ranks up to that one."""

    function: str
    depth: int = 1

    def __str__(self) -> str:
        return f"{self.function}()"


@value_class(frozen=True)
class FrameBound(Expr):
    """One end of a frame. ``side`` is ``PRECEDING``, ``FOLLOWING`` or ``CURRENT ROW``; without ``offset`` (a number of
    rows, or a length of time) the frame is unbounded on its side.
    """

    side: str
    offset: Expr | None = None

    def children(self) -> tuple[Expr, ...]:
        return (self.offset,) if self.offset is not None else ()

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, offset=children[0] if children else None)

    def __str__(self) -> str:
        if self.side == CURRENT_ROW:
            return self.side
        return f"{self.offset if self.offset is not None else 'UNBOUNDED'} {self.side}"


CURRENT_ROW = "CURRENT ROW"


@value_class(frozen=True)
class Frame(Expr):
    """The rows around the current one that an OVER window aggregates; ``unit`` is ``ROWS`` or ``RANGE``."""

    unit: str = "RANGE"
    start: FrameBound = field(default=FrameBound("PRECEDING"))
    end: FrameBound = field(default=FrameBound(CURRENT_ROW))
    exclude: str = ""

    def children(self) -> tuple[Expr, ...]:
        return (self.start, self.end)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        start, end = children
        assert isinstance(start, FrameBound) and isinstance(end, FrameBound)
        return with_fields(self, start=start, end=end)

    def __str__(self) -> str:
        exclude = f" EXCLUDE {self.exclude}" if self.exclude else ""
        if self.end == FrameBound(CURRENT_ROW):
            return f"{self.unit} {self.start}{exclude}"
        return f"{self.unit} BETWEEN {self.start} AND {self.end}{exclude}"


@value_class(frozen=True)
class OverCall(Expr):
    """A call with its OVER window, as a query writes it; behind the window its result is an ``AggregateCall``."""

    call: Expr
    partition: tuple[Expr, ...] = ()
    order: tuple[Expr, ...] = ()
    frame: Frame = field(default=Frame())
    partition_place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    """``PARTITION BY`` and its keys."""
    order_place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    """``ORDER BY`` and its keys."""

    def children(self) -> tuple[Expr, ...]:
        return (self.call, *self.partition, *self.order, self.frame)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        end = 1 + len(self.partition)
        frame = children[-1]
        assert isinstance(frame, Frame)
        return with_fields(self, call=children[0], partition=children[1:end], order=children[end:-1], frame=frame)

    def __str__(self) -> str:
        return f"{self.call} OVER (...)"


@value_class(frozen=True)
class PatternColumn(Expr):
    """A column inside of MATCH_RECOGNIZE, of the rows of a pattern variable; of all matched rows where none is named.

    Of several rows it is that of the last one.
    """

    variable: str
    column: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.column,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, column=children[0])

    def __str__(self) -> str:
        return f"{self.variable}.{self.column}" if self.variable else str(self.column)


@value_class(frozen=True)
class Measure(Expr):
    """Result of MATCH_RECOGNIZE for a match. The pattern is not part of the value."""

    value: Expr
    alias: str = field(default="", compare=False, repr=False, kw_only=True)
    time: Expr | None = field(default=None, compare=False, repr=False, kw_only=True)
    """The time that MATCH_ROWTIME is one of, if the measure is nothing else."""

    def children(self) -> tuple[Expr, ...]:
        return (self.value,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, value=children[0])

    def __str__(self) -> str:
        return str(self.value)


@value_class(frozen=True)
class Ordering(Expr):
    """One element of ORDER BY; Flink puts NULLs first when ascending and last when descending."""

    expr: Expr
    descending: bool = False
    nulls_first: bool = True

    def children(self) -> tuple[Expr, ...]:
        return (self.expr,)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        return with_fields(self, expr=children[0])

    def __str__(self) -> str:
        nulls = "" if self.nulls_first is not self.descending else f" NULLS {'FIRST' if self.nulls_first else 'LAST'}"
        return f"{self.expr} {'DESC' if self.descending else 'ASC'}{nulls}"


@value_class(frozen=True)
class Unresolved(Expr):
    """A name that no table in sight declares; it stands for itself."""

    name: str

    def __str__(self) -> str:
        return self.name


@value_class(frozen=True)
class Opaque(Expr):
    """A piece of syntax that has no canonical form yet; equal only to the same tokens."""

    kind: str
    tokens: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.tokens)


_ATOMIC = frozenset({"COLUMN", "PROCTIME", "."})
"""Calls that stand for one column."""


def is_computed(expr: Expr) -> bool:
    """Return whether an expression is computed from columns, and is none of the calls that stand for one column."""
    return isinstance(expr, Call) and expr.name not in _ATOMIC


def is_spelled_out(expr: Expr) -> bool:
    """Return whether a computed expression is written where it is used, and not as the name of a column.

    >>> is_spelled_out(expr("2 * price"))
    True
    >>> (named,) = plan("SELECT twice FROM (SELECT 2 * price AS twice FROM orders)").output
    >>> is_spelled_out(named), named == expr("2 * price")
    (False, True)
    """
    return is_computed(expr) and not expr.via


def is_proctime(expr: Expr) -> bool:
    """Return whether ``expr`` is the processing time, a time attribute without a watermark.

    >>> is_proctime(expr("proctime")), is_proctime(expr("rowtime"))
    (True, False)
    """
    if isinstance(expr, Measure):
        return isinstance(expr.value, Call) and expr.value.name == "MATCH_PROCTIME"
    return isinstance(expr, Call) and expr.name == "PROCTIME"


def holds_window_field(expr: Expr) -> bool:
    """Return whether ``expr`` reads the start, the end or the time of a window.

    >>> hours = "FROM TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)"
    >>> query = f"SELECT DATE_FORMAT(window_end, 'HH'), COUNT(*) {hours} GROUP BY window_start, window_end"
    >>> [holds_window_field(each) for each in plan(query).output]
    [True, False]
    """
    return any(isinstance(node, WindowField) for node in expr.walk())


def computes_on_window_field(expr: Expr) -> bool:
    """Return whether a window field is an operand in ``expr`` rather than the whole expression.

    >>> hours = "FROM TUMBLE(TABLE orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)"
    >>> query = f"SELECT window_end, DATE_FORMAT(window_end, 'HH') {hours} GROUP BY window_start, window_end"
    >>> [computes_on_window_field(each) for each in plan(query).output]
    [False, True]
    """
    return not isinstance(expr, WindowField) and holds_window_field(expr)


@asked_once
def sort_key(expr: Expr) -> str:
    """A total order over canonical expressions that does not depend on where they were written."""
    return repr(expr)
