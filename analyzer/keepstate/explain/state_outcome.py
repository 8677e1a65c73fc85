"""Outcome of a restart for each part of a state: the small table in a hover."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from keepstate.comparison import Comparison
from keepstate.engines import EngineProfile
from keepstate.plan.spelling import Spelling, spelling_of
from keepstate.report import Effect, PartOutcome, StateOutcome
from keepstate.rules.judgement import ChangeJudgement, PipelineJudgement
from keepstate.state.state_text import key_words, state_words
from keepstate.state.stored_operators import StoredOperator
from keepstate.state.stored_queries import StoredPair

_GONE = "-"
_KEPT = "kept"
_GOES_ON = "goes on"
_KEY = "key "
_MOST_PARTS = 12
_WHOLE = {
    Effect.STATE_LOST: "lost",
    Effect.DOES_NOT_START: "the job does not start",
    Effect.WRONG_RESULTS: "mixed up",
    Effect.UNDETERMINED: "unknown",
}
"""Outcome for every part of an operator whose state does not fit any more."""


def state_outcome(comparison: Comparison, index: int) -> StateOutcome | None:
    """The state that the finding at ``index`` of the report is about, part by part.

    ``None`` for a finding about no single operator: a source, a setting, a query that came or went.

    >>> from keepstate import JobVersion, analyse
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> [(part.part, part.after) for part in state_outcome(analyse(now, was).comparison, 0).parts][:2]
    [('key b', 'lost'), ('MAX(a): the largest value so far', 'dropped')]
    """
    if index >= len(comparison.entries):
        return None
    entry = comparison.entries[index]
    for edit, owner in zip(entry.edits, entry.owners, strict=True):
        if owner is None or edit.worst.change.operators == (None, None):
            continue
        outcome = _fate(edit.worst, owner, comparison.stored_of(owner), comparison.profile)
        if outcome is not None:
            return outcome
    return None


def _fate(
    judged: ChangeJudgement, owner: PipelineJudgement, pair: StoredPair, profile: EngineProfile
) -> StateOutcome | None:
    was, now = owner.pair.compared
    if was is None or now is None or pair.baseline is None or pair.current is None:
        return None
    first, second = judged.change.operators
    baseline_operator, current_operator = pair.baseline.operator(first), pair.current.operator(second)
    if baseline_operator is None or current_operator is None:
        return None
    spellings = spelling_of(was.plan.operators), spelling_of(now.plan.operators)
    fates = _migrated if profile.migrates else _restored
    rows = list(fates(_Side(baseline_operator, spellings[0]), _Side(current_operator, spellings[1]), judged.effect))
    if not rows:
        # Of a construct that is not analysed no part is known.
        return None
    return StateOutcome(current_operator.title, tuple(rows[:_MOST_PARTS]), max(0, len(rows) - _MOST_PARTS))


class _Side:
    """The state of an operator in words, part by part."""

    def __init__(self, stored_operator: StoredOperator, spell: Spelling) -> None:
        self.key = [f"{_KEY}{words}" for words in key_words(stored_operator, spell)]
        self.states = [list(state_words(state, spell)) for state in stored_operator.states]

    @property
    def parts(self) -> list[str]:
        """Parts of the state. Keys come first, since all other parts are stored under them."""
        return [*self.key, *(words for state in self.states for words in state)]


def _migrated(was: _Side, now: _Side, effect: Effect) -> Iterator[PartOutcome]:
    """Yield the outcomes in an engine that finds parts again by their meaning."""
    before, after = was.parts, now.parts
    for words in dict.fromkeys((*before, *after)):
        yield PartOutcome(words, _KEPT if words in before else _GONE, _after(words, before, after, effect))


def _after(words: str, before: list[str], after: list[str], effect: Effect) -> str:
    if words not in after:
        return "dropped"
    if words not in before:
        return "new" if words.startswith(_KEY) else "starts empty"
    return _WHOLE.get(effect, _GOES_ON)


def _restored(was: _Side, now: _Side, effect: Effect) -> Iterator[PartOutcome]:
    """Yield the outcomes in an engine that reads stored values as the expected ones, position by position."""
    runs = zip_longest((was.key, *was.states), (now.key, *now.states), fillvalue=())
    places = [pair for before, after in runs for pair in zip_longest(before, after, fillvalue=_GONE)]
    keeps_keys = was.key == now.key
    # Values that are read as others say which; else all of them are of other rows.
    says_which = keeps_keys and any(before != after for before, after in places)
    for before, after in places:
        spared = effect is Effect.WRONG_RESULTS and says_which and before == after
        fate = _GOES_ON if spared else _WHOLE.get(effect, _GOES_ON)
        if after == _GONE:
            yield PartOutcome(before, _KEPT, _WHOLE.get(effect, "dropped"))
        else:
            yield PartOutcome(after, _KEPT if before == after else before, fate)
