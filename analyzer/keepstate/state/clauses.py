"""Operators and windows by the clauses that ask for them, as queries write them."""

from __future__ import annotations

from keepstate.plan.operators import Window, WindowKind

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
    "WindowTableFunction": "the SESSION window",
    "TableSourceScan": "the last rows of the source",
    "Calc": "the select list",
    "Correlate": "the table function",
    "Union": "UNION ALL",
    "Values": "VALUES",
    "ChangelogNormalize": "the last rows of the source",
    "SinkUpsertMaterializer": "the rows in front of the sink",
}


def clause_words(title: str, asked_by: str = "") -> str:
    """The clause of an operator by its title; of a title that is none of Flink's classes, the title. ``asked_by`` are
    other words by which the query asks for it.

    >>> clause_words("WindowRank"), clause_words("GroupAggregate", "SELECT DISTINCT")
    ('the window Top-N', 'SELECT DISTINCT')
    """
    return asked_by or _CLAUSES.get(title, title)


def window_words(window: Window) -> str:
    """``TUMBLE of 10 minutes``, ``HOP of 5 minutes every 1 minute``.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> sql = "CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT COUNT(*) FROM TABLE("
    >>> sql += "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end"
    >>> operators = Job.of(parse_script(sql), {}).pipelines[0].plan.operators
    >>> next(window_words(each.window) for each in operators if hasattr(each, "window"))
    'TUMBLE of 10 minutes'
    """
    name = window.kind.name
    match window.kind:
        case WindowKind.TUMBLE:
            return f"{name} of {window.size}"
        case WindowKind.HOP:
            return f"{name} of {window.size} every {window.slide}"
        case WindowKind.CUMULATE:
            return f"{name} of {window.size} in steps of {window.step}"
        case WindowKind.SESSION:
            return f"{name} with a gap of {window.gap}"
