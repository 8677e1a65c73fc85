"""Statements that open-source Flink parses but refuses to plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.upsert_state import needs_order
from keepstate.plan.catalog import Catalog
from keepstate.plan.job import Pipeline
from keepstate.plan.provenance import Place, place_of
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span

_DIGITS = 2
"""Digits of the first field of an interval without an explicit precision."""
_UNITS = frozenset({"DAY", "HOUR", "MINUTE", "MONTH", "SECOND", "YEAR"})


_ASKS_FOR_CONFLICTS = (2, 3)
"""First version in which a query whose updates need an order for the key of its sink must declare a conflict
strategy.
"""
_TOO_FINE = re.compile(r"TIMESTAMP(_LTZ)?\([4-9]\)")
"""Types of columns that cannot have a watermark."""


def fine_watermarks(pipeline: Pipeline, catalog: Catalog) -> Iterator[tuple[str, Place]]:
    """The tables that a query reads whose watermark is on a column finer than milliseconds, each with that column.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> text = "CREATE TABLE t (ts TIMESTAMP(6), WATERMARK FOR ts AS ts); SELECT ts FROM t"
    >>> job = Job.of(parse_script(text), {})
    >>> [(table, place.text) for table, place in fine_watermarks(job.pipelines[0], job.catalog)]
    [('t', 'ts TIMESTAMP(6)')]
    """
    for name in dict.fromkeys(pipeline.equivalent_plan.sources):
        table = catalog.tables.get(name)
        if table is None:
            continue
        times = catalog.time_attributes_of(table)
        columns = (column for column in catalog.columns_of(table)[0] if column.name in times)
        fine = next((column for column in columns if _TOO_FINE.fullmatch(str(column.type))), None)
        if fine is not None:
            yield name, fine.place


def lacks_conflict_clause(pipeline: Pipeline, catalog: Catalog, options: PhysicalOptions) -> bool:
    """Return whether Flink refuses an INSERT because it has no ON CONFLICT.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("INSERT INTO s SELECT a FROM t"), {})
    >>> lacks_conflict_clause(job.pipelines[0], job.catalog, PhysicalOptions())
    False
    """
    if options.flink < _ASKS_FOR_CONFLICTS or not needs_order(pipeline, catalog):
        return False
    words = [token.word for token in pipeline.statement.tokens]
    return ("ON", "CONFLICT") not in pairwise(words)


def conflict_clause(statement: ParsedStatement) -> tuple[str, Place | None]:
    """Return the conflict strategy of an INSERT, such as ``NOTHING``, and its ON CONFLICT clause.

    The strategy decides about rows of one key that arrive without an order. Without a clause Flink orders them
    (``DEDUPLICATE``), if it accepts the statement.

    >>> from keepstate.syntax.script import parse_script
    >>> conflict_clause(parse_script("INSERT INTO s SELECT a FROM t").statements[0].parsed)
    ('DEDUPLICATE', None)
    """
    clause = statement.tree.args.get("conflict") if isinstance(statement.tree, exp.Insert) else None
    if clause is None:
        return "DEDUPLICATE", None
    return clause.args["action"].name.upper(), place_of(statement, clause)


def refused_intervals(statement: ParsedStatement) -> Iterator[Place]:
    """Intervals with more digits than they are declared to have.

    >>> from keepstate.syntax.script import parse_script
    >>> statement = parse_script("SELECT INTERVAL '100' DAY, INTERVAL '1' DAY").statements[0].parsed
    >>> [place.text for place in refused_intervals(statement)]
    ["INTERVAL '100' DAY"]
    """
    if "INTERVAL" not in statement.text.upper():
        return
    tokens = statement.tokens
    for first, value, unit, behind in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        number = value.text.strip("'").lstrip("-+")
        if first.word != "INTERVAL" or unit.word not in _UNITS or behind.text == "(":
            continue
        if value.text.startswith("'") and number.isdecimal() and len(number) > _DIGITS:
            yield Place(statement, Span(first.start, unit.end))
