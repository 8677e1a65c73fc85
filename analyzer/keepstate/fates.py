"""What becomes of each part of a state at a restart: the small table that a hover shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from keepstate.comparison import Comparison
from keepstate.plan.expressions import Expr
from keepstate.plan.job import Plan
from keepstate.plan.layouts import StateLayout, layout_of
from keepstate.plan.spelling import spelling_of
from keepstate.report import Effect, PartFate, StateFate
from keepstate.rules.judgement import Judged, PipelineJudgement

_GONE = "-"
_KEY = "key "
_MOST_PARTS = 12
_WHOLE = {
    Effect.STATE_LOST: "lost",
    Effect.DOES_NOT_START: "the job does not start",
    Effect.WRONG_RESULTS: "mixed up",
    Effect.UNDETERMINED: "nobody can tell",
}
"""What becomes of everything in an operator whose state does not fit any more."""


def state_fate(comparison: Comparison, index: int) -> StateFate | None:
    """The state that the finding at ``index`` of the report is about, part by part.

    ``None`` for a finding about no single operator: a source, a setting, a query that came or went.
    """
    if index >= len(comparison.entries):
        return None
    entry = comparison.entries[index]
    for edit, owner in zip(entry.edits, entry.owners, strict=True):
        found = _fate(edit.worst, owner)
        if found is not None:
            return found
    return None


def _fate(judged: Judged, owner: PipelineJudgement | None) -> StateFate | None:
    if owner is None or owner.pair.baseline is None or owner.pair.current is None:
        return None
    was, now = judged.change.operators
    ours, theirs = _layout(owner.pair.baseline.plan, was), _layout(owner.pair.current.plan, now)
    if ours is None or theirs is None:
        return None
    before = _parts(ours, spelling_of(owner.pair.baseline.plan.operators))
    after = _parts(theirs, spelling_of(owner.pair.current.plan.operators))
    rows = [
        PartFate(words, "kept" if words in before else _GONE, _after(words, before, after, judged.effect))
        for words in dict.fromkeys((*before, *after))
    ]
    return StateFate(theirs.operator, tuple(rows[:_MOST_PARTS]), max(0, len(rows) - _MOST_PARTS))


def _layout(plan: Plan, number: int | None) -> StateLayout | None:
    return layout_of(plan.operators[number]) if number is not None and number < len(plan.operators) else None


def _parts(layout: StateLayout, spell: Callable[[Expr], str]) -> list[str]:
    """Keys first: they say what the rest is kept by."""
    keys: Iterable[str] = (f"{_KEY}{part.spelled(spell)}" for part in layout.keyed_by)
    return [*keys, *(part.spelled(spell) for part in layout.keeps)]


def _after(words: str, before: list[str], after: list[str], effect: Effect) -> str:
    if words not in after:
        return "dropped"
    if words not in before:
        return "new" if words.startswith(_KEY) else "starts empty"
    if effect in _WHOLE:
        return _WHOLE[effect]
    return "goes on"
