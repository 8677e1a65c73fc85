"""State computed from the rows of the past: a query that keeps it, and a job that goes on from it.

For ``GROUP BY`` without windows over one table. The rows before a time T are summed up, once, as a small table of
partial results (``bootstrap.sql``); the job reads that table and the rows from T on, and merges both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from keepstate.cutover.guard import quoted
from keepstate.cutover.merging import Merged, NotMergeable, StateColumns
from keepstate.cutover.times import shown
from keepstate.job_version import JobVersion, job_of
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.operators import Calc, GroupAggregate, Operator
from keepstate.plan.types.inference import type_of
from keepstate.syntax.namespace import shown as shown_name
from keepstate.syntax.script import Statement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.text import Edit

_SUFFIX = "_state"
_BATCH = "SET 'execution.runtime-mode' = 'batch';"
_PLACE = "<where the cluster reads the state>"
_CONTEXT = (StatementKind.SET, StatementKind.RESET, StatementKind.USE, StatementKind.CREATE_OTHER)


@dataclass(frozen=True)
class Since:
    """The time T between the rows of the past and those of the stream: wall clock and moment, in milliseconds."""

    wall: int
    epoch: int


@dataclass(frozen=True)
class Bootstrap:
    """``query`` is the script that computes the state, for batch mode. ``edit`` makes the query go on from it, behind
    the ``declaration`` of the table ``state``. ``table`` is the source.
    """

    query: str
    declaration: str
    edit: Edit
    table: str
    state: str
    is_rounded: bool
    """It holds sums of FLOAT or DOUBLE, whose last digits depend on the order of rows."""


def bootstrap_of(pipeline: Pipeline, version: JobVersion, job: Job, since: Since) -> Bootstrap:
    """The state of a query at a time, and the job that goes on from it.

    Raises:
        NotMergeable: the state does not follow from partial results, or the rows cannot be parted at a time.
    """
    return _Draft.of(pipeline, version, job, since).made()


@dataclass(frozen=True)
class _Draft:
    pipeline: Pipeline
    version: JobVersion
    job: Job
    since: Since
    select: exp.Select
    table: str
    time: str
    """The condition on the event time of a row, without its comparison."""
    literal: str

    @staticmethod
    def of(pipeline: Pipeline, version: JobVersion, job: Job, since: Since) -> _Draft:
        tree = pipeline.statement.tree
        select = tree.expression if isinstance(tree, exp.Insert) else None
        if not isinstance(select, exp.Select) or not isinstance(_aggregating(pipeline), GroupAggregate):
            raise NotMergeable("Only aggregates over the rows of one table have a state that is computed.")
        if any(
            select.args.get(part) for part in ("joins", "laterals", "with", "with_", "distinct", "qualify", "limit")
        ):
            raise NotMergeable("Only a query over one table has a state that is computed.")
        source = select.args["from_" if "from_" in select.args else "from"].this
        scans = pipeline.plan.sources
        if not isinstance(source, exp.Table) or len(scans) != 1 or isinstance(source.this, exp.Func):
            raise NotMergeable("Only a query over one table has a state that is computed.")
        definition = job.catalog.tables.get(scans[0])
        if definition is None or shown_name(scans[0]).rpartition(".")[2].lower() != source.name.lower():
            raise NotMergeable("It reads a view, or a table that is declared elsewhere.")
        if scans[0] in updating_tables(job.catalog, scans):
            raise NotMergeable(f"{shown_name(scans[0])} sends changes of rows.")
        names = sorted(job.catalog.time_attributes_of(definition))
        if len(names) != 1:
            raise NotMergeable(f"{shown_name(scans[0])} has no event time at which its rows can be parted.")
        name = names[0]
        is_local = any(
            type_ is not None and type_.root == "TIMESTAMP_LTZ"
            for type_ in map(type_of, watermarks_of(definition, job.catalog))
        )
        literal = f"TO_TIMESTAMP_LTZ({since.epoch}, 3)" if is_local else f"TIMESTAMP '{shown(since.wall)}'"
        qualifier = f"{quoted(source.alias)}." if source.alias else ""
        return _Draft(pipeline, version, job, since, select, scans[0], qualifier + quoted(name), literal)

    @property
    def _text(self) -> str:
        return self.pipeline.statement.text

    @property
    def _keys(self) -> list[exp.Expression]:
        group = self.select.args.get("group")
        return [] if group is None else list(group.expressions)

    @property
    def _state(self) -> str:
        sink = shown_name(self.pipeline.sink or "").rpartition(".")[2]
        return f"{sink}{_SUFFIX}"

    def made(self) -> Bootstrap:
        columns = StateColumns()
        for key in self._keys:
            if span_of(key) is None or isinstance(key, (exp.Literal, exp.Tuple)):
                raise NotMergeable("A key of GROUP BY is no column and no expression over columns.")
            columns.add_key(key, _written(key, self._text))
        group = self.select.args.get("group")
        if group is not None and any(group.args.get(kind) for kind in ("grouping_sets", "cube", "rollup", "all")):
            raise NotMergeable("GROUPING SETS, CUBE and ROLLUP are not computed.")
        merged = Merged(self._text, columns, self._type)
        items = [self._item(item, merged) for item in self.select.expressions]
        having = self.select.args.get("having")
        condition = None if having is None else merged.rewritten(having.this)
        types = [self._type(column.kept) for column in columns.all]
        declared = ", ".join(f"{column.name} {type_}" for column, type_ in zip(columns.all, types, strict=True))
        state = quoted(self._state)
        declaration = (
            f"CREATE TABLE {state} ({declared})\n"
            f"WITH ('connector' = 'filesystem', 'path' = '{_PLACE}', 'format' = 'parquet');"
        )
        return Bootstrap(
            self._query(columns, declaration, state),
            declaration,
            self._replaced(columns, types, items, condition, state),
            shown_name(self.table),
            self._state,
            any(
                type_ in ("FLOAT", "DOUBLE") and column.kept.upper().startswith("SUM")
                for column, type_ in zip(columns.all, types, strict=True)
            ),
        )

    def _query(self, columns: StateColumns, declaration: str, state: str) -> str:
        kept = ",\n  ".join(f"{column.kept} AS {column.name}" for column in columns.all)
        groups = [column.kept for column in (*columns.keys, *columns.values)]
        by = f"\nGROUP BY {', '.join(groups)}" if groups else ""
        parts = [f"{statement.text};" for statement in self._needed()]
        query = f"INSERT INTO {state}\nSELECT\n  {kept}\n{self._rows('<')}{by};\n"
        # Behind the settings of the script, which may name another mode.
        return "\n\n".join((*parts, _BATCH, declaration, query))

    def _needed(self) -> list[Statement]:
        """The statements that the source needs, in the order of the script."""
        reached = {definition.text for definition in self.pipeline.definitions}
        sink = self.job.catalog.tables.get(self.pipeline.sink or "")
        if sink is not None and self.pipeline.sink != self.table:
            reached.discard(sink.statement.text)
        return [each for each in self.job.script.statements if each.kind in _CONTEXT or each.text in reached]

    def _rows(self, comparison: str) -> str:
        """FROM and WHERE, for the rows on one side of T."""
        source = span_of(self.select.args["from_" if "from_" in self.select.args else "from"].this)
        where = self.select.args.get("where")
        part = f"{self.time} {comparison} {self.literal}"
        assert source is not None
        if where is None:
            return f"FROM {source.of(self._text)}\nWHERE {part}"
        return f"FROM {source.of(self._text)}\nWHERE ({_written(where.this, self._text)}) AND {part}"

    def _replaced(
        self, columns: StateColumns, types: list[str], items: list[str], condition: str | None, state: str
    ) -> Edit:
        names = ", ".join(column.name for column in columns.all)
        rows = ",\n    ".join(
            f"CAST({column.row} AS {type_})" for column, type_ in zip(columns.all, types, strict=True)
        )
        stream = "\n".join(f"  {line}" for line in self._rows(">=").split("\n"))
        by = f"\nGROUP BY {', '.join(column.name for column in columns.keys)}" if columns.keys else ""
        having = f"\nHAVING {condition}" if condition is not None else ""
        query = (
            f"SELECT {', '.join(items)}\nFROM (\n  SELECT {names} FROM {state}\n  UNION ALL\n"
            f"  SELECT\n    {rows}\n{stream}\n) AS merged ({names}){by}{having}"
        )
        span = span_of(self.select)
        assert span is not None
        return Edit(span.shift(self.pipeline.statement.span.start), query)

    def _item(self, item: exp.Expression, merged: Merged) -> str:
        if isinstance(item, exp.Star):
            raise NotMergeable("The query selects *.")
        return merged.rewritten(item)

    def _type(self, expression: str) -> str:
        """The type of an expression over the rows of the source, or over their groups."""
        groups = ", ".join(_written(key, self._text) for key in self._keys)
        by = f" GROUP BY {groups}" if groups else ""
        probe = f"SELECT {expression} AS c {self._rows('<')}{by}"
        text = "\n".join((*(f"{each.text};" for each in self._needed()), probe))
        found = job_of(replace(self.version, text=text)).pipelines
        type_ = type_of(found[-1].plan.output[0]) if found and found[-1].plan.output else None
        if type_ is None:
            raise NotMergeable(f"The type of {expression} is not known.")
        return str(type_)


def _aggregating(pipeline: Pipeline) -> Operator:
    """The last operator of a query that is no filter."""
    operator = pipeline.plan.root
    while isinstance(operator, Calc):
        operator = operator.input
    return operator


def _written(node: exp.Expression, text: str) -> str:
    span = span_of(node)
    assert span is not None
    return span.of(text)
