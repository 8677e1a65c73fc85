"""Flaws of a plan: reasons why results of the new job may differ from those of a job that has always run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keepstate.cutover.cutover_plan import Approach
from keepstate.cutover.sources.bounds import SourceEndKind, ends_of
from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.expressions import AggregateCall, Call, Expr, is_proctime
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.connectors import connector_of
from keepstate.plan.metadata.time_to_live import times_to_live
from keepstate.plan.operators import Limit, LookupJoin, expressions_of
from keepstate.plan.types.builtin_functions import BY_CHANCE, BY_THE_CLOCK
from keepstate.plan.upsert_keys import SinkInput
from keepstate.syntax.namespace import display_name

STARTS = ("scan.startup.", "scan.bounded.")
"""The beginnings of options that say where a source starts, and where it ends."""
_STARTUP = "scan.startup.mode"
_DEFINITE = frozenset({"earliest-offset", "timestamp", "specific-offsets"})
"""Startup modes of Kafka that say by themselves which rows the running job began with."""
_BY_ORDER = frozenset("FIRST_VALUE LAST_VALUE LISTAGG STRING_AGG ARRAY_AGG JSON_ARRAYAGG".split())
"""Aggregates whose result depends on the order in which rows arrive."""


def flaws_of(pipeline: Pipeline, catalog: Catalog, approach: Approach) -> Iterator[str]:
    """The flaws that a query has in a plan of this approach, whatever its former version is.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> job = job_of(JobVersion("CREATE TABLE t (a INT) WITH ('connector' = 'files'); SELECT a, RAND() FROM t"))
    >>> list(flaws_of(job.pipelines[0], job.catalog, Approach.REPLAY))
    ['It calls RAND, so results of rows that are read again may be others']
    """
    if approach is Approach.RESTART:
        return
    yield from _by_the_clock(pipeline)
    yield from _forgotten(pipeline)
    if any(isinstance(operator, LookupJoin) for operator in pipeline.plan.operators):
        yield "Rows that are read again meet the looked-up rows of today"
    yield from _undeclared(pipeline, catalog)
    yield from _hinted(pipeline)
    yield from _ended(pipeline, catalog, approach)
    if approach is not Approach.BOUNDARY:
        yield from _by_arrival(pipeline)
        yield from _overwritten(pipeline, catalog)
        yield from _sources_without_start(pipeline, catalog)


def _stored_exprs(pipeline: Pipeline) -> Iterator[Expr]:
    plan = pipeline.plan
    for expr in (*plan.output, *(each for operator in plan.operators for each in expressions_of(operator))):
        yield from expr.walk()


def _by_the_clock(pipeline: Pipeline) -> Iterator[str]:
    """Functions that give another value each time: rows that are read again give other results."""
    calls = (node for node in _stored_exprs(pipeline) if isinstance(node, Call))
    called = {call.name for call in calls if call.name in BY_CHANCE or (call.name in BY_THE_CLOCK and not call.args)}
    if called:
        yield f"It calls {', '.join(sorted(called))}, so results of rows that are read again may be others"


def _forgotten(pipeline: Pipeline) -> Iterator[str]:
    """State that Flink drops by the clock: which rows it then lacks depends on when they were read."""
    phrases = {
        time.words
        for operator in pipeline.plan.operators
        for time in times_to_live(operator, pipeline.settings)
        if time.length != 0
    }
    for words in sorted(phrases):
        yield (
            f"Its state is dropped after {words} without a change, by the clock: keys that were quiet for that long "
            "may have other results than in a job that has always run"
        )


def _by_arrival(pipeline: Pipeline) -> Iterator[str]:
    """Results that depend on when, or in which order, rows are read."""
    lookups = [operator for operator in pipeline.plan.operators if isinstance(operator, LookupJoin)]
    times = {operator.as_of for operator in lookups}
    if any(is_proctime(node) and node not in times for node in _stored_exprs(pipeline)):
        yield "It goes by processing time: rows that are read again have another one"
    names = {node.function for node in _stored_exprs(pipeline) if isinstance(node, AggregateCall)} & _BY_ORDER
    if names:
        yield f"{', '.join(sorted(names))}: the order of rows counts, and may be another one when they are read again"
    if any(isinstance(operator, Limit) and not operator.order for operator in pipeline.plan.operators):
        yield "LIMIT takes the first rows, which may be others when they are read again"


def _overwritten(pipeline: Pipeline, catalog: Catalog) -> Iterator[str]:
    """Rows of several results with one primary key of the sink: the last one stays, whichever that is."""
    target, sink = pipeline.target, catalog.tables.get(pipeline.sink or "")
    primary_key = () if sink is None else catalog.primary_key_of(sink)[0]
    if target is None or sink is None or not primary_key or not pipeline.plan.stateful:
        return
    keys = SinkInput.of(pipeline.plan, catalog, target.filled(catalog, pipeline.plan.names)).keys
    if keys is not None and not any(key <= frozenset(primary_key) for key in keys):
        yield (
            f"Several results may have one primary key of {display_name(sink.name)}: the last one stays, and "
            "they may come in another order"
        )


def _sources_without_start(pipeline: Pipeline, catalog: Catalog) -> Iterator[str]:
    """Sources of which the script does not say where the running job began to read."""
    for table in streams_of(pipeline):
        definition = catalog.tables.get(table)
        options: Mapping[str, Option] = {} if definition is None else catalog.options_of(definition)
        if connector_of(options) != "kafka":
            continue
        if not begins_by_itself(options):
            mode = options[_STARTUP].value.strip().lower() if _STARTUP in options else "group-offsets"
            yield (
                f"{display_name(table)} began at {mode}: the script does not say with which row, "
                "and rows before it count too"
            )


def _undeclared(pipeline: Pipeline, catalog: Catalog) -> Iterator[str]:
    for table in streams_of(pipeline):
        if table not in catalog.tables:
            name = display_name(table)
            yield f"{name} is declared elsewhere: its event time, its watermark and its start are not known"


def _hinted(pipeline: Pipeline) -> Iterator[str]:
    """Hints that say where a source starts: they win over the options that the plan sets."""
    for scan in pipeline.plan.scans:
        keys = sorted(option.key for option in scan.options if option.key.startswith(STARTS))
        if keys:
            name = display_name(scan.table)
            yield f"A hint at {name} sets {', '.join(keys)} over the start of the plan: take it away"


def _ended(pipeline: Pipeline, catalog: Catalog, approach: Approach) -> Iterator[str]:
    """Sources that end when a job has read what was there at its start."""
    ends = ends_of(pipeline, catalog)
    at_start = [table for table, end in ends.items() if end.kind is SourceEndKind.AT_START]
    if approach is Approach.BOUNDARY:
        if ends and len(at_start) == len(ends):
            # A job whose sources have all ended closes each window that is open.
            reasons = ", ".join(f"{display_name(table)} ends ({ends[table].words})" for table in at_start)
            yield (
                f"{reasons}: at the end of its rows a job writes the windows that are open, so the former job may have "
                "written results behind the boundary, and those of the new job may lack their last rows"
            )
        return
    goes_on = len(at_start) < len(streams_of(pipeline))
    for table in at_start:
        if ends[table].is_chosen or goes_on:
            words = f"{display_name(table)} ends at the rows that it has at the start ({ends[table].words})"
            yield f"{words}: a job that has always run read fewer of them"


def begins_by_itself(options: Mapping[str, Option]) -> bool:
    """Return whether the options of a Kafka table say with which row a job begins.

    >>> begins_by_itself({}), begins_by_itself({_STARTUP: Option(_STARTUP, "timestamp")})
    (False, True)
    """
    return _STARTUP in options and options[_STARTUP].value.strip().lower() in _DEFINITE


def streams_of(pipeline: Pipeline) -> tuple[str, ...]:
    """The tables that a query reads as streams: those that lookup joins ask have no start.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> streams_of(job_of(JobVersion("SELECT a FROM t")).pipelines[0])
    ('t',)
    """
    lookups = pipeline.plan.lookups
    return tuple(dict.fromkeys(scan.table for scan in pipeline.plan.scans if scan.number not in lookups))
