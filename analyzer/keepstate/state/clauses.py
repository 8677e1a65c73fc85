"""Operators by the clauses that ask for them, as queries write them."""

from __future__ import annotations

_CLAUSES = {
    "GroupAggregate": "GROUP BY",
    "WindowAggregate": "the window aggregation",
    "GroupWindowAggregate": "the group window",
    "OverAggregate": "OVER",
    "Rank": "the Top-N",
    "WindowRank": "the window Top-N",
    "Deduplicate": "the deduplication",
    "WindowDeduplicate": "the window deduplication",
    "Join": "JOIN",
    "IntervalJoin": "the interval join",
    "WindowJoin": "the window join",
    "TemporalJoin": "the temporal join",
    "LookupJoin": "the lookup join",
    "Match": "MATCH_RECOGNIZE",
    "TemporalSort": "ORDER BY",
    "SortLimit": "ORDER BY with LIMIT",
    "Limit": "LIMIT",
    "ChangelogNormalize": "the last rows of the source",
    "SinkUpsertMaterializer": "the rows in front of the sink",
}


def clause_words(title: str) -> str:
    """The clause of an operator by its title; of a title that is none of Flink's classes, the title.

    >>> clause_words("WindowRank")
    'the window Top-N'
    """
    return _CLAUSES.get(title, title)
