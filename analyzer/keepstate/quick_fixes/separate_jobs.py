"""A new metric in a job of its own: the file for it. The former job then keeps its state.

A second INSERT beside the first one is no solution: another query with state in the same job is incompatible (SNK-04).
So the result is the text of another file, with the declarations that the query needs, a sink of its own and the query
with its keys and the new metric alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from keepstate.comparison import Comparison
from keepstate.job_version import job_of
from keepstate.plan.catalog import TableDefinition
from keepstate.plan.expressions import AggregateCall
from keepstate.plan.growth import GrowsTooLarge, NestsTooDeeply
from keepstate.plan.job import Job, Pipeline, written_plan
from keepstate.plan.lowering.sink_columns import InsertTarget, target_of
from keepstate.plan.operators import Unsupported
from keepstate.quick_fixes.consumers import EARLIEST, START, own_consumer, starts_from_group
from keepstate.quick_fixes.lists import separator
from keepstate.report import Finding
from keepstate.syntax.reserved import quoted
from keepstate.syntax.script import Script, Statement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.text import Edit, Span, apply_edits

ADDED = frozenset({"aggregate-added", "first-aggregate-added", "distinct-aggregate-added"})
"""Rules about a metric more."""
_CONTEXT = (
    StatementKind.SET,
    StatementKind.RESET,
    StatementKind.USE,
    StatementKind.CREATE_OTHER,
)
"""Kinds of statements that apply to all queries of a script."""
_UNDONE = (StatementKind.DROP, StatementKind.ALTER)
DESTINATIONS = frozenset({"topic", "topics", "table-name", "tablename", "table", "path", "index", "collection", "key"})
"""Options that say where the rows of a sink go."""
_PLACEHOLDER = "<where the rows of {} go>"
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")
_NOT_IN_NAMES = re.compile(r"\W+")


@dataclass(frozen=True)
class SeparateJob:
    """The text of another file; ``suffix`` is to be put behind the name of the present one, in front of its ending."""

    suffix: str
    text: str
    metrics: tuple[str, ...]
    """The select items that moved, as they were written."""
    open_point: Span | None = None
    """The first text that only the user can write: the place of the sink's rows, its declaration, or a start."""


def separate_job(comparison: Comparison, finding: Finding, others: Sequence[Finding]) -> SeparateJob | None:
    """Return the job that computes the metrics of ``finding`` and ``others``, of one query; ``None`` if it cannot be
    made.
    """
    job = comparison.current
    pipelines = [one for one in job.pipelines if job.statement_of(one).span.contains(finding.current.span)]
    if len(pipelines) != 1 or any(statement.kind in _UNDONE for statement in job.script.statements):
        return None
    query = _Query.of(pipelines[0], job)
    if query is None:
        return None
    spans = [one.current.span for one in (finding, *others)]
    metrics = [item for item in query.aggregated if any(item.span.contains(span) for span in spans)]
    if not metrics or any(not any(item.span.contains(span) for item in metrics) for span in spans):
        # It is used elsewhere (in HAVING, in a subquery), where it cannot be moved from.
        return None
    separate = _Draft(query, job, tuple(metrics)).build()
    return separate if _does_the_same(separate.text, comparison, query, len(metrics)) else None


def same_query(script: Script, one: Finding, other: Finding) -> bool:
    """Return whether both findings are in one statement."""
    return any(
        statement.span.contains(one.current.span) and statement.span.contains(other.current.span)
        for statement in script.statements
    )


@dataclass(frozen=True)
class _Item:
    """A select item; ``number`` is its place in the list."""

    number: int
    span: Span
    """Of the whole script."""
    text: str
    name: str


@dataclass(frozen=True)
class _Query:
    """An INSERT of one plain SELECT with GROUP BY."""

    pipeline: Pipeline
    statement: Statement
    target: InsertTarget
    table: exp.Expression
    """The target of INSERT INTO, with its list of columns."""
    keys: tuple[_Item, ...]
    """The items without an aggregate."""
    aggregated: tuple[_Item, ...]

    @staticmethod
    def of(pipeline: Pipeline, job: Job) -> _Query | None:
        statement = job.statement_of(pipeline)
        tree, target = statement.tree, target_of(statement.parsed)
        select = tree.expression if isinstance(tree, exp.Insert) else None
        if target is None or not isinstance(select, exp.Select) or select.args.get("group") is None:
            return None
        if select.args.get("distinct") or target.fixed or target.by_name or target.options:
            return None
        try:
            output = written_plan(statement.parsed, job.catalog).output
        except (GrowsTooLarge, NestsTooDeeply, RecursionError):
            # It is not planned, so nothing is known of its columns either.
            return None
        if len(output) != len(select.expressions):
            return None
        keys: list[_Item] = []
        aggregated: list[_Item] = []
        for number, (item, expr) in enumerate(zip(select.expressions, output, strict=True)):
            span = span_of(item)
            if span is None:
                return None
            text = span.of(statement.text)
            select_item = _Item(
                number, span.shift(statement.span.start), text, item.alias_or_name or _function_name(text)
            )
            (aggregated if any(isinstance(part, AggregateCall) for part in expr.walk()) else keys).append(select_item)
        assert tree is not None
        return _Query(pipeline, statement, target, tree.this, tuple(keys), tuple(aggregated)) if keys else None


@dataclass(frozen=True)
class _Draft:
    query: _Query
    job: Job
    metrics: tuple[_Item, ...]

    @property
    def items(self) -> tuple[_Item, ...]:
        return (*self.query.keys, *self.metrics)

    def build(self) -> SeparateJob:
        label = "_".join(_NOT_IN_NAMES.sub("_", item.name).strip("_") for item in self.metrics) or "metric"
        sink = self._free(f"{self.query.target.name.rpartition('.')[2]}_{label}")
        names = ", ".join(" ".join(item.text.split()) for item in self.metrics)
        declaration = self._sink(sink)
        statements = self._required_statements()
        parts = [
            f"-- {names}: a job of its own.\n"
            "-- Deployed beside the former job it starts without state, and the former one keeps all of its own."
            + self._starts(statements),
            *(f"{self._text(statement, sink)};" for statement in statements),
            declaration or f"-- Declare {sink} ({', '.join(item.name for item in self.items)}), or name another sink.",
        ]
        separator = "\n\n" if declaration is not None else "\n"
        text = "\n\n".join(parts) + f"{separator}{self._insert(sink)};\n"
        if "\r\n" in self.job.script.text:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        unwritten = _PLACEHOLDER.format(sink), f"Declare {sink} (", f"'{START}' = '{EARLIEST}'"
        return SeparateJob(f"_{label}", text, tuple(item.text for item in self.metrics), _first_of(unwritten, text))

    def _required_statements(self) -> list[Statement]:
        """The statements that the query needs, in the order of the script; its sink only if it reads that as well."""
        sink = self._declared
        texts = {definition.text for definition in self.query.pipeline.definitions}
        if sink is not None and sink.name not in self.query.pipeline.plan.sources:
            texts.discard(sink.statement.text)
        return [
            statement
            for statement in self.job.script.statements
            if statement.kind in _CONTEXT or statement.text in texts
        ]

    def _text(self, statement: Statement, sink: str) -> str:
        """A statement as the other job needs it: tables that it reads have a consumer group of their own."""
        table = self._tables.get(statement.text)
        return statement.text if table is None else own_consumer(table, sink)

    def _starts(self, statements: Sequence[Statement]) -> str:
        """The comment on the tables whose start was chosen here, since no consumer group has offsets for them."""
        tables = (self._tables.get(statement.text) for statement in statements)
        names = [table.name for table in tables if table is not None and starts_from_group(table)]
        if not names:
            return ""
        return f"\n-- Choose the start of {', '.join(names)}: '{EARLIEST}' counts all rows that the topic still has."

    @property
    def _tables(self) -> dict[str, TableDefinition]:
        """The tables that the script declares, by the text of the declaration."""
        return {table.statement.text: table for table in self.job.catalog.tables.values()}

    @property
    def _declared(self) -> TableDefinition | None:
        return self.job.catalog.tables.get(self.query.target.name)

    def _insert(self, sink: str) -> str:
        """The statement with another target and fewer items; all else stays as it was written."""
        statement = self.query.statement
        target = span_of(self.query.table)
        items = sorted((*self.query.keys, *self.query.aggregated), key=lambda item: item.number)
        start = statement.span.start
        assert target is not None
        selected = Span(items[0].span.start - start, items[-1].span.end - start)
        comma = separator(statement.text, [item.span.shift(-start) for item in items])
        edits = (Edit(target, quoted(sink)), Edit(selected, comma.join(item.text for item in self.items)))
        return apply_edits(statement.text, edits)

    def _sink(self, name: str) -> str | None:
        """Return a declaration modelled on that of the former sink; ``None`` if that one is incomplete."""
        table = self._declared
        if table is None or table.like is not None or not table.complete:
            return None
        filled = self.query.target.filled(self.job.catalog, tuple(item.name for item in self.items))
        declared = {column.name: column for column in table.columns}
        numbers = [item.number for item in self.items]
        if max(numbers) >= len(filled) or any(filled[number] not in declared for number in numbers):
            return None
        columns = [filled[number] for number in numbers]
        lines = [declared[column].place.text for column in columns]
        if table.primary_key:
            if not set(table.primary_key) <= set(columns):
                return None
            lines.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))}) NOT ENFORCED")
        options = [f"  {_option(key, option.value, name)}" for key, option in table.options.items()]
        body = ",\n".join(f"  {line}" for line in lines)
        return f"CREATE TABLE {quoted(name)} (\n{body}\n) WITH (\n" + ",\n".join(options) + "\n);"

    def _free(self, name: str) -> str:
        """``name``, with a number where the script already declares it."""
        taken_names = {*self.job.catalog.tables, *self.job.catalog.views}
        number = 2
        candidate = name
        while candidate in taken_names:
            candidate, number = f"{name}_{number}", number + 1
        return candidate


def _first_of(parts: Sequence[str], text: str) -> Span | None:
    """The place of the first part that a text contains."""
    starts = ((text.find(part), part) for part in parts)
    return next((Span(start, start + len(part)) for start, part in starts if start >= 0), None)


def _does_the_same(text: str, comparison: Comparison, query: _Query, metrics: int) -> bool:
    """Return whether the new text can be parsed and planned as one query of the same operators that computes the
    metrics.
    """
    job = job_of(replace(comparison.current_version, text=text), comparison.current.script.memo)
    if job.script.problems or len(job.pipelines) != 1:
        return False
    plan, former = job.pipelines[0].plan, query.pipeline.plan
    if any(isinstance(operator, Unsupported) for operator in plan.operators):
        return False
    kinds = [[type(operator) for operator in side.operators] for side in (plan, former)]
    return kinds[0] == kinds[1] and len(plan.output) == len(query.keys) + metrics


def _option(key: str, value: str, sink: str) -> str:
    """Return an option of the former sink. The destination of the rows has to be set anew."""
    is_place = key.lower().rpartition(".")[2] in DESTINATIONS
    text = _PLACEHOLDER.format(sink) if is_place else value
    return "'{}' = '{}'".format(key.replace("'", "''"), text.replace("'", "''"))


def _function_name(text: str) -> str:
    """A name for an item without alias: the function that it calls."""
    match = _PLAIN_NAME.match(text)
    return match[0].lower() if match else "metric"
