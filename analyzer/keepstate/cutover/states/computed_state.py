"""A computed state: tables with what former rows leave in a query, and the query that goes on from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from keepstate.cutover.cutover_plan import Assumption
from keepstate.cutover.times import Boundary, sql_time
from keepstate.job_version import JobVersion, job_of
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.operators import Calc, Operator
from keepstate.plan.types.inference import type_of
from keepstate.syntax.namespace import display_name
from keepstate.syntax.reserved import quoted
from keepstate.syntax.script import Statement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.text import Edit

_BATCH = "SET 'execution.runtime-mode' = 'batch';"
_PLACE = "<where the cluster reads the state>"
_CONTEXT = (StatementKind.SET, StatementKind.RESET, StatementKind.USE, StatementKind.CREATE_OTHER)


class NotComputed(Exception):
    """Error of a query whose state does not follow from former rows. The message is a sentence that says why."""


@dataclass(frozen=True)
class StateTable:
    """The table ``state``. ``query`` is the script that computes its rows from those of the source ``table``, for batch
    mode; the job reads it by ``declaration``.
    """

    state: str
    table: str
    query: str
    declaration: str


@dataclass(frozen=True)
class Bootstrap:
    """The state of one query: ``edits`` of the script make the query go on from ``tables``."""

    tables: tuple[StateTable, ...]
    edits: tuple[Edit, ...]
    is_local: bool
    """The boundary is a time of the session time zone in one of its sources."""
    is_rounded: bool = False
    """It holds sums of FLOAT or DOUBLE, whose last digits depend on the order of rows."""
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class PartedTable:
    """A source whose rows a time in ``literal`` parts, by their event time in the column ``time``."""

    table: str
    time: str
    literal: str
    is_local: bool

    def side(self, comparison: str, qualifier: str = "") -> str:
        """The condition on the rows of one side."""
        return f"{qualifier}{quoted(self.time)} {comparison} {self.literal}"


@dataclass(frozen=True)
class StateRequest:
    """A query whose state at ``boundary`` is wanted, in tables whose names begin with ``name``."""

    pipeline: Pipeline
    version: JobVersion
    job: Job
    boundary: Boundary
    name: str

    @property
    def text(self) -> str:
        """The text of the statement, which spans are about."""
        return self.pipeline.statement.text

    @cached_property
    def query(self) -> exp.Expression | None:
        tree = self.pipeline.statement.tree
        return tree.expression if isinstance(tree, exp.Insert) else None

    @property
    def last_operator(self) -> Operator:
        """The last operator of the query that is no filter."""
        operator = self.pipeline.plan.root
        while isinstance(operator, Calc):
            operator = operator.input
        return operator

    def edit(self, node: exp.Expression, text: str) -> Edit:
        """The edit of the script that puts a text in the place of a node."""
        span = span_of(node)
        assert span is not None
        return Edit(span.shift(self.job.statement_of(self.pipeline).span.start), text)

    def text_of(self, node: exp.Expression) -> str:
        span = span_of(node)
        assert span is not None
        return span.of(self.text)

    def parted(self, table: str) -> PartedTable:
        """The table with the time that parts its rows.

        Raises:
            NotComputed: it is declared elsewhere, has changing rows, or none or several event times.
        """
        definition = self.job.catalog.tables.get(table)
        if definition is None:
            raise NotComputed(f"{display_name(table)} is a view, or a table that is declared elsewhere.")
        times = sorted(self.job.catalog.time_attributes_of(definition))
        if len(times) != 1:
            raise NotComputed(f"{display_name(table)} has no event time at which its rows can be parted.")
        is_local = any(
            type_ is not None and type_.root == "TIMESTAMP_LTZ"
            for type_ in map(type_of, watermarks_of(definition, self.job.catalog))
        )
        literal = (
            f"TO_TIMESTAMP_LTZ({self.boundary.epoch}, 3)" if is_local else f"TIMESTAMP '{sql_time(self.boundary.wall)}'"
        )
        return PartedTable(table, times[0], literal, is_local)

    def required_statements(self, table: str) -> list[Statement]:
        """The statements that reading a source needs, in the order of the script."""
        texts = {definition.text for definition in self.pipeline.definitions}
        sink = self.job.catalog.tables.get(self.pipeline.sink or "")
        if sink is not None and self.pipeline.sink != table:
            texts.discard(sink.statement.text)
        return [each for each in self.job.script.statements if each.kind in _CONTEXT or each.text in texts]

    def script(self, table: str, declaration: str, insert: str) -> str:
        """The script that computes a state from the rows of a source."""
        parts = [f"{statement.text};" for statement in self.required_statements(table)]
        # Behind the settings of the script, which may name another mode.
        return "\n\n".join((*parts, _BATCH, declaration, f"{insert};\n"))

    def types(self, table: str, query: str, names: Sequence[str]) -> list[str]:
        """The types of the columns of a query over a source, as DDL has them; ``names`` say which columns these are.

        Raises:
            NotComputed: a type is not known.
        """
        text = "\n".join((*(f"{each.text};" for each in self.required_statements(table)), query))
        pipelines = job_of(replace(self.version, text=text)).pipelines
        output = pipelines[-1].plan.output if pipelines else ()
        types = list(map(type_of, output))
        for name, type_ in zip(names, [*types, *[None] * (len(names) - len(types))], strict=True):
            if type_ is None:
                raise NotComputed(f"The type of {name} is not known.")
        return [_ddl_type(expr, str(type_), name) for expr, type_, name in zip(output, types, names, strict=True)]


def _ddl_type(expr: Expr, type_: str, name: str) -> str:
    """A type as DDL has it. Types that are compared lack the case of the names of fields, which queries go by.

    Raises:
        NotComputed: the names of fields are those of a computed row.
    """
    if "ROW<" not in type_:
        return type_
    if not isinstance(expr, Column) or expr.written_type is None:
        raise NotComputed(f"{name} is a computed row, of which the names of fields are not known.")
    return expr.written_type


def declared(state: str, columns: Sequence[str]) -> str:
    """The declaration of the table of a state, with columns and constraints as they are written."""
    return (
        f"CREATE TABLE {quoted(state)} ({', '.join(columns)})\n"
        f"WITH ('connector' = 'filesystem', 'path' = '{_PLACE}', 'format' = 'parquet');"
    )
