"""Rules for LIMIT and OFFSET, with and without ORDER BY (spec section 13, LM)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.rule import Rule, Words

_HEALING = "Without its state the limit begins to choose anew, among rows that come after the restart."
_CHOSEN = "the state holds the rows that the former query has chosen, and they are not those of this one, so it is lost"


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.LIMIT, spec, title, Words(*words))


RULES = (
    _rule(
        K.LIMIT_CHANGED,
        ("LM-01",),
        "Another LIMIT",
        "{was} -> {now}",
        _CHOSEN,
        _HEALING,
        "Keep a limit that is large enough, and cut the result shorter where it is read.",
    ),
    _rule(
        K.OFFSET_CHANGED,
        ("LM-02",),
        "Another OFFSET",
        "{was} -> {now}",
        _CHOSEN,
        _HEALING,
        "Keep the offset, and skip rows where the result is read.",
    ),
    _rule(
        K.SORT_KEYS_CHANGED,
        ("LM-03",),
        "Another order that chooses the rows",
        "{subject}",
        "the state holds the first rows by the former order, and dropped ones cannot come back, so it is lost",
        _HEALING,
        "Run the other choice as a second job beside this one.",
    ),
    _rule(
        K.LIMIT_INPUT_CHANGED,
        ("LM-03",),
        "Other columns in the rows under LIMIT",
        "{subject}",
        "the limit stores whole rows, and the stored ones do not fit the new ones, so its state is lost",
        _HEALING,
        "Leave this query as it is, and limit the wider rows in a second job.",
    ),
)
