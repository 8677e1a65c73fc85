"""The queries of a script that can be run, those that are chosen, and a line for each one that cannot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from keepstate.plan.catalog import define
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.metadata.connectors import connector_of
from keepstate.plan.names.full_names import unreadable_names
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.plan.provenance import Place
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.script import Statement, parse_script
from keepstate_spark.errors import NoRows, NoSuchQuery, PipelineError
from keepstate_spark.jobs import Query, RunnableScript, TableLocations, query_of, refuse_other_rows, without_queries
from keepstate_spark.lowering.edges.first_rows import REASON, is_certain, is_result, turn_of, uncorrected_ranks
from keepstate_spark.refused_statements import RefusedStatement, refusals_of_flink, refusals_of_needs

_QUERY_WORDS = frozenset({"SELECT", "INSERT", "WITH", "VALUES"})
"""First words of queries, for those that cannot be read."""


def runnable(
    text: str,
    name: str,
    folder: Path,
    versions: Sequence[str | None],
    data: Mapping[str, str],
    parameters: Mapping[str, str],
    labels: Collection[str] = (),
    frames: Collection[str] | None = None,
) -> RunnableScript:
    """Return the script ``text`` with the queries that can be run; ``folder``, ``data`` and ``parameters`` are as for
    ``prepared``. The rows of the tables ``frames`` are in DataFrames; ``None`` where there can be none. ``refused`` of
    the script names the others.

    A query is not run if all ``versions`` of Flink refuse it (``None``: the newest), or something that it needs.
    ``labels`` holds numbers and names of queries; if empty, all queries are chosen. Refusals that no chosen query needs
    to know of are left out.

    Raises ``PipelineError`` for a script without a query, and ``NoSuchQuery`` for a choice that fits none.

    >>> script = runnable("SELECT 1; SELECT MAX(MAX(1))", "job.sql", Path(), [None], {}, {})
    >>> [query.name for query in script.queries]
    ['SELECT #1']
    >>> [line.partition(" (")[0] for line in script.refused]
    ['job.sql:1:18: SELECT #2 is not run']
    """
    parsed = parse_script(text)
    script = without_queries(parsed, name, data, parameters)
    listed = _Listed(script)
    if not listed.queries:
        raise PipelineError(f"{name} has no query to run: neither SELECT nor INSERT.")
    queries_taken = listed.select(labels)
    own = refusals_of_flink(parsed, versions, parameters)
    refusals = (*own, *refusals_of_needs(script.job, own))
    lines = [
        (refusal.span.start, listed.line(refusal))
        for refusal in refusals
        if not labels or listed.concerns(refusal, queries_taken)
    ]
    refused = {refusal.statement for refusal in refusals}
    places = TableLocations(folder, data, needs_rows=True, frames=frames or ())
    # Ververica Runtime without a version may be built on any Flink: it has the newest planner here.
    planner = PlannerGeneration.of_version(versions[0])
    queries = []
    for each in queries_taken:
        if each.statement in refused or each.pipeline is None:
            continue
        try:
            query = query_of(script, each.number, each.pipeline, places, planner)
            query = _with_first_rows(query, script, versions)
            refuse_other_rows(script, query)
            queries.append(query)
        except PipelineError as error:
            of_frames = frames is not None and isinstance(error, NoRows)
            words = f"{error.sentence} Give them in tables." if of_frames else str(error)
            lines.append((script.job.statement_of(each.pipeline).span.start, words))
    return replace(script, queries=tuple(queries), refused=tuple(line for _, line in sorted(lines)))


def _with_first_rows(query: Query, script: RunnableScript, versions: Sequence[str | None]) -> Query:
    """``query`` with the rankings of which Flink takes no first row back.

    Raises ``PipelineError`` where it is not known which rows were the first ones for a time, or which a sink keeps.
    """
    if not query.is_streaming:
        return query
    catalog, plan = script.job.catalog, query.pipeline.plan
    table = catalog.tables.get(query.pipeline.sink or "")
    is_keyed = table is not None and connector_of(catalog.options_of(table)) != "print"
    key = catalog.primary_key_of(table)[0] if table is not None and is_keyed else ()
    sources = [column.source for column in query.sink if column.name in key]
    keys = frozenset(plan.output[source] for source in sources if source is not None)
    turns: dict[Place, Expr | None] = {}
    for rank in uncorrected_ranks(plan, updating_tables(query.catalog), versions, keys):
        is_known = is_certain(plan, rank) and not query.allowed_lateness and not (keys and is_result(plan, rank))
        if rank.order_place is None or not is_known:
            raise script.refusal(query, REASON, rank.order_place or rank.place)
        turns[rank.order_place] = turn_of(rank)
    return replace(query, first_rows=turns)


@dataclass(frozen=True)
class _ListedQuery:
    """A query of a script: the ``number`` and ``name`` of its results, and the number of its ``statement``.
    ``pipeline`` is ``None`` for one that cannot be read.
    """

    number: int
    name: str
    statement: int
    pipeline: Pipeline | None

    def is_called(self, choice: str) -> bool:
        sink = self.pipeline.sink if self.pipeline is not None else None
        return choice in (str(self.number), self.name, sink)


@dataclass(frozen=True)
class _Listed:
    """The queries of a script without queries, in its order."""

    script: RunnableScript

    @cached_property
    def queries(self) -> tuple[_ListedQuery, ...]:
        parsed = self.script.job.script
        pipelines = {pipeline.number + 1: pipeline for pipeline in self.script.job.pipelines}
        result: list[_ListedQuery] = []
        for statement, each in enumerate(parsed.statements, 1):
            pipeline = pipelines.get(statement)
            if pipeline is not None:
                result.append(_ListedQuery(len(result) + 1, pipeline.name, statement, pipeline))
            elif _is_unread_query(each):
                line = self.script.at(each.span).split(":")[-2]
                name = f"{each.parsed.head_tokens[0].word} of line {line}"
                result.append(_ListedQuery(len(result) + 1, name, statement, None))
        return tuple(result)

    def select(self, choices: Collection[str]) -> tuple[_ListedQuery, ...]:
        """The queries that one of ``choices`` names; all of them if there is no choice."""
        for choice in choices:
            if not any(query.is_called(choice) for query in self.queries):
                names = ", ".join(f"{query.number} ({query.name})" for query in self.queries)
                sentence = f"--query names {choice}, which is no query of {self.script.name}."
                raise NoSuchQuery(sentence, f"Its queries: {names}.")
        return tuple(
            query for query in self.queries if not choices or any(query.is_called(choice) for choice in choices)
        )

    def concerns(self, refusal: RefusedStatement, queries: Sequence[_ListedQuery]) -> bool:
        """Return whether a refusal is about one of the queries, or about a declaration that it needs."""
        if any(query.statement == refusal.statement for query in queries):
            return True
        if not refusal.statement:
            return False
        refused = self.script.job.script.statements[refusal.statement - 1].parsed
        pipelines = [query.pipeline for query in queries if query.pipeline is not None]
        unread = unreadable_names([refused])
        return any(
            refused in pipeline.definitions or not unread.isdisjoint(scan.table for scan in pipeline.plan.scans)
            for pipeline in pipelines
        )

    def line(self, refusal: RefusedStatement) -> str:
        """The line about a refusal: place, statement, rule and reason."""
        query = next((query for query in self.queries if query.statement == refusal.statement), None)
        if query is not None:
            words = f"{query.name} is not run"
        else:
            words = f"{self._label(refusal)} is refused"
        return f"{self.script.at(refusal.span)}: {words} ({refusal.rule}): {refusal.reason}"

    def _label(self, refusal: RefusedStatement) -> str:
        if not refusal.statement:
            return self.script.name
        statement = self.script.job.script.statements[refusal.statement - 1].parsed
        definition = define(statement)
        names = sorted(unreadable_names([statement]))
        if definition is not None:
            return definition.name
        return names[0] if names else "A statement"


def _is_unread_query(statement: Statement) -> bool:
    if statement.kind is not StatementKind.BROKEN:
        return False
    return statement.parsed.head_tokens[0].word in _QUERY_WORDS
