"""The state of ``GROUP BY`` without windows over one table: partial results of the former rows.

The rows before a time are summed up, once. The job reads these results and the rows from that time on, and merges both.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.cutover.states.computed_state import (
    Bootstrap,
    NotComputed,
    PartedTable,
    StateRequest,
    StateTable,
    declared,
)
from keepstate.cutover.states.merging import StateColumns, StateRewriter
from keepstate.cutover.table_names import last_name
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.syntax.namespace import display_name
from keepstate.syntax.reserved import quoted
from keepstate.syntax.spans import span_of

_OTHER_PARTS = ("joins", "laterals", "with", "with_", "distinct", "qualify", "limit")


def group_state(task: StateRequest) -> Bootstrap:
    """The state of an aggregation, as a table of partial results.

    Raises:
        NotComputed: the state does not follow from partial results, or the rows cannot be parted at a time.
    """
    return _Draft.of(task).build()


@dataclass(frozen=True)
class _Draft:
    request: StateRequest
    select: exp.Select
    parted: PartedTable
    qualifier: str

    @staticmethod
    def of(task: StateRequest) -> _Draft:
        select = task.query
        if not isinstance(select, exp.Select) or any(select.args.get(part) for part in _OTHER_PARTS):
            raise NotComputed("Of aggregates, only those over the rows of one table have a state that is computed.")
        source = _source(select)
        scans = task.pipeline.plan.sources
        if not isinstance(source, exp.Table) or len(scans) != 1 or isinstance(source.this, exp.Func):
            raise NotComputed("Of aggregates, only those over the rows of one table have a state that is computed.")
        if last_name(display_name(scans[0])) != source.name.lower():
            raise NotComputed("It reads a view, or a table that is declared elsewhere.")
        parted = task.parted(scans[0])
        if scans[0] in updating_tables(task.job.catalog, scans):
            raise NotComputed(f"{display_name(scans[0])} sends changes of rows.")
        return _Draft(task, select, parted, f"{quoted(source.alias)}." if source.alias else "")

    @property
    def _keys(self) -> list[exp.Expression]:
        group = self.select.args.get("group")
        return [] if group is None else list(group.expressions)

    @property
    def _relation(self) -> str:
        """The name that stands in front of the columns of the source."""
        return _source(self.select).alias_or_name

    def build(self) -> Bootstrap:
        columns = StateColumns()
        for key in self._keys:
            if span_of(key) is None or isinstance(key, (exp.Literal, exp.Tuple)):
                raise NotComputed("A key of GROUP BY is no column and no expression over columns.")
            columns.add_key(key, self.request.text_of(key), self._relation)
        group = self.select.args.get("group")
        if group is not None and any(group.args.get(kind) for kind in ("grouping_sets", "cube", "rollup", "all")):
            raise NotComputed("GROUPING SETS, CUBE and ROLLUP are not computed.")
        merged = StateRewriter(self.request.text, self._relation, columns, self._type)
        items = [self._item(item, merged) for item in self.select.expressions]
        having = self.select.args.get("having")
        condition = None if having is None else merged.rewritten(having.this)
        types = [self._type(column.state_text) for column in columns.all]
        state = self.request.name
        declaration = declared(
            state, [f"{column.name} {type_}" for column, type_ in zip(columns.all, types, strict=True)]
        )
        query = self.request.script(self.parted.table, declaration, self._insert(columns, state))
        return Bootstrap(
            (StateTable(state, display_name(self.parted.table), query, declaration),),
            (self.request.edit(self.select, self._merging(columns, types, items, condition, state)),),
            self.parted.is_local,
            is_rounded=any(
                type_ in ("FLOAT", "DOUBLE") and column.state_text.upper().startswith("SUM")
                for column, type_ in zip(columns.all, types, strict=True)
            ),
        )

    def _insert(self, columns: StateColumns, state: str) -> str:
        items = ",\n  ".join(f"{column.state_text} AS {column.name}" for column in columns.all)
        groups = [column.state_text for column in (*columns.keys, *columns.values)]
        by = f"\nGROUP BY {', '.join(groups)}" if groups else ""
        return f"INSERT INTO {quoted(state)}\nSELECT\n  {items}\n{self._rows('<')}{by}"

    def _rows(self, comparison: str) -> str:
        """FROM and WHERE, for the rows on one side of the boundary."""
        source = self.request.text_of(_source(self.select))
        where = self.select.args.get("where")
        part = self.parted.side(comparison, self.qualifier)
        if where is None:
            return f"FROM {source}\nWHERE {part}"
        return f"FROM {source}\nWHERE ({self.request.text_of(where.this)}) AND {part}"

    def _merging(
        self, columns: StateColumns, types: list[str], items: list[str], condition: str | None, state: str
    ) -> str:
        names = ", ".join(column.name for column in columns.all)
        rows = ",\n    ".join(
            f"CAST({column.row} AS {type_})" for column, type_ in zip(columns.all, types, strict=True)
        )
        # Not indented: a line of a script may lie inside of a literal.
        stream = self._rows(">=")
        by = f"\nGROUP BY {', '.join(column.name for column in columns.keys)}" if columns.keys else ""
        having = f"\nHAVING {condition}" if condition is not None else ""
        return (
            f"SELECT {', '.join(items)}\nFROM (\n  SELECT {names} FROM {quoted(state)}\n  UNION ALL\n"
            f"  SELECT\n    {rows}\n{stream}\n) AS merged ({names}){by}{having}"
        )

    def _item(self, item: exp.Expression, merged: StateRewriter) -> str:
        if isinstance(item, exp.Star):
            raise NotComputed("The query selects *.")
        return merged.rewritten(item)

    def _type(self, expression: str) -> str:
        """The type of an expression over the rows of the source, or over their groups."""
        groups = ", ".join(map(self.request.text_of, self._keys))
        by = f" GROUP BY {groups}" if groups else ""
        probe = f"SELECT {expression} AS c {self._rows('<')}{by}"
        return self.request.types(self.parted.table, probe, [expression])[0]


def _source(select: exp.Select) -> exp.Expression:
    source: exp.Expression = select.args["from_" if "from_" in select.args else "from"].this
    return source
