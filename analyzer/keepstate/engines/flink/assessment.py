"""Effect of each change of a job on its state.

The plans show the changes, the layouts their effect. Each difference of two stored operators is attributed to the
changes that cause it (``attribution``, ``movers``). A difference that no change explains becomes a change of its own,
so that none is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.job_differences import JobDiff
from keepstate.diff.statements.table_declarations import DeclaredDifference, declared_differences
from keepstate.engines.flink.affected_parts import touch_of
from keepstate.engines.flink.attribution import Attribution, Scene, is_made, unexplained_change
from keepstate.engines.flink.id_movers import Movers
from keepstate.engines.flink.parameter_costs import setting_outcome
from keepstate.engines.flink.query_order import QueryOrder
from keepstate.engines.flink.recovery_words import IF_UNWANTED, WITHOUT_THIS_STATE, recovery_words
from keepstate.engines.flink.row_words import reason_at
from keepstate.engines.flink.state_differences import differences
from keepstate.engines.profile import Outcome, clause_precedence
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.moves import Moves
from keepstate.physical.plan_refusals import conflict_clause, fine_watermarks, lacks_conflict_clause, refused_intervals
from keepstate.physical.reserved_words import NewlyReserved, newly_reserved
from keepstate.physical.stored_pairing import PairedJobs, PairOfPipelines, pairs_of
from keepstate.plan.metadata.changelog import updating_on_one_side
from keepstate.plan.provenance import Place
from keepstate.report import Effect
from keepstate.state.clauses import clause_words
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import StatePart, StoredOperator
from keepstate.state.stored_queries import OFFSETS, Numbers, StoredDifference
from keepstate.text import Span

_EXACT = Outcome(Effect.EXACT)
_MORE_DIGITS = "Say how many digits the interval has, as in SECOND(3), or use a larger unit."
_ON_CONFLICT = (
    "Write ON CONFLICT DO DEDUPLICATE behind the INSERT: its updates come in no order by the primary key of the sink."
)
_COARSER = "Declare the column of the watermark as TIMESTAMP(3)."
Owner = int | None
"""The number of the pair that a change belongs to; ``None`` for one of the whole job."""


@dataclass(frozen=True)
class Disagreement:
    """Stored state of the operators ``numbers`` that differs although the diff of the plans has no change.

    The user gets a finding at the operator. For the developer it is a warning: the model of the state is wrong, or the
    diff is, or Flink stores by more than the meaning of a query.
    """

    pair: int
    numbers: Numbers
    difference: StateDifference


@dataclass(frozen=True)
class FlinkAssessment:
    """Outcomes of the changes of one job in open-source Flink.

    ``outcomes`` are those of changes that explain differences, ``further`` the changes that no part of the diff
    reports, and ``foreign_changes`` the changes of other pairs that move the ids of a pair.
    """

    diff: JobDiff
    jobs: PairedJobs
    outcomes: dict[tuple[Owner, Change], Outcome] = field(default_factory=dict)
    further: dict[int, list[Change]] = field(default_factory=dict)
    foreign_changes: dict[int, set[tuple[int, Change]]] = field(default_factory=dict)
    moved_by_unpaired: dict[int, Outcome] = field(default_factory=dict)
    """Outcome for the other pipelines of a pipeline that is on one side only, by the number of its pair."""
    movers: dict[int, tuple[tuple[Numbers, ...], Attribution]] = field(default_factory=dict)
    disagreements: list[Disagreement] = field(default_factory=list)
    reserved: NewlyReserved | None = None
    """The columns of the whole script that are no names any more, by the version of Flink, where they are known."""

    @staticmethod
    def of(diff: JobDiff, reserved: NewlyReserved | None = None) -> FlinkAssessment:
        jobs = pairs_of(diff.baseline, diff.current, diff.compared)
        assessment = FlinkAssessment(diff, jobs, reserved=reserved)
        for number in jobs.untouched if assessment._reserved_words else ():
            assessment._refuse_reserved_words(number)
        for number in sorted({*range(len(jobs.numbers))} - jobs.untouched):
            if (stored_pair := jobs.pairs[number]) is not None:
                assessment._assess(number, stored_pair)
                assessment._refuse(number)
        return assessment

    # ---- what the judgement asks

    def outcome(self, change: Change, pair: Owner) -> Outcome:
        outcome = self.outcomes.get((pair, change))
        if outcome is not None:
            return outcome
        return outcome_beside_state(change, self.jobs.options)

    @property
    def is_quiet(self) -> bool:
        """Return whether all queries are in both versions and find their state, and nothing else was found."""
        effects = (self.outcomes, self.further, self.foreign_changes, self.moved_by_unpaired, self.movers)
        return len(self.jobs.untouched) == len(self.jobs.numbers) and not any((*effects, self.disagreements))

    @property
    def beyond_diff(self) -> frozenset[int]:
        return frozenset((*self.further, *self.foreign_changes))

    def further_changes(self, pair: int) -> tuple[Change, ...]:
        return tuple(self.further.get(pair, ()))

    def foreign_changes_of(self, pair: int) -> frozenset[tuple[int, Change]]:
        return frozenset(self.foreign_changes.get(pair, ()))

    def unpaired_outcome(self, pair: int) -> Outcome:
        sides = self.diff.pairs[pair]
        pipeline = sides.current or sides.baseline
        assert pipeline is not None
        if sides.current is None and self.jobs.lost_ids(pair):
            reason = "the savepoint has its state, which nothing in the job takes"
            return Outcome(Effect.DOES_NOT_START, reason, WITHOUT_THIS_STATE, advice=IF_UNWANTED)
        if pair in self.moved_by_unpaired:
            return self.moved_by_unpaired[pair]
        stateful = pipeline.equivalent_plan.stateful
        if sides.current is None:
            return Outcome(Effect.STATE_DROPPED) if stateful else _EXACT
        if stateful:
            return Outcome(Effect.STARTS_EMPTY, "nothing in the savepoint is for it")
        if not self._known_tables.issuperset(pipeline.equivalent_plan.sources):
            return Outcome(
                Effect.STARTS_EMPTY, "its source has no offsets in the savepoint, and begins as it is told to"
            )
        return _EXACT

    @cached_property
    def _known_tables(self) -> frozenset[str]:
        """The tables that the baseline reads."""
        return frozenset(
            table for pipeline in self.diff.baseline.pipelines for table in pipeline.equivalent_plan.sources
        )

    # ---- differences

    def _assess(self, number: int, pair: PairOfPipelines) -> None:
        for entry in stored_differences(pair):
            difference, numbers = entry.difference, entry.numbers
            if entry.is_moved:
                self._give_to_movers(number, difference, numbers)
            else:
                self._give(number, difference, numbers, self._explanation(number, difference, numbers))

    def _explanation(self, pair: int, difference: StateDifference, numbers: Numbers) -> Attribution:
        explanation = self._scene(pair).explanation(difference, numbers)
        # What has no counterpart on the other side may be gone by whatever changed the graph around it.
        return self._movers(pair)[1] if not explanation and None in numbers else explanation

    def _give_to_movers(self, pair: int, difference: StateDifference, numbers: Numbers) -> None:
        """Attribute the difference to the changes that gave the operator another id, in this query or another one."""
        movers = self._moves.movers(pair, numbers)
        own = pair in movers or not movers
        for other in movers - {pair}:
            if self.jobs.pairs[other] is None:
                outcome = replace(_outcome(difference), until=self._until(pair, difference, numbers))
                self.moved_by_unpaired[other] = _worse(self.moved_by_unpaired.get(other), outcome)
                continue
            origins, explanation = self._movers(other)
            changes = self._give(other, difference, origins[0] if origins else (None, None), explanation)
            self.foreign_changes.setdefault(pair, set()).update((other, change) for change in changes)
        if own:
            # Ids that no operator moves are made in another way.
            reason = self._movers(pair)[1] if movers else self._scene(pair).of_settings(difference)
            self._give(pair, difference, numbers, reason)

    def _give(
        self, pair: int, difference: StateDifference, numbers: Numbers, explanation: Attribution
    ) -> tuple[Change, ...]:
        """Add the outcome to the changes that explain a difference. An unexplained difference becomes a change; all of
        the changes are returned.
        """
        changes = list(explanation.changes)
        move = self._order.change(pair) if not explanation else None
        if move is not None:
            change, outcome = move
            until = self._until(pair, difference, numbers)
            self._put(pair, self._add(pair, change), replace(outcome, effect=difference.effect, until=until))
            return (change,)
        for declared in explanation.declared:
            changes.append(self._add(pair, unexplained_change(difference, self.diff.pairs[pair], numbers, declared)))
        if not changes:
            self.disagreements.append(Disagreement(pair, numbers, difference))
            changes.append(self._add(pair, unexplained_change(difference, self.diff.pairs[pair], numbers, None)))
        until, clause = self._until(pair, difference, numbers), self._clause(pair, numbers)
        for change in changes:
            reason, is_own = reason_at(difference, change.baseline_text, change.current_text)
            outcome = Outcome(difference.effect, reason, until, clause, is_own=is_own or len(changes) == 1)
            self._put(None if change in self._of_job else pair, change, outcome)
        return tuple(changes)

    def _until(self, pair: int, difference: StateDifference, numbers: Numbers) -> str:
        """The end of the results that a difference makes wrong, as far as the current query shows it."""
        now = self.diff.pairs[pair].current
        return recovery_words(difference, now.equivalent_plan, numbers[1], now.settings) if now is not None else ""

    def _clause(self, pair: int, numbers: Numbers) -> str:
        """The class of the operator ``numbers``; empty for one that is in no plan, such as a sink."""
        now = self.diff.pairs[pair].current
        plan = now.equivalent_plan if now is not None else None
        operator = plan.by_number.get(numbers[1]) if plan is not None and numbers[1] is not None else None
        return operator.title if operator is not None else ""

    def _add(self, pair: int, change: Change) -> Change:
        changes = self.further.setdefault(pair, [])
        if change not in changes:
            changes.append(change)
        return change

    def _put(self, owner: Owner, change: Change, outcome: Outcome) -> None:
        self.outcomes[owner, change] = _worse(self.outcomes.get((owner, change)), outcome)

    # ---- what can have brought them

    def _scene(self, number: int) -> Scene:
        pair, stored_pair = self.diff.pairs[number], self.jobs.pairs[number]
        assert stored_pair is not None and pair.diff is not None
        tables = dict.fromkeys(table for plan in stored_pair.plans for table in plan.sources)
        return Scene(
            stored_pair,
            pair.diff.changes,
            pair.sink_changes,
            (*pair.setting_changes, *self.diff.other_changes),
            tuple(change for table in tables for change in self._sources.get(table, ())),
            tuple(declared for table in tables for declared in self._declared.get(table, ())),
            self._updating,
        )

    def _movers(self, pair: int) -> tuple[tuple[Numbers, ...], Attribution]:
        """Return the operators in front of which the graph of a pair has another shape, and the causes."""
        if pair not in self.movers:
            movers = Movers.of(self._scene(pair), self._moves, pair)
            self.movers[pair] = movers.origins, movers.explanation()
        return self.movers[pair]

    @cached_property
    def _order(self) -> QueryOrder:
        return QueryOrder(self.diff, self.jobs)

    @cached_property
    def _moves(self) -> Moves:
        return Moves(self.jobs)

    @cached_property
    def _sources(self) -> Mapping[str, list[Change]]:
        """The changes of the tables of the job, by their tables."""
        by_table: dict[str, list[Change]] = {}
        for change in self.diff.source_changes:
            for table in change.tables:
                by_table.setdefault(table, []).append(change)
        return by_table

    @cached_property
    def _declared(self) -> Mapping[str, list[DeclaredDifference]]:
        """Differences between declarations, by table."""
        by_table: dict[str, list[DeclaredDifference]] = {}
        for one in declared_differences(self.diff.baseline.catalog, self.diff.current.catalog, self.diff.tables):
            by_table.setdefault(one.table, []).append(one)
        return by_table

    @cached_property
    def _of_job(self) -> frozenset[Change]:
        """The changes that belong to no single pair."""
        return frozenset((*self.diff.source_changes, *self.diff.other_changes))

    @cached_property
    def _updating(self) -> frozenset[str]:
        """The tables whose rows can be taken back on one side only, as they are called today."""
        return updating_on_one_side(self.diff.baseline.catalog, self.diff.current.catalog, self.diff.tables)

    # ---- what Flink does not plan

    def _refuse(self, number: int) -> None:
        """Queries that Flink does not plan any more: intervals with too many digits, updates in no order for their
        sink, and watermarks that are too fine.
        """
        pair = self.diff.pairs[number]
        assert pair.baseline is not None and pair.current is not None
        texts = {place.text for place in refused_intervals(pair.baseline.statement)}
        for place in refused_intervals(pair.current.statement):
            if place.text not in texts:
                self._refused(number, place, f"{place.text} has too many digits", _MORE_DIGITS)
        sides = (pair.baseline, self.diff.baseline.catalog), (pair.current, self.diff.current.catalog)
        parsed = pair.current.statement
        whole = Place(parsed, Span(0, len(parsed.text)))
        lacking = [lacks_conflict_clause(*side, self.jobs.options) for side in sides]
        if lacking == [False, True]:
            self._refused(number, whole, "ON CONFLICT is missing", _ON_CONFLICT)
        known_fine = {table for table, _ in fine_watermarks(*sides[0])}
        for table, column in fine_watermarks(*sides[1]):
            if table not in known_fine:
                self._refused(number, column, f"the watermark of {table} is finer than milliseconds", _COARSER)
        self._refuse_reserved_words(number)
        self._doubt_conflicts(number)

    def _doubt_conflicts(self, number: int) -> None:
        """Mark a changed conflict strategy of a sink as undecidable.

        The strategies keep different rows: DO NOTHING waits for the watermark, and keeps rows where DO DEDUPLICATE
        keeps none. Measured on 2.3: restarts between the two fail, or give other rows.
        """
        pair = self.diff.pairs[number]
        assert pair.baseline is not None and pair.current is not None
        was, former = conflict_clause(pair.baseline.statement)
        now, place = conflict_clause(pair.current.statement)
        if was == now:
            return
        parsed = pair.current.statement
        reason = f"ON CONFLICT DO {now} keeps other state in front of the sink than DO {was}, or where that keeps none"
        change = Change(
            ChangeKind.STORED_STATE_CHANGED,
            QueryKind.JOB,
            place or Place(parsed, Span(0, len(parsed.text))),
            former,
            removed=place is None,
            subject="ON CONFLICT clause changed",
            baseline_text=was,
            current_text=now,
            reason=reason,
        )
        self._put(number, self._add(number, change), Outcome(Effect.UNDETERMINED, reason))

    def _refuse_reserved_words(self, number: int) -> None:
        """Columns whose name needs backticks: one of them keeps the whole script from being read."""
        for table, column, place in self._reserved_words:
            self._refused(number, place, f"column {column} of {table} is a reserved word", f"Write `{column}`.")

    @cached_property
    def _reserved_words(self) -> tuple[tuple[str, str, Place], ...]:
        """The columns of which the baseline had none of that name: table, column, place."""
        flink = self.jobs.options.flink
        if self.reserved is not None:
            return self.reserved(flink)
        return newly_reserved(self.diff.baseline.catalog, self.diff.current.catalog, flink)

    def _refused(self, number: int, place: Place, subject: str, advice: str) -> None:
        change = Change(ChangeKind.QUERY_REFUSED, QueryKind.JOB, place, None, subject=subject, reason=advice)
        self._put(number, self._add(number, change), Outcome(Effect.DOES_NOT_START, "Flink does not plan the query"))


def outcome_beside_state(change: Change, options: PhysicalOptions) -> Outcome:
    """The outcome of a change that no stored state feels, in a job with ``options``."""
    otherwise = touch_of(change).otherwise
    if otherwise is None:
        return setting_outcome(change, options)
    return Outcome(otherwise, change.reason) if is_made(change) else _EXACT


def stored_differences(pair: PairOfPipelines) -> Iterator[StoredDifference]:
    """Yield the differences in the state of two versions of a query that have a cost."""
    moved = False
    for before, after in pair.operators:
        numbers = (before.number if before else None, after.number if after else None)
        titles = (before.title if before else "", after.title if after else "")
        for entry, is_moved in _of_operators(before, after, pair):
            difference = _with_effect_above(entry, before, after, pair)
            if difference.effect is not Effect.EXACT:
                moved = moved or difference.part is StatePart.ID
                yield StoredDifference(numbers, titles, difference, is_moved)
    for difference, numbers in stored_sources(pair):
        # What is in front of the state moved it and the offsets alike.
        if difference.part is not StatePart.ID or not moved:
            yield StoredDifference(numbers, (OFFSETS, OFFSETS), difference, is_moved=True)


def _of_operators(
    before: StoredOperator | None, after: StoredOperator | None, pair: PairOfPipelines
) -> Iterator[tuple[StateDifference, bool]]:
    """The differences of two operators, of which one may be missing, each with whether another id brings it."""
    twin = pair.by_id_after.get(before.id.value) if before is not None else None
    if before is not None and after is not None and (twin is None or twin.id == after.id):
        yield from ((difference, difference.part is StatePart.ID) for difference in differences(before, after))
    elif before is not None and after is not None:
        # Another operator stands where it stood.
        yield from ((difference, True) for difference, _ in _of_operators(before, None, pair))
        yield from ((difference, True) for difference, _ in _of_operators(None, after, pair))
    elif before is not None:
        if twin is not None:
            yield from ((difference, False) for difference in differences(before, twin))
        else:
            doubt = before.id.doubt or pair.doubt_after
            effect = Effect.UNDETERMINED if doubt else Effect.DOES_NOT_START
            reason = doubt or f"nothing takes the state of {clause_words(before.title, before.clause)}"
            yield StateDifference(StatePart.ID, effect, reason), False
    elif after is not None and after.id.value not in pair.by_id_before:
        if after.updating_input:
            clause = clause_words(after.title, after.clause)
            reason = f"the state of {clause} starts empty, and its input takes back rows that it never saw"
            yield StateDifference(StatePart.KIND, Effect.WRONG_RESULTS, reason), False
        else:
            yield StateDifference(StatePart.KIND, Effect.STARTS_EMPTY, "nothing in the savepoint is for it"), False


def _with_effect_above(
    difference: StateDifference, before: StoredOperator | None, after: StoredOperator | None, pair: PairOfPipelines
) -> StateDifference:
    """Return a difference with its effect on the state behind it, which was computed from rows that now come in another
    way.
    """
    if difference.effect is Effect.STATE_LOST and after is not None and after.updating_input:
        reason = f"{difference.reason}; its input takes back rows that it does not know any more"
        return replace(difference, effect=Effect.WRONG_RESULTS, reason=reason, rows=((), ()))
    if difference.effect in (Effect.EXACT, Effect.STATE_LOST) and pair.feeds_state(before, after, difference.keys):
        reason = "the state behind it was made of the rows that it gave before, and goes on with others"
        return replace(difference, effect=Effect.WRONG_RESULTS, reason=reason, rows=((), ()))
    return difference


def stored_sources(pair: PairOfPipelines) -> Iterator[tuple[StateDifference, Numbers]]:
    """Sources that lose their offsets, or find those of another table, with their numbers."""
    for source, doubt in pair.lost_sources:
        effect = Effect.UNDETERMINED if doubt else Effect.DOES_NOT_START
        reason = doubt or f"{source.table} does not find its offsets, which are filed under another operator id"
        yield StateDifference(StatePart.ID, effect, reason), (source.number, None)
    # A job that does not start reads nothing.
    for source, now in pair.swapped_sources if not pair.stops else ():
        reason = f"{now} goes on with the offsets of {source.table}"
        yield StateDifference(StatePart.INPUT, Effect.WRONG_RESULTS, reason), (source.number, None)


def _outcome(difference: StateDifference) -> Outcome:
    return Outcome(difference.effect, difference.reason)


def _worse(former: Outcome | None, outcome: Outcome) -> Outcome:
    """Of two outcomes of one change the one that happens; the first of two alike."""
    if former is None:
        return outcome
    return max(former, outcome, key=lambda one: (clause_precedence(one.effect), one.is_own))
