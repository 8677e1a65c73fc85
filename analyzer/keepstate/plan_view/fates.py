"""Fates of the states of a drawing: kept, empty, lost, operator by operator.

A finding stands at the operator that was edited. What it costs reaches further: an engine that migrates state restores
a query as a whole, and on every engine wrong rows reach the operators above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from keepstate.engines import PROFILES
from keepstate.plan_view.values import Drawing, DrawnPipeline, DrawnRule, Mark, Node, NodeIds
from keepstate.report import Effect, Verdict


class Fate(Enum):
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
    Effect.STATE_LOST: Fate.LOST,
    Effect.DOES_NOT_START: Fate.REFUSED,
    Effect.WRONG_RESULTS: Fate.WRONG,
    Effect.UNDETERMINED: Fate.UNKNOWN,
}
"""The fate of a whole state by the effect of a finding about it."""
_OF_VERDICTS = {Verdict.INCOMPATIBLE: Fate.LOST, Verdict.UNKNOWN: Fate.UNKNOWN}


def fates(drawing: Drawing) -> dict[NodeIds, Fate]:
    """Return the fate of each state of a drawing of two versions; of one version there is none."""
    if not drawing.compared:
        return {}
    everything = [rule for pipeline in drawing.pipelines for rule in _rules(pipeline)]
    starts = all(rule.effect is not Effect.DOES_NOT_START for rule in (*everything, *drawing.rules))
    found: dict[NodeIds, Fate] = {}
    for pipeline in drawing.pipelines:
        whole = _of_whole(pipeline, drawing) if starts else Fate.REFUSED
        for root in pipeline.forest:
            found.update(_below(root, whole))
    return found


def _below(node: Node, whole: Fate | None) -> dict[NodeIds, Fate]:
    """The fates in a tree; ``whole`` is that of the query, where it is one."""
    found: dict[NodeIds, Fate] = {}
    stack: list[tuple[Node, bool]] = [(node, False)]
    reached: dict[NodeIds, Fate | None] = {}
    while stack:
        one, is_done = stack.pop()
        if not is_done:
            stack += [(one, True), *((child, False) for child in one.inputs)]
            continue
        own = _costly(one.rules)
        from_below = [fate for child in one.inputs if (fate := reached[child.ids]) is not None]
        reached[one.ids] = _spread(own) or next(iter(from_below), None)
        if any(side is not None and side.state for side in (one.baseline, one.current)):
            # A job that does not start has no other fate.
            found[one.ids] = _fate(one, whole if whole is Fate.REFUSED else own or whole or reached[one.ids])
    return found


def _fate(node: Node, costly: Fate | None) -> Fate:
    if node.mark is Mark.REMOVED:
        return Fate.DROPPED
    if costly is Fate.REFUSED:
        return costly
    if node.mark is Mark.ADDED:
        return Fate.EMPTY
    if costly is not None:
        return costly
    parts = {rule.effect for rule in node.rules} & {Effect.STARTS_EMPTY, Effect.STATE_DROPPED}
    return Fate.PARTLY if parts else Fate.KEPT


def _spread(fate: Fate | None) -> Fate | None:
    """The fate of the states above one: they go on, but with rows that are wrong or missing."""
    return Fate.WRONG if fate in (Fate.LOST, Fate.WRONG) else fate


def _of_whole(pipeline: DrawnPipeline, drawing: Drawing) -> Fate | None:
    """The fate of all states of a query: of findings about it as a whole and, where the engine migrates a state, of
    its verdict.
    """
    loose = _costly((*pipeline.rules, *drawing.rules))
    if loose is not None or not PROFILES[drawing.engine].migrates:
        return loose
    return _costly(_rules(pipeline)) or _OF_VERDICTS.get(pipeline.verdict or Verdict.COMPATIBLE)


def _costly(rules: Iterable[DrawnRule]) -> Fate | None:
    """The fate that the worst of these findings brings to a whole state."""
    effects = [rule.effect for rule in rules if rule.effect in _COSTLY]
    return _COSTLY[max(effects, key=lambda effect: effect.precedence)] if effects else None


def _rules(pipeline: DrawnPipeline) -> Iterator[DrawnRule]:
    yield from pipeline.rules
    for node in pipeline.nodes():
        yield from node.rules
