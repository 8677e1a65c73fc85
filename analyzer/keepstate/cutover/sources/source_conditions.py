"""Conditions on the sources of a query: what its plan rests on, whatever its former version is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from keepstate.cutover.cutover_plan import Approach, Assumption
from keepstate.cutover.flaws import streams_of
from keepstate.cutover.sources.bounds import SourceEndKind, ends_of
from keepstate.cutover.times import length_words
from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, FunctionOrigin
from keepstate.plan.job import Pipeline
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.operators import (
    Calc,
    GroupWindowAggregate,
    IntervalJoin,
    Match,
    OverAggregate,
    Rank,
    TemporalJoin,
    TemporalSort,
    WindowTableFunction,
    expressions_of,
)
from keepstate.plan.parameters.parameter_values import milliseconds
from keepstate.plan.types.builtin_functions import is_built_in
from keepstate.syntax.namespace import display_name

_IDLE, _IDLE_OF_TABLE = "table.exec.source.idle-timeout", "scan.watermark.idle-timeout"
_OPERATORS = frozenset(
    """
    AND ARRAY BETWEEN CASE CAST COLUMN COMPUTED ESCAPE EXISTS IN IS LIKE MAP NEGATE NOT OR OVERLAPS ROW SIMILAR TRY_CAST
    VAR
    """.split()
)
"""Names of calls that are operators, and no functions."""
_WINDOWS = (GroupWindowAggregate, WindowTableFunction)
_BY_EVENT_TIME = (*_WINDOWS, IntervalJoin, Match, OverAggregate, TemporalJoin, TemporalSort)


def conditions_of(pipeline: Pipeline, catalog: Catalog, approach: Approach) -> Iterator[Assumption]:
    """The conditions under which a query gives the same results from rows that are read again.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> job = job_of(JobVersion("SELECT own(a) FROM t"))
    >>> [each.sentence for each in conditions_of(job.pipelines[0], job.catalog, Approach.REPLAY)]
    ['OWN gives the same for the same row, each time that it is called.']
    """
    yield from _of_functions(pipeline)
    yield from _of_bounds(pipeline, catalog, approach)
    if goes_by_event_time(pipeline):
        yield from _of_idle_partitions(pipeline, catalog)


def conditions_of_ties(pipeline: Pipeline) -> Iterator[Assumption]:
    """The condition under which a rank takes the same rows when they come in another order.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> text = "SELECT * FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS n FROM t) WHERE n = 1"
    >>> [each.check for each in conditions_of_ties(job_of(JobVersion(text)).pipelines[0])]
    ['ties']
    """
    if any(isinstance(operator, Rank) for operator in pipeline.plan.operators):
        yield Assumption(
            "ties",
            f"{pipeline.name}: no two rows of one partition are equal in the ORDER BY of its rank. Of such rows the "
            "order of arrival decides.",
        )


def goes_by_event_time(pipeline: Pipeline) -> bool:
    """Return whether an operator of a query waits for the watermark."""
    return any(isinstance(operator, _BY_EVENT_TIME) for operator in pipeline.plan.operators)


def has_windows(pipeline: Pipeline | None) -> bool:
    """Return whether a query has windows, which stop the job at a row without an event time (Flink 2.3.0)."""
    return pipeline is not None and any(isinstance(operator, _WINDOWS) for operator in pipeline.plan.operators)


def _of_functions(pipeline: Pipeline) -> Iterator[Assumption]:
    plan = pipeline.plan
    exprs = (*plan.output, *(each for operator in plan.operators for each in expressions_of(operator)))
    names = sorted({name for expr in exprs for node in expr.walk() if (name := _own_function(node))})
    if names:
        gives, they_are = ("gives", "it is") if len(names) == 1 else ("give", "they are")
        sentence = f"{', '.join(names)} {gives} the same for the same row, each time that {they_are} called."
        yield Assumption("functions", sentence)


def _own_function(node: Expr) -> str:
    """The name of a function of the user; empty for what Flink has."""
    if isinstance(node, AggregateCall):
        return "" if node.origin is FunctionOrigin.BUILT_IN else node.function
    if not isinstance(node, Call) or not node.name[:1].isalpha() or node.name in _OPERATORS:
        return ""
    return "" if is_built_in(node.name) else node.name


def _of_bounds(pipeline: Pipeline, catalog: Catalog, approach: Approach) -> Iterator[Assumption]:
    event = "the running job is stopped" if approach is Approach.BOUNDARY else "readers change over"
    for table, end in ends_of(pipeline, catalog).items():
        if end.kind is SourceEndKind.FIXED:
            sentence = f"{display_name(table)} ends at a bound ({end.words}), which has not come when {event}."
            yield Assumption("bound", sentence, display_name(table))


def _of_idle_partitions(pipeline: Pipeline, catalog: Catalog) -> Iterator[Assumption]:
    """Partitions that the watermark leaves behind when they are quiet: which of their rows are too late then depends on
    the clock.
    """
    for table in streams_of(pipeline):
        definition = catalog.tables.get(table)
        if definition is None or not watermarks_of(definition, catalog):
            continue
        length = _idle_time(catalog.options_of(definition), pipeline.settings)
        if length:
            yield Assumption(
                "idle",
                f"{display_name(table)}: no partition is quiet for {length_words(length)}. The watermark then goes on "
                "without it, past the boundary too, and its next rows may be too late.",
                display_name(table),
                length,
            )


def _idle_time(options: Mapping[str, Option], settings: Mapping[str, Option]) -> int:
    """The time after which a quiet partition holds up no watermark, in milliseconds; 0 if it always does."""
    option = options.get(_IDLE_OF_TABLE) or settings.get(_IDLE)
    length = None if option is None else milliseconds(option.value.strip())
    return 0 if length is None else int(length)


def keys_of(pipeline: Pipeline, key: Sequence[int], sink: str, before: Pipeline | None) -> Iterator[Assumption]:
    """The columns of sources that become the key of a sink: a NULL in them stops the job. ``key`` has the positions.

    A column that was the key in the version ``before`` has shown that it is no NULL.
    """
    plan = pipeline.plan
    old_columns = (
        set() if before is None else {before.plan.output[place] for place in key if place < len(before.plan.output)}
    )
    filtered = {
        node
        for operator in plan.operators
        if isinstance(operator, Calc)
        for expr in expressions_of(operator)
        for node in expr.walk()
    }
    for position in key:
        column = plan.output[position] if position < len(plan.output) else None
        if isinstance(column, Column) and not column.not_null and column not in filtered | old_columns:
            table = display_name(column.table)
            sentence = f"{table}: {column.name} is never NULL. It is a key of {sink}, where a NULL stops the job."
            yield Assumption("keys", sentence, table, column=column.name)
