"""Rules about the job as a whole: operators that come and go, functions, what cannot be told (spec sections 16, 17)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import FROM_RESTART, NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.JOB, spec, title, Words(*words))


RULES = (
    _rule(
        K.STATE_ADDED,
        ("OL-04", "CMB-01"),
        "A stateful operator more in a query",
        "{subject} added to the query",
        "it has no state in the savepoint, and all that follows it gets other rows, so state is lost",
        FROM_RESTART,
        "Deploy the new computation as a job of its own.",
    ),
    _rule(
        K.STATE_REMOVED,
        (),
        "A stateful operator less in a query",
        "{subject} removed from the query",
        "its state has no place to go, and " + NOT_TOLD,
        ONLY_AFTER,
        "Test the restart first, or run the changed query as a job of its own.",
    ),
    _rule(
        K.TEMPORARY_TABLE_CHANGED,
        ("OL-05",),
        "A temporary table changed together with a removed INSERT",
        "an INSERT went while a temporary table changed or went ({subject})",
        NOT_TOLD,
        ONLY_AFTER,
        "Leave the CREATE TEMPORARY TABLE statement as it is when an INSERT goes.",
    ),
    _rule(
        K.FUNCTION_IMPLEMENTATION_CHANGED,
        ("OL-02",),
        "Another implementation of a function",
        "{subject} {was} -> {now}",
        "the check cannot look into an archive, so " + NOT_TOLD,
        ONLY_AFTER,
        "Check by hand that the function keeps its accumulator and its results.",
    ),
    _rule(
        K.KINDS_OF_CHANGE_MIXED,
        ("OL-03", "CMB-03"),
        "Several kinds of changes at once",
        "{subject} changed together with {now}",
        "the check decides on one kind of change at a time, so " + NOT_TOLD,
        ONLY_AFTER,
        "Deploy the changes one after the other.",
    ),
    _rule(
        K.OPERATOR_IDS_CHANGED,
        (),
        "Other operator ids",
        "operators of the job get other ids",
        "the job does not start from the savepoint, whose state is filed under the former ids",
        FROM_RESTART,
        "Take back what came or went in front of the state: a column, a connector, another query.",
    ),
    _rule(
        K.STORED_STATE_CHANGED,
        (),
        "Something else in the state",
        "{subject} of the state changed",
        "the state of the savepoint is not what the operator expects",
        ONLY_AFTER,
        "Look at what the tables declare, for no clause of the query changed.",
    ),
    _rule(
        K.QUERY_REFUSED,
        (),
        "A query that Flink refuses",
        "{subject}",
        "Flink does not plan the query",
        "Nothing starts until it is written in another way.",
        "Say how many digits the interval has, or use a larger unit.",
    ),
    _rule(
        K.AGGREGATES_REORDERED,
        (),
        "Aggregates in another order",
        "aggregates ({was}) -> ({now})",
        "accumulators are stored in the order of the query",
        ONLY_AFTER,
        "Restore the order of the aggregates, and reorder the columns in an outer SELECT.",
    ),
    _rule(
        K.RANK_COLUMN_CHANGED,
        (),
        "Another column in the stored row",
        "{subject}",
        "the row of the former column is stored",
        ONLY_AFTER,
        "Select the new column beside the others, in a second job.",
    ),
    _rule(
        K.NOT_JUDGED,
        (),
        "A change that no rule speaks about",
        "{subject} changed",
        "Keepstate has no rule for it yet, so " + NOT_TOLD,
        ONLY_AFTER,
        "Ask the platform's own check at the start of the job.",
    ),
    _rule(
        K.CONSTRUCT_NOT_SUPPORTED,
        (),
        "A construct that is not analysed",
        "{subject} is not analysed, and the query changed",
        "what state it keeps is not known, so " + NOT_TOLD,
        ONLY_AFTER,
        "Ask the platform's own check at the start of the job.",
    ),
    _rule(
        K.STATEMENT_NOT_READ,
        (),
        "A statement that cannot be read",
        "{subject}",
        "nothing can be said about the queries that need it",
        ONLY_AFTER,
        "Repair the statement.",
    ),
    _rule(
        K.TEMPLATE_CHANGED,
        (),
        "A part of a template that is not read",
        "template: {subject}",
        "it may be filled in with any clause, so " + NOT_TOLD,
        ONLY_AFTER,
        "Check the rendered SQL.",
    ),
    _rule(
        K.CONSTANT_ROWS_CHANGED,
        (),
        "Other rows in VALUES",
        "rows of VALUES changed in front of state",
        "VALUES gives its rows once, at the first start, so the former ones stay in the state and " + NOT_TOLD,
        ONLY_AFTER,
        "Keep the rows in a table that the job reads.",
    ),
)
