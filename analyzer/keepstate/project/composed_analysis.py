"""The analysis of a job of several files: with its assumed declarations and without them.

An assumption may add findings and never takes one away: the verdict is the worse of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.acceptances import AcceptancePolicy
from keepstate.analysis import RestartAnalysis
from keepstate.job_version import JobVersion
from keepstate.plan.names.full_names import names_in
from keepstate.plan_view.drawing import Drawing
from keepstate.project.ambiguity import changed_ambiguities, changed_choices, changed_refuted, is_said_by
from keepstate.project.composed_text import FilePlace
from keepstate.project.composition import ComposedJob
from keepstate.project.edited_clauses import chosen_anew, placed, refused_at_edit
from keepstate.project.file_declarations import Declaration
from keepstate.report import (
    Clause,
    Effect,
    Finding,
    Fix,
    Refusal,
    RelatedInformation,
    Report,
    StateOutcome,
    Verdict,
)
from keepstate.syntax.script import parse_script
from keepstate.text import Edit, Span
from keepstate.workspace import Workspace


@dataclass(frozen=True)
class ComposedVersion:
    """A composed job with its configuration outside of the SQL."""

    job: ComposedJob
    version: JobVersion
    """The composed text, with that configuration."""

    def of(self, job: ComposedJob) -> JobVersion:
        """The version of ``job``, which is this one or what is left of it without assumptions."""
        return replace(self.version, text=job.text)


@dataclass(frozen=True, eq=False)
class ComposedAnalysis:
    """Analysis of two composed versions of a job. Spans are those of the composed texts."""

    current: ComposedVersion
    baseline: ComposedVersion
    engine: str
    workspace: Workspace

    @cached_property
    def analysis(self) -> RestartAnalysis:
        """The analysis of the texts with assumed declarations."""
        now, was = (side.of(side.job) for side in (self.current, self.baseline))
        return self.workspace.analysis(now, was, self.engine)

    @cached_property
    def _bare(self) -> RestartAnalysis:
        now, was = (
            side.of(job.without_assumptions)
            for side, job in zip((self.current, self.baseline), self._jobs, strict=True)
        )
        return self.workspace.analysis(now, was, self.engine)

    @cached_property
    def _jobs(self) -> tuple[ComposedJob, ComposedJob]:
        """The jobs, current and baseline; an assumption of one that the other one confirms is none."""
        current, baseline = self.current.job, self.baseline.job
        return current.told_as_by(baseline), baseline.told_as_by(current)

    @property
    def verdict_if_named(self) -> Verdict | None:
        """The verdict of the job if the configuration names the files of its assumed declarations; ``None`` where it
        assumes nothing, where these files declare more of what it reads, and where the engine refuses it then.
        """
        current, baseline = self.current.job, self.baseline.job
        files = {each.file.file_path for each in current.assumed}
        doubtful = (each for job in (current, baseline) for candidates in job.ambiguous.values() for each in candidates)
        if not files or any(each.file.file_path in files for each in doubtful):
            return None
        if any(changed_choices(current, baseline)):
            # Behind the entry the baseline may read another declaration than now.
            return None
        now = replace(self.current, job=current.with_context(current.assumed))
        was = replace(
            self.baseline, job=baseline.with_context(each for each in baseline.assumed if each.file.file_path in files)
        )
        report = ComposedAnalysis(now, was, self.engine, self.workspace).report()
        refused = [*report.problems, *report.baseline_problems, *report.former_refusals]
        return None if refused or not report.is_valid else report.verdict

    @property
    def assumes(self) -> bool:
        """Return whether a declaration of either side is assumed."""
        return any(job.assumed for job in self._jobs)

    def report(self, accepting: AcceptancePolicy | None = None) -> Report:
        """The report of the job, in the order of the composed text."""
        return self._merged(accepting).report

    def report_with(self, edits: Iterable[Edit]) -> Report:
        """The report of the current text after these edits, with its assumed declarations.

        Raises:
            ValueError: two edits overlap.
        """
        return self.analysis.report_with(edits)

    def fixes(self, index: int) -> tuple[Fix, ...]:
        """The fixes of the finding at ``index``; a finding of the text without assumptions has none."""
        place = self._merge.places[index]
        return () if place is None else self._suited(self.analysis.fixes(place))

    def file_fixes(self) -> tuple[Fix, ...]:
        """Fixes of the job as a whole."""
        return () if self._merge.has_more else self._suited(self.analysis.file_fixes())

    def _suited(self, fixes: Iterable[Fix]) -> tuple[Fix, ...]:
        """The fixes that can be written into the files of the job, as they are written there; none in a declaration
        that stands for others of one meaning: they would differ behind it.
        """
        composed = self.current.job.composed
        pairs = ((fix, composed.encoded_edits(fix.edits)) for fix in fixes)
        shared = [each for each, _ in self.current.job.imports if each.name in self.current.job.duplicates]
        suited = ((fix, edits, [composed.place(edit.span) for edit in edits]) for fix, edits in pairs if edits)
        return tuple(
            replace(fix, edits=tuple(dict.fromkeys(edits)))
            for fix, edits, places in suited
            if not any(_is_within(place, shared) or self._is_chosen_anew(place) for place in places)
        )

    def _is_chosen_anew(self, place: FilePlace | None) -> bool:
        """Return whether a place is in a declaration that the configuration chose since the baseline: the former clause
        belongs into another file.
        """
        return place is not None and chosen_anew(place, self.current.job, self.baseline.job) is not None

    def state_outcome(self, index: int) -> StateOutcome | None:
        """The state that the finding at ``index`` is about, part by part; ``None`` for one about no single operator."""
        place = self._merge.places[index]
        return None if place is None else self.analysis.state_outcome(place)

    def drawing(self) -> Drawing:
        """The plans of both texts, with their differences and findings."""
        return self.analysis.drawing()

    def plans_text(self, titles: tuple[str, str]) -> str:
        """The plans of both texts in two columns, the baseline left. ``titles`` are the headings of the sides."""
        return self.analysis.plans_text(titles)

    def with_causes(self, report: Report) -> Report:
        """``report`` with each refusal at the clause of a declaration whose edit is the cause, if that is another
        statement than the refused one.
        """
        refusals = {(refusal.rule, refusal.message) for refusal in report.baseline_refusals}
        return replace(
            report,
            refusals=tuple(
                refusal
                if (refusal.rule, refusal.message) in refusals
                else refused_at_edit(refusal, self.current.job, self.baseline.job)
                for refusal in report.refusals
            ),
        )

    def with_revert(self, report: Report) -> Report:
        """``report`` with the smallest set of findings to take back, where none comes from the text without
        assumptions.
        """
        if self._merge.has_more:
            return report
        indexes = self.analysis.with_revert(self.analysis.report()).revert_to_be_compatible
        places = {place: index for index, place in enumerate(self._merge.places) if place is not None}
        return replace(report, revert_to_be_compatible=tuple(sorted(places[place] for place in indexes)))

    @cached_property
    def _merge(self) -> _Merged:
        return self._merged(None)

    def _merged(self, accepting: AcceptancePolicy | None) -> _Merged:
        report = self.analysis.report(accepting)
        more = list(changed_ambiguities(self.current.job, self.baseline.job))
        if self.assumes:
            moved = _Moved(*self._jobs)
            bare = moved.report(self._bare.report(accepting))
            refuted = _refused_beyond(report.baseline_refusals, bare.baseline_refusals)
            if refuted:
                # The baseline ran, so one of the declarations that Flink refuses below it is not the one that it read.
                report = _without_refuted(report, moved.with_pipelines(bare), refuted)
                spans = [each.current.span for each in report.findings]
                refused = [each.span for each in refuted]
                more += changed_refuted(self.current.job, self.baseline.job, refused, spans)
            report = _with_doubts(report, bare, self.current.job)
            is_worse = bare.verdict.rank > report.verdict.rank
            identities = {(finding.rule, finding.current.span) for finding in report.findings}
            more += (
                finding
                for finding in bare.findings
                if (refuted or (is_worse and finding.verdict.rank > report.verdict.rank))
                and (finding.rule, finding.current.span) not in identities
            )
            if is_worse:
                report = replace(report, verdict=bare.verdict, effect=bare.effect)
        now, was = self.current.job, self.baseline.job
        findings = tuple(placed(finding, now, was) for finding in report.findings)
        return _Merged.of(replace(report, findings=findings), more)


def _is_within(place: FilePlace | None, declarations: Iterable[Declaration]) -> bool:
    """Return whether a place is in one of the declarations."""
    return place is not None and any(
        each.file.path == place.path and each.span.touches(place.span.start) for each in declarations
    )


@dataclass(frozen=True)
class _Merged:
    """A report, and for each finding its number in the report of the analysis; ``None`` for one that was added."""

    report: Report
    places: tuple[int | None, ...]

    @property
    def has_more(self) -> bool:
        return None in self.places

    @staticmethod
    def of(report: Report, more: list[Finding]) -> _Merged:
        """The report with more findings, at their places in the text, and without those that these say better."""
        if not more:
            return _Merged(report, tuple(range(len(report.findings))))
        rows: list[tuple[Finding, int | None]] = [
            (finding, index)
            for index, finding in enumerate(report.findings)
            if not any(is_said_by(finding, other) for other in more)
        ]
        rows += [(finding, None) for finding in more]
        rows.sort(key=lambda row: (row[0].current.span, -row[0].verdict.rank, row[0].rule))
        places = tuple(index for _, index in rows)
        at = {index: number for number, index in enumerate(places) if index is not None}
        shifted = tuple(
            replace(pipeline, findings=tuple(at[index] for index in pipeline.findings if index in at))
            for pipeline in report.pipelines
        )
        verdict = Verdict.worst((report.verdict, *(finding.verdict for finding in more)))
        effect = report.effect
        if verdict is not report.verdict:
            effect = next(finding.effect for finding in more if finding.verdict is verdict)
        open_verdict = report.verdict_without_accepted
        if open_verdict is not None:
            open_verdict = Verdict.worst(
                (open_verdict, *(finding.verdict for finding in more if finding.accepted is None))
            )
        merged = replace(
            report,
            findings=tuple(finding for finding, _ in rows),
            pipelines=shifted,
            verdict=verdict,
            effect=effect,
            unchanged=False,
            verdict_without_accepted=open_verdict,
        )
        return _Merged(merged, places)


def _refused_beyond(refusals: tuple[Refusal, ...], others: tuple[Refusal, ...]) -> tuple[Refusal, ...]:
    """The certain refusals here that are none there."""
    identities = {(refusal.rule, refusal.span) for refusal in others}
    return tuple(each for each in refusals if each.certain and (each.rule, each.span) not in identities)


def _without_refuted(report: Report, bare: Report, refuted: Iterable[Refusal]) -> Report:
    """The report of what does not rest on declarations that the baseline refutes: a statement that is refused for them
    on both sides is judged as without assumptions.
    """
    messages = {(each.rule, each.message) for each in refuted}
    stay = {(each.rule, each.span) for each in bare.refusals}
    dropped = [
        each for each in report.refusals if (each.rule, each.message) in messages and (each.rule, each.span) not in stay
    ]
    refusals = tuple(each for each in report.refusals if each not in dropped)
    by_span = {each.span: replace(each, findings=()) for each in bare.pipelines}
    pipelines = tuple(
        by_span.get(each.span, each) if any(each.span.contains(refusal.span) for refusal in dropped) else each
        for each in report.pipelines
    )
    judged = [(bare.verdict, bare.effect), *((each.verdict, each.effect) for each in pipelines)]
    judged += ((each.verdict, each.effect) for each in report.findings)
    if refusals:
        judged.append((Verdict.UNKNOWN, Effect.UNDETERMINED))
    verdict, effect = max(judged, key=lambda each: each[0].rank)
    return replace(
        report,
        verdict=verdict,
        effect=effect,
        pipelines=pipelines,
        refusals=refusals,
        baseline_refusals=bare.baseline_refusals,
        unchanged=bare.unchanged and not refusals and not report.findings,
    )


def _with_doubts(report: Report, bare: Report, job: ComposedJob) -> Report:
    """The report with doubts in place of the refusals that follow from assumed declarations alone."""
    if not _refused_beyond(report.refusals, bare.refusals):
        return report
    identities = {(refusal.rule, refusal.span) for refusal in bare.refusals if refusal.certain}
    refusals = tuple(
        replace(refusal, certain=False, assuming=_assuming(refusal, job))
        if refusal.certain and (refusal.rule, refusal.span) not in identities
        else refusal
        for refusal in report.refusals
    )
    return replace(report, refusals=refusals, verdict=Verdict.worst((report.verdict, Verdict.UNKNOWN)))


def _assuming(refusal: Refusal, job: ComposedJob) -> str:
    """The assumed declarations that a refusal rests on: those of its file, or those that the refused statement uses."""
    place = job.composed.place(refusal.span)
    assumptions = [each for each in job.assumed if place is not None and each.file == place.file]
    if not assumptions:
        statements = (each for each in parse_script(job.text).statements if each.span.touches(refusal.span.start))
        names = {name for each in statements for name in names_in(each.parsed)}
        waiting = {each.name: each for each, _ in job.imports}
        while more := [waiting.pop(name) for name in list(waiting) if name in names]:
            names.update(need for each in more for need in each.needs)
        assumptions = [each for each in job.assumed if each.name in names]
    return " and ".join(dict.fromkeys(f"{each.says} from {each.file.path}" for each in assumptions or job.assumed))


@dataclass(frozen=True)
class _Moved:
    """Moves places of texts without assumptions to the same places of the whole texts."""

    current: ComposedJob
    baseline: ComposedJob

    def with_pipelines(self, report: Report) -> Report:
        """A moved report with the places of its pipelines, which few reports need."""
        pipelines = tuple(replace(each, span=_span(self.current, each.span)) for each in report.pipelines)
        return replace(report, pipelines=pipelines)

    def report(self, report: Report) -> Report:
        """The report at other places, except for its pipelines."""
        return replace(
            report,
            findings=tuple(map(self._finding, report.findings)),
            problems=tuple(
                replace(each, span=each.span and _span(self.current, each.span)) for each in report.problems
            ),
            baseline_problems=tuple(
                replace(each, span=each.span and _span(self.baseline, each.span)) for each in report.baseline_problems
            ),
            refusals=tuple(_refusal(self.current, each) for each in report.refusals),
            baseline_refusals=tuple(_refusal(self.baseline, each) for each in report.baseline_refusals),
        )

    def _finding(self, finding: Finding) -> Finding:
        was = finding.baseline
        return replace(
            finding,
            current=Clause(_span(self.current, finding.current.span), finding.current.text),
            baseline=was and Clause(_span(self.baseline, was.span), was.text),
        )


def _refusal(job: ComposedJob, refusal: Refusal) -> Refusal:
    related = tuple(RelatedInformation(_span(job, each.span), each.message) for each in refusal.related)
    return replace(refusal, span=_span(job, refusal.span), related=related)


def _span(job: ComposedJob, span: Span) -> Span:
    """A span of the text without assumptions in the whole text."""
    place = job.without_assumptions.composed.place(span)
    start = None if place is None else job.composed.offset(place.path, place.span.start)
    return span if start is None else Span(start, start + len(span))


def assumed_names(*jobs: ComposedJob) -> Iterator[tuple[str, str]]:
    """The assumed declarations of jobs, as pairs of name and path, each once."""
    yield from dict.fromkeys((each.says, each.file.path) for job in jobs for each in job.assumed)
