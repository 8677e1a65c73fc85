"""Two trees of operators as one: each operator beside its counterpart, operators without one by themselves.

The comparison (``diff.pairing``) pairs stateful operators and sources. Stateless operators are counterparts if they are
of one kind and stand above counterparts.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from keepstate.diff.operator_pairing import match_operators
from keepstate.plan.job import Plan
from keepstate.plan_view.diff_marks import alone, beside
from keepstate.plan_view.drawing import DrawnNode, DrawnRule, Mark
from keepstate.plan_view.findings import Rules
from keepstate.plan_view.operator_items import PlanNode
from keepstate.state.stored_queries import Numbers

_MOST_PAIRS = 1024
"""Limit for lists of inputs (those of a long UNION ALL). In longer lists only inputs that are equal, or share a
counterpart, are paired.
"""


def paired(
    baseline: PlanNode, current: PlanNode, numbers: Iterable[Numbers], baseline_rules: Rules, current_rules: Rules
) -> tuple[DrawnNode, ...]:
    """Both trees as one forest, in the order of the current one. ``numbers`` are the numbers of counterparts, the
    surest first.
    """
    return _Pairing(baseline, current, numbers, baseline_rules, current_rules).forest((baseline,), (current,))


def counterpart_numbers(baseline: Plan, current: Plan) -> Iterator[Numbers]:
    """The numbers of the stateful operators and sources that are counterparts as far as the plans say it."""
    for match in match_operators(baseline.root, current.root):
        if match.baseline is not None and match.current is not None:
            yield match.baseline.number, match.current.number


def single(node: PlanNode, mark: Mark, rules: Rules) -> DrawnNode:
    """A tree of one side alone."""
    operator = alone(node, mark)
    inputs = tuple(single(child, mark, rules) for child in node.inputs)
    baseline, current = (operator, None) if mark is Mark.REMOVED else (None, operator)
    return DrawnNode(baseline, current, mark, _rules_at(node, rules), inputs)


def _rules_at(node: PlanNode, rules: Rules) -> tuple[DrawnRule, ...]:
    return rules.get(node.number, ()) if node.number is not None else ()


class _Pairing:
    def __init__(
        self,
        baseline: PlanNode,
        current: PlanNode,
        numbers: Iterable[Numbers],
        baseline_rules: Rules,
        current_rules: Rules,
    ) -> None:
        self._baseline_rules = baseline_rules
        self._current_rules = current_rules
        self._counterparts = _counterparts(baseline, current, numbers)
        self._partners: dict[str, list[str]] = {}
        for was, now in self._counterparts:
            self._partners.setdefault(now, []).append(was)

    def forest(self, baseline: Sequence[PlanNode], current: Sequence[PlanNode]) -> tuple[DrawnNode, ...]:
        unpaired = {was.id: was for was in baseline}
        partners: dict[str, PlanNode] = {}
        for _, n, m in sorted(self._scores(baseline, current)):
            was, now = baseline[m], current[n]
            if now.id not in partners and was.id in unpaired:
                partners[now.id] = unpaired.pop(was.id)
        forest: list[DrawnNode] = []
        for now in current:
            partner = partners.get(now.id)
            if partner is None:
                forest.append(single(now, Mark.ADDED, self._current_rules))
            else:
                forest += self._together(partner, now)
        return (*forest, *(single(was, Mark.REMOVED, self._baseline_rules) for was in unpaired.values()))

    def _together(self, baseline: PlanNode, current: PlanNode) -> tuple[DrawnNode, ...]:
        """Two trees that share some operators."""
        if self._are_counterparts(baseline, current):
            was, now, mark = beside(baseline, current)
            rules = (*_rules_at(baseline, self._baseline_rules), *_rules_at(current, self._current_rules))
            inputs = self.forest(baseline.inputs, current.inputs)
            return (DrawnNode(was, now, mark, tuple(dict.fromkeys(rules)), inputs),)
        if self._stands_above(baseline, current):
            inputs = self.forest(baseline.inputs, (current,))
            rules = _rules_at(baseline, self._baseline_rules)
            return (DrawnNode(alone(baseline, Mark.REMOVED), None, Mark.REMOVED, rules, inputs),)
        inputs = self.forest((baseline,), current.inputs)
        rules = _rules_at(current, self._current_rules)
        return (DrawnNode(None, alone(current, Mark.ADDED), Mark.ADDED, rules, inputs),)

    def _are_counterparts(self, baseline: PlanNode, current: PlanNode) -> bool:
        if baseline.is_anchor or current.is_anchor:
            return (baseline.id, current.id) in self._counterparts
        if baseline.kind != current.kind:
            return False
        baseline_anchors, current_anchors = _anchors(baseline), _anchors(current)
        # Constant rows stand above nothing.
        return (not baseline_anchors and not current_anchors) or any(
            (was, now) in self._counterparts for was in baseline_anchors for now in current_anchors
        )

    def _stands_above(self, baseline: PlanNode, current: PlanNode) -> bool:
        """Return whether ``baseline`` has no counterpart, and the counterpart of ``current`` is further down."""
        baseline_anchors, current_anchors = _anchors(baseline), _anchors(current)
        for was, now in self._counterparts:
            if now in current_anchors and was not in baseline_anchors and any(was == one.id for one in baseline.walk()):
                return True
            if was in baseline_anchors and now not in current_anchors and any(now == one.id for one in current.walk()):
                return False
        if not baseline.is_anchor and not current.is_anchor:
            return baseline.kind not in {one.kind for one in _down_to_anchors(current)}
        return current.is_anchor or (baseline.id not in {was for was, _ in self._counterparts} and baseline.is_anchor)

    def _scores(self, baseline: Sequence[PlanNode], current: Sequence[PlanNode]) -> Iterator[tuple[int, int, int]]:
        """Yield the number of common counterparts, negated, for trees of both sides, with the trees' numbers: current,
        baseline. Pairs without one are left out.
        """
        roots = {one.id: m for m, root in enumerate(baseline) for one in root.walk()}
        shared = Counter(
            (n, roots[was])
            for n, root in enumerate(current)
            for one in root.walk()
            for was in self._partners.get(one.id, ())
            if was in roots
        )
        pairs: Iterable[tuple[int, int]] = product(range(len(current)), range(len(baseline)))
        if len(baseline) * len(current) > _MOST_PAIRS:
            pairs = {*shared, *_equals(baseline, current)}
        for n, m in pairs:
            score = self._score(baseline[m], current[n], shared[n, m])
            if score:
                yield -score, n, m

    def _score(self, baseline: PlanNode, current: PlanNode, shared: int) -> int:
        """By how many counterparts two trees share; equal trees come before all others."""
        if (baseline.id, current.id) in self._counterparts:
            shared *= 100
        if baseline.value == current.value:
            return max(shared, 1) * 100
        return shared or int(self._are_counterparts(baseline, current))


def _equals(baseline: Sequence[PlanNode], current: Sequence[PlanNode]) -> Iterator[tuple[int, int]]:
    """Equal trees, one for one, by their numbers: current, baseline."""
    numbers: dict[object, deque[int]] = {}
    for m, was in enumerate(baseline):
        numbers.setdefault(was.value, deque()).append(m)
    for n, now in enumerate(current):
        if numbers.get(now.value):
            yield n, numbers[now.value].popleft()


def _counterparts(baseline: PlanNode, current: PlanNode, numbers: Iterable[Numbers]) -> set[tuple[str, str]]:
    """The ids of the stateful operators and sources that are each other's counterpart."""
    baseline_nodes, current_nodes = (
        {one.number: one for one in side.walk() if one.is_anchor and one.number is not None}
        for side in (baseline, current)
    )
    result: set[tuple[str, str]] = set()
    for was, now in numbers:
        if was is not None and now is not None and was in baseline_nodes and now in current_nodes:
            result.add((baseline_nodes.pop(was).id, current_nodes.pop(now).id))
    # What the matching did not even look at is the same on both sides.
    taken_ids: set[str] = set()
    for now_left in current_nodes.values():
        free = (one for one in baseline_nodes.values() if one.id not in taken_ids and one.operator == now_left.operator)
        twin = None if now_left.id in taken_ids else next(free, None)
        if twin is not None:
            pairs = [(one.id, other.id) for one, other in zip(_anchored(twin), _anchored(now_left), strict=True)]
            result.update(pairs)
            taken_ids.update(id_ for pair in pairs for id_ in pair)
    return result


def _anchored(node: PlanNode) -> Iterator[PlanNode]:
    """Yield the anchors of a tree. Equal operators have equal numbers of them, whatever operators the engine adds
    between.
    """
    return (one for one in node.walk() if one.is_anchor)


def _anchors(node: PlanNode) -> frozenset[str]:
    """The ids of the topmost stateful operators and sources of a tree."""
    if node.is_anchor:
        return frozenset((node.id,))
    return frozenset(id_ for child in node.inputs for id_ in _anchors(child))


def _down_to_anchors(node: PlanNode) -> Iterator[PlanNode]:
    if not node.is_anchor:
        yield node
        for child in node.inputs:
            yield from _down_to_anchors(child)
