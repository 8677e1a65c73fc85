"""Effect of a difference between two stored operators: part by part, as serializers and runtime treat it.

Flink migrates no state. A serializer accepts values of the types that it expects, whatever the values mean. So other
types stop the job. Another meaning of the same types continues with wrong numbers, or with state that no operator
reads. All effects were measured on Flink 2.3 and 1.20 (docs/conformance.md), or follow from what the operator stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import gcd

from keepstate.engines.flink.filter_effects import filter_differences
from keepstate.engines.flink.key_values import never_equal
from keepstate.engines.flink.row_words import distinct_texts, row_words, structure_words, swapped_words
from keepstate.physical.layouts.fields import same_meaning, same_types
from keepstate.physical.layouts.grouping_sets import NumberedSets
from keepstate.physical.layouts.operator_layouts import SLICE_END
from keepstate.plan.clauses.row_patterns import variables_of
from keepstate.report import Effect
from keepstate.state.clauses import clause_words
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import Fields, RankKind, StatePart, StoredField, StoredOperator, StoredState

_UNBOUNDED = frozenset({"GroupAggregate", "Rank", "Deduplicate"})
"""Operators that only look at state when a row of its key comes: under another key they never find it again."""


def differences(before: StoredOperator, after: StoredOperator) -> tuple[StateDifference, ...]:
    """Return the differences between two operators of which the second takes over the state of the first."""
    if before == after:
        return ()
    result = list(_identity(before, after))
    unknown = before.unknown_reason or after.unknown_reason
    if unknown:
        if replace(before, id=after.id, number=after.number) != after:
            result.append(StateDifference(StatePart.KIND, Effect.UNDETERMINED, unknown))
        return tuple(result)
    result += _layout(before, after)
    meanings = list(_meanings(before, after))
    loss = next((one for one in result if one.effect is Effect.STATE_LOST), None)
    loss = loss or next(
        (one for one in meanings if one.part is StatePart.KEY and one.effect is Effect.STATE_LOST), None
    )
    # What means something else comes to nothing where the job does not find its state.
    result += meanings if loss is None else (_as_lost(one, loss) for one in meanings)
    return tuple(result)


def _as_lost(difference: StateDifference, loss: StateDifference) -> StateDifference:
    """Another meaning of state that is not found; one that costs nothing, or may cost nothing, goes on doing so."""
    if difference.effect in (Effect.EXACT, Effect.UNDETERMINED):
        return difference
    return replace(difference, effect=loss.effect, reason=loss.reason, rows=((), ()))


def _identity(before: StoredOperator, after: StoredOperator) -> Iterator[StateDifference]:
    if before.id.value == after.id.value:
        return
    doubt = before.id.doubt or after.id.doubt
    if doubt:
        yield StateDifference(StatePart.ID, Effect.UNDETERMINED, f"{doubt}, and operator ids depend on it")
    else:
        clause = clause_words(before.title, before.clause)
        reason = f"{clause} does not find its state, which is filed under another operator id"
        yield StateDifference(StatePart.ID, Effect.DOES_NOT_START, reason)


def _layout(before: StoredOperator, after: StoredOperator) -> Iterator[StateDifference]:
    yield from _row(StatePart.KEY, before.key, after.key)
    if before.namespace != after.namespace and before.namespace and after.namespace:
        yield StateDifference(StatePart.WINDOW, Effect.DOES_NOT_START, "windows are filed under another type")
    baseline_states, current_states = _by_name(before), _by_name(after)
    shared = [name for name in baseline_states if name in current_states]
    if not shared:
        reason = f"{clause_words(after.title, after.clause)} looks for its state under another name"
        yield StateDifference(StatePart.KIND, Effect.STATE_LOST, reason)
        return
    for name in shared:
        yield from _state(baseline_states[name], current_states[name])
    if before.title != after.title and set(baseline_states) != set(current_states):
        titles = clause_words(after.title, after.clause), clause_words(before.title, before.clause)
        reason = f"{titles[0]} goes on with a part of what {titles[1]} has stored"
        yield StateDifference(StatePart.KIND, Effect.WRONG_RESULTS, reason)
    if "session-window-mapping" in current_states and "session-window-mapping" not in baseline_states:
        reason = "a session looks up which windows it merged, and the savepoint does not say"
        yield StateDifference(StatePart.WINDOW, Effect.DOES_NOT_START, reason)


def _by_name(operator: StoredOperator) -> dict[str, list[StoredState]]:
    states: dict[str, list[StoredState]] = {}
    for state in operator.states:
        states.setdefault(state.name, []).append(state)
    return states


def _state(before: list[StoredState], after: list[StoredState]) -> Iterator[StateDifference]:
    if [state.part for state in before] != [state.part for state in after]:
        yield StateDifference(
            StatePart.KIND, Effect.DOES_NOT_START, "the serializer of its state expects another structure"
        )
        return
    for was, now in zip(before, after, strict=True):
        if was.form != now.form:
            yield StateDifference(now.part, Effect.DOES_NOT_START, structure_words(was.form, now.form))
        yield from _row(now.part, was.fields, now.fields)


def _row(part: StatePart, before: Fields, after: Fields) -> Iterator[StateDifference]:
    same = same_types(before, after)
    if same is None:
        names = "keys" if part is StatePart.KEY else part.value
        reason = f"types of the {names} are not known, and they decide"
        yield StateDifference(part, Effect.UNDETERMINED, reason, (before, after))
    elif not same:
        unlike = _unlike(before, after, lambda field: field.type)
        reason = row_words(part, before, after)
        yield StateDifference(part, Effect.DOES_NOT_START, reason, unlike, rows=(before, after))


def _unlike(before: Fields, after: Fields, facet: Callable[[StoredField], object]) -> tuple[Fields, Fields]:
    """The fields that differ place by place; all of both rows where one has more."""
    if len(before) != len(after):
        return before, after
    pairs = [(was, now) for was, now in zip(before, after, strict=True) if facet(was) != facet(now)]
    return tuple(was for was, _ in pairs), tuple(now for _, now in pairs)


# ---- the same types with another meaning


def _meanings(before: StoredOperator, after: StoredOperator) -> Iterator[StateDifference]:
    if not same_meaning(before.key, after.key) and len(before.key) == len(after.key):
        fields = _unlike(before.key, after.key, lambda field: field.meaning)
        yield replace(_other_key(before, after), fields=fields)
    baseline_states, current_states = _by_name(before), _by_name(after)
    for name in [name for name in baseline_states if name in current_states]:
        for was, now in zip(baseline_states[name], current_states[name], strict=False):
            if was.part is now.part and not same_meaning(was.fields, now.fields):
                fields = _unlike(was.fields, now.fields, lambda field: field.meaning)
                reason = _swapped(was.fields, now.fields)
                yield StateDifference(now.part, Effect.WRONG_RESULTS, reason, fields, rows=fields)
    other_keys = not same_meaning(before.key, after.key)
    for part in (
        StatePart.KEY,
        StatePart.WINDOW,
        StatePart.ORDER,
        StatePart.RANGE,
        StatePart.FRAME,
        StatePart.CONDITION,
        StatePart.KIND,
        StatePart.BOUNDS,
    ):
        was_meant, now_means = before.meaning(part), after.meaning(part)
        if was_meant != now_means and not (
            part is StatePart.KEY and other_keys and isinstance(now_means, NumberedSets)
        ):
            yield _another(part, before, after)
    if before.meaning(StatePart.WATERMARK) != after.meaning(StatePart.WATERMARK):
        reason = (
            "rows that came too late by the one watermark, and not by the other, are in the state or missing from it"
        )
        yield StateDifference(StatePart.WATERMARK, Effect.WRONG_RESULTS, reason)
    yield from filter_differences(before, after)
    if before.meaning(StatePart.INPUT) != after.meaning(StatePart.INPUT):
        yield StateDifference(StatePart.INPUT, Effect.WRONG_RESULTS, "the state was built from the former input")


def _other_key(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Return the difference of two keys. State is found again where another key has the value of a former one; it is
    lost for good only if no value can be equal, and no timer reads it.
    """
    sets = before.meaning(StatePart.KEY), after.meaning(StatePart.KEY)
    # The total of grouping sets has no keys, and is found again whatever these are.
    total = all(isinstance(one, NumberedSets) and one.has_total for one in sets)
    apart = any(never_equal(was.meaning, now.meaning) for was, now in zip(before.key, after.key, strict=True))
    if apart and not total and after.title in _UNBOUNDED:
        return StateDifference(
            StatePart.KEY, Effect.STATE_LOST, "state is kept under values that the new keys never have"
        )
    reason = "state is kept under the values of the former keys, and equal values of the new ones take it over"
    return StateDifference(StatePart.KEY, Effect.WRONG_RESULTS, reason)


def _swapped(before: Fields, after: Fields) -> str:
    for was, now in zip(before, after, strict=False):
        if was.meaning != now.meaning:
            return swapped_words(*distinct_texts(was, now))
    return "values are read as others of the same type"


def _another(part: StatePart, before: StoredOperator, after: StoredOperator) -> StateDifference:
    match part:
        case StatePart.KEY if isinstance(after.meaning(part), NumberedSets):
            return _sets(before, after)
        case StatePart.WINDOW:
            return _window(before, after)
        case StatePart.RANGE:
            return _range(before, after)
        case StatePart.FRAME:
            return _frame(before, after)
        case StatePart.KIND:
            return _kind(before, after)
        case StatePart.BOUNDS:
            return _bounds(before, after)
        case StatePart.CONDITION if after.title == "Match":
            return _pattern(before, after)
        case StatePart.CONDITION:
            kept = before.meaning(StatePart.KIND) == "inner" or after.title in ("WindowJoin", "TemporalJoin")
            reason = "the number of partners of each stored row was counted under the former condition"
            return StateDifference(part, Effect.EXACT if kept else Effect.WRONG_RESULTS, reason)
        case StatePart.ORDER if after.title == "Deduplicate":
            reason = "the stored rows were kept in the other direction"
            return StateDifference(part, Effect.WRONG_RESULTS, reason)
    return StateDifference(part, Effect.WRONG_RESULTS, f"the state was written under another {part.value}")


def _pattern(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Partial matches are kept by the names of the symbols that they wait at."""
    was, now = before.meaning(StatePart.CONDITION), after.meaning(StatePart.CONDITION)
    names = [variables_of(str(meaning[0])) if isinstance(meaning, tuple) else frozenset() for meaning in (was, now)]
    removed_names = sorted(names[0] - names[1])
    if removed_names:
        verb = "is" if len(removed_names) == 1 else "are"
        reason = (
            f"started matches wait at {', '.join(removed_names)}, which {verb} gone: the job fails at their next row"
        )
        return StateDifference(StatePart.CONDITION, Effect.DOES_NOT_START, reason)
    reason = "partial matches were begun by the former pattern, and it is not known what they come to"
    return StateDifference(StatePart.CONDITION, Effect.UNDETERMINED, reason)


def _sets(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Return the difference of two grouping sets. Groups are found again by the number of their set. Groups of a
    removed set are not read, unless a timer of their window does.
    """
    was, now = before.meaning(StatePart.KEY), after.meaning(StatePart.KEY)
    known = isinstance(was, NumberedSets) and isinstance(now, NumberedSets) and now.sets <= was.sets
    if known and after.title in _UNBOUNDED:
        return StateDifference(StatePart.KEY, Effect.EXACT, "")
    reason = "groups of a new grouping set begin empty, or take over those of another one"
    if known:
        reason = "windows that are open end for all stored groups, and those of the former grouping sets come out too"
    return StateDifference(StatePart.KEY, Effect.WRONG_RESULTS, reason)


def _window(before: StoredOperator, after: StoredOperator) -> StateDifference:
    was, now = before.meaning(StatePart.WINDOW), after.meaning(StatePart.WINDOW)
    kinds = [
        getattr(meaning[0], "value", "") if isinstance(meaning, tuple) and meaning else "" for meaning in (was, now)
    ]
    if kinds == ["TUMBLE", "HOP"] and before.namespace == "time window":
        return StateDifference(StatePart.WINDOW, Effect.STATE_LOST, "the new windows never look where it is filed")
    if kinds == ["HOP", "HOP"] and before.namespace == SLICE_END and _fewer_slices(was, now):
        return StateDifference(StatePart.WINDOW, Effect.EXACT, "")
    reason = "rows that were counted into the former windows come out in the new ones"
    return StateDifference(StatePart.WINDOW, Effect.WRONG_RESULTS, reason)


def _fewer_slices(was: object, now: object) -> bool:
    """Return whether hopping windows consist of fewer slices of the same length, all of which exist already."""
    if not isinstance(was, tuple) or not isinstance(now, tuple):
        return False
    sizes = [_whole(meaning[2]) for meaning in (was, now)]
    slides = [_whole(meaning[3]) for meaning in (was, now)]
    same = [meaning[:2] + meaning[3:] for meaning in (was, now)]
    if same[0] != same[1] or None in sizes or None in slides:
        return False
    slices = [gcd(size or 0, slide or 0) for size, slide in zip(sizes, slides, strict=True)]
    return slices[0] == slices[1] and (sizes[1] or 0) <= (sizes[0] or 0)


def _whole(value: object) -> int | None:
    text = getattr(value, "value", "")
    return int(text) if isinstance(text, str) and text.isdecimal() else None


_OTHER_ROWS = "a ranking that skips its first rows, and does not give their numbers, keeps its rows otherwise"
"""Seen in restarts of 2.3.0: rows are sent, or taken back, that the new query never had in its place."""


def _range(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Return the difference of two ranges of ranks.

    All rows are there if a ranking keeps all, or kept more than it needs now and has rank numbers. A limit without an
    order emits nothing any more once it has stored its number of rows.
    """
    was, now = before.meaning(StatePart.RANGE), after.meaning(StatePart.RANGE)
    if isinstance(was, tuple) or isinstance(now, tuple):
        return StateDifference(
            StatePart.RANGE, Effect.WRONG_RESULTS, "the state holds the rows of the former limit only"
        )
    ends = getattr(was, "end", None), getattr(now, "end", None)
    others = getattr(was, "other", ()) == getattr(now, "other", ())
    keeps_all = any(state.name == "sorted-map" for state in after.states)
    fewer = ends[0] is not None and ends[1] is not None and ends[1] <= ends[0]
    fewer = fewer and after.title in ("WindowRank", "Limit")
    if after.title == "Limit" and getattr(was, "start", None) != getattr(now, "start", None):
        fewer = False
    starts_only = ends[0] == ends[1]
    if _skips_otherwise(before, after):
        return StateDifference(StatePart.RANGE, Effect.WRONG_RESULTS, _OTHER_ROWS)
    if others and (keeps_all or fewer or starts_only):
        return StateDifference(StatePart.RANGE, Effect.EXACT, "")
    reason = "the state holds the rows of the former range only"
    return StateDifference(StatePart.RANGE, Effect.WRONG_RESULTS, reason)


def _frame(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Return the difference of two frames. A shorter time retracts the rows outside of it; unbounded frames keep the
    same rows in either unit.
    """
    was, now = before.meaning(StatePart.FRAME), after.meaning(StatePart.FRAME)
    starts = [getattr(frame, "start", None) for frame in (was, now)]
    offsets = [getattr(start, "offset", None) for start in starts]
    units = [getattr(frame, "unit", "") for frame in (was, now)]
    if offsets == [None, None] and getattr(was, "end", None) == getattr(now, "end", None):
        return StateDifference(StatePart.FRAME, Effect.EXACT, "")
    if units == ["RANGE", "RANGE"] and all(offset is not None for offset in offsets):
        lengths = [_number(offset) for offset in offsets]
        if lengths[0] is not None and lengths[1] is not None and lengths[1] <= lengths[0]:
            return StateDifference(StatePart.FRAME, Effect.EXACT, "")
    return StateDifference(
        StatePart.FRAME, Effect.WRONG_RESULTS, "the state holds the rows and the totals of the former frame"
    )


def _number(value: object) -> float | None:
    try:
        return float(getattr(value, "value", ""))
    except ValueError:
        return None


def _kind(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Return the difference of two kinds of joins, or of two ranking functions. A window join reads its rows when the
    window ends, whichever kind it had before.
    """
    was, now = before.meaning(StatePart.KIND), after.meaning(StatePart.KIND)
    ranks = [meaning.function if isinstance(meaning, RankKind) else "" for meaning in (was, now)]
    if after.title in ("Rank", "Limit") and ranks == ["ROW_NUMBER", "ROW_NUMBER"]:
        return _numbered(before, after)
    if after.title in ("Rank", "WindowRank"):
        return StateDifference(StatePart.KIND, Effect.DOES_NOT_START, "Flink ranks streams by ROW_NUMBER only")
    if after.title in ("Join", "WindowJoin", "TemporalJoin") or (after.title == "IntervalJoin" and now == "inner"):
        return StateDifference(StatePart.KIND, Effect.EXACT, "")
    reason = f"the state of the {was} join does not tell which rows have found partners"
    if after.title == "GroupAggregate":
        reason = f"the stored rows are those of {was}"
    return StateDifference(StatePart.KIND, Effect.WRONG_RESULTS, reason)


def _numbered(before: StoredOperator, after: StoredOperator) -> StateDifference:
    """Return the difference between rankings with and without numbers.

    A ranking with numbers stores the rows of one sort key behind the last place (``AppendOnlyTopNFunction``) and never
    sends them. Without numbers each new row retracts one of them.
    """
    if _skips_otherwise(before, after):
        return StateDifference(StatePart.KIND, Effect.WRONG_RESULTS, _OTHER_ROWS)
    was = before.meaning(StatePart.KIND)
    keeps_all = any(state.name == "sorted-map" for state in after.states)
    if keeps_all or not (isinstance(was, RankKind) and was.by_number):
        return StateDifference(StatePart.KIND, Effect.EXACT, "")
    reason = "a ranking that gives numbers keeps rows behind the last place, and without numbers these are taken back"
    return StateDifference(StatePart.KIND, Effect.WRONG_RESULTS, reason)


def _skips_otherwise(before: StoredOperator, after: StoredOperator) -> bool:
    """Return whether one ranking skips its first rows without giving their numbers, and the other does not skip the
    same ones.
    """
    was, now = before.meaning(StatePart.KIND), after.meaning(StatePart.KIND)
    return isinstance(was, RankKind) and isinstance(now, RankKind) and was.skipping != now.skipping


def _bounds(before: StoredOperator, after: StoredOperator) -> StateDifference:
    was, now = before.meaning(StatePart.BOUNDS), after.meaning(StatePart.BOUNDS)
    narrower = False
    if isinstance(was, tuple) and isinstance(now, tuple):
        narrower = float(was[0]) <= float(now[0]) and float(now[1]) <= float(was[1])
    if narrower and before.meaning(StatePart.KIND) == after.meaning(StatePart.KIND) == "inner":
        return StateDifference(StatePart.BOUNDS, Effect.EXACT, "")
    return StateDifference(
        StatePart.BOUNDS, Effect.WRONG_RESULTS, "rows that the new bounds need may be gone from the state"
    )
