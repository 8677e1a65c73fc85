"""Counts of the rows of a table: all of them, and those that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Observation

from keepstate_spark.lowering.observing import observed
from keepstate_spark.sources.column_times import rows_without


@dataclass(frozen=True)
class Reading:
    """Counts of the rows of one table at ``path``: all rows, unreadable rows that are left out with the fault of one of
    them, and rows without a time, which lie in no window.
    """

    table: str
    path: str
    rows: int
    bad: int = 0
    example: str = ""
    untimed: int = 0
    tolerated: bool = False
    """The table itself asks to leave out such rows."""
    strange: bool = False
    """There are rows, and none has any of the columns."""

    @property
    def incomplete(self) -> bool:
        """Return whether there are fewer rows than the table allows: then the result is not complete."""
        return not self.rows or self.strange or (self.bad > 0 and not self.tolerated)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Messages for the user, empty if all is well."""
        if not self.rows:
            return (f"{self.table}: 0 rows read from {self.path}.",)
        of, result = f"of {self.rows} row{'' if self.rows == 1 else 's'}", []
        if self.bad:
            verb = "is" if self.bad == 1 else "are"
            result.append(f"{self.bad} {of} cannot be read and {verb} left out; one of them: {self.example}")
        if self.strange:
            result.append("no row has any of its columns. Name other files with --data, or mend the CREATE TABLE.")
        elif self.untimed:
            verbs = ("has", "is") if self.untimed == 1 else ("have", "are")
            result.append(f"{self.untimed} {of} {verbs[0]} no time, and so {verbs[1]} in no window.")
        return tuple(f"{self.table}: {words}" for words in result)


@dataclass(frozen=True)
class TextRows:
    """Rows of texts, which a query counts while it reads them."""

    table: str
    path: str
    rows: DataFrame
    observation: Observation
    tolerated: bool

    def reading(self, timed: bool) -> Reading | None:
        """``None`` if the query did not read these rows."""
        row = observed(self.observation)
        # A query that has enough does not begin to read: then its table need not be empty.
        if row is None or (not row["rows"] and not self.rows.isEmpty()):
            return None
        untimed = row["untimed"] if timed else 0
        strange = 0 < row["rows"] == row["empty"]
        example = row["example"] or ""
        return Reading(self.table, self.path, row["rows"], row["bad"], example, untimed, self.tolerated, strange)


@dataclass(frozen=True)
class TypedRows:
    """Rows of files that have types, with the condition that they have no time. ``files`` are those that tell here how
    many rows they have; in ``column`` of them is the time, if it is in one.
    """

    table: str
    path: str
    rows: DataFrame
    missing: Column
    column: str
    files: Sequence[str] | None

    def reading(self, timed: bool) -> Reading | None:
        """``None`` if nothing is missing in these rows."""
        counts = rows_without(self.files, self.column if timed else None) if self.files is not None else None
        if counts is not None:
            rows, untimed = counts
            return Reading(self.table, self.path, rows, untimed=untimed) if untimed or not rows else None
        if self.rows.isEmpty():
            return Reading(self.table, self.path, 0)
        untimed = self.rows.where(self.missing).count() if timed else 0
        return Reading(self.table, self.path, self.rows.count(), untimed=untimed) if untimed else None
