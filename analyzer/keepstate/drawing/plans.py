"""From versions of a job to what is drawn of their plans."""

from __future__ import annotations

from dataclasses import replace

from keepstate.comparison import Comparison
from keepstate.diff.unions import with_common_inputs
from keepstate.drawing.findings import PipelineFindings, Rules, TableFindings
from keepstate.drawing.marks import both, entry
from keepstate.drawing.pairs import paired, single
from keepstate.drawing.sketches import Sketcher
from keepstate.drawing.values import Drawing, DrawnPipeline, DrawnPlan, Mark
from keepstate.plan.job import Job, Pipeline
from keepstate.profiles import PROFILES, EngineProfile
from keepstate.report import Verdict
from keepstate.rules.judgement import PipelineJudgement


def draw_plan(job: Job, engine: str) -> Drawing:
    """The plan of every pipeline with the state of its operators.

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    sketcher = Sketcher("c", PROFILES[engine])
    pipelines = tuple(_alone(pipeline, sketcher, Mark.SAME, {}) for pipeline in job.pipelines)
    return Drawing(engine, False, pipelines, problems=job.script.problems)


def draw_plans(comparison: Comparison) -> Drawing:
    """The plans of both versions, with what differs and what the report of the comparison finds about it."""
    was, now, judgement, profile = comparison.baseline, comparison.current, comparison.judgement, comparison.profile
    tables = TableFindings.of(judgement, was, now)
    both_sides = _BothSides(was, Sketcher("b", profile), Sketcher("c", profile), tables, profile)
    pipelines = tuple(both_sides.pipeline(one) for one in judgement.pipelines)
    verdict = judgement.verdict(profile)
    return Drawing(profile.name, True, pipelines, verdict, tables.loose, now.script.problems, was.script.problems)


def _alone(pipeline: Pipeline, sketcher: Sketcher, mark: Mark, rules: Rules) -> DrawnPipeline:
    """A pipeline of one side."""
    root, output = sketcher.sketch(pipeline.plan, pipeline.plan, pipeline.settings)
    plan = DrawnPlan(pipeline.name, entry(output, mark), root.id)
    baseline, current = (plan, None) if mark is Mark.REMOVED else (None, plan)
    return DrawnPipeline(baseline, current, (single(root, mark, rules),), mark)


class _BothSides:
    def __init__(
        self, baseline: Job, ours: Sketcher, theirs: Sketcher, tables: TableFindings, profile: EngineProfile
    ) -> None:
        self._written = {id(one.statement): one for one in baseline.pipelines}
        self._ours = ours
        self._theirs = theirs
        self._tables = tables
        self._profile = profile

    def pipeline(self, judgement: PipelineJudgement) -> DrawnPipeline:
        findings = PipelineFindings.of(judgement, self._tables)
        was, now = judgement.pair.baseline, judgement.pair.current
        if was is not None and now is not None:
            drawn = self._pair(was, now, findings)
        elif now is not None:
            drawn = _alone(now, self._theirs, Mark.ADDED, findings.current)
        else:
            assert was is not None
            drawn = _alone(self._as_written(was), self._ours, Mark.REMOVED, findings.baseline)
        # The verdict of a pipeline leaves out what became of the tables that it reads.
        read = (rule.verdict for rule in findings.of_tables)
        verdict = Verdict.worst((judgement.verdict(self._profile), *read))
        return replace(drawn, verdict=verdict, rules=findings.loose)

    def _pair(self, was: Pipeline, now: Pipeline, findings: PipelineFindings) -> DrawnPipeline:
        """The sides are compared under the names of the current version, and each is shown under its own."""
        written = self._as_written(was)
        compared = with_common_inputs(was.plan, now.plan)
        shown = with_common_inputs(written.plan, now.plan)
        our_root, our_output = self._ours.sketch(shown[0], compared[0], written.settings)
        their_root, their_output = self._theirs.sketch(shown[1], compared[1], now.settings)
        forest = paired(our_root, their_root, findings.baseline, findings.current)
        our_entry, their_entry = both(our_output, their_output)
        same = written.plan == now.plan and all(node.mark is Mark.SAME for root in forest for node in root.walk())
        return DrawnPipeline(
            DrawnPlan(written.name, our_entry, our_root.id),
            DrawnPlan(now.name, their_entry, their_root.id),
            forest,
            Mark.SAME if same else Mark.CHANGED,
        )

    def _as_written(self, pipeline: Pipeline) -> Pipeline:
        """A pipeline of the baseline under the names of its text; it was compared under those of the other side."""
        return self._written[id(pipeline.statement)]
