"""Tables that a script writes: they tell of which job a script without a name is."""

from __future__ import annotations

from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script


def tables_written(sql: str) -> frozenset[str]:
    """The tables that the queries of a script fill, by their full names.

    >>> sorted(tables_written("INSERT INTO b SELECT x FROM t; INSERT INTO c.d.a SELECT x FROM t"))
    ['b', 'c.d.a']
    """
    pipelines = Job.of(parse_script(sql), {}).pipelines
    return frozenset(pipeline.sink for pipeline in pipelines if pipeline.sink is not None)
