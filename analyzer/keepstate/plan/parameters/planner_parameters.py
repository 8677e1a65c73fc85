"""Parameters by which the planner builds a job, and by which its state is found again."""

from __future__ import annotations

from keepstate.plan.parameters.parameter import Parameter, ParameterConcern, ParameterReach
from keepstate.plan.parameters.parameter_values import ValueType

BOOLEAN = ValueType.BOOLEAN
NUMBER = ValueType.NUMBER
WORD = ValueType.WORD
TEXT = ValueType.TEXT

UPDATE_STRATEGY = "table.optimizer.non-deterministic-update.strategy"
MAX_PARALLELISM = "pipeline.max-parallelism"
MULTI_JOIN = "table.optimizer.multi-join.enabled"
_ON_OFF_PLAN = "the planner builds the query of other operators then, and finds the state of the former ones by chance"
_OTHER_PLACES = "the state of an operator is then looked for under another name than it was stored under"


_CHECK = (
    Parameter(
        "table.optimizer.state-compatibility.ignore-filter",
        BOOLEAN,
        "false",
        "Changed filters in front of state are taken as compatible",
        "The state stays as the rows behind the old filter made it; later rows pass the new filter. The parameter "
        "decides what the platform's compatibility check looks at, and changes no plan.",
        ParameterConcern.CHECK,
    ),
    Parameter(
        "table.optimizer.state-compatibility.ignore-sink",
        BOOLEAN,
        "true",
        "Changed sinks are taken as compatible",
        "Switched off, a sink counts as state, and another connector or option of it as incompatible. The "
        "parameter decides what the platform's compatibility check looks at, and changes no plan.",
        ParameterConcern.CHECK,
    ),
)
_PLAN = (
    Parameter(
        "table.optimizer.reuse-sub-plan-enabled",
        BOOLEAN,
        "true",
        "Equal parts of a job's queries are computed once",
        "A table that several queries read, or one query twice, is one source or several. An aggregation that occurs "
        "twice keeps one state or two.",
        ParameterConcern.STATE,
        ParameterReach.SHARED_SOURCES,
        "parts that queries share are put together or taken apart, and open-source Flink does not find their state "
        "again",
    ),
    Parameter(
        "table.optimizer.reuse-source-enabled",
        BOOLEAN,
        "true",
        "Queries that read the same table share its source",
        "A shared source has its positions stored once.",
        ParameterConcern.STATE,
        ParameterReach.SHARED_SOURCES,
        "sources are put together or taken apart, and open-source Flink does not find their state again",
    ),
    Parameter(
        "table.optimizer.reuse-optimize-block-with-digest-enabled",
        BOOLEAN,
        "false",
        "Equal views of several INSERTs are optimized once",
        "Parts that several INSERTs have in common are computed once or several times.",
        ParameterConcern.STATE,
        ParameterReach.SHARED_SOURCES,
        _ON_OFF_PLAN,
    ),
    Parameter(
        "table.optimizer.union-all-as-breakpoint-enabled",
        BOOLEAN,
        "true",
        "UNION ALL parts what several INSERTs share",
        "Decides where the common part of several INSERTs ends.",
        ParameterConcern.STATE,
        ParameterReach.SHARED_SOURCES,
        _ON_OFF_PLAN,
    ),
    Parameter(
        "table.optimizer.join-reorder-enabled",
        BOOLEAN,
        "false",
        "Joins may be done in another order than they are written",
        "Each join stores both of its inputs, so another order is other state.",
        ParameterConcern.STATE,
        ParameterReach.SEVERAL_JOINS,
        "joins in another order store other rows",
    ),
    Parameter(
        MULTI_JOIN,
        BOOLEAN,
        "false",
        "Several joins become one operator",
        "One operator stores the rows of all inputs, instead of one operator for each join with its results.",
        ParameterConcern.STATE,
        ParameterReach.MERGED_JOINS,
        "one operator for all joins keeps other state than one for each; open-source Flink restores with nothing in it",
    ),
    Parameter(
        "table.optimizer.delta-join.strategy",
        WORD,
        "AUTO",
        "Joins ask the tables instead of storing their rows",
        "A delta join keeps no rows of its inputs; a regular join keeps all of them.",
        ParameterConcern.STATE,
        ParameterReach.JOINS,
        "a delta join keeps other state than a regular join",
    ),
    Parameter(
        UPDATE_STRATEGY,
        WORD,
        "IGNORE",
        "The handling of updates that cannot be computed twice",
        "With TRY_RESOLVE the planner makes results repeatable that depend on the time or on an outer table. It adds "
        "operators that store them, and a lookup join becomes stateful.",
        ParameterConcern.STATE,
        ParameterReach.STATE_OR_LOOKUPS,
        "TRY_RESOLVE adds operators that remember results, and makes lookup joins stateful",
    ),
    Parameter(
        "table.optimizer.source.predicate-pushdown-enabled",
        BOOLEAN,
        "true",
        "Sources that can do so filter by themselves",
        "A filter is done in the source, or in an operator behind it.",
        ParameterConcern.STATE,
        ParameterReach.FILTERS,
        "an operator that filters appears behind the source or vanishes, and open-source Flink does not find the "
        "state behind it again",
    ),
    Parameter(
        "table.optimizer.sql2rel.project-merge.enabled",
        BOOLEAN,
        "false",
        "Projections above each other are merged before planning",
        "Decides how expressions are spread over operators.",
        ParameterConcern.STATE,
        reason=_ON_OFF_PLAN,
        synonyms=("table.optimizer.sql-to-rel.project.merge.enabled",),
    ),
    Parameter(
        "table.column-expansion-strategy",
        TEXT,
        None,
        "The columns that SELECT * stands for",
        "Metadata columns may be left out of *.",
        ParameterConcern.STATE,
        reason="rows that * gives may have other columns then",
    ),
    Parameter(
        "execution.runtime-mode",
        WORD,
        "STREAMING",
        "Streaming or batch",
        "A batch job ends with its input: it keeps no state for a restart, and restores from none.",
        ParameterConcern.STATE,
        ParameterReach.EVERY_SOURCE,
        "a batch job makes no savepoints, and starts from none",
    ),
)
_IDENTITY = (
    Parameter(
        "table.exec.uid.generation",
        WORD,
        "PLAN_ONLY",
        "When operators get fixed ids",
        "State is stored under the id of its operator: a fixed one from the plan, or one derived from the shape of "
        "the job.",
        ParameterConcern.STATE,
        reason=_OTHER_PLACES,
    ),
    Parameter(
        "table.exec.uid.format",
        TEXT,
        "<id>_<transformation>",
        "The form of fixed ids of operators",
        "State is stored under the id of its operator.",
        ParameterConcern.STATE,
        reason=_OTHER_PLACES,
    ),
    Parameter(
        "table.exec.legacy-transformation-uids",
        BOOLEAN,
        "false",
        "Ids of operators as Flink 1.14 made them",
        "State is stored under the id of its operator.",
        ParameterConcern.STATE,
        reason=_OTHER_PLACES,
    ),
    Parameter(
        "pipeline.auto-generate-uids",
        BOOLEAN,
        "true",
        "Operators without fixed ids get ids of their own",
        "State is stored under the id of its operator. Off, a job starts only if its plan has an id for each.",
        ParameterConcern.STATE,
        ParameterReach.EVERY_SOURCE,
        "switched off, a job does not start unless each operator has a fixed id",
    ),
    Parameter(
        "pipeline.operator-chaining.enabled",
        BOOLEAN,
        "true",
        "Operators that follow each other run as one task",
        "Where operators have no fixed ids, open-source Flink derives these from the chains as well.",
        ParameterConcern.STATE,
        reason="ids that open-source Flink derives from the shape of the job change with the chains, and the state is "
        "not found again",
        synonyms=("pipeline.operator-chaining",),
    ),
    Parameter(
        MAX_PARALLELISM,
        NUMBER,
        "-1",
        "The number of groups that keyed state is divided into",
        "Each key belongs to one of these groups for good. A savepoint can be restored with any parallelism up to "
        "this number, but not with another number of groups.",
        ParameterConcern.KEY_GROUPS,
        ParameterReach.EVERY_SOURCE,
        "a savepoint cannot be restored with another number than it was made with, and that depends on the "
        "parallelism of the job where it was not set",
        unset="chosen by parallelism, at least 128",
    ),
)

PLANNING = (*_CHECK, *_PLAN, *_IDENTITY)
