"""Pairing of the stored operators of the baseline with those of the current version, pipeline by pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import overload

from keepstate.diff.operator_pairing import match_operators
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.stored_job import StoredJob
from keepstate.physical.stored_query import SINK, StoredPipeline, StoredSource, join_below
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.operators import Operator, TableSourceScan, WindowTableFunction
from keepstate.plan.provenance import Place
from keepstate.state.stored_operators import StatePart, StoredOperator
from keepstate.state.stored_queries import Numbers
from keepstate.syntax.contents import differing
from keepstate.text import Span

_BY_KEY_ALONE = frozenset({"GroupAggregate", "Rank", "Deduplicate", "SinkUpsertMaterializer"})
"""Operators that look at the state of a key when a row of it comes, and at no other time."""


@dataclass(frozen=True)
class PairOfPipelines:
    """Two versions of a query as Flink stores them."""

    operators: tuple[tuple[StoredOperator | None, StoredOperator | None], ...]
    plans: tuple[Plan, Plan]
    """Their places may be in former texts of the statements."""
    by_id_before: Mapping[str, StoredOperator]
    by_id_after: Mapping[str, StoredOperator]
    """All operators of either job by their ids."""
    lost_sources: tuple[tuple[StoredSource, str], ...] = ()
    """Sources of the baseline whose offsets nothing takes, each with a doubt about it."""
    swapped_sources: tuple[tuple[StoredSource, str], ...] = ()
    """Sources whose offsets another table takes, with the name of that table."""
    stops: bool = False
    """State of the baseline has an id that is gone, in this query or another one."""
    _tables: dict[Numbers, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def doubt_after(self) -> str:
        return next((operator.id.doubt for operator in self.by_id_after.values() if operator.id.doubt), "")

    def is_below(self, numbers: Numbers, top: Numbers) -> bool:
        """Return whether one of the operators ``numbers`` is below the operator of ``top`` on the same side."""
        return any(
            number is not None and own is not None and number in below.get(own, frozenset())
            for number, own, below in zip(numbers, top, self._below, strict=True)
        )

    def tables(self, numbers: Numbers) -> frozenset[str]:
        """The source tables that an operator reads, directly or through those below it."""
        # Each difference asks for those of each change.
        if numbers not in self._tables:
            self._tables[numbers] = frozenset(
                operator.table
                for own, below, plan in zip(numbers, self._below, self.plans, strict=True)
                if own is not None
                for number in (own, *below.get(own, frozenset()))
                if isinstance(operator := plan.by_number.get(number), TableSourceScan)
            )
        return self._tables[numbers]

    def makes_windows(self, numbers: Numbers) -> bool:
        """Return whether an operator is a window function with state of its own: the operators above then report its
        windows.
        """
        return any(
            number is not None and _makes_windows(plan, number)
            for number, plan in zip(numbers, self.plans, strict=True)
        )

    def feeds_state(
        self, before: StoredOperator | None, after: StoredOperator | None, keys: frozenset[Expr] = frozenset()
    ) -> bool:
        """Return whether an operator gives its rows to another one with state, on both sides.

        With ``keys``: to one that does not keep rows with different values of ``keys`` apart.
        """
        numbers = (before.number if before else None, after.number if after else None)
        pairs = [(one, other) for one, other in self.operators if one is not None and other is not None]
        mixing = [both for both in pairs if not (keys and all(_keeps_apart(one, keys) for one in both))]
        return any(self._is_below_both(numbers, (one.number, other.number)) for one, other in mixing)

    def _is_below_both(self, numbers: Numbers, top: Numbers) -> bool:
        return all(
            number is not None and own is not None and number in below.get(own, frozenset())
            for number, own, below in zip(numbers, top, self._below, strict=True)
        )

    @cached_property
    def _below(self) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
        return _descendants(self.plans[0]), _descendants(self.plans[1])


@dataclass(frozen=True, eq=False)
class PairedJobs:
    """Two versions of a job as they are stored, with their ``pipeline_pairs`` pipelines."""

    options: PhysicalOptions
    pipeline_pairs: Sequence[tuple[Pipeline | None, Pipeline | None]]
    before: StoredJob
    after: StoredJob
    numbers: tuple[Numbers, ...]
    """For each pair the numbers of its pipelines, in ``before`` and in ``after``."""
    is_in_order: bool = False
    """Each pipeline has its counterpart at its own place."""
    _pairs_by_number: dict[int, PairOfPipelines | None] = field(default_factory=dict, repr=False)

    @property
    def pairs(self) -> Sequence[PairOfPipelines | None]:
        """The pairs, ``None`` for a pipeline that is on one side only; each is made for those who ask for it."""
        return _Pairs(self)

    @cached_property
    def stops(self) -> bool:
        """Return whether state of the baseline has an id that is gone."""
        return self.before.ids is not self.after.ids and not self.before.ids <= self.after.ids

    @cached_property
    def untouched(self) -> frozenset[int]:
        """The numbers of the pairs that both versions store alike, with the same declarations, under the same ids."""
        before, after = self.before, self.after
        queries, other_queries, same_ids = before.queries, after.queries, before.has_ids_of(after)
        if same_ids and self.is_in_order:
            return frozenset(range(len(queries))).difference(differing(queries, other_queries))
        return frozenset(
            [
                pair
                for pair, (was, now) in enumerate(self.numbers)
                if was is not None
                and now is not None
                and queries[was] is other_queries[now]
                and ((same_ids and was == now) or before.has_ids_in(was, after, now))
            ]
        )

    def lost_ids(self, pair: int) -> bool:
        """Return whether the baseline's pipeline of a pair stored state under an id that the current job lacks."""
        number = self.numbers[pair][0]
        ids = self.before.pipelines[number].ids if number is not None else ()
        return any(id_ not in self.after.ids for id_ in ids)

    def pair(self, number: int) -> PairOfPipelines | None:
        """A pair of pipelines."""
        if number not in self._pairs_by_number:
            self._pairs_by_number[number] = self._pair(number)
        return self._pairs_by_number[number]

    def _pair(self, pair: int) -> PairOfPipelines | None:
        (was, now), number = self.pipeline_pairs[pair], self.numbers[pair]
        if was is None or now is None or number[0] is None or number[1] is None:
            return None
        before, after = self.before, self.after
        pipelines = before.pipelines[number[0]], after.pipelines[number[1]]
        # The offsets of a source are state as well: where its id is gone, the restore fails.
        lost_sources = [(one, one.id.doubt) for one in pipelines[0].sources if one.id.value not in after.ids]
        tables = after.tables_by_id
        # An id that passes to the source of another table brings the offsets of the former one.
        swapped = [
            (one, tables[one.id.value])
            for one in pipelines[0].sources
            if tables.get(one.id.value, one.table) != one.table
        ]
        # Of two queries that say the same, the numbers of operators are all that counts.
        is_same = was.planned.says_as(now.planned)
        plans = (was.equivalent_plan, now.equivalent_plan) if is_same else (was.plan, now.plan)
        operators = tuple(_operator_pairs(plans, pipelines))
        if plans[0] != plans[1] and plans[0].with_fixed_columns() == plans[1].with_fixed_columns():
            operators = tuple(_planned_alike(*each) for each in operators)
        return PairOfPipelines(
            operators, plans, before.by_id, after.by_id, tuple(lost_sources), tuple(swapped), self.stops
        )


class _Pairs(Sequence[PairOfPipelines | None]):
    """The pairs of two versions of a job."""

    def __init__(self, jobs: PairedJobs) -> None:
        self._jobs = jobs

    def __len__(self) -> int:
        return len(self._jobs.numbers)

    @overload
    def __getitem__(self, index: int) -> PairOfPipelines | None: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PairOfPipelines | None]: ...
    def __getitem__(self, index: int | slice) -> PairOfPipelines | Sequence[PairOfPipelines | None] | None:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        return self._jobs.pair(range(len(self))[index])


def _keeps_apart(operator: StoredOperator, keys: frozenset[Expr]) -> bool:
    """Return whether rows with different values of ``keys`` never meet in an operator, and are not read before such a
    row comes.
    """
    own = frozenset(field.meaning for field in operator.key)
    return operator.title in _BY_KEY_ALONE and operator.meaning(StatePart.KEY) is None and keys <= own


def pairs_of(baseline: Job, current: Job, matches: Sequence[tuple[Pipeline | None, Pipeline | None]]) -> PairedJobs:
    """Return the stored state of pipelines, paired by ``matches``.

    Pipelines of the baseline may have new names of renamed sources. Both sides may have columns that no declaration
    names.

    >>> was, now = (job(f"SELECT buyer, {each}(price) FROM orders GROUP BY buyer") for each in ("SUM", "MAX"))
    >>> jobs = pairs_of(was, now, list(zip(was.pipelines, now.pipelines)))
    >>> jobs.numbers, jobs.stops
    (((0, 0),), False)
    """
    befores, afters = (list(map(itemgetter(side), matches)) for side in (0, 1))
    if _are_all_of(baseline, befores) and _are_all_of(current, afters):
        # Nearly always: each query has a counterpart, at its place.
        before, after = StoredJob.of(baseline), StoredJob.of(current)
        places = range(len(matches))
        numbers: tuple[Numbers, ...] = tuple(zip(places, places, strict=True))
        return PairedJobs(after.options, matches, before, after, numbers, is_in_order=True)
    baseline_pipelines = {was.number: was for was in befores if was is not None}
    renamed = [baseline_pipelines.get(pipeline.number, pipeline) for pipeline in baseline.pipelines]
    aliases = _aliases(baseline.pipelines, renamed)
    catalog = _with_aliases(baseline.catalog, aliases) if aliases else baseline.catalog
    before = StoredJob.of(replace(baseline, pipelines=tuple(renamed), catalog=catalog), as_declared=not aliases)
    current_pipelines = {now.number: now for now in afters if now is not None}
    compared = [current_pipelines.get(one.number, one) for one in current.pipelines]
    after = StoredJob.of(replace(current, pipelines=tuple(compared)))
    indexes = tuple(
        {pipeline.number: index for index, pipeline in enumerate(job.pipelines)} for job in (baseline, current)
    )
    numbers = tuple(
        [
            (
                indexes[0][was.number] if was is not None else None,
                indexes[1][now.number] if now is not None else None,
            )
            for was, now in matches
        ]
    )
    return PairedJobs(after.options, matches, before, after, numbers)


def _are_all_of(job: Job, pipelines: Sequence[Pipeline | None]) -> bool:
    return len(pipelines) == len(job.pipelines) and not differing(job.pipelines, pipelines)


def _aliases(originals: Sequence[Pipeline], renamed: Sequence[Pipeline]) -> dict[str, str]:
    """New names of tables by which a pipeline is compared, with the names that they are declared under."""
    return {
        current_scan.table: baseline_scan.table
        for was, now in zip(originals, renamed, strict=True)
        if was.planned is not now.planned
        for baseline_scan, current_scan in zip(was.plan.scans, now.plan.scans, strict=True)
        if baseline_scan.table != current_scan.table
    }


def _with_aliases(catalog: Catalog, aliases: Mapping[str, str]) -> Catalog:
    tables = {new: catalog.tables[old] for new, old in aliases.items() if old in catalog.tables}
    return Catalog({**catalog.tables, **tables}, catalog.views, catalog.functions, catalog.unambiguous)


def _operator_pairs(
    plans: tuple[Plan, Plan], pipelines: tuple[StoredPipeline, StoredPipeline]
) -> list[tuple[StoredOperator | None, StoredOperator | None]]:
    """The stored operators of both sides in pairs, as the plans are paired; equal operators go together."""
    unpaired = [dict(pipeline.operators) for pipeline in pipelines]
    pairs: list[tuple[StoredOperator | None, StoredOperator | None]] = []

    def take(was: Operator, now: Operator) -> None:
        first, second = was.number, now.number
        for keys in ((first, second), (join_below(first), join_below(second))):
            if keys[0] in unpaired[0] and keys[1] in unpaired[1]:
                pairs.append((unpaired[0].pop(keys[0]), unpaired[1].pop(keys[1])))

    if plans[0] == plans[1]:
        for was, now in zip(plans[0].operators, plans[1].operators, strict=True):
            take(was, now)
    else:
        for match in match_operators(plans[0].root, plans[1].root):
            if match.baseline is not None and match.current is not None:
                take(match.baseline, match.current)
        # The diff pairs operators by their places; an equal one at another place stores the same.
        for now in [now for now in plans[1].operators if now.number in unpaired[1]]:
            twin = next((was for was in plans[0].operators if was.number in unpaired[0] and was == now), None)
            if twin is not None:
                take(twin, now)
    windows = [
        [number for number in side if _makes_windows(plan, number)] for plan, side in zip(plans, unpaired, strict=True)
    ]
    if len(windows[0]) == len(windows[1]):
        # Windows are compared by what reads them, so other ones have no counterpart in the plan.
        pairs += [(unpaired[0].pop(first), unpaired[1].pop(second)) for first, second in zip(*windows, strict=True)]
    if all(SINK in side for side in unpaired):
        pairs.append((unpaired[0].pop(SINK), unpaired[1].pop(SINK)))
    pairs += [(was, None) for was in unpaired[0].values()]
    pairs += [(None, now) for now in unpaired[1].values()]
    return pairs


def _planned_alike(
    was: StoredOperator | None, now: StoredOperator | None
) -> tuple[StoredOperator | None, StoredOperator | None]:
    """Operators of plans that the planner makes alike: the same values under other names, if the types are the same."""
    if was is None or now is None:
        return was, now
    types = [[(state.name, [each.type for each in state.fields]) for state in side.states] for side in (was, now)]
    return was, replace(now, states=was.states) if types[0] == types[1] else now


def _makes_windows(plan: Plan, number: int) -> bool:
    return isinstance(plan.by_number.get(number), WindowTableFunction)


def _descendants(plan: Plan) -> dict[int, frozenset[int]]:
    """The numbers of all that stands below each operator. The join of a set operation stands below its aggregation, and
    everything below the sink.
    """
    descendants: dict[int, frozenset[int]] = {}
    for operator in plan.operators:
        below = {node.number for child in operator.inputs for node in child.walk()}
        inside = frozenset(below | {join_below(each) for each in below})
        descendants[operator.number] = inside | {join_below(operator.number)}
        descendants[join_below(operator.number)] = inside
    return {**descendants, SINK: frozenset(descendants)}


def head_of(pipeline: Pipeline) -> Place:
    """The first words of a query, up to the table that it writes to.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> head_of(Job.of(parse_script("INSERT INTO s SELECT a FROM t"), {}).pipelines[0]).text
    'INSERT INTO s'
    """
    parsed = pipeline.statement
    tokens = parsed.tokens[:3]
    return Place(parsed, Span(tokens[0].start, tokens[-1].end))


def spot(pipeline: Pipeline, number: int | None) -> Place:
    """The clause of an operator, of an aggregation its keys; the whole query where there is none.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("INSERT INTO s SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> spot(pipeline, pipeline.plan.root.number).text
    'GROUP BY a'
    """
    place = _place_in(pipeline.equivalent_plan, number)
    if place is not None and place.statement not in (pipeline.statement, *pipeline.definitions):
        # That plan is of a former text.
        place = _place_in(pipeline.plan, number)
    parsed = pipeline.statement
    return place or Place(parsed, Span(0, len(parsed.text)))


def _place_in(plan: Plan, number: int | None) -> Place | None:
    operator = plan.by_number.get(number) if number is not None else None
    own = (operator.place, getattr(operator, "keys_place", None)) if operator is not None else ()
    return next((place for place in own if place is not None), None)
