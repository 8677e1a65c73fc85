"""Edits of what stands around the queries: sources, sinks, further INSERTs (sections 14 to 16)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aggregation_edits import IGNORE_FILTER, add_filter
from aggregations import Aggregation, group_aggregation
from call_edits import add_aggregate, reads_m1_and_more
from clauses import Aggregate, Condition
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, UNKNOWN, Change, Edit, Prepare
from generated_jobs import Insert, Job, Sink
from joins import Join
from keepstate.report import Verdict
from prepared_aggregations import no_session, of_kind
from rankings import Ranking
from rows import projection
from spelling import Chance, mark
from tables import Column, Table

IGNORE_SINK = "table.optimizer.state-compatibility.ignore-sink"


def _with_table(job: Job, table: Table) -> Job:
    """The first query reads ``table`` instead of its own."""
    return job.with_query(_reading(job.query, table))


def _reading(query: Any, table: Table) -> Any:
    for part in ("below", "join"):
        if getattr(query, part, None) is not None:
            return replace(query, **{part: _reading(getattr(query, part), table)})
    part = "left" if hasattr(query, "left") else "feed"
    return replace(query, **{part: replace(getattr(query, part), table=table)})


def _table(job: Job) -> Table:
    return job.tables[0]


def on_table(
    change: Callable[[Table, Chance], Table], touch_before: str = ""
) -> Callable[[Job, Chance], tuple[Job, Job]]:
    def apply(job: Job, chance: Chance) -> tuple[Job, Job]:
        table = _table(job)
        before = table.touch(touch_before) if touch_before else table
        return _with_table(job, before), _with_table(job, change(table, chance))

    return apply


# ---- sources


def add_unread_column(table: Table, chance: Chance) -> Table:
    at = chance.pick(*range(len(table.columns) + 1))
    return replace(table, columns=(*table.columns[:at], Column("unread", "STRING"), *table.columns[at:]))


def change_delay(table: Table, chance: Chance) -> Table:
    return replace(table, delay=chance.pick(60, 10), touched=table.touched | {"watermark"})


def change_connector(table: Table, chance: Chance) -> Table:
    return table.with_option("connector", chance.pick("pulsar", "rocketmq", "sls"))


def change_topic(table: Table, chance: Chance) -> Table:
    return table.with_option("topic", "another")


def rename_table(table: Table, chance: Chance) -> Table:
    # The new name stands before or behind all others.
    return replace(table, name=f"{chance.pick('all', 'zoned')}_{table.name}", touched=table.touched | {"name"})


def change_key(table: Table, chance: Chance) -> Table:
    key = (table.columns[0].name, table.columns[1].name)
    return replace(table, primary_key=key, touched=table.touched | {"key"})


def _keyed(job: Job, chance: Chance) -> Job:
    """A source of changes with a primary key, under a plain aggregation."""
    table = _table(job)
    options = (("connector", "upsert-kafka"), ("topic", table.name), ("key.format", "json"), ("value.format", "json"))
    table = replace(table, primary_key=(table.columns[0].name,), options=options)
    return _with_table(job, table)


def change_read_column(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The measure becomes a computed column: the aggregates that read it restart."""
    table, measure = _table(job), _m1(job)
    old = table.column(measure)
    base = Column("base_value", old.type)
    computed = Column(measure, old.type, computed="base_value * 100", touched=True)
    columns = [column for one in table.columns for column in ([base, computed] if one is old else [one])]
    return job, _with_table(job, replace(table, columns=tuple(columns)))


def _m1(job: Job) -> str:
    return job.query.domain.m1


def _m1_and_more(job: Job, chance: Chance) -> Job:
    return job.with_query(reads_m1_and_more(job.query, chance))


def _with_cdc(option: str, value: str) -> Callable[[Job, Chance], Job]:
    def prepare(job: Job, chance: Chance) -> Job:
        table = _table(job)
        connector = "mysql-cdc" if option.startswith("scan") else "hologres"
        options = (("connector", connector), ("hostname", "db"), (option, value))
        return _with_table(job, replace(table, options=options, primary_key=(table.columns[3].name,)))

    return prepare


def _change_option(option: str, value: str) -> Callable[[Job, Chance], tuple[Job, Job]]:
    return on_table(lambda table, chance: table.with_option(option, value))


# ---- inputs and functions


def add_input(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The rows of another stream as well."""
    query = job.query
    others = (*query.feed.others, (query.domain.stream("more"), True))
    return job, job.with_query(replace(query, feed=replace(query.feed, others=others)))


def remove_input(job: Job, chance: Chance) -> tuple[Job, Job]:
    after, before = add_input(job, chance)
    return before, after


def change_jar(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The code behind an aggregate that the query calls."""
    call = Aggregate("margin_of", f"@{job.query.domain.m1}", type=job.query.domain.decimal)
    job = job.with_query(replace(job.query, aggregates=(*job.query.aggregates, call)))

    def with_jar(number: int) -> Job:
        jar = mark(f"'oss://udf/margin-{number}.jar'")
        return replace(job, functions=(f"margin_of 'udfs.Margin' LANGUAGE JAVA USING JAR {jar}",))

    return with_jar(1), with_jar(2)


# ---- sinks


def _no_sessions(job: Job, chance: Chance) -> Job:
    """A union below a session window with several keys is one that Flink cannot put into a view."""
    return job.with_query(no_session(job.query, chance)) if isinstance(job.query, Aggregation) else job


def _sunk(job: Job, chance: Chance) -> Job:
    return job.with_sink(Sink(job.inserts[0].sink.name or "results"))


def rename_sink(job: Job, chance: Chance) -> tuple[Job, Job]:
    return job, job.with_sink(replace(job.inserts[0].sink, name="other_results", touched=frozenset({"name"})))


def change_sink_connector(job: Job, chance: Chance) -> tuple[Job, Job]:
    options = (("connector", "print"),)
    return job, job.with_sink(replace(job.inserts[0].sink, options=options, touched=frozenset({"connector"})))


def _counting_sinks(job: Job, chance: Chance) -> Job:
    return _sunk(job, chance).set(IGNORE_SINK, "false")


# ---- further queries


def _another(job: Job, chance: Chance, stateful: bool, temporary: bool = False) -> Insert:
    """A second INSERT over the same source."""
    domain = job.query.domain
    while True:
        query = (group_aggregation if stateful else projection)(chance)
        if query.domain == domain:
            break
    query = replace(query, feed=replace(query.feed, table=_table(job)))
    return Insert(query, Sink("further_results", temporary=temporary, touched=frozenset({"statement"})), touched=True)


def add_query(stateful: bool) -> Callable[[Job, Chance], tuple[Job, Job]]:
    def change(job: Job, chance: Chance) -> tuple[Job, Job]:
        return job, replace(job, inserts=(*job.inserts, _another(job, chance, stateful)))

    return change


def remove_query(stateful: bool, temporary: bool) -> Callable[[Job, Chance], tuple[Job, Job]]:
    """The INSERT goes; the table of its sink goes with it if it is a temporary one, else it stays."""

    def change(job: Job, chance: Chance) -> tuple[Job, Job]:
        insert = _another(job, chance, stateful, temporary)
        after = job if temporary else replace(job, extra_sinks=((insert.sink, insert.query.types),))
        return replace(job, inserts=(*job.inserts, insert)), after

    return change


def remove_query_and_change_temporary_table(job: Job, chance: Chance) -> tuple[Job, Job]:
    """The INSERT goes, and the temporary table of its sink stays with another connector."""
    insert = _another(job, chance, True, temporary=True)
    sink = replace(insert.sink, options=(("connector", "print"),))
    return replace(job, inserts=(*job.inserts, insert)), replace(job, extra_sinks=((sink, insert.query.types),))


def change_engine(job: Job, chance: Chance) -> tuple[Job, Job]:
    return replace(job, engine="vvr-8.0.9-flink-1.17"), replace(job, engine="vvr-11.1-flink-1.20")


def session_window(job: Job, chance: Chance) -> Job:
    return job.with_query(of_kind("SESSION")(job.query, chance))


def add_runtime_option(job: Job, chance: Chance) -> tuple[Job, Job]:
    """In the script, or outside of it."""
    key, value = chance.pick(("execution.checkpointing.interval", "3 min"), ("pipeline.name", "renamed"))
    if chance.flip():
        return job, replace(job, parameters=((key, value),))
    return job, job.set(key, value)


# ---- columns whose type changed


def change_column_type(job: Job, chance: Chance) -> tuple[Job, Job]:
    """Of a column that the state holds in its rows."""
    table = _table(job)
    name = job.query.domain.note
    before = table.with_column(name, touched=True)
    return _with_table(job, before), _with_table(job, before.with_column(name, type="INT"))


def _keeps_note(job: Job, chance: Chance) -> Job:
    query, note = job.query, job.query.domain.note
    name = f"l__{note}" if isinstance(query, Join) else note
    if name not in query.shown:
        names = {*query.shown, name}
        in_order = [column.name for column in _table(job).columns]
        own = [f"l__{one}" if isinstance(query, Join) else one for one in in_order]
        rest = tuple(one for one in query.shown if one not in own)
        query = replace(query, shown=(*(one for one in own if one in names), *rest))
    if isinstance(query, (Ranking, Join)):
        return job.with_query(query)
    return job.with_query(replace(query, where=()))


# ---- kinds of items that changed


def filter_and_aggregate(job: Job, chance: Chance) -> tuple[Job, Job]:
    _, filtered = add_filter(job.query, chance)
    _, after = add_aggregate(filtered, chance)
    return job, job.with_query(after)


def _ignoring_filters(job: Job, chance: Chance) -> Job:
    return _no_sessions(job, chance).set(IGNORE_FILTER, "true")


def sink_and_aggregate(job: Job, chance: Chance) -> tuple[Job, Job]:
    _, renamed = rename_sink(job, chance)
    _, after = add_aggregate(job.query, chance)
    return job, renamed.with_query(after)


def _of(
    spec: str, kind: str, verdict: Verdict, name: str, change: Change, prepare: Prepare | None = None,
    part: str = "surroundings", item: str = "",
) -> Edit:  # fmt: skip
    ready = prepare or (lambda job, chance: job)
    indirect = change in (change_read_column, change_column_type)
    return Edit(name, spec, kind, verdict, change, ready, part, item, indirect=indirect)


def filter_in_front(job: Job, chance: Chance) -> tuple[Job, Job]:
    """A condition in a layer below the query, on a column that the layer passes on anyway."""
    query = job.query
    part = "left" if hasattr(query, "left") else "feed"
    feed = getattr(query, part)
    new = Condition(f"@{query.domain.note}", "<>", "'unwanted'", touched=True)
    return job, job.with_query(replace(query, **{part: replace(feed, where=(*feed.where, new))}))


def _ignoring_filters_here(prepare: Prepare) -> Prepare:
    return lambda job, chance: prepare(job, chance).set(IGNORE_FILTER, "true")


STATEFUL = ("window-tvf", "group-window", "group-aggregate", "top-n", "over", "regular-join", "pattern")
ALSO_STATEFUL = (
    "window-top-n", "top-n-of-groups", "dedup-proctime-asc", "dedup-proctime-desc", "dedup-rowtime", "window-dedup",
    "interval-join", "temporal-join", "window-join", "sort-rowtime", "limit", "sort-limit", "stacked",
    "set-operation", "windowed-groups", "windowed-over", "enriched",
)  # fmt: skip
WITH_FILTERS_IN_FRONT = (
    "top-n", "over", "dedup-proctime-asc", "dedup-proctime-desc", "dedup-rowtime", "window-dedup", "regular-join",
    "interval-join", "temporal-join", "window-join", "sort-rowtime", "limit", "windowed-over",
)  # fmt: skip
CHUNK_KEY = "scan.incremental.snapshot.chunk.key-column"
ALL = (
    *(
        edit
        for kind in STATEFUL
        for edit in (
            _of("SRC-07", kind, INCOMPATIBLE, "change-connector", on_table(change_connector), part="source"),
            _of("SRC-08", kind, INCOMPATIBLE, "rename-source", on_table(rename_table), part="source"),
            _of("SRC-10", kind, COMPATIBLE, "change-topic", on_table(change_topic), part="source"),
            _of("SNK-02", kind, COMPATIBLE, "add-stateless-query", add_query(False), _sunk),
            _of("SNK-03", kind, COMPATIBLE, "rename-sink", rename_sink, _sunk, "sink", "sink"),
            _of("SNK-03", kind, COMPATIBLE, "change-sink-connector", change_sink_connector, _sunk, "sink", "sink"),
            _of("SNK-04", kind, INCOMPATIBLE, "add-stateful-query", add_query(True), _sunk),
            _of("SNK-05", kind, INCOMPATIBLE, "rename-counted-sink", rename_sink, _counting_sinks, "sink", "sink"),
            _of("SNK-01", kind, COMPATIBLE, "remove-stateless-query", remove_query(False, False), _sunk),
            _of("OL-06", kind, COMPATIBLE, "remove-stateful-query", remove_query(True, False), _sunk),
            _of("OL-05", kind, UNKNOWN, "remove-query-and-temporary-table", remove_query(True, True), _sunk),
            _of("OL-05", kind, UNKNOWN, "remove-query-and-change-temporary-table",
                remove_query_and_change_temporary_table, _sunk),
            _of("OL-01", kind, UNKNOWN, "change-engine", change_engine, part="engine"),
        )
    ),
    *(
        edit
        for kind in ALSO_STATEFUL
        for edit in (
            _of("SRC-07", kind, INCOMPATIBLE, "change-connector", on_table(change_connector), part="source"),
            _of("SRC-08", kind, INCOMPATIBLE, "rename-source", on_table(rename_table), part="source"),
            _of("SNK-03", kind, COMPATIBLE, "rename-sink", rename_sink, _sunk, "sink", "sink"),
            _of("OL-01", kind, UNKNOWN, "change-engine", change_engine, part="engine"),
        )
    ),
    *(
        edit
        for kind in WITH_FILTERS_IN_FRONT
        for edit in (
            _of("WH-01", kind, INCOMPATIBLE, "filter-in-front", filter_in_front, _keeps_note, "filter", "filter"),
            _of("WH-02", kind, COMPATIBLE, "filter-in-front", filter_in_front, _ignoring_filters_here(_keeps_note),
                "filter", "filter"),
        )
    ),
    _of("WH-03", "lookup-join", COMPATIBLE, "filter-in-front", filter_in_front, _keeps_note, "filter"),
    *(
        edit
        for kind in ("pattern", "sort-rowtime", "limit", "sort-limit", "dedup-proctime-desc", "window-dedup",
                     "windowed-over")
        for edit in (
            _of("UA-02", kind, INCOMPATIBLE, "add-input", add_input, _no_sessions, "inputs"),
            _of("UA-02", kind, INCOMPATIBLE, "remove-input", remove_input, _no_sessions, "inputs"),
        )
    ),
    *(
        _of("SRC-01", kind, COMPATIBLE, "add-unread-column", on_table(add_unread_column), part="source")
        for kind in (*STATEFUL, *ALSO_STATEFUL)
        # A pattern stores all columns of its input, so that the verdict depends on the query in front of it.
        if kind != "pattern"
    ),
    *(
        _of("SRC-02", kind, COMPATIBLE, "change-delay", on_table(change_delay), part="source")
        for kind in ("window-tvf", "group-window", "window-top-n", "over", "sort-rowtime", "interval-join", "pattern")
    ),
    *(
        _of("SRC-03", kind, PARTIAL, "compute-column", change_read_column, _m1_and_more, "aggregates", "aggregates")
        for kind in ("window-tvf", "group-window", "group-aggregate")
    ),
    *(
        edit
        for kind in ("window-tvf", "group-window", "group-aggregate", "top-n", "over", "dedup-rowtime")
        for edit in (
            _of("UA-02", kind, INCOMPATIBLE, "add-input", add_input, _no_sessions, "inputs"),
            _of("UA-02", kind, INCOMPATIBLE, "remove-input", remove_input, _no_sessions, "inputs"),
        )
    ),
    *(
        _of("OL-02", kind, UNKNOWN, "change-jar", change_jar)
        for kind in ("window-tvf", "group-window", "group-aggregate")
    ),
    _of("SRC-04", "group-aggregate", UNKNOWN, "change-primary-key", on_table(change_key, "key"), _keyed, "source"),
    _of("SRC-05", "group-aggregate", UNKNOWN, "change-chunk-key", _change_option(CHUNK_KEY, "x"),
        _with_cdc(CHUNK_KEY, "y"), "source"),
    _of("SRC-06", "group-aggregate", UNKNOWN, "change-changelog-mode", _change_option("cdcMode", "false"),
        _with_cdc("cdcMode", "true"), "source"),
    _of("CFG-04", "group-window", UNKNOWN, "change-engine", change_engine, part="engine"),
    _of("CFG-05", "window-tvf", UNKNOWN, "change-engine", change_engine, session_window, "engine"),
    *(_of("CFG-06", kind, COMPATIBLE, "add-runtime-option", add_runtime_option) for kind in STATEFUL),
    *(
        _of("SRC-09", kind, INCOMPATIBLE, "change-column-type", change_column_type, _keeps_note)
        for kind in ("top-n", "dedup-rowtime", "dedup-proctime-desc", "over", "regular-join", "interval-join",
                     "temporal-join", "window-join", "window-dedup", "sort-rowtime", "limit", "windowed-over")
    ),
    *(
        _of("OL-03", kind, UNKNOWN, "filter-and-aggregate", filter_and_aggregate, _ignoring_filters, "settings")
        for kind in ("window-tvf", "group-window", "group-aggregate")
    ),
    *(
        _of("CMB-03", kind, UNKNOWN, "sink-and-aggregate", sink_and_aggregate, _sunk, "aggregates")
        for kind in ("window-tvf", "group-window", "group-aggregate")
    ),
)  # fmt: skip
