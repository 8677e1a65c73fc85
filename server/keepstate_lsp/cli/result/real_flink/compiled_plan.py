"""A job whose baseline is a compiled plan: what fits is known to Flink alone, and unknown until it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.report import Acceptance, Clause, Effect, Finding, Verdict
from keepstate_lsp.baselines import BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, compare, not_compared
from keepstate_lsp.cli.result.fingerprints import digest
from keepstate_lsp.cli.result.new_findings import BaselineOrigin

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob
    from keepstate_flink.compiled.plan_file import PlanFile

_RULE, _KIND = "change-not-judged", "job"
_MOST_NAMED = 3
"""Nodes with state that a finding names."""


def plan_of(spec: BaselineSpec) -> PlanFile | NoBaseline:
    """The compiled plan that a baseline names."""
    from keepstate_flink.compiled.plan_file import NotAPlan, PlanFile

    name = inline(spec.text.partition(":")[2])
    text = read_text(Path(spec.value))
    if isinstance(text, NotText):
        return NoBaseline(spec, text.reason, f"{name} {text.fault}", text.mend)
    try:
        return PlanFile.read(text)
    except NotAPlan as error:
        return NoBaseline(spec, Reason.NOT_TEXT, f"{name} {error}.")


def compared_with_plan(
    path: str,
    current: ComposedJob,
    spec: BaselineSpec,
    settings: JobSettings,
    accepted: Sequence[Acceptance],
    root: Path,
) -> FileResult:
    """The comparison of a job with a compiled plan: one finding that leaves its queries unknown, for Flink's planner to
    settle. It may be ``accepted`` by the key of both texts. A current text that is not valid is no more than that.
    """
    origin = BaselineOrigin(spec.text, spec.text)
    plan = plan_of(spec)
    if isinstance(plan, NoBaseline):
        return not_compared(path, settings, plan.sentence, plan.mend, origin)
    settings = replace(settings, baseline=settings.current)
    alone = compare(path, current, current, settings, origin, fixing=False, root=root)
    if alone.status.failed or alone.report is None or not alone.report.pipelines:
        return alone
    name = inline(spec.text.partition(":")[2])
    key = digest(_RULE, plan.text, alone.current)
    today = date.today()
    acceptance = next((one for one in accepted if one.key == key and (one.until is None or one.until >= today)), None)
    span = alone.report.pipelines[0].span
    finding = Finding(
        _RULE,
        (),
        _KIND,
        Verdict.UNKNOWN,
        Effect.UNDETERMINED,
        f"The baseline is the compiled plan {name} (Flink {plan.flink}, {_state(plan)})",
        "Keepstate does not compile SQL by itself, so it is not known which of this state fits",
        "",
        f"keepstate verify {path} --against {spec.text} restarts it.",
        Clause(span, span.of(alone.current)),
        None,
        False,
        None,
        key=key,
        accepted=acceptance,
    )
    pipelines = tuple(
        replace(pipeline, verdict=Verdict.UNKNOWN, effect=Effect.UNDETERMINED, findings=(0,))
        for pipeline in alone.report.pipelines
    )
    report = replace(
        alone.report,
        verdict=Verdict.UNKNOWN,
        effect=Effect.UNDETERMINED,
        pipelines=pipelines,
        findings=(finding,),
        unchanged=False,
        verdict_without_accepted=None if acceptance is None else Verdict.COMPATIBLE,
    )
    return replace(
        alone,
        status=FileStatus.COMPARED,
        reason=None,
        report=report,
        fixes=((),),
        baseline=plan.text,
        compiled_by=plan.flink,
    )


def _state(plan: PlanFile) -> str:
    """The nodes with state in words.

    >>> from types import SimpleNamespace as Plan
    >>> _state(Plan(stateful=())), _state(Plan(stateful=("4_stream-exec-rank_1",)))
    ('no node with state', '1 node with state: 4_stream-exec-rank_1')
    """
    count = len(plan.stateful)
    if not count:
        return "no node with state"
    more = f" and {count - _MOST_NAMED} more" if count > _MOST_NAMED else ""
    return f"{count} {'node' if count == 1 else 'nodes'} with state: {', '.join(plan.stateful[:_MOST_NAMED])}{more}"
