"""Rankings: Top-N and deduplication, of all rows or of each window."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from keepstate.plan.expressions import Expr, Ordering, RankNumber
from keepstate.plan.operators.base import KEPT_SORTED, UnaryOperator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@dataclass(frozen=True)
class RankRange:
    """Constant ranks that are kept, inclusive; ``end`` is ``None`` if a column determines it."""

    start: int = 1
    end: int | None = None
    other: tuple[Expr, ...] = ()
    """Conditions on the rank number that are no constant range."""


class RankStrategy(Enum):
    """Strategy of a Top-N for its stored rows, named as in Flink."""

    APPEND_FAST = "AppendFastStrategy"
    """Rows only come: those of the range are enough."""
    UPDATE_FAST = "UpdateFastStrategy"
    """Rows are found again by their upsert key and only ever move up: those of the range are enough."""
    RETRACT = "RetractStrategy"
    """Rows may move down or go: all of them are kept."""


@value_class(frozen=True)
class Rank(UnaryOperator):
    """Top-N: the first rows of each partition. It stores its input row: ``row`` are the columns that are read of it,
    in the order in which they reach the rank. ``partition`` is a set kept sorted.
    """

    function: str
    partition: tuple[Expr, ...] = field(metadata=KEPT_SORTED)
    order: tuple[Ordering, ...]
    range: RankRange | None = None
    row: tuple[Expr, ...] = ()
    depth: int = 1
    """Number of ranks that the rows went through, this one included."""
    strategy: RankStrategy = field(default=RankStrategy.APPEND_FAST, compare=False)
    upsert_key: tuple[Expr, ...] = field(default=(), compare=False)
    """The columns by which it finds the row that an update is about; empty for any other strategy than that."""
    may_deduplicate: bool = field(default=False, compare=False)
    """The rank is a deduplication if its sort key is a time attribute, which the script leaves open."""
    input_columns: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The columns that reach it, whether it keeps them or not."""
    range_conditions: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The conditions that make its range, as they are written."""
    function_place: Place | None = field(default=None, compare=False, repr=False)
    partition_place: Place | None = field(default=None, compare=False, repr=False)
    order_place: Place | None = field(default=None, compare=False, repr=False)
    range_place: Place | None = field(default=None, compare=False, repr=False)
    select_place: Place | None = field(default=None, compare=False, repr=False)

    @property
    def stateful(self) -> bool:
        return True

    @property
    def keeps_one_row(self) -> bool:
        """Return whether ROW_NUMBER leaves one row of each partition."""
        return self.function == "ROW_NUMBER" and self.range is not None and (self.range.start, self.range.end) == (1, 1)

    @property
    def keeps_first_row(self) -> bool:
        """Return whether that is a first row to Flink: any order but a single descending key, times or not."""
        return self.keeps_one_row and not (len(self.order) == 1 and self.order[0].descending)

    @property
    def rank_number(self) -> RankNumber:
        """The column that it adds to its rows."""
        return RankNumber(self.function, self.depth)


@value_class(frozen=True)
class WindowRank(Rank):
    """Top-N of every window: both window fields are partition keys."""


@value_class(frozen=True)
class Deduplicate(Rank):
    """The first or last row of each key by a time attribute: processing time if ``proctime``, else event time."""

    proctime: bool = field(default=False, kw_only=True)

    @property
    def keeps_first(self) -> bool:
        return not self.order[0].descending

    @property
    def keeps_keys_only(self) -> bool:
        """Return whether the state holds no row: the first row by processing time is sent at once and never changes."""
        return self.proctime and self.keeps_first


@value_class(frozen=True)
class WindowDeduplicate(WindowRank):
    """The first or last row of each key in every window."""

    @property
    def keeps_first(self) -> bool:
        return not self.order[0].descending
