"""Rules for deduplication: the first or last row of each key by a time attribute (spec section 8).

What is stored depends on the mode. The first row by processing time is sent at once and never changes, so that the
state only says which keys were seen; all other modes store the row that they keep.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import ONLY_AFTER, RANKING
from keepstate.rules.rule import Rule, Words

_HEALING = (
    "Without its state the job takes every key for a new one: those that come again after the restart are sent again."
)
_BY_KEY = "one row is kept of each key, and the keys in the state are others, so it is lost"
_ROW = "the kept rows are stored whole, and the stored ones do not fit the new ones, so the state is lost"
_SPARE = "Take columns that may be wanted one day along early; CAST a changed column back to its former type."


def _rule(kind: K, spec: tuple[str, ...], title: str, words: Words | None = None) -> Rule:
    return Rule(kind, QueryKind.DEDUPLICATION, spec, title, words or replace(RANKING[kind], healing=_HEALING))


def _key(kind: K, title: str) -> Rule:
    return _rule(kind, ("DD-05",), title, replace(RANKING[kind], consequence=_BY_KEY, healing=_HEALING))


RULES = (
    _rule(
        K.RANK_INPUT_CHANGED,
        ("DD-02", "DD-03"),
        "Other columns in the kept rows",
        Words("{subject}", _ROW, _HEALING, _SPARE),
    ),
    _rule(
        K.RANK_INPUT_TYPE_UNKNOWN,
        ("DD-03",),
        "A column of the kept rows whose type cannot be told",
        Words(
            "{subject}",
            "the state fits if the type stayed, and nobody can tell before the restart: {reason}",
            ONLY_AFTER,
            "Declare the table with its columns, or CAST the column to its former type.",
        ),
    ),
    _key(K.PARTITION_KEY_ADDED, "A key more"),
    _key(K.PARTITION_KEY_REMOVED, "A key less"),
    _key(K.PARTITION_KEY_CHANGED, "Another key, or the same one computed differently"),
    _rule(
        K.RANK_ORDER_CHANGED,
        ("DD-06",),
        "Another time attribute, another direction",
        replace(
            RANKING[K.RANK_ORDER_CHANGED],
            healing=_HEALING,
            consequence="the state holds what the former order has kept, in the form of that order, so it is lost",
        ),
    ),
    _rule(K.RANK_RANGE_CHANGED, ("DD-07",), "Another rank condition"),
    _rule(K.RANK_FUNCTION_CHANGED, (), "Another ranking function"),
)
