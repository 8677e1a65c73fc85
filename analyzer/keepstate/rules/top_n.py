"""Rules for Top-N without windows (spec section 9).

The ranking stores rows of its input by partition, for as long as their time to live lasts: nothing heals by itself when
a window closes.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import ONLY_AFTER, RANKING
from keepstate.rules.rule import Rule, Words

_HEALING = (
    "Without its state the ranking knows only rows from the restart on: until better ones have come, every partition "
    "shows too little."
)


def _rule(kind: K, spec: tuple[str, ...], title: str, words: Words | None = None) -> Rule:
    return Rule(kind, QueryKind.TOP_N, spec, title, words or replace(RANKING[kind], healing=_HEALING))


RULES = (
    _rule(K.PARTITION_KEY_ADDED, ("TN-04",), "A partition key more"),
    _rule(K.PARTITION_KEY_REMOVED, ("TN-04",), "A partition key less"),
    _rule(K.PARTITION_KEY_CHANGED, ("TN-04",), "Another partition key, or the same one computed differently"),
    _rule(K.RANK_ORDER_CHANGED, ("TN-05",), "Another order of the ranking"),
    _rule(K.RANK_RANGE_CHANGED, ("TN-06",), "Another N"),
    _rule(K.RANK_INPUT_CHANGED, ("TN-07",), "Other columns in the ranked rows"),
    _rule(
        K.UPSERT_KEY_CHANGED,
        ("TN-03",),
        "Another upsert key of the ranked rows",
        Words(
            "{subject}: the upsert key of the ranked rows changed with it",
            "the aggregation keeps its results by this key, and the ranking files its rows under it to find those that "
            "are updated, so the state of both is lost",
            _HEALING,
            "Keep the keys of the aggregation below, and rank the other grouping in a second job.",
        ),
    ),
    _rule(
        K.RANK_TIME_UNKNOWN,
        ("DD-01", "DD-03", "TN-07"),
        "Other columns, by a sort key that the script does not declare",
        Words(
            "{subject}",
            "a Top-N loses its state, a deduplication may keep it, and nobody can tell which one it is: {reason}",
            ONLY_AFTER,
            "Declare the table, with its watermark and its computed columns.",
        ),
    ),
    _rule(K.RANK_FUNCTION_CHANGED, (), "Another ranking function"),
)
