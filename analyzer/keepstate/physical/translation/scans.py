"""Nodes between a source and the query: the columns that are read, the normalization of upserts, and watermarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from keepstate.physical.execution_nodes import EXCHANGE, SOURCE, ExecNode
from keepstate.physical.graph_options import PhysicalOptions, tasks_in
from keepstate.physical.translation.sources import Abilities
from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.expressions import AggregateCall, Column, Expr, Unresolved, WindowField
from keepstate.plan.metadata.connectors import sends_updates, sends_upserts
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.operators import TableSourceScan, WindowTableFunction

Row = tuple[Expr, ...]
_FILTERS_WHILE_NORMALIZING = (2, 1)
"""First version in which ChangelogNormalize takes over filters, and stores no row that does not pass."""
_FORWARDS_UPSERTS = (2, 1)
"""First version that leaves out ChangelogNormalize between a source and a sink of upserts (FLIP-510)."""
_LEFT_OUT = (
    "connectors say what their deletes hold, and by that Flink 2.1 and newer keep the last row of every key or not, of"
)


@dataclass(frozen=True)
class NodeOutput:
    """A node with its output columns, in order; ``None`` and the reason in ``doubt`` if the columns are undecidable."""

    node: ExecNode
    columns: Row | None
    doubt: str = ""


@dataclass(frozen=True)
class NormalizedSource:
    """ChangelogNormalize behind a source of upserts: the rows that it keeps, and the filter that it applies."""

    node: ExecNode
    row: Row
    conditions: Row = ()


@dataclass(frozen=True)
class SourceScan:
    """Rows of a source. ``conditions`` are the query's filters that remain to be applied."""

    rows: NodeOutput
    source: ExecNode
    conditions: Row
    normalized: NormalizedSource | None = None


def scanned(
    scan: TableSourceScan,
    reads: Row,
    conditions: Row,
    catalog: Catalog,
    options: PhysicalOptions,
    is_merged: bool = False,
    is_forwarded: bool = False,
) -> SourceScan:
    """Return the nodes for a source of which ``reads`` is read, by a query that filters it by ``conditions``.

    With ``is_merged`` the planner may read it together with other columns. ``is_forwarded``: its rows go into a sink
    that may take upserts, and nothing else but filters and projections sees them.
    """
    table = catalog.tables.get(scan.table)
    given_options = catalog.options_of(table) if table is not None else {}
    own_tasks = _tasks(scan, given_options)
    tasks = own_tasks if own_tasks != options.naming.tasks else None
    abilities = Abilities.of(given_options)
    columns, whole = catalog.columns_of(table) if table is not None else ((), False)
    if table is None or not whole:
        node = ExecNode.of(SOURCE, detail=scan.table, tasks=tasks)
        # A doubt is compared: it has the full name, however the statement writes it.
        doubt = f"the script does not declare all columns of {scan.table!s}"
        return SourceScan(NodeOutput(node, None, doubt), node, conditions)
    both = zip(columns, scan.columns, strict=False)
    declared = [expr for column, expr in both if column.expression is None and isinstance(expr, Column)]
    # Metadata columns stand behind the others, wherever they are declared.
    output: Row = (*(c for c in declared if c.metadata is None), *(c for c in declared if c.metadata is not None))
    available = frozenset(output)
    read_columns = tuple(expr for expr in reads if expr in available)
    times = catalog.time_attributes_of(table)
    waits = bool(times) and abilities.makes_watermarks is not True
    doubt = ""
    if abilities.prunes_columns is None and set(read_columns) != set(output):
        doubt = f"it is not known whether the connector {abilities.name!r} reads single columns"
    if times and abilities.makes_watermarks is None:
        doubt = f"it is not known whether the connector {abilities.name!r} makes watermarks"
    marks = tuple(expr for expr in output if isinstance(expr, Column) and expr.name in times)
    computes = [expr for expr in reads if expr not in available and _reads_only(expr, available)]
    is_computed_time = waits and not marks
    if abilities.prunes_columns:
        leaves = [leaf for expr in reads for leaf in columns_in(expr) if leaf in available]
        output = tuple(dict.fromkeys((*leaves, *(marks if waits else ()))))
        if is_merged:
            doubt = (
                f"{scan.table!s} is read several times, with other columns each time, of which Flink may make one scan"
            )
    # The options of a hint make another source of the table, be they those that it has anyway.
    hint_options = tuple(sorted((option.key, option.value) for option in scan.options))
    # Filters go into such a source as well, and then it is read for each of them.
    detail = (scan.table, hint_options, output, conditions if abilities.prunes_columns else ())
    if gives_whole_rows(abilities) and catalog.unambiguous:
        # The one table of its name, which is read once however many columns it has.
        detail = (scan.table, hint_options, (), ())
    source = node = ExecNode.of(SOURCE, detail=detail, doubt=doubt, tasks=tasks)
    if own_tasks is not None and sends_updates(given_options):
        # Changes of a key stay in order: they go to one task by their key.
        node = ExecNode.of(EXCHANGE, node)
    normalized = None
    key = catalog.primary_key_of(table)[0]
    is_doubled = options.duplicates and bool(key) and sends_updates(given_options)
    if (sends_upserts(given_options) or is_doubled) and not waits:
        # What is read of a key, and the key, is kept to tell what was before.
        read_here = {leaf for expr in reads for leaf in columns_in(expr)}
        row = tuple(expr for expr in output if expr in read_here or (isinstance(expr, Column) and expr.name in key))
        by_key = tuple(each for each in conditions if all(_is_one_of(leaf, key) for leaf in columns_in(each)))
        if row != output or by_key:
            node = ExecNode.of("Calc", node, detail=(row, by_key))
        conditions = tuple(each for each in conditions if each not in by_key)
        filters = conditions if options.flink >= _FILTERS_WHILE_NORMALIZING else ()
        conditions = () if filters else conditions
        may_be_left_out = is_forwarded and not filters and options.flink >= _FORWARDS_UPSERTS
        absent = f"{_LEFT_OUT} {scan.table!s}" if may_be_left_out else ""
        below = ExecNode.of(EXCHANGE, node)
        node = ExecNode.of("ChangelogNormalize", below, detail=(scan.table, row, filters), doubt=absent)
        normalized = NormalizedSource(node, row, (*by_key, *filters))
        output = row
    if is_computed_time:
        # The time is computed in front of the watermarks, and unread columns are dropped there.
        node = ExecNode.of("Calc", node, detail=("time", reads))
        output = tuple(dict.fromkeys((*read_columns, *computes)))
    if waits:
        node = ExecNode.of("WatermarkAssigner", node, detail=scan.table)
    if options.mini_batch:
        node = ExecNode.of("MiniBatchAssigner", node)
    return SourceScan(NodeOutput(node, None if doubt else output, doubt), source, conditions, normalized)


def gives_whole_rows(abilities: Abilities) -> bool:
    """Return whether a connector certainly gives all columns, so that a scan of them has no doubt."""
    return abilities.prunes_columns is False and abilities.makes_watermarks is not None


def _tasks(scan: TableSourceScan, options: Mapping[str, Option]) -> int | None:
    """Return the parallel tasks that a source has of its own. A hint counts more than the declaration."""
    option = {**options, **{option.key: option for option in scan.options}}.get("scan.parallelism")
    return tasks_in(option.value) if option is not None else None


def columns_in(expr: Expr) -> Iterator[Expr]:
    """The columns, window fields and results that an expression is computed of."""
    if isinstance(expr, (Column, Unresolved, WindowField, AggregateCall)):
        yield expr
        return
    for child in expr.children():
        yield from columns_in(child)


def reads_table(operator: WindowTableFunction, table: str) -> bool:
    """Return whether the argument of a window table function is a table itself, and no query or view."""
    words = operator.place.words if operator.place is not None else ()
    name = table.split(".")[-1].upper()
    pairs = pairwise(words)
    return any(first.upper() == "TABLE" and second.strip("`").upper() == name for first, second in pairs)


def _is_one_of(expr: Expr, names: tuple[str, ...]) -> bool:
    return isinstance(expr, Column) and expr.name in names


def _reads_only(expr: Expr, columns: frozenset[Expr]) -> bool:
    leaves = list(columns_in(expr))
    return not is_constant(expr) and all(leaf in columns for leaf in leaves)
