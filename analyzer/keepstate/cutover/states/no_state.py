"""Queries without state: they have nothing to compute, and go on with the rows of the stream."""

from __future__ import annotations

from keepstate.cutover.states.computed_state import Bootstrap, NotComputed, StateRequest
from keepstate.cutover.states.former_rows import former_rows, read_tables
from keepstate.plan.operators import Calc, TableSourceScan, Union


def no_state(task: StateRequest) -> Bootstrap:
    """The query over the rows from the boundary on. Each row gives its results alone, so those of former rows stay
    where they are.

    Raises:
        NotComputed: it has other operators than filters and unions, or the rows cannot be parted at a time.
    """
    if not all(isinstance(operator, (Calc, Union, TableSourceScan)) for operator in task.pipeline.plan.operators):
        raise NotComputed("It keeps no state, but asks other tables or functions for more rows.")
    places = list(read_tables(task))
    rows = {table: former_rows(task, table) for _, table in places}
    edits = tuple(rows[table].stream_edit(task, node) for node, table in places)
    return Bootstrap((), edits, any(each.parted.is_local for each in rows.values()))
