"""The state of a ranking over one table: the rows that it keeps of the former ones.

A deduplication keeps one row of each key, a Top-N the first N of each partition. No other row can come back, since a
later row only moves them down. So the ranking goes on from these rows and those of the stream.
"""

from __future__ import annotations

from sqlglot import exp

from keepstate.cutover.cutover_plan import Assumption
from keepstate.cutover.states.computed_state import Bootstrap, NotComputed, StateRequest
from keepstate.cutover.states.former_rows import FormerRows, former_rows, read_tables
from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.metadata.changelog import FIRST_ROWS_WAIT
from keepstate.plan.operators import Calc, Deduplicate, Rank, TableSourceScan
from keepstate.syntax.namespace import display_name
from keepstate.syntax.reserved import quoted

_RANK = "state_rank"
_PLAIN_PARTS = frozenset({"kind", "hint", "expressions", "from", "from_", "where"})


def rank_state(task: StateRequest, rank: Rank) -> Bootstrap:
    """The state of a ranking, as a table of the rows that it keeps.

    Raises:
        NotComputed: it is not exact to go on from these rows, or they cannot be parted at a time.
    """
    count = _count(task, rank)
    below = rank.input
    while isinstance(below, Calc):
        below = below.input
    if not isinstance(below, TableSourceScan):
        raise NotComputed("Of rankings, only those over the rows of one table have a state that is computed.")
    ((node, table),) = read_tables(task)
    assert task.query is not None
    select = next((each for each in task.query.find_all(exp.Select) if _reads(each, node)), None)
    over = list(select.find_all(exp.Window)) if select is not None else []
    if select is None or len(over) != 1 or not {part for part, value in select.args.items() if value} <= _PLAIN_PARTS:
        raise NotComputed("Its ROW_NUMBER stands over a query and not over a table.")
    rows = former_rows(task, table)
    state = task.name
    state_table = rows.state_table(task, state, _rest_of_query(task, rows, node, select, over[0], count))
    order = ", ".join(task.text_of(each) for each in over[0].args["order"].expressions)
    tied = Assumption(
        "ties",
        f"{display_name(table)}: no two rows of one partition are equal in ORDER BY {order}. Of such rows the order of "
        "arrival decides, which files of the past do not have.",
        display_name(table),
    )
    return Bootstrap((state_table,), (rows.edit(task, node, state),), rows.parted.is_local, assumptions=(tied,))


def _count(task: StateRequest, rank: Rank) -> int:
    """The number of rows that it keeps of each partition."""
    if rank.function != "ROW_NUMBER":
        raise NotComputed(f"{rank.function} is not computed.")
    if rank.range is None or rank.range.end is None or rank.range.other:
        raise NotComputed("The number of rows that its ranking keeps is no constant.")
    if isinstance(rank, Deduplicate) and rank.proctime:
        raise NotComputed("It goes by processing time, which the past does not have.")
    version = EngineVersion.of(task.job.engine_version).flink if task.job.engine_version else None
    waits = version is None or version >= FIRST_ROWS_WAIT
    if rank.keeps_first_row and waits:
        first = ".".join(map(str, FIRST_ROWS_WAIT))
        raise NotComputed(
            f"From Flink {first} on a first row waits for the watermark and stays: of late rows the order of arrival "
            "decides, which files of the past do not have."
        )
    return rank.range.end


def _rest_of_query(
    task: StateRequest, rows: FormerRows, node: exp.Table, select: exp.Select, over: exp.Window, count: int
) -> str:
    """The rest of the query of the state, behind the columns that it selects."""
    where = select.args.get("where")
    qualifier = f"{quoted(node.alias)}." if node.alias else ""
    condition = rows.parted.side("<", qualifier)
    if where is not None:
        condition = f"({task.text_of(where.this)}) AND {condition}"
    number = _RANK
    while number in rows.columns:
        number += "_"
    return (
        f"FROM (\n  SELECT {rows.column_list},\n    {task.text_of(over)} AS {number}\n"
        f"  FROM {task.text_of(node)}\n  WHERE {condition}\n)\nWHERE {number} <= {count}"
    )


def _reads(select: exp.Select, table: exp.Table) -> bool:
    """Return whether the FROM of a query has nothing but this table."""
    source = select.args.get("from_") or select.args.get("from")
    return source is not None and source.this is table
