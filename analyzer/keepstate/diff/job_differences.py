"""Differences of two versions of a whole job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter, itemgetter

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.name_differences import NamedAlike, TableNames
from keepstate.diff.operators.unions import aligned
from keepstate.diff.pipeline_pairing import Match, PipelinePairs
from keepstate.diff.pipelines import PipelineDiff, compare_pipelines
from keepstate.diff.statements.engine_changes import engine_changes, window_engine_changes
from keepstate.diff.statements.function_changes import function_changes
from keepstate.diff.statements.job_groups import Division, division_of, regrouped
from keepstate.diff.statements.normalization import kept_row_changes
from keepstate.diff.statements.parameter_changes import setting_changes
from keepstate.diff.statements.session_statements import (
    moved_names,
    runs_a_compiled_plan,
    surrounding_changes,
    temporary_table_changes,
    use_changes,
)
from keepstate.diff.statements.sink_changes import SinkDiff
from keepstate.diff.statements.source_changes import Sources, declared_on_one_side, renamed_sources, source_changes
from keepstate.diff.statements.statement_pairs import StatementPairs
from keepstate.diff.statements.templates import Placeholders, template_changes
from keepstate.diff.statements.undeclared_tables import AssumedColumns, open_changes
from keepstate.diff.text_alignment import Counterparts
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.provenance import Place
from keepstate.syntax.contents import differing
from keepstate.syntax.script import ParsedStatement, StatementKind


@dataclass(frozen=True)
class PairDiff:
    """A pipeline on both sides (with a ``diff``), or on one only. ``setting_changes`` are those of its settings,
    ``sink_changes`` those of its sink.
    """

    baseline: Pipeline | None
    current: Pipeline | None
    diff: PipelineDiff | None = None
    setting_changes: tuple[Change, ...] = ()
    sink_changes: tuple[Change, ...] = ()
    untouched: bool = False
    """Nothing that reaches the pipeline differs."""

    @property
    def compared(self) -> tuple[Pipeline | None, Pipeline | None]:
        """The two as they were compared: with columns that no declaration names, if the query needs them."""
        return (self.diff.baseline, self.diff.current) if self.diff is not None else (self.baseline, self.current)


@dataclass(frozen=True)
class JobDiff:
    """All differences between two versions of a job, without verdicts."""

    baseline: Job
    current: Job
    pairs: tuple[PairDiff, ...]
    matches: Sequence[Match]
    """The pipelines of both sides in pairs."""
    touched: Sequence[int]
    """The numbers of the pairs that something has reached: few of many, at nearly every keystroke."""
    source_changes: tuple[Change, ...] = ()
    other_changes: tuple[Change, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    """The source tables that both sides read: their names in the baseline, and today."""
    placeholders: Placeholders = field(
        default_factory=lambda: Placeholders(Counterparts({}, {})), compare=False, repr=False
    )
    context: _Context | None = field(default=None, compare=False, repr=False)
    """The context of the comparison of pipelines; ``None``: a later comparison reuses nothing of this one."""

    @cached_property
    def compared(self) -> Sequence[Match]:
        """The same as they were compared (see ``PairDiff``)."""
        compared = list(self.matches)
        for number in self.touched:
            compared[number] = self.pairs[number].compared
        return compared

    @cached_property
    def division(self) -> Division:
        """The jobs of both versions that go together."""
        return division_of(self.baseline, self.current, self.matches)

    def of_pairs(self, pairs: tuple[PairDiff, ...], baseline: Job, current: Job, tables: Mapping[str, str]) -> JobDiff:
        """The differences of some of the pairs, as those of a job of its own."""
        matches = [(pair.baseline, pair.current) for pair in pairs]
        touched = [number for number, pair in enumerate(pairs) if not pair.untouched]
        return replace(
            self, baseline=baseline, current=current, pairs=pairs, matches=matches, touched=touched, tables=tables
        )

    def moved_to(self, current: Job) -> JobDiff | None:
        """The differences from the baseline of a job with the same statements at other places; ``None``: of others."""
        if self.current.script.contents is not current.script.contents:
            return None
        context = None if self.context is None else replace(self.context, current=current)
        return replace(self, current=current, context=context)

    def setting(self, key: str, default: str) -> str:
        """A setting of the current version."""
        option = self.current.settings.get(key)
        return option.value.strip().lower() if option is not None else default


def compare_jobs(baseline: Job, current: Job, like: JobDiff | None = None) -> JobDiff:
    """Pair the pipelines of two versions and compare them, their tables, functions, settings and engine.

    Pairs that ``like`` has of the same pipelines in the same context are reused: of two texts that differ in one
    statement, all the rest.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> was, now = (job_of(JobVersion(f"SELECT b, {call} FROM t GROUP BY b")) for call in ("SUM(a)", "MAX(a)"))
    >>> [change.kind.value for pair in compare_jobs(was, now).pairs for change in pair.diff.changes]
    ['all-aggregates-replaced']
    """
    former_sources = like.context.sides if like is not None and like.context is not None else (None, None)
    memo = current.script.memo
    was_read = Sources.of(baseline.catalog, baseline.pipelines, former_sources[0], memo)
    now_read = Sources.of(current.catalog, current.pipelines, former_sources[1], memo)
    renames = _renames(baseline, current, was_read, now_read)
    sources = tuple(source_changes(was_read, now_read, renames, memo))
    declaring = declared_on_one_side(was_read, now_read)
    half_declared = {name: catalog.needed_by(name, memo) for name, catalog in declaring.items()}
    moves = {was: min(now) for was, now in moved_names(baseline, current).items() if len(now) == 1}
    names = TableNames(renames, half_declared, moves)
    alike = NamedAlike.of(memo)
    sides = alike.pipelines(names, baseline.pipelines, current.pipelines, memo)
    near = None if like is None or like.context is None else like.context.pairing.edited(*sides, memo)
    pairing, edits = near if near is not None else (PipelinePairs.of(*sides), None)
    # The same plan is made of the same declarations, unless a name stands for several of them.
    comparable = baseline.catalog is current.catalog or (baseline.catalog.unambiguous and current.catalog.unambiguous)
    same_engine = comparable and baseline.engine_version == current.engine_version
    matches = list(pairing.matches)
    pairs, touched = _untouched_pairs(like, matches, same_engine, edits)
    for number in touched:
        was, now = matches[number]
        matches[number] = _with_aligned_unions(was, now), now
    earlier_pairs = None if like is None or like.context is None or edits is None else (like.context.pairs, edits)
    statement_pairs = StatementPairs.of(baseline, current, matches, renames, earlier_pairs)
    counterparts = statement_pairs.counterparts(memo)
    locator = Locator(counterparts)
    context = _Context(baseline, current, counterparts, sources, names, (was_read, now_read), pairing, statement_pairs)
    earlier = _EarlierPairs.of(like, context)
    for number in touched:
        was, now = matches[number]
        pairs[number] = earlier.pair(was, now) or _pair(was, now, baseline, current, locator, sources, names)
    other_changes = tuple(_other_changes(baseline, current, matches))
    names_read = was_read.names, now_read.names
    common = memo.of_group(_common, names_read, lambda: _common(*names_read))
    return JobDiff(
        baseline,
        current,
        tuple(pairs),
        matches,
        touched,
        sources,
        other_changes,
        {**common, **renames} if renames else common,
        Placeholders(counterparts),
        context,
    )


def _common(names: frozenset[str], other_names: frozenset[str]) -> Mapping[str, str]:
    """The names of both, each as its own counterpart."""
    return {name: name for name in sorted(names & other_names)}


def table_renames(baseline: Job, current: Job) -> Mapping[str, str]:
    """The names that source tables of the baseline bear in the current version, where these are others.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> text = "CREATE TABLE {0} (a INT) WITH ('connector' = 'kafka', 'topic' = 'x'); SELECT a FROM {0}"
    >>> table_renames(job_of(JobVersion(text.format("t"))), job_of(JobVersion(text.format("u"))))
    {'t': 'u'}
    """
    memo = current.script.memo
    sides = (Sources.of(job.catalog, job.pipelines, None, memo) for job in (baseline, current))
    return _renames(baseline, current, *sides)


def _renames(baseline: Job, current: Job, was_read: Sources, now_read: Sources) -> Mapping[str, str]:
    # A declaration that cannot be read hides what a name stands for: then no name counts as a new one.
    if baseline.unreadable_names | current.unreadable_names:
        return {}
    return renamed_sources(was_read, now_read)


def _with_aligned_unions(was: Pipeline | None, now: Pipeline | None) -> Pipeline | None:
    """The baseline of a pipeline, the inputs of its unions in the order of their counterparts."""
    if was is None or now is None or was.planned == now.planned:
        return was
    plan = aligned(was.plan, now.plan)
    return was if plan is was.plan else was.with_plan(plan)


def _untouched_pairs(
    like: JobDiff | None, matches: Sequence[Match], same_engine: bool, edits: Sequence[int] | None
) -> tuple[list[PairDiff], list[int]]:
    """The pairs, those that nothing has reached from a former comparison where it has the same pipelines; and the
    numbers of the others, which are not compared yet. ``edits`` are the numbers of those with other pipelines than
    there, where that is known.
    """
    numbers: Iterable[int] = range(len(matches))
    if like is not None and same_engine and len(like.pairs) == len(matches):
        # Nearly all pairs at nearly every keystroke.
        pairs = list(like.pairs)
        if edits is None:
            sides = ((_BASELINE, map(itemgetter(0), matches)), (_CURRENT, map(itemgetter(1), matches)))
            edits = [number for side, own in sides for number in differing(map(side, like.pairs), own)]
        numbers = {*like.touched, *edits}
    else:
        pairs = [PairDiff(*match) for match in matches]
    touched: list[int] = []
    for number in sorted(numbers):
        was, now = matches[number]
        if same_engine and was is not None and now is not None and _is_untouched(was, now):
            pairs[number] = PairDiff(was, now, PipelineDiff(was, now), untouched=True)
        else:
            touched.append(number)
    return pairs, touched


_BASELINE, _CURRENT, _UNTOUCHED = attrgetter("baseline"), attrgetter("current"), attrgetter("untouched")


def _is_untouched(was: Pipeline, now: Pipeline) -> bool:
    same_plan = was.planned.meaning is now.planned.meaning or was.planned.means(now.planned)
    return same_plan and was.sink == now.sink and was.settings == now.settings


@dataclass(frozen=True)
class _Context:
    """Context of the comparison of one pipeline: all that it reads beside the pipeline."""

    baseline: Job
    current: Job
    counterparts: Counterparts
    sources: tuple[Change, ...]
    names: TableNames
    sides: tuple[Sources, Sources]
    """The tables that both jobs read."""
    pairing: PipelinePairs
    pairs: StatementPairs

    def is_same_as(self, other: _Context) -> bool:
        """Return whether both compare a pipeline in the same way, except for the counterparts of its statements."""
        return (
            all(
                _declares_the_same(*sides) for sides in ((self.baseline, other.baseline), (self.current, other.current))
            )
            and self.sources == other.sources
            and self.names == other.names
        )

    def have_same_counterparts(self, was: Pipeline, now: Pipeline, other: _Context) -> bool:
        """Return whether the statements of two pipelines have the same counterparts in another context."""
        counterparts, other_counterparts = self.counterparts, other.counterparts
        before, after = ((one.statement, *one.definitions) for one in (was, now))
        return all(
            counterparts.current_of.get(one) is other_counterparts.current_of.get(one) for one in before
        ) and all(counterparts.baseline_of.get(one) is other_counterparts.baseline_of.get(one) for one in after)


def _declares_the_same(one: Job, other: Job) -> bool:
    """Return whether two jobs give a pipeline with the same declarations (``_reaches_the_same``) the same settings."""
    return one is other or (
        (one.catalog is other.catalog or (one.catalog.unambiguous and other.catalog.unambiguous))
        and one.engine_version == other.engine_version
        and one.settings == other.settings
        and one.resets == other.resets
        and one.unreadable_names == other.unreadable_names
    )


def _reaches_the_same(pipeline: Pipeline, former: Pipeline, job: Job, other: Job) -> bool:
    """Return whether a pipeline of ``job`` has the declarations that ``former`` has in ``other``, with that of its
    sink.
    """
    if job.catalog is other.catalog:
        return True
    if pipeline.definitions != former.definitions:
        return False
    declaration, other_declaration = (side.catalog.declaration(pipeline.sink or "") for side in (job, other))
    return (declaration and declaration.statement) is (other_declaration and other_declaration.statement)


@dataclass(frozen=True)
class _EarlierPairs:
    """The pairs of another comparison, by their statements."""

    pairs: Mapping[tuple[ParsedStatement, ParsedStatement], PairDiff]
    context: _Context | None = None
    former: _Context | None = None

    @staticmethod
    def of(like: JobDiff | None, context: _Context) -> _EarlierPairs:
        if like is None or like.context is None or not context.is_same_as(like.context):
            return _EarlierPairs({})
        pairs = {
            (pair.baseline.statement, pair.current.statement): pair
            for pair in map(like.pairs.__getitem__, like.touched)
            if pair.baseline is not None and pair.current is not None
        }
        return _EarlierPairs(pairs, context, like.context)

    def pair(self, was: Pipeline | None, now: Pipeline | None) -> PairDiff | None:
        """The pair of these two pipelines as it was compared there; ``None``: it was not, or not in this way."""
        if was is None or now is None or self.context is None or self.former is None:
            return None
        pair = self.pairs.get((was.statement, now.statement))
        if pair is None or pair.baseline is None or pair.current is None or pair.diff is None:
            return None
        # With columns that no declaration names it was compared as another pipeline.
        is_plain = pair.compared == (pair.baseline, pair.current)
        if not (is_plain and _is_untouched(was, pair.baseline) and _is_untouched(now, pair.current)):
            return None
        reached = _reaches_the_same(was, pair.baseline, self.context.baseline, self.former.baseline)
        if not (reached and _reaches_the_same(now, pair.current, self.context.current, self.former.current)):
            return None
        if not self.context.have_same_counterparts(was, now, self.former):
            return None
        if pair.baseline is was and pair.current is now:
            return pair
        # The same, at another place of the script.
        return replace(pair, baseline=was, current=now, diff=replace(pair.diff, baseline=was, current=now))


def _pair(
    was: Pipeline | None,
    now: Pipeline | None,
    baseline: Job,
    current: Job,
    locator: Locator,
    sources: tuple[Change, ...],
    names: TableNames,
) -> PairDiff:
    if was is None or now is None:
        return PairDiff(was, now)
    diff = _unreadable(was, now, baseline, current)
    if diff is None and (was.plan.starred or now.plan.starred):
        diff = _with_unknown_columns(was, now, baseline, current, locator, names)
    diff = diff or compare_pipelines(was, now, locator)
    further = (
        *kept_row_changes(diff, baseline.catalog, current.catalog),
        *template_changes(was, now, locator.counterparts),
    )
    if further:
        diff = replace(diff, changes=(*diff.changes, *further), modified=True)
    sinks = tuple(SinkDiff(diff.baseline, diff.current, baseline.catalog, current.catalog).changes(diff, sources))
    settings = (*setting_changes(diff, baseline, current, locator), *window_engine_changes(diff, baseline, current))
    return PairDiff(was, now, diff, settings, sinks)


def _with_unknown_columns(
    was: Pipeline, now: Pipeline, baseline: Job, current: Job, locator: Locator, names: TableNames
) -> PipelineDiff:
    """The difference of a pipeline in which ``*`` stands for columns that are not declared."""
    catalogs = baseline.catalog, current.catalog
    mildest = AssumedColumns.about(was, now, names.renames, catalogs, current.script.memo)

    def compared(assumption: AssumedColumns) -> PipelineDiff:
        memo = current.script.memo
        after = names.of_current(assumption.of_current(now), memo)
        before = _with_aligned_unions(assumption.of_baseline(was, partial(names.of_baseline, memo=memo)), after)
        assert before is not None
        return compare_pipelines(before, after, locator)

    certain = compared(mildest)
    # A table that only one side declares is reported as such.
    unknown = frozenset(mildest.columns) - names.half_declared.keys()
    possible = compared(mildest.with_another_column(unknown))
    further = tuple(open_changes(certain.changes, possible.changes, sorted(unknown)))
    if further:
        return replace(certain, changes=(*certain.changes, *further), modified=True)
    # What is no change of the state may still be one of the query.
    return certain if certain.changes else possible


def _unreadable(was: Pipeline, now: Pipeline, baseline: Job, current: Job) -> PipelineDiff | None:
    """The difference of a pipeline that reads something whose declaration cannot be read on one side."""
    if was.plan == now.plan:
        return None
    for pipeline, job in ((now, current), (was, baseline)):
        broken = job.unreadable_names & set(pipeline.plan.sources)
        if not broken:
            continue
        name = sorted(broken)[0]
        place = _scan_place((pipeline,), name)
        change = Change(
            ChangeKind.STATEMENT_NOT_READ,
            QueryKind.JOB,
            place if pipeline is now else None,
            place if pipeline is was else None,
            removed=pipeline is was,
            subject=f"the declaration of {name} cannot be read",
            tables=frozenset({name}),
        )
        return PipelineDiff(was, now, (change,), modified=True)
    return None


def _scan_place(pipelines: Iterable[Pipeline], table: str) -> Place | None:
    return next(
        (
            operator.place
            for pipeline in pipelines
            for operator in pipeline.plan.operators
            if isinstance(operator, TableSourceScan) and operator.table == table
        ),
        None,
    )


def _other_changes(baseline: Job, current: Job, matches: Sequence[Match]) -> Iterator[Change]:
    yield from function_changes(baseline, current)
    stateful = any(was is not None and was.equivalent_plan.stateful for was, _ in matches)
    if stateful or runs_a_compiled_plan(baseline.script) or runs_a_compiled_plan(current.script):
        yield from surrounding_changes(baseline, current)
    yield from use_changes(baseline, current)
    if any(was is not None and now is not None for was, now in matches):
        yield from engine_changes(baseline, current)
    division = division_of(baseline, current, matches)
    yield from regrouped(baseline, current, division, matches)
    # A job that is there no more has no savepoint to restore. The pairs of the current side come first.
    removals = {*range(len(current.pipelines), len(matches))}
    if removals and any(not removals.isdisjoint(group.pairs) for group in division.of_both) and _goes_on(current):
        yield from temporary_table_changes(baseline, current)


def _goes_on(current: Job) -> bool:
    """Return whether a script has a query, or a statement that may be one."""
    return bool(current.pipelines or current.script.of_kind(StatementKind.BROKEN))
