"""A whole job as Flink stores it: every operator with state, of every query, with its id and its layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import overload

from keepstate.physical.execution_nodes import ExecNode
from keepstate.physical.graph import JobIds
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


@dataclass(frozen=True, eq=False)
class StoredJob:
    """Content of a savepoint for a whole job. What belongs to one query is made for those who ask for that query."""

    options: PhysicalOptions
    queries: tuple[_Query, ...]
    names: JobIds

    @property
    def by_node(self) -> Mapping[str, OperatorId]:
        """The ids of all operators by the digests of their nodes."""
        return self.names.by_node

    @cached_property
    def pipelines(self) -> Sequence[StoredPipeline]:
        """In the order of ``Job.pipelines``."""
        return _Placed(self.queries, self.by_node)

    @cached_property
    def ids(self) -> frozenset[str]:
        """All ids under which something is stored."""
        ids, nodes = self.by_node, [node for query in self.queries for node in query.stored_nodes]
        return frozenset(
            [id_.value if (id_ := ids.get(node.digest)) is not None else _id_of(node, ids).value for node in nodes]
        )

    @cached_property
    def by_id(self) -> Mapping[str, StoredOperator]:
        """The operators of all queries by their ids."""
        return _ById(self)

    @cached_property
    def tables_by_id(self) -> Mapping[str, str]:
        """The tables that are read, by the ids of their sources."""
        ids = self.by_node
        return {
            id_.value if (id_ := ids.get(node.digest)) is not None else _id_of(node, ids).value: table
            for query in self.queries
            for node, table, _ in query.sources
        }

    def identity_of(self, place: int) -> Hashable:
        """A value that is the same for queries that store the same under the same ids."""
        query = self.queries[place]
        return query, tuple(_id_of(node, self.by_node) for node in query.stored_nodes)

    def has_ids_of(self, other: StoredJob) -> bool:
        """Return whether both jobs have the same graph, and so the same ids in the same places."""
        return self.names.names is other.names.names and self.names.names != ()

    def has_ids_in(self, place: int, other: StoredJob, counterpart: int) -> bool:
        """Return whether the query at ``place``, and at ``counterpart`` of another job, has the same ids in both."""
        nodes = self.queries[place].stored_nodes
        own, other_ids = ([ids.get(node.digest) for node in nodes] for ids in (self.by_node, other.by_node))
        return own == other_ids

    @staticmethod
    def of(job: Job, *, as_declared: bool = True, with_places: bool = False) -> StoredJob:
        """Return the content of a savepoint of ``job``. Without ``as_declared`` its queries call tables by names that
        only its catalog has. Without ``with_places`` the places of fields may be in former texts of the statements.
        """
        memo = job.script.memo
        every = _setups(job)
        plain = as_declared and job.catalog.unambiguous
        catalog = None if plain else job.catalog
        both = list(zip(job.pipelines, every, strict=True))
        keys = {own: _key(frozenset(), own) for own in dict.fromkeys(every)} if plain and not with_places else {}
        queries = tuple(
            [
                # Nearly all queries at nearly every keystroke.
                (one.planned.wording.results.get(keys[own]) if keys else None)
                or _query(_Written(one, catalog), own, memo, with_places)
                for one, own in both
            ]
        )
        # A scan that serves several queries reads the columns of all, so these queries have other digests and ids.
        if merged := _read_differently(queries):
            queries = tuple(
                [
                    query
                    if merged.isdisjoint(query.tables)
                    else _query(_Written(one, catalog, merged & query.tables), own, memo, with_places)
                    for query, (one, own) in zip(queries, both, strict=True)
                ]
            )
        options = every[0].options if every else PhysicalOptions()
        if not queries:
            return StoredJob(options, (), JobIds({}))
        first = job.pipelines[0].statement

        def made() -> StoredJob:
            ids = JobIds.of(tuple([query.root for query in queries]), options.naming, memo)
            return StoredJob(options, queries, ids)

        # A baseline is compared with many versions.
        return memo.get_or_compute(StoredJob, first, (queries, options), made)


_OF_QUERIES = (LENGTHS, MATERIALIZE)
"""The parameters that a stored query depends on beside ``PhysicalOptions``. Others are not there when it is made."""


@dataclass(frozen=True, eq=False)
class _Setup:
    """The options of a query, and its parameters of ``_OF_QUERIES``: one object for all equal ones of a memo."""

    options: PhysicalOptions
    values: tuple[str | None, ...]


def _setups(job: Job) -> list[_Setup]:
    """The setup of each query: of neighbours mostly the same, since SET is rare."""
    setups: list[_Setup] = []
    last: Settings | None = None
    for pipeline in job.pipelines:
        settings = pipeline.settings
        if last is not None and settings is last:
            setups.append(setups[-1])
            continue
        options = PhysicalOptions.of(settings, job.engine_version)
        values = tuple([settings[key].value if key in settings else None for key in _OF_QUERIES])
        key = _Setup, options, values
        setups.append(job.script.memo.shared(key, partial(_Setup, options, values)))
        last = settings
    return setups


@dataclass(frozen=True, eq=False)
class _Written:
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
            isinstance(other, _Written)
            and other.pipeline.plan is self.pipeline.plan
            and other.pipeline.statement is self.pipeline.statement
            and other.pipeline.definitions == self.pipeline.definitions
            and (other.catalog, other.merged) == (self.catalog, self.merged)
        )


@dataclass(frozen=True, eq=False)
class _Query:
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

    def placed(self, ids: Mapping[str, OperatorId]) -> StoredPipeline:
        operators = {
            number: replace(operator, id=_id_of(node, ids)) for number, (node, operator) in self.operators.items()
        }
        sources = tuple(StoredSource(table, number, _id_of(node, ids)) for node, table, number in self.sources)
        nodes = {number: node for node, _, number in self.sources}
        nodes |= {number: node for number, (node, _) in self.operators.items()}
        return StoredPipeline(operators, sources, nodes, self.root)


class _Placed(Sequence[StoredPipeline]):
    """The queries of a job with their ids."""

    def __init__(self, queries: Sequence[_Query], ids: Mapping[str, OperatorId]) -> None:
        self._queries = queries
        self._ids = ids
        self._made: dict[int, StoredPipeline] = {}

    def __len__(self) -> int:
        return len(self._queries)

    @overload
    def __getitem__(self, index: int) -> StoredPipeline: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[StoredPipeline]: ...
    def __getitem__(self, index: int | slice) -> StoredPipeline | Sequence[StoredPipeline]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        if place not in self._made:
            self._made[place] = self._queries[place].placed(self._ids)
        return self._made[place]


class _ById(Mapping[str, StoredOperator]):
    """The operators of a job by their ids; of two with one id the last one."""

    def __init__(self, job: StoredJob) -> None:
        self._pipelines, ids = job.pipelines, job.by_node
        self._places = {
            id_.value if (id_ := ids.get(node.digest)) is not None else _id_of(node, ids).value: (place, number)
            for place, query in enumerate(job.queries)
            for number, (node, _) in query.operators.items()
        }

    def __getitem__(self, id_: str) -> StoredOperator:
        place, number = self._places[id_]
        return self._pipelines[place].operators[number]

    def __contains__(self, id_: object) -> bool:
        return id_ in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _read_differently(queries: Iterable[_Query]) -> frozenset[str]:
    """Tables of which several scans read different columns: the planner may make one scan of them (``ScanReuser``)."""
    reads = Counter([table for table, _ in frozenset().union(*[query.reads for query in queries])])
    return frozenset([table for table, variants in reads.items() if variants > 1])


def _query(source: _Written, setup: _Setup, memo: Memo, with_places: bool) -> _Query:
    """The query as it is stored; kept for the next version of the job, and for queries in other words for the same."""
    pipeline = source.pipeline
    if source.catalog is None and not with_places:
        key = _key(source.merged, setup)
        return pipeline.planned.wording.get_or_compute(key, lambda: _of_storage(source, setup.options, memo, key))
    own = source, setup
    return memo.get_or_compute(_query, pipeline.statement, own, lambda: _built_query(source, setup.options, memo))


def _key(merged: frozenset[str], setup: _Setup) -> Hashable:
    """The key of a stored query among the results of all queries that say the same."""
    return _query, merged, setup


def _of_storage(source: _Written, options: PhysicalOptions, memo: Memo, key: Hashable) -> _Query:
    """The query, that of former declarations if these differ in columns that nothing reads and nothing keeps."""
    storage = source.pipeline.planned.storage
    # The answer follows from the plan and the connectors, which are the same for all queries of the class.
    if storage is None or not storage.get_or_compute(keeps_read_columns, lambda: _keeps_read_columns(source, memo)):
        return _built_query(source, options, memo)
    return storage.get_or_compute(key, lambda: _built_query(_of_former_plan(source, memo), options, memo))


def _keeps_read_columns(source: _Written, memo: Memo) -> bool:
    catalog = Catalog.of(source.pipeline.definitions, memo, of_query=True)
    return keeps_read_columns(source.pipeline.equivalent_plan, catalog)


def _of_former_plan(source: _Written, memo: Memo) -> _Written:
    """The query with the equal plan of a former text, if there is one in which its tables had the same columns."""
    plan = source.pipeline.equivalent_plan
    catalog = Catalog.of(source.pipeline.definitions, memo, of_query=True)
    has_same_columns = all(declared_columns(scan.table, catalog) == columns_of(scan) for scan in plan.scans)
    return replace(source, pipeline=source.pipeline.with_plan(plan)) if has_same_columns else source


def _built_query(source: _Written, options: PhysicalOptions, memo: Memo) -> _Query:
    settings = source.pipeline.settings
    pipeline = replace(source.pipeline, settings={key: settings[key] for key in _OF_QUERIES if key in settings})
    known_catalog = source.catalog
    catalog = known_catalog if known_catalog is not None else Catalog.of(pipeline.definitions, memo, of_query=True)
    # Layouts and ids follow from what Flink keeps, columns that nothing reads included.
    plan = pipeline.plan.as_held
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
    return _Query(query.root, operators, tuple(sources))


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


def _id_of(node: ExecNode, ids: Mapping[str, OperatorId]) -> OperatorId:
    id_ = ids.get(node.digest)
    return id_ if id_ is not None else OperatorId(node.digest, "its place in the job graph is not known")
