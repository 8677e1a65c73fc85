"""What differs between an operator and its counterpart, fact by fact and item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from keepstate.plan_view.sketches import Sketch, Told, ToldFact
from keepstate.plan_view.values import DrawnOperator, Entry, Item, Mark


def alone(sketch: Sketch, mark: Mark) -> DrawnOperator:
    """An operator without a counterpart, or of a plan that is not compared."""
    differences = [restart(sketch.differences, mark)] if sketch.differences else []
    return DrawnOperator(
        sketch.id,
        Item(sketch.title, mark),
        tuple(entry(fact, mark) for fact in sketch.facts),
        (*(entry(fact, mark) for fact in sketch.state), *differences),
        tuple(child.id for child in sketch.inputs),
    )


def beside(baseline: Sketch, current: Sketch) -> tuple[DrawnOperator, DrawnOperator, Mark]:
    """Two counterparts with what differs marked, and the mark of both."""
    facts, state = _both(baseline.facts, current.facts), _states(baseline, current)
    entries = [one for pair in (*facts, *state) for one in pair]
    same = baseline.bare == current.bare and all(one is not None and one.mark is Mark.SAME for one in entries)
    title = Mark.SAME if baseline.title == current.title else Mark.CHANGED
    was, now = (
        DrawnOperator(
            sketch.id,
            Item(sketch.title, title),
            tuple(one for pair in facts if (one := pair[side]) is not None),
            tuple(one for pair in state if (one := pair[side]) is not None),
            tuple(child.id for child in sketch.inputs),
        )
        for side, sketch in enumerate((baseline, current))
    )
    return was, now, Mark.SAME if same else Mark.CHANGED


def both(baseline: ToldFact, current: ToldFact) -> tuple[Entry, Entry]:
    """A fact that both sides have."""
    ours, theirs = _marks(baseline.items, current.items)
    was = _items(baseline.items, ours, current.items)
    now = _items(current.items, theirs, baseline.items)
    forms = [fact.form.value if fact.form is not None else None for fact in (baseline, current)]
    form = Mark.SAME if forms[0] == forms[1] else Mark.CHANGED
    return _entry(baseline, was, form), _entry(current, now, form)


def entry(fact: ToldFact, mark: Mark = Mark.SAME) -> Entry:
    return _entry(fact, tuple(Item(told.text, mark, told.migratable) for told in fact.items), mark)


def restart(differences: Sequence[str], mark: Mark) -> Entry:
    """What differs in the stored state."""
    return Entry("restart", tuple(Item(words, mark) for words in differences), one_by_one=True)


def _entry(fact: ToldFact, items: tuple[Item, ...], form: Mark) -> Entry:
    shown = Item(fact.form.text, form) if fact.form is not None else None
    return Entry(fact.name, items, shown, fact.one_by_one)


def _states(baseline: Sketch, current: Sketch) -> list[tuple[Entry | None, Entry | None]]:
    """The states of two counterparts. Where the engine says what differs in them, nothing else does."""
    ours, theirs = baseline.differences, current.differences
    if ours is None or theirs is None:
        return _both(baseline.state, current.state)
    if not ours and not theirs:
        return [_unmarked(*pair) for pair in _by_name(baseline.state, current.state)]
    own = [words for words in ours if words not in theirs]
    found = _both(baseline.state, current.state)
    told = [restart(words, Mark.CHANGED) if words else None for words in (own, theirs)]
    return [*found, (told[0], told[1])]


def _unmarked(was: ToldFact | None, now: ToldFact | None) -> tuple[Entry | None, Entry | None]:
    """A part of a state that is stored alike; for how long it is kept is no part of it."""
    if was is not None and now is not None and now.name == "until":
        return both(was, now)
    return entry(was) if was is not None else None, entry(now) if now is not None else None


def _both(baseline: Sequence[ToldFact], current: Sequence[ToldFact]) -> list[tuple[Entry | None, Entry | None]]:
    """The facts of both sides, by name; those that one side has alone too."""
    found: list[tuple[Entry | None, Entry | None]] = []
    for was, now in _by_name(baseline, current):
        if was is not None and now is not None:
            found.append(both(was, now))
        else:
            found.append((entry(was, Mark.REMOVED) if was else None, entry(now, Mark.ADDED) if now else None))
    return found


def _by_name(
    baseline: Sequence[ToldFact], current: Sequence[ToldFact]
) -> Iterator[tuple[ToldFact | None, ToldFact | None]]:
    ours, theirs = ({fact.name: fact for fact in facts} for facts in (baseline, current))
    for name in dict.fromkeys((*theirs, *ours)):
        yield ours.get(name), theirs.get(name)


def _marks(baseline: Sequence[Told], current: Sequence[Told]) -> tuple[list[Mark], list[Mark]]:
    """Marks of the items of two lists. One in the place of another is changed, and so is one that has moved."""
    was, now = [told.value for told in baseline], [told.value for told in current]
    ours, theirs = [Mark.REMOVED] * len(was), [Mark.ADDED] * len(now)
    for kind, start, end, other_start, other_end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            mark = Mark.SAME
        elif kind == "replace" and end - start == other_end - other_start:
            mark = Mark.CHANGED
        else:
            continue
        ours[start:end] = [mark] * (end - start)
        theirs[other_start:other_end] = [mark] * (end - start)
    moved = {*was} & {*now}
    ours = [
        Mark.CHANGED if mark is Mark.REMOVED and value in moved else mark for mark, value in zip(ours, was, strict=True)
    ]
    theirs = [
        Mark.CHANGED if mark is Mark.ADDED and value in moved else mark for mark, value in zip(theirs, now, strict=True)
    ]
    return ours, theirs


def _items(items: Sequence[Told], marks: Sequence[Mark], others: Sequence[Told]) -> tuple[Item, ...]:
    """The items with their marks; one that reads like another one over there is written with tables and types."""
    values = {item.value for item in items}
    texts = {told.text for told in others if told.value not in values}
    return tuple(
        Item(told.exact if mark is not Mark.SAME and told.text in texts else told.text, mark, told.migratable)
        for told, mark in zip(items, marks, strict=True)
    )
