"""From changes to verdicts: each change by the engine profile, then how they combine (spec section 17)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.job_differences import JobDiff, PairDiff
from keepstate.diff.statements.unread_statements import has_unread, unread_changes
from keepstate.diff.subjects import ItemKind
from keepstate.engines import Assessment, EngineProfile, Outcome, clause_precedence, verdict_of
from keepstate.engines.lookup import kinds_of
from keepstate.plan.job import Pipeline
from keepstate.plan.provenance import Place
from keepstate.report import Effect, Verdict
from keepstate.rules.catalogue import rule_for
from keepstate.rules.rule import Rule
from keepstate.syntax.contents import differing
from keepstate.text import Span

_FILTERS = kinds_of(ItemKind.FILTER)
_SINKS = kinds_of(ItemKind.SINK)
_DISTINCT_AGGREGATES = kinds_of(ItemKind.DISTINCT_AGGREGATE)
_AGGREGATES = kinds_of(ItemKind.AGGREGATE) | _DISTINCT_AGGREGATES


@dataclass(frozen=True)
class ChangeJudgement:
    """A change with its effect in the engine.

    ``placeholder`` is the part of a template that makes the change undecidable. ``outcome`` is that of the engine, if
    its effects do not follow from the kind of change.
    """

    change: Change
    rule: Rule
    effect: Effect
    placeholder: str = ""
    outcome: Outcome | None = None

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.effect)

    @property
    def is_about_kind(self) -> bool:
        """Return whether the rule is about this kind of change, as far as that matters."""
        return self.outcome is None or self.rule.kind is self.change.kind

    @property
    def precedence(self) -> int:
        """Precedence among effects of one verdict at one clause, if the engine assesses effects: a job that an edit
        keeps from starting gives no wrong numbers because of the edit.
        """
        return clause_precedence(self.effect) if self.outcome is not None else 0


@dataclass(frozen=True)
class EditJudgement:
    """All effects of one edit of the text, in any operators: the edit becomes one finding."""

    judged: tuple[ChangeJudgement, ...]

    @cached_property
    def worst(self) -> ChangeJudgement:
        """The judgement that the finding states; among equals the one of the operator furthest down."""
        return max(self.judged, key=lambda judged: (judged.verdict.rank, judged.precedence, judged.is_about_kind))

    @property
    def spec(self) -> tuple[str, ...]:
        worst = self.worst
        agreeing = (judged for judged in (worst, *self.judged) if judged.verdict is worst.verdict)
        return tuple(dict.fromkeys(spec for judged in agreeing for spec in judged.rule.spec))


PairKey = tuple[int | None, int | None]
"""The numbers of the statements of a pipeline in the baseline and in the current version."""


@dataclass(frozen=True)
class PipelineJudgement:
    """A pipeline of either side. ``unreported`` are changes that cost nothing and are no finding, but are changes."""

    pair: PairDiff
    edits: tuple[EditJudgement, ...] = ()
    unreported: tuple[ChangeJudgement, ...] = ()
    unexplained: bool = False
    """The pipeline was modified in a way that none of its edits explains."""
    foreign_edits: tuple[EditJudgement, ...] = ()
    """Edits of other pipelines that keep it from finding its state."""

    @property
    def key(self) -> PairKey:
        """Its identity in the comparison."""
        was, now = self.pair.baseline, self.pair.current
        return was.number if was is not None else None, now.number if now is not None else None

    @property
    def pipeline(self) -> Pipeline:
        pipeline = self.pair.current or self.pair.baseline
        assert pipeline is not None
        return pipeline

    def verdict(self, profile: EngineProfile, without: frozenset[EditJudgement] = frozenset()) -> Verdict:
        """The verdict of the pipeline, as if the edits ``without`` had not been made."""
        if not self.edits and not self.foreign_edits:
            return Verdict.COMPATIBLE
        edits = [edit for edit in (*self.edits, *self.foreign_edits) if edit not in without]
        judged = [judged for edit in edits for judged in edit.judged]
        features = [one for one in judged if one.change.kind in profile.features]
        if not features:
            return Verdict.worst(one.verdict for one in judged)
        other_changes = [one for one in judged if one not in features]
        real_edits = any(not _only_kept(edit, profile) for edit in edits)
        # Taking a kept feature out of the account means taking its whole pipeline back.
        kept_left_out = any(edit in without for edit in self.edits if _only_kept(edit, profile))
        if not real_edits and (kept_left_out or not (self.unreported or self.unexplained)):
            return Verdict.worst(one.verdict for one in other_changes)
        if any(one.change.kind in profile.undecidable for one in features):
            return Verdict.UNKNOWN
        certain = (one.verdict for one in other_changes if _is_certain(one.change, features))
        return Verdict.worst((Verdict.UNKNOWN, *certain))


@dataclass(frozen=True)
class JobJudgement:
    pipelines: tuple[PipelineJudgement, ...]
    pairs: Sequence[PairDiff]
    """The pairs that were judged."""
    candidates: Sequence[int]
    """The numbers of the pipelines that may have changes, in order."""
    edits: tuple[EditJudgement, ...] = ()
    """Edits that concern the job rather than one pipeline."""
    several_kinds: tuple[EditJudgement, ...] = ()
    """Edits that are undecidable only because other kinds of things changed as well (spec OL-03)."""

    @cached_property
    def eventful(self) -> Mapping[int, PipelineJudgement]:
        """The pipelines with changes, of their own or of others, by their numbers: mostly few of many."""
        both = ((number, self.pipelines[number]) for number in self.candidates)
        return {number: each for number, each in both if each.edits or each.foreign_edits or each.unreported}

    def all_edits(self) -> Iterator[tuple[EditJudgement, PipelineJudgement | None]]:
        for pipeline in self.eventful.values():
            for edit in pipeline.edits:
                yield edit, pipeline
        for pipeline in self.eventful.values():
            for edit in pipeline.foreign_edits:
                yield edit, pipeline
        for edit in (*self.edits, *self.several_kinds):
            yield edit, None

    def verdict(self, profile: EngineProfile, without: frozenset[EditJudgement] = frozenset()) -> Verdict:
        verdicts = [
            each.verdict(profile, without) for each in self.eventful.values() if each.edits or each.foreign_edits
        ]
        verdicts += [edit.worst.verdict for edit in self.edits if edit not in without]
        worst = Verdict.worst(verdicts)
        open_by_kinds = profile.several_kinds_are_unknown and worst is not Verdict.INCOMPATIBLE
        if open_by_kinds and len(_items(self, without)) > 1:
            return Verdict.UNKNOWN
        return worst


def judge(diff: JobDiff, profile: EngineProfile, like: JobJudgement | None = None) -> JobJudgement:
    """Judge everything that differs between two versions of a job. ``like`` is the judgement of a version that is
    nearly the same.

    >>> from keepstate import JobVersion, analyse
    >>> both = analyse(*(JobVersion(f"SELECT b, {each}(a) FROM t GROUP BY b") for each in ("MAX", "SUM"))).comparison
    >>> judge(both.diff, both.profile).verdict(both.profile).value
    'incompatible'
    """
    assessment = profile.assessment(diff)
    untouched = _untouched_judgements(diff, like)
    if assessment is not None:
        return _assessed(diff, assessment, untouched)
    judge_one = _judge_with(diff, profile)
    pipelines, alone = list(untouched), diff.division.of_one_side
    for number in diff.touched:
        pipelines[number] = _judge_pair(diff.pairs[number], diff, profile, judge_one, number in alone)
    loose = [judge_one(change) for change in _loose_changes(diff)]
    edits = tuple(_edits(one for one in loose if _is_shown(one)))
    judgement = JobJudgement(tuple(pipelines), diff.pairs, diff.touched, edits)
    kinds = _items(judgement)
    if judgement.verdict(profile) is Verdict.UNKNOWN and len(kinds) > 1:
        return replace(judgement, several_kinds=tuple(_several_kinds(judgement, kinds)))
    return judgement


def _untouched_judgements(diff: JobDiff, like: JobJudgement | None) -> tuple[PipelineJudgement, ...]:
    """The judgements of all pairs, as if nothing had reached them."""
    if like is None or len(like.pipelines) != len(diff.pairs):
        return tuple(map(PipelineJudgement, diff.pairs))
    judgements = list(like.pipelines)
    for number in differing(like.pairs, diff.pairs):
        judgements[number] = PipelineJudgement(diff.pairs[number])
    # Another pipeline may have kept one from finding its state, as it does no more.
    for number in like.eventful:
        judgements[number] = PipelineJudgement(diff.pairs[number])
    return tuple(judgements)


Judge = Callable[[Change], ChangeJudgement]


def _assessed(diff: JobDiff, assessment: Assessment, untouched: Sequence[PipelineJudgement]) -> JobJudgement:
    """Judge by an engine that determines the outcome of each single change for the state. ``untouched`` are the
    judgements of all pairs, as if nothing had reached them.
    """

    def judge_one(change: Change, outcome: Outcome) -> ChangeJudgement:
        rule = rule_for(change.query, change.kind)
        placeholder = (
            diff.placeholders.placeholder_of(change) if outcome.effect is not Effect.EXACT or rule.is_notice else ""
        )
        if placeholder:
            return ChangeJudgement(
                change, rule, Effect.EXACT if rule.is_notice else Effect.UNDETERMINED, placeholder=placeholder
            )
        return ChangeJudgement(change, rule, outcome.effect, outcome=outcome)

    def pipeline(number: int, pair: PairDiff) -> PipelineJudgement:
        if pair.diff is None:
            change = _unpaired_change(pair, diff)
            outcome = _own_job(pair) if number in diff.division.of_one_side else assessment.unpaired_outcome(number)
            judged = [judge_one(change, outcome)] if change is not None else []
        else:
            changes = (*pair.diff.changes, *pair.setting_changes, *pair.sink_changes)
            changes += assessment.further_changes(number)
            judged = [judge_one(change, assessment.outcome(change, number)) for change in changes]
        return PipelineJudgement(pair, tuple(_edits(one for one in judged if _is_shown(one))) if judged else ())

    changes = _loose_changes(diff)
    loose = [judge_one(change, assessment.outcome(change, None)) for change in changes]
    edits = tuple(_edits(one for one in loose if _is_shown(one)))
    pipelines = list(untouched)
    candidates = sorted({*diff.touched, *assessment.beyond_diff})
    for number in candidates:
        pipelines[number] = pipeline(number, diff.pairs[number])
    return JobJudgement(_with_felt(pipelines, assessment), diff.pairs, candidates, edits)


def _loose_changes(diff: JobDiff) -> tuple[Change, ...]:
    """The changes that no single pipeline has."""
    unread = unread_changes(diff.baseline.script, diff.current.script)
    return (*diff.source_changes, *diff.other_changes, *unread)


def _own_job(pair: PairDiff) -> Outcome:
    """The outcome for a query that is a job of its own: one that is new starts by itself, and one that is there no more
    takes its state along.
    """
    ended = pair.current is None and pair.baseline is not None and pair.baseline.equivalent_plan.stateful
    return Outcome(Effect.STATE_DROPPED if ended else Effect.EXACT)


def _with_felt(pipelines: list[PipelineJudgement], assessment: Assessment) -> tuple[PipelineJudgement, ...]:
    """The pipelines, each with the edits of others that keep it from finding its state."""
    result = list(pipelines)
    for number, felt in [(each, assessment.foreign_changes_of(each)) for each in sorted(assessment.beyond_diff)]:
        edits = (
            edit
            for other in sorted({other for other, _ in felt})
            for edit in pipelines[other].edits
            if any((other, one.change) in felt for one in edit.judged)
        )
        if felt:
            result[number] = replace(result[number], foreign_edits=tuple(edits))
    return tuple(result)


def _unpaired_change(pair: PairDiff, diff: JobDiff) -> Change | None:
    """Return the change that adds or removes a pipeline; ``None`` if it may be a statement of the other side that
    cannot be parsed.
    """
    pipeline = pair.current or pair.baseline
    assert pipeline is not None
    other = (diff.baseline, diff.current) if pair.current is not None else (diff.current, diff.baseline)
    if has_unread(other[0].script, other[1].script):
        return None
    parsed = pipeline.statement
    whole = Place(parsed, Span(0, len(parsed.text)))
    if pair.current is not None:
        return Change(ChangeKind.PIPELINE_ADDED, QueryKind.JOB, whole, None, subject=pipeline.name)
    return Change(ChangeKind.PIPELINE_REMOVED, QueryKind.JOB, None, whole, removed=True, subject=pipeline.name)


def _judge_with(diff: JobDiff, profile: EngineProfile) -> Judge:
    ignore_filter = profile.ignore_filter is not None and diff.setting(profile.ignore_filter, "false") == "true"
    ignore_sink = _ignores_sinks(diff, profile)

    def judge_one(change: Change) -> ChangeJudgement:
        rule = rule_for(change.query, change.kind)
        effect = profile.effect(change.query, change.kind) or Effect.UNDETERMINED
        if change.kind in _FILTERS and ignore_filter:
            effect = Effect.EXACT
        elif change.kind in _SINKS and not ignore_sink:
            effect = Effect.STATE_LOST
        placeholder = diff.placeholders.placeholder_of(change) if effect is not Effect.EXACT or rule.is_notice else ""
        if placeholder:
            return ChangeJudgement(
                change, rule, Effect.EXACT if rule.is_notice else Effect.UNDETERMINED, placeholder=placeholder
            )
        return ChangeJudgement(change, rule, effect)

    return judge_one


def _ignores_sinks(diff: JobDiff, profile: EngineProfile) -> bool:
    return profile.ignore_sink is None or diff.setting(profile.ignore_sink, "true") != "false"


def _judge_pair(
    pair: PairDiff, diff: JobDiff, profile: EngineProfile, judge_one: Judge, own_job: bool
) -> PipelineJudgement:
    if pair.diff is None:
        return _judge_unpaired(pair, diff, judge_one, _ignores_sinks(diff, profile), own_job)
    if not pair.diff.modified and not pair.setting_changes and not pair.sink_changes:
        return PipelineJudgement(pair)
    judged = [judge_one(change) for change in (*pair.diff.changes, *pair.setting_changes)]
    sinks = [judge_one(change) for change in pair.sink_changes]
    if not pair.diff.modified and not pair.setting_changes:
        judged = []
    visible = [one for one in judged if _is_shown(one)]
    unreported = [one for one in (*judged, *sinks) if not _is_shown(one)]
    visible += [one for one in sinks if _is_shown(one)]
    edits = tuple(_edits(visible))
    real_edits = [edit for edit in edits if not _only_kept(edit, profile)]
    source_changes = [one for one in unreported if one.change.kind not in _SINKS]
    unexplained = pair.diff.modified and not real_edits and not source_changes
    return PipelineJudgement(pair, edits, tuple(unreported), unexplained)


def _is_shown(judged: ChangeJudgement) -> bool:
    """Return whether a change is reported. A compatible change gets a notice only where state is dropped, or where its
    rule is a notice.
    """
    is_notice = judged.effect is Effect.STATE_DROPPED or (judged.rule.is_notice and not judged.placeholder)
    return judged.verdict is not Verdict.COMPATIBLE or is_notice


def _judge_unpaired(
    pair: PairDiff, diff: JobDiff, judge_one: Judge, ignore_sink: bool, own_job: bool
) -> PipelineJudgement:
    pipeline = pair.current or pair.baseline
    assert pipeline is not None
    other = (diff.baseline, diff.current) if pair.current is not None else (diff.current, diff.baseline)
    if has_unread(other[0].script, other[1].script):
        # The statement that cannot be read may be this very query.
        return PipelineJudgement(pair)
    parsed = pipeline.statement
    whole = Place(parsed, Span(0, len(parsed.text)))
    # A sink that is not left out of the comparison counts as state (spec SNK-05).
    stateful = pipeline.equivalent_plan.stateful or (pipeline.sink is not None and not ignore_sink)
    if pair.current is not None:
        if not stateful or own_job:
            return PipelineJudgement(pair)
        change = Change(ChangeKind.PIPELINE_ADDED, QueryKind.JOB, whole, None, subject=pipeline.name)
        return PipelineJudgement(pair, (EditJudgement((judge_one(change),)),))
    temporary = not own_job and any(change.kind is ChangeKind.TEMPORARY_TABLE_CHANGED for change in diff.other_changes)
    if not stateful and not temporary:
        return PipelineJudgement(pair)
    kind = ChangeKind.TEMPORARY_TABLE_CHANGED if temporary else ChangeKind.PIPELINE_REMOVED
    change = Change(kind, QueryKind.JOB, None, whole, removed=True, subject=pipeline.name)
    return PipelineJudgement(pair, (EditJudgement((judge_one(change),)),))


def _edits(judged: Iterable[ChangeJudgement]) -> Iterator[EditJudgement]:
    """Group by the clauses: one edit often shows in several operators, and is one finding all the same."""
    judged_changes = list(judged)
    open_placeholders = {one.placeholder for one in judged_changes}
    groups: dict[tuple[object, ...], list[ChangeJudgement]] = {}
    for one in judged_changes:
        if one.change.kind is ChangeKind.TEMPLATE_CHANGED and _placeholders_of(one.change) <= open_placeholders:
            # A finding at another clause says so already.
            continue
        change = one.change
        key = (change.current, change.baseline if change.removed else None, change.external)
        groups.setdefault(key, []).append(one)
    for group in groups.values():
        yield EditJudgement(tuple(group))


def _placeholders_of(change: Change) -> set[str]:
    sides = (change.baseline, None if change.removed else change.current)
    return {place.text for place in sides if place is not None}


def _is_certain(change: Change, features: Iterable[ChangeJudgement]) -> bool:
    """Return whether the loss by ``change`` is certain beside features that make its pipeline undecidable (spec
    CMB-01).

    The loss of aggregates that are all added or removed is not certain (section 17, step 4d), but the loss of the rows
    of a ranking is. Nor is the loss by a condition beside one on a window field: both are one filter.
    """
    if change.kind in _FILTERS:
        own = (one.change for one in features if one.change.kind is ChangeKind.WINDOW_FIELD_FILTERED)
        return all(other.operators != change.operators for other in own)
    return change.kind not in _AGGREGATES - _DISTINCT_AGGREGATES or change.query is QueryKind.WINDOW_TOP_N


def _only_kept(edit: EditJudgement, profile: EngineProfile) -> bool:
    """Return whether the edit is no edit but a feature that both sides have."""
    return all(
        one.change.kind in profile.features and one.change.presence is not None and one.change.presence.value == "kept"
        for one in edit.judged
    )


def _items(
    judgement: JobJudgement, without: frozenset[EditJudgement] = frozenset()
) -> dict[str, list[ChangeJudgement]]:
    """The kinds of items that changed: aggregate functions, filters, sinks."""
    items: dict[str, list[ChangeJudgement]] = {}
    for pipeline in judgement.eventful.values():
        remaining = [one for edit in pipeline.edits if edit not in without for one in edit.judged]
        for one in (*remaining, *pipeline.unreported):
            if one.change.kind in _AGGREGATES:
                items.setdefault("aggregates", []).append(one)
            elif one.change.kind in _FILTERS:
                items.setdefault("a filter", []).append(one)
            elif one.change.kind is ChangeKind.SINK_CHANGED:
                items.setdefault("a sink", []).append(one)
    return items


def _several_kinds(judgement: JobJudgement, items: dict[str, list[ChangeJudgement]]) -> Iterator[EditJudgement]:
    """One finding at each changed item that has none of its own."""
    places = {one.change.current for edit, _ in judgement.all_edits() for one in edit.judged}
    for name, judged in items.items():
        other_names = " and ".join(other for other in items if other != name)
        for one in judged:
            if one.change.current in places:
                continue
            places.add(one.change.current)
            place = one.change.filter_place if one.change.kind in _FILTERS else one.change.current
            change = replace(
                one.change,
                current=place,
                kind=ChangeKind.KINDS_OF_CHANGE_MIXED,
                query=QueryKind.JOB,
                current_text=other_names,
            )
            rule = rule_for(QueryKind.JOB, ChangeKind.KINDS_OF_CHANGE_MIXED)
            yield EditJudgement((ChangeJudgement(change, rule, Effect.UNDETERMINED),))
