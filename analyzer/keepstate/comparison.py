"""Comparison of two versions of a job: made once, and read by reports, fixes and drawings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, islice, repeat
from operator import attrgetter

from keepstate.acceptances import AcceptancePolicy, Acceptances, key_of
from keepstate.diff.changes import Change, ChangeKind
from keepstate.diff.job_differences import JobDiff, compare_jobs
from keepstate.diff.reverting import EditedScript, paired_statements
from keepstate.diff.statements.templates import placeholder_words
from keepstate.engines import PROFILES, EngineProfile
from keepstate.job_version import JobVersion
from keepstate.plan.job import Job
from keepstate.plan.provenance import Place
from keepstate.report import Clause, Effect, Finding, PipelineVerdict, Refusal, Report, UnusedAcceptance, Verdict
from keepstate.rules.combined_messages import AFTER_START, LONGEST_HEAD, MORE, first_words, said_together
from keepstate.rules.consequences import outcome_words
from keepstate.rules.finding_details import FindingDetails, combined_effect, reached_queries
from keepstate.rules.finding_keys import finding_identity, words_of_change
from keepstate.rules.judgement import EditJudgement, JobJudgement, PairKey, PipelineJudgement, judge
from keepstate.state.stored_queries import StoredPair
from keepstate.structure.query_lines import QueryLines
from keepstate.syntax.script import Script, StatementKind
from keepstate.text import Span
from keepstate.validated_job import ComparedJobs, ValidatedJob, refusal_of, validated

_SUBSETS_TRIED = 1024
"""Sets of optional findings tried for the smallest revert; beyond that all findings are named."""
_FINDINGS_LOOKED_AT = 100_000
"""The same, counted in findings: where there are very many, fewer sets are tried."""


_NAME, _NUMBER, _SPAN = attrgetter("name"), attrgetter("number"), attrgetter("span")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two versions of a job, compared and judged once for one engine.

    Reports, outcomes of state and drawings are read from the comparison; fixes compare texts of their own.
    """

    current_job: ValidatedJob
    baseline_job: ValidatedJob
    jobs: ComparedJobs
    diff: JobDiff
    judgement: JobJudgement
    profile: EngineProfile
    _trial_reports: dict[Hashable, Report] = field(default_factory=dict, repr=False)
    """The reports of other current versions, by their keys."""
    _refused: dict[Hashable, tuple[Refusal, ...]] = field(default_factory=dict, repr=False)
    """The statements of these that the engine refuses, or may refuse."""
    _validated: dict[Hashable, ValidatedJob] = field(default_factory=dict, repr=False)
    """The last of these that was validated and not compared yet."""

    @staticmethod
    def of(
        current: ValidatedJob,
        baseline: ValidatedJob,
        like: Comparison | None = None,
        compared: ComparedJobs | None = None,
    ) -> Comparison:
        """Compare and judge two jobs for the engine that both were validated for. ``like`` is the comparison of a text
        that is nearly the same: what both have is compared once. ``compared`` are the two as they are compared, where
        that is known.

        Raises:
            KeyError: there is no profile for the engine.
        """
        profile = PROFILES[current.engine]
        is_near = like is not None and like.current_version.surroundings == current.version.surroundings
        jobs = compared or ComparedJobs.of(current, baseline, (like.current,) if like and is_near else ())
        diff = compare_jobs(jobs.baseline, jobs.current, like.diff if like is not None else None)
        former = like.judgement if like is not None and like.profile is profile else None
        return Comparison(current, baseline, jobs, diff, judge(diff, profile, former), profile)

    def moved_to(self, current: ValidatedJob, baseline: ValidatedJob, jobs: ComparedJobs) -> Comparison | None:
        """The comparison with a version that has the same statements at other places of its text, of which the engine
        refuses none. ``None`` for other versions. ``jobs`` are the two as they are compared.
        """
        if baseline is not self.baseline_job or current.engine != self.profile.name:
            return None
        if current.version.surroundings != self.current_version.surroundings:
            return None
        if not (jobs.are_of(current, baseline) and self.jobs.are_of(self.current_job, baseline)):
            return None
        diff = self.diff.moved_to(jobs.current)
        if diff is None:
            return None
        return Comparison(current, baseline, jobs, diff, self.judgement, self.profile)

    @property
    def current_version(self) -> JobVersion:
        return self.current_job.version

    @property
    def baseline_version(self) -> JobVersion:
        return self.baseline_job.version

    @property
    def current(self) -> Job:
        """The current job as it was compared: without what the engine refuses."""
        return self.jobs.current

    @property
    def baseline(self) -> Job:
        """The baseline as it was compared."""
        return self.jobs.baseline

    def report_of(self, version: JobVersion) -> Report:
        """The report of another version against the same baseline: of a text that a fix would make."""
        report = self._trial_reports.get(version.key)
        if report is None:
            report = self._trial_reports[version.key] = self._trial_report(version)
        return report

    def _trial_report(self, version: JobVersion) -> Report:
        job = self._validated.pop(version.key, None) or self._job_of(version)
        if job is not self.baseline_job:
            return Comparison.of(job, self.baseline_job, self).report()
        # All versions share the report about nothing that was changed.
        group = job.version.key, job.engine
        return self.current.script.memo.of_group(Comparison, group, lambda: Comparison.of(job, job).report())

    def refusals_of(self, version: JobVersion) -> tuple[Refusal, ...]:
        """The refusals of that report, for which nothing is compared."""
        refusals = self._refused.get(version.key)
        if refusals is None:
            job = self._job_of(version)
            refusals = self._refused[version.key] = _refusals_of(job, self.baseline_job)
            self._validated.clear()
            self._validated[version.key] = job
        return refusals

    def _job_of(self, version: JobVersion) -> ValidatedJob:
        # Most reverts make the text of the baseline again.
        if version.key == self.baseline_version.key:
            return self.baseline_job
        return validated(version, self.profile.name, self.current.script.memo, self.current_job)

    def report(self, accepting: AcceptancePolicy | None = None) -> Report:
        """Findings and verdicts of a restart of the current version from a savepoint of the baseline. With
        ``accepting``, accepted findings are marked; without it acceptances are not looked at.
        """
        entries = self.entries
        unused: tuple[UnusedAcceptance, ...] = ()
        if accepting is not None:
            acceptances = Acceptances(self.current.script, accepting)
            entries = [
                replace(entry, finding=replace(entry.finding, accepted=acceptances.of(entry.finding)))
                for entry in entries
            ]
            unused = acceptances.unused()
        findings = tuple(entry.finding for entry in entries)
        refusals, verdict = self._refusals, self.verdict
        own: dict[PairKey, list[int]] = {}
        for index, entry in enumerate(entries):
            for key in dict.fromkeys(owner.key for owner in entry.owners if owner is not None):
                own.setdefault(key, []).append(index)
        reaching = reached_queries(entries, self.current.pipelines)
        # The pairs of the current side come first.
        eventful = (number for number in self.judgement.eventful if number < len(self.current.pipelines))
        lines = {
            number: self._pipeline(number, entries, own, reaching.get(number, ()))
            for number in sorted({*eventful, *self.jobs.open_places, *reaching})
        }
        return Report(
            engine=self.profile.name,
            verdict=verdict,
            effect=combined_effect(verdict, list(findings)),
            pipelines=QueryLines(len(self.current.pipelines), partial(_untouched_lines, self.current), lines),
            findings=findings,
            problems=self.current_job.unread(),
            baseline_problems=self.baseline_job.unread(),
            refusals=refusals,
            baseline_refusals=self.baseline_job.refusals,
            unchanged=not refusals and not self.baseline_job.refusals and self._unchanged(),
            verdict_without_accepted=self._verdict_without_accepted(entries),
            unused_acceptances=unused,
        )

    @cached_property
    def edited_script(self) -> EditedScript:
        """The current script with the ways back to that of the baseline."""
        return EditedScript(self.baseline.script, self.current.script)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of the job: unknown at best beside a refused statement."""
        verdict = self.judgement.verdict(self.profile)
        if self._refusals or self.jobs.open_places:
            return Verdict.worst((verdict, Verdict.UNKNOWN))
        return verdict

    @cached_property
    def _refusals(self) -> tuple[Refusal, ...]:
        """The statements of the current text that the engine refuses, or may refuse, in text order."""
        return _refusals_of(self.current_job, self.baseline_job)

    def _verdict_without_accepted(self, entries: list[FindingDetails]) -> Verdict | None:
        accepted = frozenset(edit for entry in entries if entry.finding.accepted is not None for edit in entry.edits)
        return self.judgement.verdict(self.profile, accepted) if accepted else None

    def _pipeline(
        self, place: int, entries: list[FindingDetails], own: Mapping[PairKey, list[int]], reaching: Sequence[int]
    ) -> PipelineVerdict:
        """The verdict of the current query at ``place``. ``own`` are the findings of each pair, ``reaching`` those of
        the job that reach this one.
        """
        pipeline, current = self.judgement.pipelines[place], self.current.pipelines[place]
        numbers = sorted({*own.get(pipeline.key, []), *reaching})
        verdicts = [pipeline.verdict(self.profile), *(entries[index].finding.verdict for index in reaching)]
        if self.jobs.is_open(current):
            verdicts.append(Verdict.UNKNOWN)
        verdict = Verdict.worst(verdicts)
        effect = combined_effect(verdict, [entries[index].finding for index in numbers])
        span = self.current.statement_of(current).span
        return PipelineVerdict(current.name, span, verdict, effect, tuple(numbers))

    @cached_property
    def stored_pairs(self) -> tuple[StoredPair, ...]:
        """Stored state of each pipeline on both sides, in the order of the judgement."""
        compared = [pipeline.pair.compared for pipeline in self.judgement.pipelines]
        return self.profile.stored_pairs(self.baseline, self.current, compared)

    def stored_of(self, pipeline: PipelineJudgement) -> StoredPair:
        """Stored state of a pipeline on both sides."""
        return self._stored_by_key[pipeline.key]

    @cached_property
    def _stored_by_key(self) -> dict[PairKey, StoredPair]:
        pairs = zip(self.judgement.pipelines, self.stored_pairs, strict=True)
        return {pipeline.key: pair for pipeline, pair in pairs}

    @cached_property
    def entries(self) -> list[FindingDetails]:
        """The findings in text order. An edit that several pipelines feel is one finding, of the first one for which it
        is worst.
        """
        entries: dict[tuple[object, ...], FindingDetails] = {}
        for edit, owner in self._edits_in_order():
            finding = self._finding(edit, owner)
            identity = () if self._is_emptied else finding_identity(finding)
            own = FindingDetails(finding, [], [])
            entry = entries.setdefault(identity, own)
            if own.cost > entry.cost:
                entry = entries[identity] = replace(entry, finding=finding)
            entry.edits.append(edit)
            entry.owners.append(owner)
        entries_in_company = (
            replace(entry, finding=replace(entry.finding, in_company=not self._costs_by_itself(entry)))
            for entry in entries.values()
        )
        ordered = sorted(
            entries_in_company,
            key=lambda entry: (entry.finding.current.span, -entry.finding.verdict.rank, entry.finding.rule),
        )
        findings = said_together([entry.finding for entry in ordered], [entry.jobs for entry in ordered])
        return [replace(entry, finding=finding) for entry, finding in zip(ordered, findings, strict=True)]

    def _edits_in_order(self) -> list[tuple[EditJudgement, PipelineJudgement | None]]:
        """All edits. Of an emptied text the worst one comes first: it stands for all of them."""
        edits = list(self.judgement.all_edits())
        return sorted(edits, key=lambda each: -each[0].worst.verdict.rank) if self._is_emptied else edits

    @cached_property
    def _is_emptied(self) -> bool:
        """Return whether all statements went: that is one edit, whatever went with them."""
        return not self.current.script.statements and bool(self.baseline.pipelines)

    def _costs_by_itself(self, entry: FindingDetails) -> bool:
        """Return whether the edit costs compatibility whichever other edits are reverted, so that every revert has to
        include it.
        """
        return any(
            judged.verdict is not Verdict.COMPATIBLE
            and judged.change.kind not in self.profile.features
            and judged.change.kind is not ChangeKind.KINDS_OF_CHANGE_MIXED
            for edit in entry.edits
            for judged in edit.judged
        )

    def _unchanged(self) -> bool:
        # DELETE, CALL and others keep no state and are not judged, but with another text they do something else.
        if _other_statements(self.baseline.script) != _other_statements(self.current.script):
            return False
        diffs = [self.diff.pairs[number].diff for number in self.diff.touched]
        return not list(self.judgement.all_edits()) and all(
            diff is not None and not diff.modified and diff.baseline.planned == diff.current.planned for diff in diffs
        )

    def _finding(self, edit: EditJudgement, owner: PipelineJudgement | None) -> Finding:
        judged = edit.worst
        change = judged.change
        pipeline = owner.pipeline if owner is not None else None
        words = judged.rule.words.filled(change)
        if judged.outcome is not None and not judged.rule.is_notice:
            words = outcome_words(judged.outcome, change, words)
        consequence, advice = words.consequence, words.advice
        if judged.placeholder:
            placeholder = placeholder_words(judged.placeholder)
            consequence = f"a template fills in {placeholder} later, so it is unknown if it really changes"
            advice = "Check the rendered SQL."
        room = LONGEST_HEAD - len(f": {first_words(consequence)}")
        if judged.outcome is not None and judged.effect in AFTER_START:
            room -= MORE
        description = words.change if len(words.change) <= room else judged.rule.words.change_within(room, change)
        if self._is_emptied:
            description = "all statements removed"
        return Finding(
            rule=judged.rule.id,
            spec=edit.spec,
            query_kind=judged.rule.query.value,
            verdict=judged.verdict,
            effect=judged.effect,
            change=description,
            consequence=consequence,
            recovery=words.recovery,
            advice=advice,
            current=self._current_clause(change, owner),
            baseline=self._baseline_clause(change.baseline, owner),
            removed=change.removed,
            external=change.external,
            pipeline=pipeline.name if pipeline is not None else None,
            key=key_of(judged.rule.id, *words_of_change(change)),
        )

    def _current_clause(self, change: Change, owner: PipelineJudgement | None) -> Clause:
        place = change.current
        pipeline = owner.pair.current if owner is not None else None
        text = self.current.script.text
        span = self.current.span_of(place, pipeline) if place is not None else None
        if place is not None and span is not None and span.of(text) != place.text:
            # The statement of the baseline stands in for a refused one, which is shown instead.
            start = span.start - place.span.start
            refused = next(each.span for each in self.current_job.job.script.statements if each.span.start == start)
            span = _first_word(refused, text)
        if span is None and pipeline is not None:
            span = _first_word(self.current.statement_of(pipeline).span, self.current.script.text)
        if span is None:
            span = self._neighbour(self._baseline_clause(change.baseline, owner))
        return Clause(span, span.of(self.current.script.text))

    def _neighbour(self, clause: Clause | None) -> Span:
        """The statement beside the place where a statement of the baseline stood, which has left no trace: the first
        word of the next one that remains, or else the last one in front of it.
        """
        text, statements = self.current.script.text, self.current.script.statements
        if not statements:
            return Span(0, 0)
        remaining = [
            (was.span, now.span)
            for was, now in paired_statements(self.baseline.script, self.current.script)
            if was is not None
        ]
        behind = [now for was, now in remaining if clause is not None and was.start >= clause.span.end]
        before = [now for was, now in remaining if clause is not None and was.end <= clause.span.start]
        if behind:
            return _first_word(min(behind), text)
        return _first_word(max(before) if before else statements[0].span, text)

    def _baseline_clause(self, place: Place | None, owner: PipelineJudgement | None) -> Clause | None:
        if place is None:
            return None
        span = self.baseline.span_of(place, owner.pair.baseline if owner is not None else None)
        text = self.baseline.script.text
        return Clause(span, span.of(text)) if span is not None and span.of(text) == place.text else None

    def reverts(self) -> Iterator[tuple[int, ...]]:
        """Sets of findings, by their indices, without whose edits the judgement would be compatible: the smallest
        first, all of them last. The text without them proves it (``keepstate.quick_fixes.reverts``).
        """
        entries = self.entries
        costly = [self._costs_by_itself(entry) for entry in entries]
        costly_indexes = [index for index, costs in enumerate(costly) if costs]
        free_indexes = [index for index, costs in enumerate(costly) if not costs]
        tried = min(_SUBSETS_TRIED, _FINDINGS_LOOKED_AT // (len(entries) + 1) + 1)
        for extra in islice(_by_size(free_indexes), tried):
            indexes = (*costly_indexes, *extra)
            without = frozenset(edit for index in indexes for edit in entries[index].edits)
            if len(indexes) < len(entries) and self.judgement.verdict(self.profile, without) is Verdict.COMPATIBLE:
                yield tuple(sorted(indexes))
        yield tuple(range(len(entries)))


def _untouched_lines(job: Job) -> Iterator[PipelineVerdict]:
    """The verdicts of all queries of a job, as if nothing had reached them: so it is for nearly all."""
    spans = map(_SPAN, map(job.script.statements.__getitem__, map(_NUMBER, job.pipelines)))
    return map(PipelineVerdict, map(_NAME, job.pipelines), spans, repeat(Verdict.COMPATIBLE), repeat(Effect.EXACT))


def _refusals_of(current: ValidatedJob, baseline: ValidatedJob) -> tuple[Refusal, ...]:
    doubts = (refusal_of(doubt, certain=False) for doubt in current.new_doubts(baseline))
    return tuple(sorted((*current.refusals, *doubts), key=lambda refusal: refusal.span))


def _by_size(indices: list[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(indices) + 1):
        yield from combinations(indices, size)


def _first_word(span: Span, text: str) -> Span:
    words = span.of(text).split(maxsplit=1)
    return Span(span.start, span.start + len(words[0])) if words else span


def _other_statements(script: Script) -> tuple[tuple[str, ...], ...]:
    """The statements that neither run a query nor define something, by their tokens."""
    return tuple(each.parsed.token_key for each in script.of_kind(StatementKind.OTHER))
