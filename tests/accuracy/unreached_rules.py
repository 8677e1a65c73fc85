"""Reasons why some rules have no labelled pair."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.engines.vvr import VVR
from keepstate.rules.rule import Rule

_REFUSED = "Flink refuses such a query, so there is no job to restart"
_NOT_QUERIES = "what they are about is no edit of a query that has a row in the specification"
_SAFETY = "they say what no other rule says, so that nothing is passed over in silence"
REASONS: dict[tuple[QueryKind, K], str] = {
    (QueryKind.GROUP_WINDOW, K.WINDOW_OFFSET_CHANGED): _REFUSED,
    (QueryKind.GROUP_WINDOW, K.GROUPING_SETS_ADDED): _REFUSED,
    (QueryKind.GROUP_WINDOW, K.GROUPING_SETS_REMOVED): _REFUSED,
    **{
        (query, K.RANK_FUNCTION_CHANGED): _REFUSED
        for query in (
            QueryKind.TOP_N, QueryKind.WINDOW_TOP_N, QueryKind.DEDUPLICATION, QueryKind.WINDOW_DEDUPLICATION
        )
    },
    (QueryKind.SOURCE, K.SOURCE_DECLARATION_MOVED): _NOT_QUERIES,
    (QueryKind.CONFIGURATION, K.SURROUNDINGS_CHANGED): _NOT_QUERIES,
    (QueryKind.JOB, K.STATEMENT_NOT_READ): _NOT_QUERIES,
    (QueryKind.JOB, K.TEMPLATE_CHANGED): _NOT_QUERIES,
    (QueryKind.JOB, K.CONSTANT_ROWS_CHANGED): _NOT_QUERIES,
    (QueryKind.JOB, K.CONSTRUCT_NOT_SUPPORTED): _NOT_QUERIES,
    (QueryKind.JOB, K.QUERY_REFUSED): _NOT_QUERIES,
    (QueryKind.JOB, K.CHANGE_NOT_JUDGED): _SAFETY,
    (QueryKind.JOB, K.STORED_STATE_CHANGED): _SAFETY,
    (QueryKind.JOB, K.RANK_COLUMN_CHANGED): _SAFETY,
    (QueryKind.JOB, K.AGGREGATES_REORDERED): _SAFETY,
}  # fmt: skip
CHANCE = "no pair of this run reached them"


def reason_for(rule: Rule) -> str:
    """The reason why a rule is not reached; ``CHANCE`` if only chance did not draw an edit."""
    found = REASONS.get((rule.query, rule.kind))
    if found is not None:
        return found
    below = VVR.effects[QueryKind.WINDOW_TVF].get(rule.kind)
    own = VVR.effects.get(rule.query, {}).get(rule.kind)
    if rule.query is QueryKind.WINDOW_TOP_N and own is not None and below is own:
        return "an aggregation below a ranking tells the same of the same clause, and one finding is enough"
    return CHANCE
