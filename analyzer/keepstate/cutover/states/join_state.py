"""The state of regular joins: the former rows of their inputs, with the columns that are read.

A join without times keeps every row of both inputs, and its result does not depend on the order in which they come. So
it goes on from all former rows, which are not smaller than the history, but need no stream that goes back that far.
"""

from __future__ import annotations

from keepstate.cutover.positions import Start, position_of
from keepstate.cutover.states.computed_state import Bootstrap, NotComputed, StateRequest
from keepstate.cutover.states.former_rows import former_rows, read_tables
from keepstate.plan.operators import Calc, IntervalJoin, Join, TableSourceScan, TemporalJoin, WindowJoin
from keepstate.syntax.namespace import display_name

_KINDS = frozenset({"inner", "left", "right", "full", "semi", "anti"})


def join_state(task: StateRequest) -> Bootstrap:
    """The state of a query of joins and filters, as a table of former rows for each of its sources.

    Raises:
        NotComputed: it has other operators, or the rows of a source cannot be parted at a time.
    """
    operators = task.pipeline.plan.operators
    if any(isinstance(operator, IntervalJoin) for operator in operators):
        raise NotComputed("A join by times leaves out rows that come too late: files of the past do not say which.")
    by_time = any(isinstance(operator, (TemporalJoin, WindowJoin)) for operator in operators)
    if by_time or not all(isinstance(operator, (Join, Calc, TableSourceScan)) for operator in operators):
        raise NotComputed("Of joins, only regular ones of the rows of tables have a state that is computed.")
    if not {operator.kind for operator in operators if isinstance(operator, Join)} <= _KINDS:
        raise NotComputed("It asks for a single value of a subquery.")
    places = list(read_tables(task))
    rows = {table: former_rows(task, table) for _, table in places if not _is_read_whole(task, table)}
    if not rows:
        raise NotComputed("All of its tables are read as a whole at each start.")
    names = {table: f"{task.name}_{display_name(table).rpartition('.')[2]}" for table in rows}
    tables = tuple(
        each.state_table(task, names[table], f"FROM {each.path}\nWHERE {each.parted.side('<')}")
        for table, each in rows.items()
    )
    edits = tuple(rows[table].edit(task, node, names[table]) for node, table in places if table in rows)
    return Bootstrap(tables, edits, any(each.parted.is_local for each in rows.values()))


def _is_read_whole(task: StateRequest, table: str) -> bool:
    """Return whether a start reads all rows of a table, whatever the position: such a table needs no state."""
    return position_of(task.job.script, task.job.catalog, table, 0).start is Start.BEGINNING
