"""Fates of the states of a drawing: kept, empty, lost, operator by operator.

A finding stands at the operator that was edited. What it costs reaches further: an engine that migrates state restores
a query as a whole, and on every engine wrong rows reach the operators above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from keepstate.engines import PROFILES
from keepstate.plan_view.drawing import Drawing, DrawnNode, DrawnPipeline, DrawnRule, Mark, NodeIds
from keepstate.report import Effect, Verdict


class DrawnOutcome(Enum):
    """Outcome of a restart for the state of an operator. The value is what is drawn."""

    KEPT = "state kept"
    PARTLY = "state partly kept"
    EMPTY = "starts empty"
    DROPPED = "state dropped"
    LOST = "state lost"
    REFUSED = "job does not start"
    WRONG = "wrong numbers"
    UNKNOWN = "state unknown"


_COSTLY = {
    Effect.STATE_LOST: DrawnOutcome.LOST,
    Effect.DOES_NOT_START: DrawnOutcome.REFUSED,
    Effect.WRONG_RESULTS: DrawnOutcome.WRONG,
    Effect.UNDETERMINED: DrawnOutcome.UNKNOWN,
}
"""The fate of a whole state by the effect of a finding about it."""
_OF_VERDICTS = {Verdict.INCOMPATIBLE: DrawnOutcome.LOST, Verdict.UNKNOWN: DrawnOutcome.UNKNOWN}


def fates(drawing: Drawing) -> dict[NodeIds, DrawnOutcome]:
    """Return the fate of each state of a drawing of two versions; of one version there is none.

    >>> from keepstate import JobVersion, analyse
    >>> from keepstate.plan_view.drawing_builder import draw_plans
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> [outcome.value for outcome in fates(draw_plans(analyse(now, was).comparison)).values()]
    ['state lost']
    """
    if not drawing.compared:
        return {}
    everything = [rule for pipeline in drawing.pipelines for rule in _rules(pipeline)]
    starts = all(rule.effect is not Effect.DOES_NOT_START for rule in (*everything, *drawing.rules))
    result: dict[NodeIds, DrawnOutcome] = {}
    for pipeline in drawing.pipelines:
        whole = _of_whole(pipeline, drawing) if starts else DrawnOutcome.REFUSED
        for root in pipeline.forest:
            result.update(_below(root, whole))
    return result


def _below(node: DrawnNode, whole: DrawnOutcome | None) -> dict[NodeIds, DrawnOutcome]:
    """The fates in a tree; ``whole`` is that of the query, where it is one."""
    result: dict[NodeIds, DrawnOutcome] = {}
    stack: list[tuple[DrawnNode, bool]] = [(node, False)]
    spread: dict[NodeIds, DrawnOutcome | None] = {}
    while stack:
        one, is_done = stack.pop()
        if not is_done:
            stack += [(one, True), *((child, False) for child in one.inputs)]
            continue
        own = _costly(one.rules)
        from_below = [fate for child in one.inputs if (fate := spread[child.ids]) is not None]
        spread[one.ids] = _spread(own) or next(iter(from_below), None)
        if any(side is not None and side.state for side in (one.baseline, one.current)):
            # A job that does not start has no other fate.
            result[one.ids] = _fate(one, whole if whole is DrawnOutcome.REFUSED else own or whole or spread[one.ids])
    return result


def _fate(node: DrawnNode, costly: DrawnOutcome | None) -> DrawnOutcome:
    if node.mark is Mark.REMOVED:
        return DrawnOutcome.DROPPED
    if costly is DrawnOutcome.REFUSED:
        return costly
    if node.mark is Mark.ADDED:
        return DrawnOutcome.EMPTY
    if costly is not None:
        return costly
    parts = {rule.effect for rule in node.rules} & {Effect.STARTS_EMPTY, Effect.STATE_DROPPED}
    return DrawnOutcome.PARTLY if parts else DrawnOutcome.KEPT


def _spread(fate: DrawnOutcome | None) -> DrawnOutcome | None:
    """The fate of the states above one: they go on, but with rows that are wrong or missing."""
    return DrawnOutcome.WRONG if fate in (DrawnOutcome.LOST, DrawnOutcome.WRONG) else fate


def _of_whole(pipeline: DrawnPipeline, drawing: Drawing) -> DrawnOutcome | None:
    """The fate of all states of a query: of findings about it as a whole and, where the engine migrates a state, of
    its verdict.
    """
    loose = _costly((*pipeline.rules, *drawing.rules))
    if loose is not None or not PROFILES[drawing.engine].migrates:
        return loose
    return _costly(_rules(pipeline)) or _OF_VERDICTS.get(pipeline.verdict or Verdict.COMPATIBLE)


def _costly(rules: Iterable[DrawnRule]) -> DrawnOutcome | None:
    """The fate that the worst of these findings brings to a whole state."""
    effects = [rule.effect for rule in rules if rule.effect in _COSTLY]
    return _COSTLY[max(effects, key=lambda effect: effect.precedence)] if effects else None


def _rules(pipeline: DrawnPipeline) -> Iterator[DrawnRule]:
    yield from pipeline.rules
    for node in pipeline.nodes():
        yield from node.rules
