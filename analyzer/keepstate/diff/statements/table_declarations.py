"""Differences between the declarations of a source table: its columns and its watermark, with the clauses that declare
them.

The queries show what most of it means. What they do not show (NOT NULL, a column that nothing reads) may matter to an
engine all the same, which then says so at the clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from keepstate.diff.changes import became
from keepstate.plan.catalog import Catalog, ColumnDefinition, TableDefinition
from keepstate.plan.provenance import Place

_TASKS = "scan.parallelism"


class Aspect(Enum):
    """Aspects of a table that can be declared in another way."""

    COLUMNS = "columns"
    """A column came, went, or stands at another place."""
    COMPUTATION = "computation"
    """A column is computed, or read from metadata, in another way."""
    TYPE = "type"
    NULLABILITY = "nullability"
    WATERMARK = "watermark"
    TASKS = "parallel tasks"


@dataclass(frozen=True)
class DeclaredDifference:
    """A difference between two declarations of a table.

    ``table`` has the name that the current version reads it under. For a removed part ``current`` is the clause where
    it stood, and ``removed`` is set. ``column`` is empty for a watermark and for tasks.
    """

    table: str
    column: str
    aspect: Aspect
    current: Place | None
    baseline: Place | None
    removed: bool = False

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The declarations of both sides by their meaning, without layout; empty for a side that has none."""
        return _text(self.baseline), _text(None if self.removed else self.current)

    @cached_property
    def words(self) -> str:
        """The difference as it is written, such as ``column page STRING -> page STRING NOT NULL``."""
        was, now = (
            " ".join(place.text.split()) if place is not None else ""
            for place in (self.baseline, None if self.removed else self.current)
        )
        description = became(was, now) if was != now else f"{now} moved"
        return f"column {description}" if description.lower().startswith(f"{self.column.lower()} ") else description


def _text(place: Place | None) -> str:
    return " ".join(place.words) if place is not None else ""


def declared_differences(
    baseline: Catalog, current: Catalog, tables: Mapping[str, str]
) -> tuple[DeclaredDifference, ...]:
    """The differences of tables that both sides declare; ``tables`` has their names in the baseline and today.

    >>> was, now = catalog("CREATE TABLE t (a INT, b INT)"), catalog("CREATE TABLE t (a BIGINT, b INT)")
    >>> for each in declared_differences(was, now, {"t": "t"}):
    ...     print(each.column, each.aspect.value, each.baseline.token_text, "->", each.current.token_text)
    a type a INT -> a BIGINT
    """
    return tuple(
        difference
        for name, other in tables.items()
        if (baseline_table := baseline.tables.get(name)) is not None
        and (current_table := current.tables.get(other)) is not None
        and (baseline_table is not current_table or baseline_table.like is not None)
        for difference in _Declarations(baseline, current, baseline_table, current_table).differences()
    )


@dataclass(frozen=True)
class _Declarations:
    baseline: Catalog
    current: Catalog
    ours: TableDefinition
    theirs: TableDefinition

    def differences(self) -> Iterator[DeclaredDifference]:
        before = {column.name: column for column in self.baseline.columns_of(self.ours)[0]}
        after = {column.name: column for column in self.current.columns_of(self.theirs)[0]}
        for name, column in after.items():
            if name in before:
                yield from self._of_column(before[name], column)
            else:
                yield self._difference(name, Aspect.COLUMNS, column.place, None)
        for name, column in before.items():
            if name not in after:
                yield self._difference(name, Aspect.COLUMNS, None, column.place)
        yield from self._reordered(before, after)
        yield from self._watermark()
        yield from self._tasks()

    def _of_column(self, was: ColumnDefinition, now: ColumnDefinition) -> Iterator[DeclaredDifference]:
        places = now.place, was.place
        if was.stored_type != now.stored_type:
            yield self._difference(now.name, Aspect.TYPE, *places)
        if _origin(was) != _origin(now):
            yield self._difference(now.name, Aspect.COMPUTATION, *places)
        if self._may_be_null(self.baseline, self.ours, was) is not self._may_be_null(self.current, self.theirs, now):
            yield self._nullability(was, now)

    def _nullability(self, was: ColumnDefinition, now: ColumnDefinition) -> DeclaredDifference:
        """Return the difference, located at the column, or at the primary key if that makes the column NOT NULL."""
        current, baseline = now.place, was.place
        if was.not_null is now.not_null:
            keys = self.baseline.primary_key_of(self.ours)[1], self.current.primary_key_of(self.theirs)[1]
            return self._difference(now.name, Aspect.NULLABILITY, keys[1], keys[0])
        return self._difference(now.name, Aspect.NULLABILITY, current, baseline)

    @staticmethod
    def _may_be_null(catalog: Catalog, table: TableDefinition, column: ColumnDefinition) -> bool:
        return not column.not_null and column.name not in catalog.primary_key_of(table)[0]

    def _reordered(
        self, before: Mapping[str, ColumnDefinition], after: Mapping[str, ColumnDefinition]
    ) -> Iterator[DeclaredDifference]:
        """The first of the columns that stand in another order."""
        baseline_names = [name for name in before if name in after]
        current_names = [name for name in after if name in before]
        moved_column = next(
            (name for was, name in zip(baseline_names, current_names, strict=True) if was != name), None
        )
        if moved_column is not None:
            yield self._difference(moved_column, Aspect.COLUMNS, after[moved_column].place, before[moved_column].place)

    def _watermark(self) -> Iterator[DeclaredDifference]:
        was, now = self.baseline.watermark_place_of(self.ours), self.current.watermark_place_of(self.theirs)
        if (was.words if was is not None else ()) != (now.words if now is not None else ()):
            yield self._difference("", Aspect.WATERMARK, now, was)

    def _tasks(self) -> Iterator[DeclaredDifference]:
        was, now = self.baseline.options_of(self.ours).get(_TASKS), self.current.options_of(self.theirs).get(_TASKS)
        if (was.value if was is not None else None) != (now.value if now is not None else None):
            places = (option.place if option is not None else None for option in (now, was))
            yield self._difference("", Aspect.TASKS, *places)

    def _difference(
        self, column: str, aspect: Aspect, current: Place | None, baseline: Place | None
    ) -> DeclaredDifference:
        return DeclaredDifference(
            self.theirs.name, column, aspect, current or self.theirs.place, baseline, removed=current is None
        )


def _origin(column: ColumnDefinition) -> tuple[object, ...]:
    """Return the origin of a column's values; for a computed column the words of its declaration."""
    computed = column.place.words if column.expression is not None else ()
    return computed, column.metadata, column.virtual
