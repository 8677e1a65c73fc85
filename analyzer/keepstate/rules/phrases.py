"""Sentences that several rule tables share, so that one fact is told in one way."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.rules.rule import Words

ALL_LOST = "the state of the {window} does not fit any more, so every aggregate in it is lost"
FROM_NEXT_WINDOW = (
    "Without its state the job counts from the restart: windows open at that time are too low or missing, "
    "those that begin later are right."
)
FROM_RESTART = "Started without state, results count from the restart."
SECOND_QUERY = "Keep this query as it is and run the new one as a second job beside it until its windows have filled."
NOT_TOLD = "nobody can tell before the restart whether the state fits"
ONLY_AFTER = "The start may fail, or results may be wrong; only the restart shows it."

WINDOW = {
    K.WINDOW_KIND_CHANGED: Words("{was} became {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    K.WINDOW_SIZE_CHANGED: Words("window size {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    K.WINDOW_SLIDE_CHANGED: Words("slide {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    K.WINDOW_STEP_CHANGED: Words("step {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    K.WINDOW_GAP_CHANGED: Words("session gap {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    K.WINDOW_OFFSET_CHANGED: Words("window offset {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY),
    K.WINDOW_TIME_ATTRIBUTE_CHANGED: Words(
        "time attribute {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, "Keep the old time attribute."
    ),
    K.SESSION_PARTITION_CHANGED: Words(
        "session partition keys {was} -> {now}", ALL_LOST, FROM_NEXT_WINDOW, SECOND_QUERY
    ),
}

KEYS = {
    K.GROUP_KEY_ADDED: Words(
        "{subject} added",
        "state is kept per key, and no stored key fits the new ones, so all of it is lost",
        FROM_NEXT_WINDOW,
        "Put the finer grouping in a second job beside this one.",
    ),
    K.GROUP_KEY_REMOVED: Words(
        "{subject} removed",
        "state is kept per key, and no stored key fits the new ones, so all of it is lost",
        FROM_NEXT_WINDOW,
        "Put the coarser grouping in a second job beside this one, or aggregate this one's results further.",
    ),
    K.GROUP_KEY_CHANGED: Words(
        "group key {was} -> {now}",
        "state is kept per key, and no stored key fits the new ones, so all of it is lost",
        FROM_NEXT_WINDOW,
        "Put the new grouping in a second job beside this one.",
    ),
    K.GROUP_KEYS_REORDERED: Words(
        "group keys ({was}) -> ({now})",
        "the order of the keys is part of the stored key, so all state is lost",
        FROM_NEXT_WINDOW,
        "Restore the order in GROUP BY; the order of the output columns is free.",
    ),
}

AGGREGATES = {
    K.AGGREGATE_ADDED: Words(
        "{subject} added",
        "it has nothing in the state and counts from the restart; {kept} {go} on",
        "{subject} is too low or incomplete for what is open at the restart, and right for what begins later.",
        "If it must be exact from the first row, compute it in a second job that starts from the beginning.",
    ),
    K.AGGREGATE_REMOVED: Words(
        "{subject} removed",
        "its state is dropped at the restart; {kept} {go} on",
        "All other results stay exact. Putting it back later starts it empty.",
        "Nothing to do, if it is no longer wanted.",
    ),
    K.AGGREGATE_CHANGED: Words(
        "{was} -> {now}",
        "the state of {was} is dropped, {now} counts from the restart; {kept} {go} on",
        "{now} is incomplete for what is open at the restart, and right for what begins later.",
        "Keep {was} and add {now} beside it, so that the old figure stays exact.",
    ),
    K.FIRST_AGGREGATE_ADDED: Words(
        "{subject} added to a query without aggregates",
        "the stored state has no accumulators to build on, so all of it is lost",
        FROM_NEXT_WINDOW,
        "Put the aggregate in a second job beside this one.",
    ),
    K.ALL_AGGREGATES_REMOVED: Words(
        "{subject} removed, and with it the last aggregate",
        "no aggregate survives, so all state is lost",
        FROM_NEXT_WINDOW,
        "Keep one of the aggregates, COUNT(*) for example.",
    ),
    K.ALL_AGGREGATES_REPLACED: Words(
        "{subject} takes the place of every former aggregate",
        "no aggregate survives, so all state is lost",
        FROM_NEXT_WINDOW,
        "Keep at least one former aggregate in the query: then only the new ones start empty.",
    ),
    K.ONLY_AGGREGATE_CHANGED: Words(
        "{was} -> {now}, the only aggregate",
        "no aggregate survives, so all state is lost",
        FROM_NEXT_WINDOW,
        "Keep {was} in the query beside {now}: then only {now} starts empty.",
    ),
    K.DISTINCT_AGGREGATE_ADDED: Words(
        "{subject} added",
        "DISTINCT keeps a set of seen values in the state, which cannot be migrated, so all state is lost",
        FROM_NEXT_WINDOW,
        "Put the distinct aggregate in a query of its own.",
    ),
    K.DISTINCT_AGGREGATE_REMOVED: Words(
        "{subject} removed",
        "DISTINCT keeps a set of seen values in the state, which cannot be migrated, so all state is lost",
        FROM_NEXT_WINDOW,
        "Leave it in the query and drop the column behind the INSERT, or in an outer query that still reads it.",
    ),
    K.DISTINCT_AGGREGATE_CHANGED: Words(
        "{was} -> {now}",
        "DISTINCT keeps a set of seen values in the state, which cannot be migrated, so all state is lost",
        FROM_NEXT_WINDOW,
        "Leave {was} as it is and put {now} in a query of its own.",
    ),
    K.DISTINCT_AGGREGATES_REORDERED: Words(
        "distinct aggregates ({was}) -> ({now})",
        "the order of distinct aggregates is part of the state, which cannot be read any more",
        FROM_NEXT_WINDOW,
        "Restore their order, and reorder the columns in an outer SELECT.",
    ),
}

_BY_PARTITION = "the ranking is kept per partition, and no stored one fits, so its state is lost"
_OTHER_RANKING = "Run the other ranking as a second job beside this one."

RANKING = {
    K.PARTITION_KEY_ADDED: Words("{subject} added", _BY_PARTITION, FROM_RESTART, _OTHER_RANKING),
    K.PARTITION_KEY_REMOVED: Words("{subject} removed", _BY_PARTITION, FROM_RESTART, _OTHER_RANKING),
    K.PARTITION_KEY_CHANGED: Words("partition key {was} -> {now}", _BY_PARTITION, FROM_RESTART, _OTHER_RANKING),
    K.RANK_ORDER_CHANGED: Words(
        "{subject}",
        "the stored rows are the best by the former order, and dropped ones cannot come back, so its state is lost",
        FROM_RESTART,
        _OTHER_RANKING,
    ),
    K.RANK_RANGE_CHANGED: Words(
        "{was} -> {now}",
        "the ranking stores just the rows of its range, so its state is lost",
        FROM_RESTART,
        "Keep a larger N in the query and filter behind it.",
    ),
    K.RANK_FUNCTION_CHANGED: Words(
        "{was}() -> {now}()",
        "the two keep different rows, and Flink ranks streams by ROW_NUMBER only, so the state is lost",
        FROM_RESTART,
        "Stay with {was}().",
    ),
    K.RANK_INPUT_CHANGED: Words(
        "{subject}",
        "the ranking stores its input rows, and the stored ones do not fit the new ones, so its state is lost",
        FROM_RESTART,
        "Leave this query as it is and rank the wider row in a second job.",
    ),
}
"""Changes of a ranking; what heals its results, and when, depends on its kind."""

PYTHON_AGGREGATE = Words(
    "{subject} may run in Python ({presence})",
    NOT_TOLD + ", since the state of a Python aggregate is not known to the check",
    ONLY_AFTER,
    "Register it as a Java function (CREATE FUNCTION ... LANGUAGE JAVA), or move it to a query of its own.",
)
