"""A verification as JSON, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from keepstate_flink.plans.plan_comparison import PlanComparison
from keepstate_flink.rehearsals import Rehearsal
from keepstate_flink.restarts import Differences
from keepstate_flink.verification import RestartOutcome
from keepstate_flink.witness import RestartWitness
from keepstate_lsp.cli.commands.verify.measurement_text import PREDICTED, WORDS, cause, exception, witness_rows
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction
from keepstate_lsp.version import VERSION

DOCUMENT_VERSION = 1
MOST_ROWS = 20
"""Wrong rows of a job that are listed; the count is of all."""


@dataclass(frozen=True)
class Verification:
    """The measured restart of the jobs of one file. ``rows`` says where the rows came from; empty for none."""

    file: str
    baseline: str
    flink: str
    jobs: Sequence[CheckedPrediction]
    rows: str = ""
    notices: tuple[str, ...] = ()


def verification_document(verification: Verification) -> dict[str, Any]:
    """The document of ``--format json``."""
    return {
        "version": DOCUMENT_VERSION,
        "tool": {"name": "keepstate", "version": VERSION},
        "file": verification.file,
        "baseline": verification.baseline,
        "flink": verification.flink,
        "rows": verification.rows or None,
        "jobs": [{"name": job.measurement.name, **job_object(job)} for job in verification.jobs],
        "notices": list(verification.notices),
    }


def job_object(job: CheckedPrediction) -> dict[str, Any]:
    """The members of one job."""
    measured = job.measurement
    planned = {} if job.planned is None else {"planned": _planned(job.planned, job.plan_agrees)}
    return {
        "measured": measured.outcome.value,
        "predicted": job.predicted.value,
        "agrees": job.agrees,
        **planned,
        "words": {"measured": WORDS[measured.outcome], "predicted": PREDICTED[job.predicted]},
        "because": cause(measured),
        "exception": exception(measured) or None,
        "note": measured.full_note or None,
        "stand_ins": list(measured.stand_ins.names),
        "error": list(measured.error),
        "state": None if measured.rehearsal is None else _state(measured.rehearsal),
        **_differences(measured.differences),
        "witness": None if measured.witness is None else _witness(measured.witness),
    }


def _planned(comparison: PlanComparison, agrees: bool | None) -> dict[str, Any]:
    return {"decision": comparison.decision.value, "agrees": agrees, "note": comparison.explanation or None}


def _differences(differences: Differences) -> dict[str, Any]:
    return {
        name: {"count": len(rows), "rows": list(rows[:MOST_ROWS])}
        for name, rows in (("missing", differences.missing), ("unexpected", differences.unexpected))
    }


def _witness(witness: RestartWitness) -> dict[str, Any]:
    tables = [{"table": rows.table, "before": list(rows.before), "after": list(rows.after)} for rows in witness.rows]
    labelled_rows = [{"label": label, "row": row} for label, row in witness_rows(witness)]
    return {"tables": tables, **_differences(witness.differences), "shown": labelled_rows}


def _state(rehearsal: Rehearsal) -> dict[str, Any]:
    return {
        "operators": [
            {
                "name": operator.name,
                "states": list(operator.states),
                "found": operator.has_match,
                "unread": list(operator.unread),
            }
            for operator in rehearsal.operators
        ],
        "fresh": list(rehearsal.fresh),
    }


def worst(jobs: Sequence[CheckedPrediction]) -> RestartOutcome:
    """The outcome of a pair of scripts: that of its worst job; one that was not measured hides the others."""
    order = (
        RestartOutcome.NOT_MEASURED,
        RestartOutcome.DOES_NOT_START,
        RestartOutcome.WRONG_RESULTS,
        RestartOutcome.STATE_LOST,
        RestartOutcome.STARTS,
        RestartOutcome.EXACT,
    )
    return min((job.measurement.outcome for job in jobs), key=order.index, default=RestartOutcome.NOT_MEASURED)
