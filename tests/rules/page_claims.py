"""Claims about each example of a rule page: about its report, its fixes, its drawing and its notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate import JobVersion, Workspace, draw_plan, parse_script, state_hovers
from keepstate.analysis import RestartAnalysis
from keepstate.diff.changes import ChangeKind, QueryKind
from keepstate.engines.lookup import cases, page_cases, page_facts
from keepstate.plan_view.drawing import Drawing, DrawnNode, Mark
from keepstate.plan_view.drawing_rows import side_by_side
from keepstate.report import Effect, Fix, Report, Verdict
from keepstate.rules.rule_pages import PAGES
from keepstate.state.logical import logical_state
from keepstate.text import apply_edits
from made_anew import made_anew
from night import by_night
from rule_pages import Example, listed, marker_of

_WITHOUT_RULE = {(page.query_kind, page.name) for page in PAGES if page.words is None}
_NOT_KNOWN = frozenset({Effect.EXACT, Effect.UNDETERMINED})
"""Effects that any change may have: of what cannot be read, and of notices."""


@dataclass(frozen=True)
class Comparison:
    """An example, analysed once for the claims. They share a memory, which no other example has."""

    example: Example

    @cached_property
    def memory(self) -> Workspace:
        return Workspace()

    @cached_property
    def analysis(self) -> RestartAnalysis:
        return self.compared(self.example.current, self.example.baseline)

    def compared(self, current: JobVersion, baseline: JobVersion, engine: str | None = None) -> RestartAnalysis:
        return self.memory.analysis(current, baseline, engine or self.example.profile)

    @cached_property
    def report(self) -> Report:
        return self.analysis.report()

    @cached_property
    def drawing(self) -> Drawing:
        return self.analysis.drawing()


# ---- the report


def markers_and_findings_are_one_to_one(of: Comparison) -> None:
    text = of.example.current.text
    assert listed(marker_of(finding, text) for finding in of.report.findings) == listed(of.example.markers)


def the_verdict_is_the_worst_marker_unless_the_example_says_another(of: Comparison) -> None:
    worst = Verdict.worst(Verdict(marker.verdict) for marker in of.example.markers)
    assert of.report.verdict.value == (of.example.verdict or worst.value)


def it_can_be_read(of: Comparison) -> None:
    assert of.report.baseline_problems == ()
    assert bool(of.report.problems) == (of.example.section == "statement-not-read" and bool(of.example.markers))


def silence_is_announced(of: Comparison) -> None:
    assert of.example.introduced_as_silent == (not of.example.markers)


def no_side_differs_from_itself(of: Comparison) -> None:
    # The baselines of a page are much alike.
    for version in by_night((of.example.baseline, of.example.current), (of.example.current,)):
        analysis = of.compared(made_anew(version), version)
        pairs = analysis.comparison.diff.pairs
        assert all(one.baseline and one.current and one.baseline.plan is not one.current.plan for one in pairs)
        same = analysis.report()
        assert same.verdict is Verdict.COMPATIBLE or same.problems or same.refusals
        assert same.findings == ()
        drawing = analysis.drawing()
        assert drawing.same
        assert {row.mark for pipeline in drawing.pipelines for row in side_by_side(pipeline)} <= {Mark.SAME}


def effects_in_flink_are_among_the_cases_of_the_page(of: Comparison) -> None:
    """A change that costs nothing in vvr may cost something in Flink: then a page without rule says so."""
    page = (of.example.page, of.example.section)
    named = {case.effect for case in page_cases(page_facts(*page))} if page in _WITHOUT_RULE else None
    for finding in of.compared(of.example.current, of.example.baseline, "flink").report().findings:
        known = {case.effect for case in cases(QueryKind(finding.query_kind), ChangeKind(finding.rule))}
        assert finding.effect in known | _NOT_KNOWN, finding
        assert named is None or finding.effect in named | _NOT_KNOWN, finding


def fixes_keep_their_promise(of: Comparison) -> None:
    offered = [fix for index in range(len(of.report.findings)) for fix in of.analysis.fixes(index)]
    for fix in (*offered, *of.analysis.file_fixes()):
        _applied(fix, of)


def _applied(fix: Fix, of: Comparison) -> None:
    text = apply_edits(of.example.current.text, fix.edits)
    assert parse_script(text).problems == (), f"{fix.title}:\n{text}"
    after = of.compared(replace(of.example.current, text=text), of.example.baseline).report()
    assert after.verdict is fix.verdict_after, f"{fix.title}:\n{text}"
    assert after.verdict.rank <= of.report.verdict.rank, f"{fix.title}:\n{text}"


# ---- the drawing


def each_side_is_drawn_whole(of: Comparison) -> None:
    """Every operator of either plan stands in the drawing once, under the operator that it is an input of."""
    for version, side in ((of.example.baseline, "baseline"), (of.example.current, "current")):
        pipelines = [one for one in of.drawing.pipelines if getattr(one, side) is not None]
        alone = draw_plan(version, of.example.profile, of.memory)
        expected = sorted(_titles(one.forest, "current") for one in alone.pipelines)
        assert sorted(_titles(one.forest, side) for one in pipelines) == expected
        for pipeline in pipelines:
            parents = dict(_parents(pipeline.forest, side, None))
            given = {
                child: operator.id
                for node in pipeline.nodes()
                if (operator := getattr(node, side)) is not None
                for child in operator.inputs
            }
            assert parents == {**given, getattr(pipeline, side).root: None}


def findings_stand_where_they_belong(of: Comparison) -> None:
    shown = {rule.id for rule in of.drawing.rules}
    for pipeline in of.drawing.pipelines:
        shown |= {rule.id for rule in pipeline.rules}
        shown |= {rule.id for node in pipeline.nodes() for rule in node.rules}
    assert shown == {finding.rule for finding in of.report.findings}
    assert of.drawing.verdict is of.report.verdict


def _titles(forest: tuple[DrawnNode, ...], side: str) -> list[str]:
    operators = (getattr(node, side) for root in forest for node in root.walk())
    return sorted(operator.title.text for operator in operators if operator is not None)


def _parents(forest: tuple[DrawnNode, ...], side: str, above: str | None) -> Iterator[tuple[str, str | None]]:
    for node in forest:
        operator = getattr(node, side)
        if operator is not None:
            yield operator.id, above
        yield from _parents(node.inputs, side, above if operator is None else operator.id)


# ---- the notes


def every_stateful_operator_has_a_note(of: Comparison) -> None:
    for version in (of.example.baseline, of.example.current):
        job = of.memory.job(version)
        stateful = [operator for pipeline in job.pipelines for operator in pipeline.plan.operators if operator.stateful]
        reported = {note.operator for note in state_hovers(version, workspace=of.memory)}
        assert {kept.title for operator in stateful if (kept := logical_state(operator))} <= reported


CLAIMS: tuple[Callable[[Comparison], None], ...] = (
    markers_and_findings_are_one_to_one,
    the_verdict_is_the_worst_marker_unless_the_example_says_another,
    it_can_be_read,
    silence_is_announced,
    no_side_differs_from_itself,
    effects_in_flink_are_among_the_cases_of_the_page,
    fixes_keep_their_promise,
    each_side_is_drawn_whole,
    findings_stand_where_they_belong,
    every_stateful_operator_has_a_note,
)


def broken(example: Example) -> list[str]:
    """Names of the claims that do not hold, each with what was found instead."""
    comparison = Comparison(example)
    found = []
    for claim in CLAIMS:
        try:
            claim(comparison)
        except AssertionError as error:
            found.append(f"{claim.__name__.replace('_', ' ')}:\n{error}")
    return found
