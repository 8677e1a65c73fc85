"""A whole job as Flink stores it: every operator with state, of every query, with its id and its layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

from keepstate.physical.execution_nodes import ExecNode
from keepstate.physical.graph import JobIds
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.stored_query import (
    QueryNodes,
    QuerySetup,
    StoredPipeline,
    WrittenQuery,
    id_of,
    setups_of,
    stored_key,
    stored_query,
)
from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Job, Pipeline
from keepstate.state.stored_operators import OperatorId, StoredOperator
from keepstate.syntax.contents import differing


@dataclass(frozen=True, eq=False)
class StoredJob:
    """Content of a savepoint for a whole job. What belongs to one query is made for those who ask for that query."""

    options: PhysicalOptions
    queries: tuple[QueryNodes, ...]
    names: JobIds
    filed: _Filed
    merged: frozenset[str] = frozenset()
    """The tables of which one scan serves several queries that read other columns each."""

    @property
    def by_node(self) -> Mapping[str, OperatorId]:
        """The ids of all operators by the digests of their nodes."""
        return self.names.by_node

    @cached_property
    def pipelines(self) -> Sequence[StoredPipeline]:
        """In the order of ``Job.pipelines``."""
        return _Placed(self.queries, self.by_node)

    @property
    def ids(self) -> frozenset[str]:
        """All ids under which something is stored."""
        return self.filed.ids

    @cached_property
    def by_id(self) -> Mapping[str, StoredOperator]:
        """The operators of all queries by their ids."""
        return _ById(self.pipelines, self.filed.places)

    @property
    def tables_by_id(self) -> Mapping[str, str]:
        """The tables that are read, by the ids of their sources."""
        return self.filed.tables

    def identity_of(self, place: int) -> Hashable:
        """A value that is the same for queries that store the same under the same ids."""
        query = self.queries[place]
        return query, tuple(id_of(node, self.by_node) for node in query.stored_nodes)

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
        plain = as_declared and job.catalog.unambiguous
        # A baseline is compared with many versions, and nearly all queries are those of the former version.
        former = memo.of_group(_FormerJobs, (), _FormerJobs) if plain and not with_places else None
        content = former.edited(job) if former is not None else None
        if content is None:
            every = setups_of(job)
            content = _content_of(job, every, None if plain else job.catalog, with_places)
            if former is not None:
                former.keep(_StoredVersion(job.pipelines, job.engine_version, every, content))
        return content

    def after_edits(self, queries: Mapping[int, QueryNodes]) -> StoredJob | None:
        """The job with some other queries at their places; ``None`` where the others may be stored in another way."""
        if self.merged:
            return None
        if not queries:
            return self
        now = list(self.queries)
        for place, query in queries.items():
            now[place] = query
        was = [self.queries[place] for place in queries]
        reads_alike = all(one.reads == other.reads for one, other in zip(was, queries.values(), strict=True))
        if not reads_alike and _read_differently(now):
            return None
        names = self.names.after_edits([each.root for each in was], [each.root for each in queries.values()])
        if names is None:
            return None
        both = zip(was, queries.values(), strict=True)
        is_filed_alike = all(one.filed(self.by_node) == other.filed(names.by_node) for one, other in both)
        filed = self.filed if is_filed_alike else _Filed(tuple(now), names.by_node)
        return StoredJob(self.options, tuple(now), names, filed)


def _content_of(job: Job, every: Sequence[QuerySetup], catalog: Catalog | None, with_places: bool) -> StoredJob:
    """The content of a savepoint; ``catalog`` for a job whose declarations depend on their places."""
    memo = job.script.memo
    both = list(zip(job.pipelines, every, strict=True))
    keys = (
        {own: stored_key(frozenset(), own) for own in dict.fromkeys(every)}
        if catalog is None and not with_places
        else {}
    )
    queries = tuple(
        [
            # The queries of a long script are known one by one.
            (one.planned.wording.results.get(keys[own]) if keys else None)
            or stored_query(WrittenQuery(one, catalog), own, memo, with_places)
            for one, own in both
        ]
    )
    # A scan that serves several queries reads the columns of all, so these queries have other digests and ids.
    if merged := _read_differently(queries):
        queries = tuple(
            [
                query
                if merged.isdisjoint(query.tables)
                else stored_query(WrittenQuery(one, catalog, merged & query.tables), own, memo, with_places)
                for query, (one, own) in zip(queries, both, strict=True)
            ]
        )
    options = every[0].options if every else PhysicalOptions()
    if not queries:
        return StoredJob(options, (), JobIds({}), _Filed((), {}))

    def made() -> StoredJob:
        ids = JobIds.of(tuple([query.root for query in queries]), options.naming, memo)
        return StoredJob(options, queries, ids, _Filed(queries, ids.by_node), merged)

    return memo.get_or_compute(StoredJob, job.pipelines[0].statement, (queries, options), made)


@dataclass(frozen=True, eq=False)
class _Filed:
    """The ids under which queries store anything, with what is stored there."""

    _queries: tuple[QueryNodes, ...] = field(repr=False)
    _ids: Mapping[str, OperatorId] = field(repr=False)

    @cached_property
    def ids(self) -> frozenset[str]:
        nodes = [node for query in self._queries for node in query.stored_nodes]
        return frozenset([self._value(node) for node in nodes])

    @cached_property
    def tables(self) -> Mapping[str, str]:
        """The tables that are read, by the ids of their sources."""
        return {self._value(node): table for query in self._queries for node, table, _ in query.sources}

    @cached_property
    def places(self) -> Mapping[str, tuple[int, int]]:
        """By the ids of operators, the place of the query and the number of the operator in it; of two operators with
        one id those of the last one.
        """
        return {
            self._value(node): (place, number)
            for place, query in enumerate(self._queries)
            for number, (node, _) in query.operators.items()
        }

    def _value(self, node: ExecNode) -> str:
        return id_of(node, self._ids).value


_VERSIONS = 4


@dataclass(frozen=True, eq=False)
class _StoredVersion:
    """A version of a job as it is stored, with what that follows from."""

    pipelines: tuple[Pipeline, ...]
    engine_version: str | None
    setups: Sequence[QuerySetup]
    content: StoredJob


class _FormerJobs:
    """The last jobs of a memo whose declarations do not depend on their places."""

    def __init__(self) -> None:
        self._last: list[_StoredVersion] = []

    def keep(self, version: _StoredVersion) -> None:
        self._last = [version, *self._last][:_VERSIONS]

    def edited(self, job: Job) -> StoredJob | None:
        """The job as it is stored, made of a former one that has nearly all of its queries; ``None``: none has."""
        pipelines = job.pipelines
        near = [
            each
            for each in self._last
            if each.engine_version == job.engine_version and len(each.pipelines) == len(pipelines)
        ]
        same = next((each for each in near if each.pipelines is pipelines), None)
        if same is not None:
            return same.content
        for each in near:
            places = differing(each.pipelines, pipelines)
            if any(each.pipelines[place].settings is not pipelines[place].settings for place in places):
                continue
            memo = job.script.memo
            queries = {
                place: stored_query(WrittenQuery(pipelines[place], None), each.setups[place], memo, False)
                for place in places
            }
            content = each.content.after_edits(
                {place: query for place, query in queries.items() if query is not each.content.queries[place]}
            )
            if content is not None:
                self.keep(_StoredVersion(pipelines, job.engine_version, each.setups, content))
                return content
        return None


class _Placed(Sequence[StoredPipeline]):
    """The queries of a job with their ids."""

    def __init__(self, queries: Sequence[QueryNodes], ids: Mapping[str, OperatorId]) -> None:
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
    """The operators of a job by their ids."""

    def __init__(self, pipelines: Sequence[StoredPipeline], places: Mapping[str, tuple[int, int]]) -> None:
        self._pipelines = pipelines
        self._places = places

    def __getitem__(self, id_: str) -> StoredOperator:
        place, number = self._places[id_]
        return self._pipelines[place].operators[number]

    def __contains__(self, id_: object) -> bool:
        return id_ in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _read_differently(queries: Iterable[QueryNodes]) -> frozenset[str]:
    """Tables of which several scans read different columns: the planner may make one scan of them (``ScanReuser``)."""
    reads = Counter([table for table, _ in frozenset().union(*[query.reads for query in queries])])
    return frozenset([table for table, variants in reads.items() if variants > 1])
