"""Subjects of a change: the kind of query that it belongs to, and the kind of item in it that changed."""

from __future__ import annotations

from enum import Enum


class QueryKind(Enum):
    """The kind of query (of stateful operator) that a change belongs to; each has a folder of rule pages."""

    WINDOW_TVF = "window-tvf"
    GROUP_WINDOW = "group-window"
    WINDOW_TOP_N = "window-top-n"
    GROUP_AGGREGATE = "group-aggregate"
    OVER_AGGREGATE = "over-aggregate"
    DEDUPLICATION = "deduplication"
    TOP_N = "top-n"
    WINDOW_DEDUPLICATION = "window-deduplication"
    REGULAR_JOIN = "regular-join"
    INTERVAL_JOIN = "interval-join"
    TEMPORAL_JOIN = "temporal-join"
    LOOKUP_JOIN = "lookup-join"
    WINDOW_JOIN = "window-join"
    PATTERN = "pattern-recognition"
    SORT = "temporal-sort"
    LIMIT = "limit"
    SET_OPERATION = "set-operation"
    WHERE = "where"
    UNION_ALL = "union-all"
    SOURCE = "source"
    SINK = "sink"
    CONFIGURATION = "configuration"
    JOB = "job"


GENERAL = (QueryKind.WHERE, QueryKind.UNION_ALL, QueryKind.SOURCE, QueryKind.SINK, QueryKind.JOB)
"""Kinds of queries whose entries apply to a query of any kind that has no entry of its own."""


class ItemKind(Enum):
    """Kind of a changed item, as far as judgement distinguishes kinds."""

    AGGREGATE = "aggregate"
    DISTINCT_AGGREGATE = "distinct-aggregate"
    FILTER = "filter"
    SINK = "sink"
    WINDOW = "window"
    STRUCTURE = "structure"
    """An operator or an input."""
    OTHER = "other"
