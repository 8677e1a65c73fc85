"""Parameters of tables, of values, of where state lives, and of how a job runs."""

from __future__ import annotations

from keepstate.plan.parameters.parameter import Parameter, ParameterConcern, ParameterReach
from keepstate.plan.parameters.parameter_values import ValueType

BOOLEAN = ValueType.BOOLEAN
DURATION = ValueType.DURATION
NUMBER = ValueType.NUMBER
WORD = ValueType.WORD
TEXT = ValueType.TEXT


_STORAGE = (
    Parameter(
        "state.backend.type",
        WORD,
        None,
        "Where state lives while the job runs",
        "Only a savepoint in canonical format can be restored into another kind of state backend; a native one or a "
        "checkpoint cannot.",
        ParameterConcern.STATE,
        reason="a canonical savepoint can be restored into another state backend, a native one or a checkpoint cannot",
        synonyms=("state.backend",),
    ),
    Parameter(
        "state.changelog.enabled",
        BOOLEAN,
        "false",
        "Changes of state are logged continuously",
        "Checkpoints are made of logged changes. From a savepoint in canonical format it can be switched on or off.",
        ParameterConcern.STATE,
        reason="a canonical savepoint can be restored with or without the changelog, a checkpoint made with it cannot",
        synonyms=("state.backend.changelog.enabled",),
    ),
    Parameter(
        "table.exec.async-state.enabled",
        BOOLEAN,
        "false",
        "Operators read and write state asynchronously",
        "GROUP BY, joins, windows and Top-N have a second implementation each, with state of its own.",
        ParameterConcern.STATE,
        reason="the asynchronous operators keep their state in another form",
    ),
)
_VALUES = (
    Parameter(
        "table.local-time-zone",
        TEXT,
        "default",
        "The time zone of local time",
        "Windows over TIMESTAMP_LTZ follow its midnight, and times turn into dates and texts by it. In another zone "
        "the same row belongs to another window or key.",
        ParameterConcern.STATE,
        ParameterReach.LOCAL_TIME,
        "in another time zone rows fall into other windows or under other keys than those in the state",
        unset="the time zone of the machine",
    ),
    Parameter(
        "table.exec.legacy-cast-behaviour",
        WORD,
        "DISABLED",
        "CAST as before Flink 1.15",
        "A cast that fails gives NULL instead of an error, and some texts come out differently, so the same row gives "
        "other keys and values.",
        ParameterConcern.STATE,
        ParameterReach.CASTS,
        "the same row may give other keys or values than those in the state",
    ),
    Parameter(
        "table.legacy-nested-row-nullability",
        BOOLEAN,
        "false",
        "NOT NULL inside of rows as before Flink 2.2",
        "The types of stored rows follow from it.",
        ParameterConcern.STATE,
        reason="the types of stored rows may differ",
    ),
)
_TABLES = (
    Parameter(
        "table.exec.source.cdc-events-duplicate",
        BOOLEAN,
        "false",
        "Sources of changes may repeat events",
        "An operator behind each such source keeps the last row of every primary key, to leave out what was repeated.",
        ParameterConcern.STATE,
        ParameterReach.KEYED_SOURCES,
        "an operator that keeps the last row of every key appears behind the source or vanishes",
    ),
    Parameter(
        "table.exec.source.idle-timeout",
        DURATION,
        "0 ms",
        "When a source without rows stops holding up the watermark",
        "Windows end earlier while a partition is idle. The state stays the same.",
    ),
    Parameter(
        "table.exec.sink.upsert-materialize",
        WORD,
        "AUTO",
        "Whether updates are put in order in front of a sink with a primary key",
        "An operator in front of the sink keeps all rows of every primary key.",
        ParameterConcern.STATE,
        ParameterReach.KEYED_SINKS,
        "an operator that keeps the rows of every key appears in front of the sink or vanishes",
    ),
    Parameter(
        "table.exec.sink.upsert-materialize-strategy.type",
        WORD,
        "LEGACY",
        "How the operator in front of a sink keeps the rows of a key",
        "As a list, or as a map with an order.",
        ParameterConcern.STATE,
        ParameterReach.KEYED_SINKS,
        "the operator in front of the sink keeps its rows in another form",
    ),
    Parameter(
        "table.exec.sink.keyed-shuffle",
        WORD,
        "AUTO",
        "Whether rows are sent to a sink by primary key",
        "An exchange in front of the sink breaks the chain of operators.",
        ParameterConcern.STATE,
        ParameterReach.KEYED_SINKS,
        "the shape of the job changes in front of the sink, and with it the ids of operators that have no fixed ones",
    ),
)
_LOOKUPS = (
    Parameter(
        "table.exec.async-lookup.output-mode",
        WORD,
        "ORDERED",
        "Whether answers of asynchronous lookups keep the order of rows",
        "Rows that wait for an answer are part of every checkpoint.",
        ParameterConcern.STATE,
        ParameterReach.LOOKUPS,
        "rows that wait for an answer are state, and the two modes are different operators",
    ),
    Parameter(
        "table.exec.async-lookup.key-ordered-enabled",
        BOOLEAN,
        "false",
        "Asynchronous lookups keep the order of rows with one key only",
        "Rows that wait for an answer are part of every checkpoint, by key.",
        ParameterConcern.STATE,
        ParameterReach.LOOKUPS,
        "rows that wait for an answer are state, and with the order of keys another operator keeps them",
    ),
    Parameter(
        "table.exec.async-lookup.buffer-capacity",
        NUMBER,
        "100",
        "How many rows wait for answers of asynchronous lookups",
        "Rows that wait are part of every checkpoint. The number may change at any restart.",
    ),
    Parameter(
        "table.exec.async-lookup.timeout",
        DURATION,
        "3 min",
        "How long an asynchronous lookup may take",
        "It keeps no state.",
    ),
)
_RUNNING = (
    Parameter(
        "parallelism.default",
        NUMBER,
        "1",
        "How many tasks work side by side",
        "Keyed state is divided among the tasks again at the restart.",
    ),
    Parameter(
        "table.exec.resource.default-parallelism",
        NUMBER,
        "-1",
        "How many tasks of each operator work side by side",
        "Keyed state is divided among the tasks again at the restart.",
    ),
    Parameter(
        "execution.checkpointing.interval",
        DURATION,
        None,
        "How often state is saved",
        "It does not change what is kept.",
    ),
    Parameter(
        "table.exec.rank.topn-cache-size",
        NUMBER,
        "10000",
        "How many rows of a Top-N are held in memory",
        "A cache in front of the state; it does not change what is kept.",
        synonyms=("table.exec.topn-cache-size",),
    ),
    Parameter(
        "table.exec.interval-join.min-cleanup-interval",
        DURATION,
        "0 ms",
        "How often interval joins drop rows that find no partner any more",
        "Larger values keep rows a little longer than needed.",
    ),
    Parameter(
        "pipeline.auto-watermark-interval",
        DURATION,
        "200 ms",
        "How often watermarks are made",
        "It does not change what is kept.",
    ),
)

RUNNING = (*_STORAGE, *_VALUES, *_TABLES, *_LOOKUPS, *_RUNNING)
