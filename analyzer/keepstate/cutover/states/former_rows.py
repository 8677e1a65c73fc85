"""Former rows as a state: the query reads them in front of the rows of the stream, in the place of its source.

For queries that keep rows of their input: joins keep all of them, rankings the first ones of each partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from keepstate.cutover.states.computed_state import NotComputed, PartedTable, StateRequest, StateTable, declared
from keepstate.cutover.table_names import last_name
from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.expressions import is_proctime
from keepstate.plan.lowering.environment import Environment
from keepstate.plan.lowering.from_clause import FromLowering
from keepstate.plan.lowering.queries import QueryLowering
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.operators import TableSourceScan
from keepstate.syntax.namespace import display_name
from keepstate.syntax.reserved import quoted
from keepstate.text import Edit

_NEVER_LATE = "INTERVAL '99' YEAR"
"""The rows of a state come in no order: with the watermark of their source, some would be late."""
_PLAIN_PARTS = frozenset({"this", "db", "catalog", "alias"})


@dataclass(frozen=True)
class FormerRows:
    """The columns of a source that a query reads, of its rows before the boundary."""

    parted: PartedTable
    columns: tuple[str, ...]

    @property
    def column_list(self) -> str:
        return ", ".join(map(quoted, self.columns))

    @property
    def path(self) -> str:
        """The name of the source as SQL has it."""
        return ".".join(map(quoted, display_name(self.parted.table).split(".")))

    def state_table(self, task: StateRequest, state: str, rows: str) -> StateTable:
        """The table of the state. ``rows`` is the rest of the query that fills it, from FROM on."""
        probe = f"SELECT {self.column_list} FROM {self.path}"
        types = task.types(self.parted.table, probe, self.columns)
        time = quoted(self.parted.time)
        columns = [f"{quoted(name)} {type_}" for name, type_ in zip(self.columns, types, strict=True)]
        declaration = declared(state, [*columns, f"WATERMARK FOR {time} AS {time} - {_NEVER_LATE}"])
        insert = f"INSERT INTO {quoted(state)}\nSELECT {self.column_list}\n{rows}"
        return StateTable(
            state,
            display_name(self.parted.table),
            task.script(self.parted.table, declaration, insert),
            declaration,
        )

    def stream_edit(self, task: StateRequest, node: exp.Table) -> Edit:
        """The edit that puts the stream from the boundary on in the place of the source."""
        rows = f"SELECT {self.column_list} FROM {self.path} WHERE {self.parted.side('>=')}"
        return task.edit(node, f"({rows}) AS {quoted(node.alias or node.name)}")

    def edit(self, task: StateRequest, node: exp.Table, state: str) -> Edit:
        """The edit that puts the state and the stream in the place of the source."""
        name = node.alias or node.name
        return task.edit(
            node,
            f"(\n  SELECT {self.column_list} FROM {quoted(state)}\n  UNION ALL\n"
            f"  SELECT {self.column_list} FROM {self.path} WHERE {self.parted.side('>=')}\n) AS {quoted(name)}",
        )


def former_rows(task: StateRequest, table: str) -> FormerRows:
    """The rows of a source that a query needs.

    Raises:
        NotComputed: the rows cannot be parted at a time, or change, or have columns that are not kept.
    """
    parted = task.parted(table)
    catalog = task.job.catalog
    if table in updating_tables(catalog, [table]):
        raise NotComputed(f"{display_name(table)} sends changes of rows.")
    assert task.query is not None
    joins = list(task.query.find_all(exp.Join))
    if any(join.args.get("method") for join in joins):
        raise NotComputed("It has a NATURAL JOIN, whose columns are not written.")
    using = (identifier.name for join in joins for identifier in join.args.get("using") or ())
    # Of `o.place.city` each name may be that of the column: what is read too much costs only room.
    parts = (part.name for column in task.query.find_all(exp.Column) for part in column.parts)
    names = {parted.time, *using, *parts}
    every = any(_is_all_columns(item) for select in task.query.find_all(exp.Select) for item in select.expressions)
    columns = tuple(
        name
        for name, at_processing in _columns(catalog, catalog.tables[table])
        if (every and not at_processing) or name in names
    )
    if any(at_processing and name in columns for name, at_processing in _columns(catalog, catalog.tables[table])):
        raise NotComputed(f"{display_name(table)} has a column of processing time, which the past does not have.")
    return FormerRows(parted, columns)


def read_tables(task: StateRequest) -> Iterator[tuple[exp.Table, str]]:
    """The places at which a query reads tables, each with the name of its table.

    Raises:
        NotComputed: it reads a view, or a table in another way than as a stream.
    """
    assert task.query is not None
    if any(task.query.find_all(exp.CTE)):
        raise NotComputed("It has a WITH clause.")
    scans = task.pipeline.plan.scans
    by_name = {last_name(display_name(scan.table)): scan.table for scan in scans}
    nodes = list(task.query.find_all(exp.Table))
    if len(by_name) < len({scan.table for scan in scans}) or len(nodes) != len(scans):
        raise NotComputed("It reads a view, or a table in several ways.")
    for node in nodes:
        table = by_name.get(node.name.lower())
        parts = {key for key, value in node.args.items() if value}
        if table is None or table not in task.job.catalog.tables:
            raise NotComputed(f"{node.name} is a view, or a table that is declared elsewhere.")
        if not parts <= _PLAIN_PARTS or node.alias_column_names or any(scan.options for scan in scans):
            raise NotComputed(f"{node.name} is read with a hint, as of a time, or with other names for its columns.")
        yield node, table


def _columns(catalog: Catalog, table: TableDefinition) -> Sequence[tuple[str, bool]]:
    """The columns of a table, each with whether it is a time of processing."""
    lowering = FromLowering(QueryLowering(catalog), Environment(table.statement))
    rows = lowering.declared(TableSourceScan(table.name), table)
    columns = []
    for column in catalog.columns_of(table)[0]:
        field = rows.find(column.name)
        columns.append((column.name, field is not None and is_proctime(field.expr)))
    return columns


def _is_all_columns(item: exp.Expression) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))
