"""Rules for ORDER BY without LIMIT (spec section 13, TS)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words

_HEALING = "Rows that waited in the sort at the restart are missing; those that come later are right."


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.SORT, spec, title, Words(*words))


RULES = (
    _rule(
        K.SORT_KEYS_CHANGED,
        ("TS-04",),
        "Other sort keys",
        "{subject}",
        "what the sort keeps is kept by the former keys, and nothing of it fits, so it is lost",
        _HEALING,
        "Sort in another way in a second job, or behind the sink.",
    ),
    _rule(
        K.SORT_INPUT_CHANGED,
        ("TS-03", "SRC-09"),
        "Other columns in the rows of a sort by event time",
        "{subject}",
        "the sort keeps whole rows until the watermark has passed them, and the stored ones do not fit the new ones, "
        "so they are lost",
        _HEALING,
        "Leave the columns of this query as they are, and write the wider rows with a second job.",
    ),
    _rule(
        K.PROCTIME_SORT_INPUT_CHANGED,
        (),
        "Other columns in the rows of a sort by processing time and further keys",
        "{subject}",
        "with a second key the sort holds the rows of a millisecond back, and whether the stored ones fit is not "
        "documented: " + NOT_TOLD,
        ONLY_AFTER,
        "Sort by the processing time alone, or test the restart first.",
    ),
)
