"""Which of the changes of a job brings which difference of what Flink stores.

The plans say what somebody changed, the layouts what that does. Each difference of two stored operators goes to the
changes that are about its part; what no change is about becomes a change of its own, so that nothing is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.jobs import JobDiff, PairDiff
from keepstate.physical.comparison import PairOfPipelines, pairs_of, spot
from keepstate.physical.job import SINK
from keepstate.physical.options import PhysicalOptions
from keepstate.physical.refusals import lacks_conflict_clause, refused_intervals, tables_with_fine_watermarks
from keepstate.physical.stored import Part, StoredOperator
from keepstate.plan.provenance import Place
from keepstate.profiles.flink.difference import Difference
from keepstate.profiles.flink.differences import differences
from keepstate.profiles.flink.settings import setting_outcome
from keepstate.profiles.flink.touched import TOUCHED
from keepstate.profiles.profile import Outcome, effect_force
from keepstate.report import Effect
from keepstate.text import Span

_EXACT = Outcome(Effect.EXACT)
_UNTOLD = frozenset(
    {
        ChangeKind.CONSTRUCT_NOT_SUPPORTED,
        ChangeKind.STATEMENT_NOT_READ,
        ChangeKind.TEMPLATE_CHANGED,
        ChangeKind.CONSTANT_ROWS_CHANGED,
        ChangeKind.FUNCTION_IMPLEMENTATION_CHANGED,
        ChangeKind.SOURCE_DECLARATION_MOVED,
        ChangeKind.SOURCE_COLUMNS_UNKNOWN,
        ChangeKind.SOURCE_CONNECTOR_CHANGED,
        ChangeKind.SOURCE_SHARDING_CHANGED,
        ChangeKind.EMIT_STRATEGY_CHANGED,
        ChangeKind.JOIN_TIME_CHANGED,
        ChangeKind.TABLE_FUNCTION_ON_WINDOW,
        ChangeKind.LOOKUP_JOIN_MAY_KEEP_STATE,
        ChangeKind.SURROUNDINGS_CHANGED,
        ChangeKind.ENGINE_VERSION_CHANGED,
        ChangeKind.TEMPORARY_TABLE_CHANGED,
    }
)
"""Changes that leave things open wherever the layouts do not decide: they are about more than layouts."""
_AT_SINKS = (ChangeKind.SINK_PRIMARY_KEY_CHANGED, ChangeKind.UPSERT_KEY_CHANGED)
_GLOBAL = (ChangeKind.INPUT_ADDED, ChangeKind.INPUT_REMOVED, ChangeKind.STATE_ADDED, ChangeKind.STATE_REMOVED)


@dataclass
class FlinkAssessment:
    """The outcomes of the changes of one job, by identity, and what no change explains, by pair of pipelines."""

    options: PhysicalOptions
    outcomes: dict[int, list[Outcome]] = field(default_factory=dict)
    further: dict[int, list[Change]] = field(default_factory=dict)
    lonely: Outcome = _EXACT
    known_tables: frozenset[str] = frozenset()
    """What the baseline reads."""
    lost_ids: dict[int, bool] = field(default_factory=dict)
    kept: list[Change] = field(default_factory=list)
    """Keeps the changes alive that are known by identity."""

    @staticmethod
    def of(diff: JobDiff) -> FlinkAssessment:
        pairs = pairs_of(diff.baseline, diff.current, [pair.compared for pair in diff.pairs])
        tables = frozenset(table for pipeline in diff.baseline.pipelines for table in pipeline.plan.sources)
        assessment = FlinkAssessment(pairs.options, known_tables=tables)
        is_alone = any(pair.baseline is None or pair.current is None for pair in diff.pairs)
        for pair, stored in zip(diff.pairs, pairs.pairs, strict=True):
            if stored is None:
                lost = pairs.lost_ids(pair.baseline)
                assessment.lost_ids[id(pair)] = lost
            else:
                # What the data are explains no difference of what is stored.
                sources = tuple(one for one in diff.source_changes if one.kind is not ChangeKind.SOURCE_DATA_CHANGED)
                assessment._assess(pair, stored, sources, is_alone)
                assessment._refuse_query(pair, diff)
        return assessment

    # ---- what the judgement asks

    def outcome(self, change: Change) -> Outcome:
        known = self.outcomes.get(id(change))
        if known:
            return max(known, key=lambda outcome: effect_force(outcome.effect))
        if change.query is QueryKind.CONFIGURATION or change.kind in (
            ChangeKind.STATE_TTL_CHANGED,
            ChangeKind.SETTING_CHANGED,
        ):
            return setting_outcome(change, self.options)
        at_sink = change.query is QueryKind.SINK and change.kind in _AT_SINKS
        if (at_sink or change.kind in _UNTOLD) and not _stays(change):
            return Outcome(Effect.UNDETERMINED, "")
        return _EXACT

    def further_changes(self, pair: PairDiff) -> tuple[Change, ...]:
        return tuple(self.further.get(id(pair), ()))

    def lonely_outcome(self, pair: PairDiff) -> Outcome:
        pipeline = pair.current or pair.baseline
        assert pipeline is not None
        if pair.current is None and self.lost_ids.get(id(pair)):
            reason = "the savepoint holds state of its operators, which nothing in the job takes"
            return Outcome(Effect.DOES_NOT_START, reason)
        if self.lonely.effect is not Effect.EXACT:
            return self.lonely
        stateful = pipeline.plan.stateful
        if pair.current is None:
            return Outcome(Effect.STATE_DROPPED) if stateful else _EXACT
        if stateful:
            return Outcome(Effect.STARTS_EMPTY, "nothing in the savepoint is for it")
        if not self.known_tables.issuperset(pipeline.plan.sources):
            return Outcome(
                Effect.STARTS_EMPTY, "its source has no offsets in the savepoint, and begins as it is told to"
            )
        return _EXACT

    # ---- attribution

    def _assess(self, pair: PairDiff, stored: PairOfPipelines, sources: tuple[Change, ...], is_alone: bool) -> None:
        assert pair.diff is not None
        # What depends on a declaration that is not there explains nothing that differs without it.
        changes = (one for one in pair.diff.changes if one.kind is not ChangeKind.SOURCE_COLUMNS_UNKNOWN)
        own = (*changes, *pair.setting_changes)
        if any(number == SINK for both in stored.operators for one in both if one for number in (one.number,)):
            own = (*own, *pair.sink_changes)
        tables = {scan.table for scan in pair.diff.current.plan.scans}
        reading = [change for change in sources if not tables.isdisjoint(change.subject.replace("`", "").split())]
        moved = False
        for before, after in stored.operators:
            for found in self._of_operators(before, after, stored):
                difference = _for_what_follows(found, before, after, stored)
                if difference.effect is Effect.EXACT:
                    continue
                moved = moved or difference.part is Part.ID
                number = (before.number if before else None, after.number if after else None)
                explaining = list(_explaining(difference, number, own, stored)) or reading or list(sources)
                self._give(pair, stored, difference, explaining, number, is_alone)
        self._refuse(pair)
        for difference in stored_sources(stored):
            if difference.part is Part.ID and moved:
                # What is in front of the state moved it and the offsets alike.
                continue
            explaining = list(_foremost(own)) or reading or list(sources)
            self._give(pair, stored, difference, explaining, (None, None), is_alone)

    def _refuse(self, pair: PairDiff) -> None:
        """Intervals that Flink does not take, as far as they are new."""
        assert pair.baseline is not None and pair.current is not None
        known = {place.text for place in refused_intervals(pair.baseline.statement.parsed)}
        for place in refused_intervals(pair.current.statement.parsed):
            if place.text not in known:
                subject = f"{place.text} has more digits than an interval has by default"
                change = Change(ChangeKind.QUERY_REFUSED, QueryKind.JOB, place, None, subject=subject)
                self.further.setdefault(id(pair), []).append(change)
                self.outcomes[id(change)] = [Outcome(Effect.DOES_NOT_START, "Flink does not plan the query")]

    def _refuse_query(self, pair: PairDiff, diff: JobDiff) -> None:
        """What Flink does not plan any more: updates in no order for their sink, and watermarks that are too fine."""
        assert pair.baseline is not None and pair.current is not None
        sides = (pair.baseline, diff.baseline.catalog), (pair.current, diff.current.catalog)
        lacking = [lacks_conflict_clause(*side, self.options) for side in sides]
        if lacking == [False, True]:
            subject = "its updates need ON CONFLICT, for they come in no order by the primary key of the sink"
            self._refused(pair, subject)
        fine = [set(tables_with_fine_watermarks(*side)) for side in sides]
        for table in sorted(fine[1] - fine[0]):
            self._refused(pair, f"a watermark of {table} is on a column finer than milliseconds")

    def _refused(self, pair: PairDiff, subject: str) -> None:
        assert pair.current is not None
        parsed = pair.current.statement.parsed
        whole = Place(parsed, Span(0, len(parsed.text)))
        change = Change(ChangeKind.QUERY_REFUSED, QueryKind.JOB, whole, None, subject=subject)
        self.further.setdefault(id(pair), []).append(change)
        self.outcomes[id(change)] = [Outcome(Effect.DOES_NOT_START, "Flink does not plan the query")]

    def _of_operators(
        self, before: StoredOperator | None, after: StoredOperator | None, stored: PairOfPipelines
    ) -> Iterator[Difference]:
        twin = stored.by_id_after.get(before.id.value) if before is not None else None
        if before is not None and after is not None and (twin is None or twin.id == after.id):
            yield from differences(before, after)
        elif before is not None and after is not None:
            # Another operator stands where it stood.
            yield from self._of_operators(before, None, stored)
            yield from self._of_operators(None, after, stored)
        elif before is not None:
            if twin is not None:
                yield from differences(before, twin)
            else:
                doubt = before.id.doubt or stored.doubt_after
                effect = Effect.UNDETERMINED if doubt else Effect.DOES_NOT_START
                yield Difference(Part.ID, effect, doubt or f"nothing takes the state of {before.title}")
        elif after is not None and after.id.value not in stored.by_id_before:
            if after.updating_input:
                reason = "it starts empty, and its input takes back rows that it never saw"
                yield Difference(Part.KIND, Effect.WRONG_RESULTS, reason)
            else:
                yield Difference(Part.KIND, Effect.STARTS_EMPTY, "nothing in the savepoint is for it")

    def _give(
        self,
        pair: PairDiff,
        stored: PairOfPipelines,
        difference: Difference,
        explaining: list[Change],
        number: tuple[int | None, int | None],
        is_alone: bool,
    ) -> None:
        outcome = Outcome(difference.effect, difference.reason)
        if not explaining and difference.part is Part.ID and is_alone:
            # Queries that came or went move the ids of those that stay.
            self.lonely = max(self.lonely, outcome, key=lambda one: one.effect.loudness)
            return
        if not explaining:
            explaining = [_unexplained(difference, pair, number)]
            known = self.further.setdefault(id(pair), [])
            if explaining[0] in known:
                return
            known += explaining
        for change in explaining:
            self.kept.append(change)
            self.outcomes.setdefault(id(change), []).append(outcome)


def _for_what_follows(
    found: Difference, before: StoredOperator | None, after: StoredOperator | None, stored: PairOfPipelines
) -> Difference:
    """A difference, and what it means to the state behind it: that was made of rows which now come in another way."""
    if found.effect is Effect.STATE_LOST and after is not None and after.updating_input:
        reason = f"{found.reason}; its input takes back rows that it does not know any more"
        return replace(found, effect=Effect.WRONG_RESULTS, reason=reason)
    if found.effect in (Effect.EXACT, Effect.STATE_LOST) and stored.feeds_state(before, after):
        reason = "the state behind it was made of the rows that it gave before, and goes on with others"
        return replace(found, effect=Effect.WRONG_RESULTS, reason=reason)
    return found


def stored_sources(stored: PairOfPipelines) -> Iterator[Difference]:
    """Sources that lose their offsets, or find those of another table."""
    for table, doubt in stored.lost_sources:
        effect = Effect.UNDETERMINED if doubt else Effect.DOES_NOT_START
        yield Difference(Part.ID, effect, doubt or f"the offsets of {table} belong to an id that is gone")
    # A job that does not start reads nothing.
    for was, now in stored.swapped_sources if not stored.stops else ():
        yield Difference(Part.INPUT, Effect.WRONG_RESULTS, f"{now} goes on with the offsets of {was}")


def _stays(change: Change) -> bool:
    return change.presence is not None and change.presence.value == "kept"


def _explaining(
    difference: Difference,
    number: tuple[int | None, int | None],
    changes: Iterable[Change],
    stored: PairOfPipelines,
) -> Iterator[Change]:
    """The changes that a difference comes from: those about its part, of this operator if there are any, else of the
    operators below it; else whatever there is.
    """
    made = [change for change in changes if not _stays(change)]
    here = [change for change in made if _is_at(change, number)]
    below = [change for change in made if stored.is_below(change.operators, number)]
    for group in (here, below):
        about = [change for change in group if difference.part in TOUCHED.get(change.kind, ())]
        if about:
            yield from about
            return
    if difference.part is Part.ID:
        # An operator that came, went or got other columns below it moves the ids above.
        yield from _foremost((*here, *below)) or _foremost(made)
        return
    yield from here or below or made


def _foremost(changes: Iterable[Change]) -> list[Change]:
    """The changes that are most likely to have moved operator ids."""
    there = [change for change in changes if not _stays(change)]
    for kinds in (_GLOBAL, tuple(kind for kind, parts in TOUCHED.items() if Part.ID in parts)):
        found = [change for change in there if change.kind in kinds]
        if found:
            return found
    return there


def _is_at(change: Change, number: tuple[int | None, int | None]) -> bool:
    return any(own is not None and own == other for own, other in zip(change.operators, number, strict=True))


def _unexplained(difference: Difference, pair: PairDiff, number: tuple[int | None, int | None]) -> Change:
    assert pair.baseline is not None and pair.current is not None
    kind = ChangeKind.OPERATOR_IDS_CHANGED if difference.part is Part.ID else ChangeKind.STORED_STATE_CHANGED
    current, baseline = spot(pair.current, number[1]), spot(pair.baseline, number[0])
    return Change(
        kind,
        QueryKind.JOB,
        current,
        baseline,
        subject=difference.part.value,
        reason=difference.reason,
        operators=number,
    )
