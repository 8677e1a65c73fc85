"""Estimates of a plan that reads rows again: their number, the time that they take, and the time to catch up."""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.cutover.cutover_plan import CutoverPlan
from keepstate.cutover.past.checks import Past
from keepstate.cutover.past.row_facts import TableFacts
from keepstate.cutover.positions import Start


@dataclass(frozen=True)
class TableEstimate:
    """The rows of one table to be read, from the event time ``first`` to ``last``: moments in milliseconds, ``None``
    where the rows have none. ``per_second`` is the number of rows that came in a second.
    """

    table: str
    rows: int
    first: int | None
    last: int | None
    per_second: float | None


@dataclass(frozen=True)
class Estimate:
    """The rows to be read again. ``missing`` has the sentences on what is not known."""

    tables: tuple[TableEstimate, ...]
    throughput: int | None
    """The rows that the new job reads in a second, as it was said."""
    missing: tuple[str, ...]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def arriving(self) -> float | None:
        """The rows that come in a second, of all tables; ``None`` if one of them does not show it."""
        rates = [table.per_second for table in self.tables]
        known_rates = [each for each in rates if each is not None]
        return sum(known_rates) if known_rates and len(known_rates) == len(rates) else None

    @property
    def is_whole(self) -> bool:
        """Return whether nothing is missing for the time to catch up."""
        return not self.missing and self.throughput is not None and self.arriving is not None

    @property
    def seconds(self) -> float | None:
        """The time until the new job has caught up with the rows that come meanwhile; ``None`` if it never does, or if
        it is not known.

        >>> table = TableEstimate("orders", 9_000, 0, 9_000_000, 1.0)
        >>> Estimate((table,), 10, ()).seconds, Estimate((table,), 1, ()).seconds
        (1000.0, None)
        """
        if not self.is_whole or self.throughput is None or self.arriving is None:
            return None
        spare = self.throughput - self.arriving
        return self.rows / spare if spare > 0 else None


def estimate_of(plan: CutoverPlan, past: Past, throughput: int | None) -> Estimate:
    """The estimate for the tables that a plan reads again.

    >>> from array import array
    >>> from keepstate.cutover.cutover_plan import Approach
    >>> from keepstate.cutover.positions import SourcePosition
    >>> plan = CutoverPlan((), Approach.REPLAY, positions=(SourcePosition("orders", Start.TIME, "kafka", 2_000),))
    >>> past = Past({"orders": TableFacts("orders", 3, True, times=array("q", [1_000, 2_000, 3_000]))})
    >>> estimate_of(plan, past, 500).tables[0]
    TableEstimate(table='orders', rows=2, first=2000, last=3000, per_second=1.5)
    """
    tables = []
    missing = []
    for position in plan.positions:
        if position.start is Start.NOWHERE:
            continue
        facts = past.of(position.table)
        if facts is None:
            option = f"--data {shlex.quote(f'{position.table}=PATH')}"
            missing.append(f"The rows of {position.table} are not given: {option}.")
            continue
        tables.append(_of_table(position.table, position.millis, facts))
        missing += _gaps(position.table, position.millis, facts)
    if throughput is None:
        missing.append("The rows that the new job reads in a second are not given: --rows-per-second N.")
    return Estimate(tuple(tables), throughput, tuple(missing))


def _of_table(table: str, start: int | None, facts: TableFacts) -> TableEstimate:
    skipped = 0 if start is None else bisect_left(facts.times, start)
    times = facts.times[skipped:]
    first, last = (times[0], times[-1]) if times else (None, None)
    return TableEstimate(table, facts.rows - skipped, first, last, facts.per_second)


def _gaps(table: str, start: int | None, facts: TableFacts) -> Iterator[str]:
    if facts.per_second is None:
        yield f"The rows of {table} do not show the time that they take."
    elif start is not None and facts.last is not None and facts.last < start:
        yield f"The rows of {table} end before the start."
