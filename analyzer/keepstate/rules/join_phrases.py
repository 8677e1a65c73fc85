"""Sentences that the rule tables of joins share."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.rules.rule import Words

_OTHER_JOB = "Leave this query as it is and run the new one as a second job beside it."

JOINS = {
    K.JOIN_TYPE_CHANGED: Words(
        "{subject}",
        "each type of join keeps its rows in a form of its own, so the stored ones are lost",
        "",
        _OTHER_JOB,
    ),
    K.JOIN_CONDITION_CHANGED: Words(
        "join condition {subject}",
        "rows are kept by what the condition compares, and with the partners that it found, so the stored ones are "
        "lost",
        "",
        _OTHER_JOB,
    ),
    K.JOIN_INPUT_CHANGED: Words(
        "{subject} in the rows that are joined",
        "the join keeps its input rows, and the stored ones do not fit the new ones, so its state is lost",
        "",
        "Join the column in behind this query, or carry more columns than are needed from the start.",
    ),
    K.JOIN_TIME_CHANGED: Words(
        "time {subject}",
        "rows are kept by their time, and the stored times are others, so its state is lost",
        "",
        "Keep the old time attribute.",
    ),
    K.JOIN_INTERVAL_CHANGED: Words(
        "interval {subject}",
        "rows were kept as long as the former interval asked for, and are missing or too many for the new one, so "
        "its state is lost",
        "",
        _OTHER_JOB,
    ),
}
_FILTERED = "the rows behind it are others than those that the join keeps, so its state is not reused"
_FILTER_ADVICE = (
    "If matches with rows from before the restart may stand as they are, set "
    "'table.optimizer.state-compatibility.ignore-filter' = 'true'."
)
FILTERS = {
    K.FILTER_ADDED: Words("{subject} added in front of the join", _FILTERED, "", _FILTER_ADVICE),
    K.FILTER_REMOVED: Words("{subject} removed in front of the join", _FILTERED, "", _FILTER_ADVICE),
    K.FILTER_CHANGED: Words("filter {was} -> {now} in front of the join", _FILTERED, "", _FILTER_ADVICE),
}
