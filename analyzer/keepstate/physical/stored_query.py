"""A query as Flink stores it: its operators and sources with state, apart from their ids, which the job determines."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from keepstate.physical.execution_nodes import ExecNode
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.layouts.input_determinants import filters, idle_lookups, inputs
from keepstate.physical.layouts.join_layouts import set_join_layout
from keepstate.physical.layouts.layout_context import LayoutContext
from keepstate.physical.layouts.operator_layouts import stored_parts
from keepstate.physical.read_columns import columns_of, declared_columns, keeps_read_columns
from keepstate.physical.translation.exec_nodes import bare, translate
from keepstate.physical.translation.sinks import LENGTHS, Sink
from keepstate.physical.translation.translated_query import TranslatedQuery
from keepstate.physical.upsert_state import materialized, needs_order, normalized
from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.metadata.monotonicity import ChangingSources
from keepstate.plan.operators import (
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    expressions_of,
)
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.plan.settings import Settings
from keepstate.plan.upsert_keys import MATERIALIZE
from keepstate.state.stored_operators import OperatorId, StatePart, StoredOperator
from keepstate.syntax.memo import Memo

SINK = -1
"""The number of the operator in front of a sink, which is none of the plan."""


def join_below(number: int) -> int:
    """The place of the join that is planned for the set operation of this number, below its aggregation."""
    return SINK - 1 - number


@dataclass(frozen=True)
class StoredSource:
    """A source keeps how far it has read. ``number`` counts the operators of its plan."""

    table: str
    number: int
    id: OperatorId


@dataclass(frozen=True)
class StoredPipeline:
    """Content of a savepoint for one query, by the numbers of its plan's operators."""

    operators: dict[int, StoredOperator]
    """Stored operators by number; ``SINK`` is the operator in front of the sink, ``join_below`` of a number the join
    below that aggregation.
    """
    sources: tuple[StoredSource, ...]
    nodes: Mapping[int, ExecNode]
    """The nodes of these operators and sources."""
    root: ExecNode
    """The node that the query ends in."""

    @property
    def ids(self) -> Iterator[str]:
        """The ids under which it stores anything."""
        yield from (operator.id.value for operator in self.operators.values())
        yield from (source.id.value for source in self.sources)


_OF_QUERIES = (LENGTHS, MATERIALIZE)
"""The parameters that a stored query depends on beside ``PhysicalOptions``. Others are not there when it is made."""


@dataclass(frozen=True, eq=False)
class QuerySetup:
    """The options of a query, and its parameters of ``_OF_QUERIES``: one object for all equal ones of a memo."""

    options: PhysicalOptions
    values: tuple[str | None, ...]


def setups_of(job: Job) -> list[QuerySetup]:
    """The setup of each query: of neighbours mostly the same, since SET is rare."""
    setups: list[QuerySetup] = []
    last: Settings | None = None
    for pipeline in job.pipelines:
        settings = pipeline.settings
        if last is not None and settings is last:
            setups.append(setups[-1])
            continue
        options = PhysicalOptions.of(settings, job.engine_version)
        values = tuple([settings[key].value if key in settings else None for key in _OF_QUERIES])
        key = QuerySetup, options, values
        setups.append(job.script.memo.shared(key, partial(QuerySetup, options, values)))
        last = settings
    return setups


@dataclass(frozen=True, eq=False)
class WrittenQuery:
    """A query as a key of a cache: plans are large, and the same ones come again at every keystroke. It has the
    declarations that it reaches, unless these depend on its place: then the ``catalog`` of all of them. ``merged`` are
    those of its tables that the job reads more than once, with other columns each time.
    """

    pipeline: Pipeline
    catalog: Catalog | None
    merged: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # Each statement has the few results of its own.
        return hash(self.merged)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WrittenQuery)
            and other.pipeline.plan is self.pipeline.plan
            and other.pipeline.statement is self.pipeline.statement
            and other.pipeline.definitions == self.pipeline.definitions
            and (other.catalog, other.merged) == (self.catalog, self.merged)
        )


@dataclass(frozen=True, eq=False)
class QueryNodes:
    """A query whose nodes have no ids yet: these depend on the other queries of the job."""

    root: ExecNode
    operators: dict[int, tuple[ExecNode, StoredOperator]]
    sources: tuple[tuple[ExecNode, str, int], ...]

    @cached_property
    def reads(self) -> frozenset[tuple[str, str]]:
        """The tables that are read, each with the digest of its scan."""
        return frozenset((table, node.digest) for node, table, _ in self.sources)

    @cached_property
    def tables(self) -> frozenset[str]:
        return frozenset(table for _, table, _ in self.sources)

    @cached_property
    def stored_nodes(self) -> tuple[ExecNode, ...]:
        """The nodes under whose ids it stores anything."""
        return (*(node for node, _ in self.operators.values()), *(node for node, _, _ in self.sources))

    def filed(self, ids: Mapping[str, OperatorId]) -> tuple[object, ...]:
        """The ids under which it stores anything, with the numbers of the operators and the tables of the sources."""
        operators = [(number, id_of(node, ids).value) for number, (node, _) in self.operators.items()]
        return operators, [(table, id_of(node, ids).value) for node, table, _ in self.sources]

    def placed(self, ids: Mapping[str, OperatorId]) -> StoredPipeline:
        operators = {
            number: replace(operator, id=id_of(node, ids)) for number, (node, operator) in self.operators.items()
        }
        sources = tuple(StoredSource(table, number, id_of(node, ids)) for node, table, number in self.sources)
        nodes = {number: node for node, _, number in self.sources}
        nodes |= {number: node for number, (node, _) in self.operators.items()}
        return StoredPipeline(operators, sources, nodes, self.root)


def stored_query(source: WrittenQuery, setup: QuerySetup, memo: Memo, with_places: bool) -> QueryNodes:
    """The query as it is stored; kept for the next version of the job, and for queries in other words for the same."""
    pipeline = source.pipeline
    if source.catalog is None and not with_places:
        key = stored_key(source.merged, setup)
        return pipeline.planned.wording.get_or_compute(key, lambda: _of_storage(source, setup.options, memo, key))
    own = source, setup
    return memo.get_or_compute(stored_query, pipeline.statement, own, lambda: _built_query(source, setup.options, memo))


def stored_key(merged: frozenset[str], setup: QuerySetup) -> Hashable:
    """The key of a stored query among the results of all queries that say the same."""
    return stored_query, merged, setup


def _of_storage(source: WrittenQuery, options: PhysicalOptions, memo: Memo, key: Hashable) -> QueryNodes:
    """The query, that of former declarations if these differ in columns that nothing reads and nothing keeps."""
    storage = source.pipeline.planned.storage
    # The answer follows from the plan and the connectors, which are the same for all queries of the class.
    if storage is None or not storage.get_or_compute(keeps_read_columns, lambda: _keeps_read_columns(source, memo)):
        return _built_query(source, options, memo)
    return storage.get_or_compute(key, lambda: _built_query(_of_former_plan(source, memo), options, memo))


def _keeps_read_columns(source: WrittenQuery, memo: Memo) -> bool:
    catalog = Catalog.of(source.pipeline.definitions, memo, of_query=True)
    return keeps_read_columns(source.pipeline.equivalent_plan, catalog)


def _of_former_plan(source: WrittenQuery, memo: Memo) -> WrittenQuery:
    """The query with the equal plan of a former text, if there is one in which its tables had the same columns."""
    plan = source.pipeline.equivalent_plan
    catalog = Catalog.of(source.pipeline.definitions, memo, of_query=True)
    has_same_columns = all(declared_columns(scan.table, catalog) == columns_of(scan) for scan in plan.scans)
    return replace(source, pipeline=source.pipeline.with_plan(plan)) if has_same_columns else source


def _built_query(source: WrittenQuery, options: PhysicalOptions, memo: Memo) -> QueryNodes:
    settings = source.pipeline.settings
    pipeline = replace(source.pipeline, settings={key: settings[key] for key in _OF_QUERIES if key in settings})
    known_catalog = source.catalog
    catalog = known_catalog if known_catalog is not None else Catalog.of(pipeline.definitions, memo, of_query=True)
    # Layouts and ids follow from what Flink keeps, columns that nothing reads included.
    plan = pipeline.plan.as_held(PlannerGeneration.of(options.flink))
    sink = Sink.of(pipeline, catalog, options.flink)
    query = translate(plan.root, plan.row, sink, needs_order(pipeline, catalog), catalog, options, source.merged)
    context = LayoutContext(options, catalog, ChangingSources.of(catalog, options.flink, plan.sources))
    idle = idle_lookups(plan, catalog)
    operators: dict[int, tuple[ExecNode, StoredOperator]] = {}
    sources: list[tuple[ExecNode, str, int]] = []
    for operator in plan.operators:
        number = operator.number
        if isinstance(operator, TableSourceScan) and number in query.sources:
            sources.append((query.sources[number], operator.table, number))
            if number in query.normalized:
                normal = query.normalized[number]
                operators[number] = normal.node, normalized(operator, normal, number, catalog)
        join = query.joins.get(number)
        if join is not None and isinstance(operator, SetOperation):
            operators[join_below(number)] = join, _read(operator, set_join_layout(operator, context), number, idle)
        node = query.stateful.get(number)
        if node is not None:
            near = replace(_layout_context(operator, query, context), numbered=_is_numbered(operator, plan))
            operators[number] = node, _stored_operator(operator, number, near, idle)
    if query.materializer is not None:
        operators[SINK] = query.materializer, materialized(pipeline, SINK, catalog)
    return QueryNodes(query.root, operators, tuple(sources))


def _is_numbered(operator: Operator, plan: Plan) -> bool:
    """Return whether the query outputs the number of a ranking, or reads it elsewhere than in the condition that limits
    it.
    """
    if not isinstance(operator, Rank):
        return False
    above = (expr for other in plan.operators if other is not operator for expr in expressions_of(other))
    return any(node == operator.rank_number for expr in (*plan.output, *above) for node in expr.walk())


def _stored_operator(operator: Operator, number: int, context: LayoutContext, idle: frozenset[int]) -> StoredOperator:
    parts = stored_parts(operator, context)
    if parts is None:
        unknown = f"what Flink stores for {operator.title} is not modelled"
        parts = StoredOperator(operator.title, meanings=((StatePart.KIND, bare(operator)),), unknown_reason=unknown)
    if isinstance(operator, (OverAggregate, TemporalSort)):
        parts = replace(
            parts, meanings=(*parts.meanings, (StatePart.WATERMARK, _watermarks(operator, context.catalog)))
        )
    return _read(operator, parts, number, idle)


def _watermarks(operator: Operator, catalog: Catalog) -> tuple[frozenset[tuple[Expr, Expr]], ...]:
    """Return the watermarks of the sources below, which determine how long rows wait for their time."""
    scans = (node for node in operator.walk() if isinstance(node, TableSourceScan))
    tables = (catalog.tables.get(scan.table) for scan in scans)
    return tuple(_watermarks_of(table, catalog) if table is not None else frozenset() for table in tables)


def _watermarks_of(table: TableDefinition, catalog: Catalog) -> frozenset[tuple[Expr, Expr]]:
    """Return the watermarks of a table by their meaning, without the table's name and in one unit."""

    def step(node: Expr) -> Expr:
        return replace(node, table="", type=None) if isinstance(node, Column) else node

    return frozenset((time.rewrite(step), mark.rewrite(step)) for time, mark in watermarks_of(table, catalog).items())


def _read(operator: Operator, parts: StoredOperator, number: int, idle: frozenset[int]) -> StoredOperator:
    meanings = (*parts.meanings, (StatePart.FILTER, filters(operator)), (StatePart.INPUT, inputs(operator, idle)))
    return replace(parts, number=number, meanings=meanings)


def _layout_context(operator: Operator, query: TranslatedQuery, context: LayoutContext) -> LayoutContext:
    return replace(context, keys=query.key_orders.get(operator.number), row=query.rows.get(operator.number))


def id_of(node: ExecNode, ids: Mapping[str, OperatorId]) -> OperatorId:
    id_ = ids.get(node.digest)
    return id_ if id_ is not None else OperatorId(node.digest, "its place in the job graph is not known")
