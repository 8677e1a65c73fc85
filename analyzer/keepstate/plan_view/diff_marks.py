"""Marks for the differences between an operator and its counterpart, fact by fact and item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from keepstate.plan_view.drawing import DrawnItem, DrawnOperator, DrawnProperty, Mark
from keepstate.plan_view.operator_items import ComparableItem, NodeFact, PlanNode


def alone(node: PlanNode, mark: Mark) -> DrawnOperator:
    """An operator without a counterpart, or of a plan that is not compared."""
    differences = [restart(node.differences, mark)] if node.differences else []
    return DrawnOperator(
        node.id,
        DrawnItem(node.title, mark),
        tuple(entry(fact, mark) for fact in node.facts),
        (*(entry(fact, mark) for fact in node.state), *differences),
        tuple(child.id for child in node.inputs),
        node.span,
    )


def beside(baseline: PlanNode, current: PlanNode) -> tuple[DrawnOperator, DrawnOperator, Mark]:
    """Return two counterparts with marks on their differences, and the mark of both."""
    facts, state = _both(baseline.facts, current.facts), _states(baseline, current)
    entries = [one for pair in (*facts, *state) for one in pair]
    same = baseline.bare == current.bare and all(one is not None and one.mark is Mark.SAME for one in entries)
    title = Mark.SAME if baseline.title == current.title else Mark.CHANGED
    was, now = (
        DrawnOperator(
            node.id,
            DrawnItem(node.title, title),
            tuple(one for pair in facts if (one := pair[side]) is not None),
            tuple(one for pair in state if (one := pair[side]) is not None),
            tuple(child.id for child in node.inputs),
            node.span,
        )
        for side, node in enumerate((baseline, current))
    )
    return was, now, Mark.SAME if same else Mark.CHANGED


def both(baseline: NodeFact, current: NodeFact) -> tuple[DrawnProperty, DrawnProperty]:
    """A fact that both sides have."""
    baseline_marks, current_marks = _marks(baseline.items, current.items)
    was = _items(baseline.items, baseline_marks, current.items)
    now = _items(current.items, current_marks, baseline.items)
    forms = [fact.form.value if fact.form is not None else None for fact in (baseline, current)]
    form = Mark.SAME if forms[0] == forms[1] else Mark.CHANGED
    return _entry(baseline, was, form), _entry(current, now, form)


def entry(fact: NodeFact, mark: Mark = Mark.SAME) -> DrawnProperty:
    return _entry(fact, tuple(DrawnItem(item.text, mark, item.migratable) for item in fact.items), mark)


def restart(differences: Sequence[str], mark: Mark) -> DrawnProperty:
    """Return the entry for differences in the stored state."""
    return DrawnProperty("restart", tuple(DrawnItem(words, mark) for words in differences), one_by_one=True)


def _entry(fact: NodeFact, items: tuple[DrawnItem, ...], form: Mark) -> DrawnProperty:
    form_item = DrawnItem(fact.form.text, form) if fact.form is not None else None
    return DrawnProperty(fact.name, items, form_item, fact.one_by_one)


def _states(baseline: PlanNode, current: PlanNode) -> list[tuple[DrawnProperty | None, DrawnProperty | None]]:
    """Return the states of two counterparts. The engine's own differences replace a comparison, if there are any."""
    baseline_differences, current_differences = baseline.differences, current.differences
    if baseline_differences is None or current_differences is None:
        return _both(baseline.state, current.state)
    if not baseline_differences and not current_differences:
        return [_unmarked(*pair) for pair in _by_name(baseline.state, current.state)]
    own = [words for words in baseline_differences if words not in current_differences]
    pairs = _both(baseline.state, current.state)
    restarts = [restart(words, Mark.CHANGED) if words else None for words in (own, current_differences)]
    return [*pairs, (restarts[0], restarts[1])]


def _unmarked(was: NodeFact | None, now: NodeFact | None) -> tuple[DrawnProperty | None, DrawnProperty | None]:
    """A part of a state that is stored alike; for how long it is kept is no part of it."""
    if was is not None and now is not None and now.name == "until":
        return both(was, now)
    return entry(was) if was is not None else None, entry(now) if now is not None else None


def _both(
    baseline: Sequence[NodeFact], current: Sequence[NodeFact]
) -> list[tuple[DrawnProperty | None, DrawnProperty | None]]:
    """The facts of both sides, by name; those that one side has alone too."""
    pairs: list[tuple[DrawnProperty | None, DrawnProperty | None]] = []
    for was, now in _by_name(baseline, current):
        if was is not None and now is not None:
            pairs.append(both(was, now))
        else:
            pairs.append((entry(was, Mark.REMOVED) if was else None, entry(now, Mark.ADDED) if now else None))
    return pairs


def _by_name(
    baseline: Sequence[NodeFact], current: Sequence[NodeFact]
) -> Iterator[tuple[NodeFact | None, NodeFact | None]]:
    baseline_facts, current_facts = ({fact.name: fact for fact in facts} for facts in (baseline, current))
    for name in dict.fromkeys((*current_facts, *baseline_facts)):
        yield baseline_facts.get(name), current_facts.get(name)


def _marks(baseline: Sequence[ComparableItem], current: Sequence[ComparableItem]) -> tuple[list[Mark], list[Mark]]:
    """Marks of the items of two lists. One in the place of another is changed, and so is one that has moved."""
    was, now = [item.value for item in baseline], [item.value for item in current]
    baseline_marks, current_marks = [Mark.REMOVED] * len(was), [Mark.ADDED] * len(now)
    for kind, start, end, other_start, other_end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            mark = Mark.SAME
        elif kind == "replace" and end - start == other_end - other_start:
            mark = Mark.CHANGED
        else:
            continue
        baseline_marks[start:end] = [mark] * (end - start)
        current_marks[other_start:other_end] = [mark] * (end - start)
    moved_items = {*was} & {*now}
    baseline_marks = [
        Mark.CHANGED if mark is Mark.REMOVED and value in moved_items else mark
        for mark, value in zip(baseline_marks, was, strict=True)
    ]
    current_marks = [
        Mark.CHANGED if mark is Mark.ADDED and value in moved_items else mark
        for mark, value in zip(current_marks, now, strict=True)
    ]
    return baseline_marks, current_marks


def _items(
    items: Sequence[ComparableItem], marks: Sequence[Mark], other_items: Sequence[ComparableItem]
) -> tuple[DrawnItem, ...]:
    """The items with their marks; one that reads like another one over there is written with tables and types."""
    values = {item.value for item in items}
    texts = {item.text for item in other_items if item.value not in values}
    return tuple(
        DrawnItem(item.exact if mark is not Mark.SAME and item.text in texts else item.text, mark, item.migratable)
        for item, mark in zip(items, marks, strict=True)
    )
