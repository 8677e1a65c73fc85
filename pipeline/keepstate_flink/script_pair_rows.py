"""Rows made for two scripts: with what their queries compare values with, and at several paces.

A pace decides how many rows share a window or lie in one frame, so rows at one pace may hide what others show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from keepstate.cutover.table_names import last_name
from keepstate.plan.types.shared_types import Declared, SharedTypes
from keepstate_flink.compared_constants import asked_for
from keepstate_flink.generated_rows import GeneratedRows, Pace, TableColumn, telling_rows
from keepstate_flink.restarts import RowsOf

PACES = (
    Pace(timedelta(minutes=4), (timedelta(minutes=50),)),
    # All rows in one window of ten minutes, with the restart in its middle.
    Pace(timedelta(seconds=5), (timedelta(seconds=20),)),
    Pace(timedelta(seconds=20), (timedelta(minutes=3), timedelta(minutes=4), timedelta(minutes=12))),
    Pace(timedelta(minutes=25), (timedelta(minutes=75), timedelta(minutes=35), timedelta(hours=9))),
)


def made_rows(baseline: str, current: str, types: tuple[Declared, Declared] = ({}, {})) -> tuple[RowsOf, ...]:
    """The rows of any table, once for each pace. Both versions get the same ones: of a column with two ``types``,
    values that both take.

    >>> len(made_rows("SELECT a FROM t", "SELECT a FROM t")) == len(PACES)
    True
    """
    values = asked_for(baseline, current)
    both_types = SharedTypes(*types)

    def at(pace: Pace) -> RowsOf:
        def rows(table: str, columns: Sequence[TableColumn]) -> GeneratedRows:
            name = last_name(table)
            both = [replace(each, type=both_types.of(name, each.name) or each.type) for each in columns]
            return telling_rows(both, values, pace)

        return rows

    return tuple(map(at, PACES))
