"""A cutover as JSON, for programs."""

from __future__ import annotations

from typing import Any

from keepstate.cutover.cutover_plan import Approach
from keepstate.cutover.times import sql_time
from keepstate_lsp.cli.commands.cutover.cutover_page import headline
from keepstate_lsp.cli.commands.cutover.named_plan import NamedPlan, Proof
from keepstate_lsp.cli.commands.cutover.plan_evidence import check_document, estimate_document, past_document
from keepstate_lsp.reporting.cutover_folder import TOOL
from keepstate_lsp.version import VERSION

DOCUMENT_VERSION = 1
_MOST_ROWS = 20


def plan_document(cutover: NamedPlan) -> dict[str, Any]:
    """The document of ``--format json``, and of ``plan.json``."""
    plan = cutover.plan
    return {
        "version": DOCUMENT_VERSION,
        "tool": {"name": TOOL, "version": VERSION},
        "file": cutover.file,
        "baseline": cutover.baseline,
        "engine": cutover.engine,
        "approach": plan.approach.value,
        "sentence": headline(cutover),
        "exact": cutover.is_exact,
        "boundary": None if plan.boundary is None else {"time": sql_time(plan.boundary), "zone": cutover.zone},
        "stop": None
        if plan.slot is None
        else {
            "watermark_from": sql_time(plan.slot.start),
            "watermark_before": None if plan.slot.end is None else sql_time(plan.slot.end),
        },
        "reads_ahead_ms": plan.reads_ahead,
        "pipelines": [
            {
                "name": each.name,
                "verdict": each.verdict.value,
                "effect": each.effect.value,
                "approach": each.approach.value,
                "writes": None if each.approach is Approach.RESTART else each.share.value,
                "exact": each.is_exact,
                "guard": each.condition or None,
                "latest": each.latest or None,
                "reasons": list(each.reasons),
                "flaws": list(each.flaws),
            }
            for each in plan.pipelines
        ],
        "sources": [
            {"table": each.table, "connector": each.connector, "start": each.start.value, "millis": each.millis}
            for each in plan.positions
        ],
        "states": [{"script": each.script, "source": each.table, "table": each.state} for each in plan.states],
        "files": [script.name for script in plan.scripts],
        "assumptions": [
            {
                "check": each.check,
                "table": each.table or None,
                "sentence": cutover.sentence(each),
                "checked": check_document(cutover.evidence.of(each)),
            }
            for each in plan.assumptions
        ],
        "rows": past_document(cutover.evidence.past),
        "estimate": estimate_document(cutover.evidence.estimate) if plan.exists and cutover.needs_cutover else None,
        "keeps_state_instead": [fix.title for fix in plan.keeping],
        "clean_up": None if plan.clean_up is None else plan.clean_up.value,
        "notes": list(plan.notes),
        "proof": None if cutover.proof is None else _proof(cutover.proof),
    }


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "holds": proof.holds,
        "by": proof.runner.name.lower(),
        "version": proof.runner.version,
        "flink": proof.runner.version if proof.runner.is_flink else None,
        "why_not_flink": proof.runner.instead or None,
        "reason": proof.reason or None,
        "not_run": [{"rows": each.rows, "reason": each.reason} for each in proof.not_run],
        "trials": [
            {
                "rows": trial.rows,
                "boundary": sql_time(trial.boundary),
                "former": trial.former,
                "new": trial.new,
                "missing": {"count": len(trial.missing), "rows": list(trial.missing[:_MOST_ROWS])},
                "unexpected": {"count": len(trial.unexpected), "rows": list(trial.unexpected[:_MOST_ROWS])},
            }
            for trial in proof.trials
        ],
    }
