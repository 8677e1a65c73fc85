"""From versions of a job to the drawing of their plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from keepstate.comparison import Comparison
from keepstate.diff.job_differences import PairDiff, table_renames
from keepstate.diff.operators.unions import with_common_inputs
from keepstate.engines import PROFILES, EngineProfile
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.spelling import spelling_of
from keepstate.plan_view.diff_marks import both, entry
from keepstate.plan_view.drawing import Drawing, DrawnPipeline, DrawnPlan, DrawnRule, Mark
from keepstate.plan_view.findings import PipelineFindings, Rules, TableFindings
from keepstate.plan_view.operator_items import Differences, NodeBuilder, PlanNode
from keepstate.plan_view.tree_alignment import counterpart_numbers, paired, single
from keepstate.report import Effect, Verdict
from keepstate.rules.judgement import PipelineJudgement
from keepstate.state.difference import StateDifference
from keepstate.state.stored_queries import StoredPair, StoredQuery


def draw_plan(job: Job, engine: str) -> Drawing:
    """The plan of every pipeline with the state of its operators.

    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("INSERT INTO s SELECT COUNT(*) FROM t"), {})
    >>> [pipeline.name for pipeline in draw_plan(job, "vvr").pipelines]
    ['INSERT INTO s']

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    profile = PROFILES[engine]
    builder = NodeBuilder("c", profile, job)
    queries = zip(job.pipelines, profile.stored_queries(job), strict=True)
    pipelines = tuple(_alone(pipeline, query, builder, Mark.SAME) for pipeline, query in queries)
    return Drawing(engine, False, pipelines, problems=job.script.problems)


def draw_plans(comparison: Comparison) -> Drawing:
    """Return the plans of both versions, with their differences and the findings of the comparison's report.

    >>> from keepstate import JobVersion, analyse
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> draw_plans(analyse(now, was).comparison).verdict.value
    'incompatible'
    """
    was, now, judgement, profile = comparison.baseline, comparison.current, comparison.judgement, comparison.profile
    tables = TableFindings.of(judgement, was, now)
    both_sides = _BothSides(
        NodeBuilder("b", profile, was), NodeBuilder("c", profile, now), table_renames(was, now), tables, profile
    )
    pipelines = tuple(map(both_sides.pipeline, judgement.pipelines, comparison.stored_pairs))
    return Drawing(
        profile.name, True, pipelines, comparison.verdict, tables.loose, now.script.problems, was.script.problems
    )


def _alone(
    pipeline: Pipeline,
    stored_query: StoredQuery,
    builder: NodeBuilder,
    mark: Mark,
    rules: Rules | None = None,
    names: Mapping[str, str] | None = None,
) -> DrawnPipeline:
    """A pipeline of one side; ``names`` are those to show for tables."""
    root, output = builder.node(pipeline, pipeline.plan, stored_query, spelling_of(pipeline.plan.operators, names))
    plan = DrawnPlan(pipeline.name, entry(output, mark), root.id)
    baseline, current = (plan, None) if mark is Mark.REMOVED else (None, plan)
    forest = (single(root, mark, rules or {}),)
    return DrawnPipeline(baseline, current, forest, mark, rules=_homeless(rules or {}, root))


class _BothSides:
    def __init__(
        self,
        baseline_builder: NodeBuilder,
        current_builder: NodeBuilder,
        renames: Mapping[str, str],
        tables: TableFindings,
        profile: EngineProfile,
    ) -> None:
        self._ours = baseline_builder
        self._theirs = current_builder
        self._former_names = {now: was for was, now in renames.items()}
        self._tables = tables
        self._profile = profile

    def pipeline(self, judgement: PipelineJudgement, pair: StoredPair) -> DrawnPipeline:
        findings = PipelineFindings.of(judgement, self._tables, self._former_names)
        was, now = judgement.pair.compared
        if was is not None and now is not None:
            drawing = self._pair(was, now, pair, findings)
            if drawing.mark is Mark.SAME and _are_unlike(judgement.pair):
                # They were compared as if ``*`` stood for the same columns on both sides, which is not known.
                drawing = replace(drawing, mark=Mark.CHANGED)
        elif now is not None:
            assert pair.current is not None
            drawing = _alone(now, pair.current, self._theirs, Mark.ADDED, findings.current)
        else:
            assert was is not None and pair.baseline is not None
            drawing = _alone(was, pair.baseline, self._ours, Mark.REMOVED, findings.baseline, self._former_names)
        # The verdict of a pipeline leaves out what became of the tables that it reads.
        verdicts = (rule.verdict for rule in findings.of_tables)
        verdict = Verdict.worst((judgement.verdict(self._profile), *verdicts))
        return replace(drawing, verdict=verdict, rules=tuple(dict.fromkeys((*findings.loose, *drawing.rules))))

    def _pair(self, was: Pipeline, now: Pipeline, pair: StoredPair, findings: PipelineFindings) -> DrawnPipeline:
        """The sides are compared under the names of the current version, and each is shown under its own."""
        assert pair.baseline is not None and pair.current is not None
        plans = with_common_inputs(was.plan, now.plan)
        spellings = spelling_of(plans[0].operators, self._former_names), spelling_of(plans[1].operators)
        differs = [_differences(pair, side) for side in (0, 1)]
        our_root, our_output = self._ours.node(was, plans[0], pair.baseline, spellings[0], differs[0])
        their_root, their_output = self._theirs.node(now, plans[1], pair.current, spellings[1], differs[1])
        counterparts = (*(pair.counterparts or ()), *counterpart_numbers(*plans))
        forest = paired(our_root, their_root, counterparts, findings.baseline, findings.current)
        our_entry, their_entry = both(our_output, their_output)
        same = was.plan == now.plan and all(node.mark is Mark.SAME for root in forest for node in root.walk())
        homeless = (*_homeless(findings.baseline, our_root), *_homeless(findings.current, their_root))
        return DrawnPipeline(
            DrawnPlan(was.name, our_entry, our_root.id),
            DrawnPlan(now.name, their_entry, their_root.id),
            forest,
            Mark.SAME if same else Mark.CHANGED,
            rules=homeless,
        )


def _are_unlike(pair: PairDiff) -> bool:
    return pair.baseline is not None and pair.current is not None and pair.baseline.plan != pair.current.plan


def _homeless(rules: Rules, root: PlanNode) -> tuple[DrawnRule, ...]:
    """Findings at operators that are not drawn: they are about the pipeline."""
    numbers = {node.number for node in root.walk()}
    return tuple(rule for number, node_rules in rules.items() if number not in numbers for rule in node_rules)


def _differences(pair: StoredPair, side: int) -> Differences | None:
    """Return the differences in the stored state, by the operators of one side; ``None`` where only plans are
    compared.
    """
    if pair.differences is None:
        return None
    groups: dict[tuple[int, str], list[StateDifference]] = {}
    for one in pair.differences:
        number = one.numbers[side]
        if number is not None:
            groups.setdefault((number, one.titles[side]), []).append(one.difference)
    return {key: tuple(_sentences(differences)) for key, differences in groups.items()}


def _sentences(differences: Sequence[StateDifference]) -> Iterable[str]:
    """Return the effects of a restart on differences of one operator, each once. A job that does not start has no other
    effect.
    """
    fatal = [one for one in differences if one.effect is Effect.DOES_NOT_START]
    return dict.fromkeys(one.reason or f"another {one.part.value}" for one in fatal or differences)
