"""What differs between two versions of a job, in words of the state layout, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from keepstate.plan.provenance import Place
from keepstate.report import OutsideSetting


class QueryKind(Enum):
    """The kind of query (of stateful operator) that a change belongs to; each has a rule page of this name."""

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
"""What is said here holds for queries of every kind that do not say something else themselves."""


class ChangeKind(Enum):
    """What happened to what. The value is the id of the rule that speaks about it."""

    WINDOW_KIND_CHANGED = "window-kind-changed"
    WINDOW_SIZE_CHANGED = "window-size-changed"
    WINDOW_SLIDE_CHANGED = "window-slide-changed"
    WINDOW_STEP_CHANGED = "window-step-changed"
    WINDOW_GAP_CHANGED = "window-gap-changed"
    WINDOW_OFFSET_CHANGED = "window-offset-changed"
    WINDOW_TIME_ATTRIBUTE_CHANGED = "window-time-attribute-changed"
    SESSION_PARTITION_CHANGED = "session-partition-changed"
    WINDOW_SYNTAX_CHANGED = "window-syntax-changed"
    WINDOW_GROUPING_CHANGED = "window-grouping-changed"
    WINDOW_KEYS_MOVED = "window-keys-moved"
    WINDOW_PROPERTIES_CHANGED = "window-properties-changed"

    GROUP_KEY_ADDED = "group-key-added"
    GROUP_KEY_REMOVED = "group-key-removed"
    GROUP_KEY_CHANGED = "group-key-changed"
    GROUP_KEYS_REORDERED = "group-keys-reordered"
    GROUPING_SETS_ADDED = "grouping-sets-added"
    GROUPING_SETS_REMOVED = "grouping-sets-removed"
    GROUPING_SETS_PRESENT = "grouping-sets-present"

    AGGREGATE_ADDED = "aggregate-added"
    AGGREGATE_REMOVED = "aggregate-removed"
    AGGREGATE_CHANGED = "aggregate-changed"
    AGGREGATES_REORDERED = "aggregates-reordered"
    FIRST_AGGREGATE_ADDED = "first-aggregate-added"
    ALL_AGGREGATES_REMOVED = "all-aggregates-removed"
    ALL_AGGREGATES_REPLACED = "all-aggregates-replaced"
    ONLY_AGGREGATE_CHANGED = "only-aggregate-changed"
    DISTINCT_AGGREGATE_ADDED = "distinct-aggregate-added"
    DISTINCT_AGGREGATE_REMOVED = "distinct-aggregate-removed"
    DISTINCT_AGGREGATE_CHANGED = "distinct-aggregate-changed"
    DISTINCT_AGGREGATES_REORDERED = "distinct-aggregates-reordered"

    WINDOW_FIELD_COMPUTATION_CHANGED = "window-field-computation-changed"
    WINDOW_FIELD_COMPUTATION_PRESENT = "window-field-computation-present"
    WINDOW_FIELD_FILTERED = "window-field-filtered"
    WINDOW_FIELD_AGGREGATED = "window-field-aggregated"
    TABLE_FUNCTION_ON_WINDOW = "table-function-on-window"
    PYTHON_AGGREGATE = "python-aggregate"

    EMIT_STRATEGY_CHANGED = "emit-strategy-changed"
    EMIT_STRATEGY_ACTIVE = "emit-strategy-active"

    STATE_TTL_CHANGED = "state-ttl-changed"
    STATE_TTL_SHORTENED = "state-ttl-shortened"
    MAX_PARALLELISM_CHANGED = "max-parallelism-changed"
    SETTING_CHANGED = "setting-changed"
    SURROUNDINGS_CHANGED = "surroundings-changed"
    LOOKUP_JOIN_MAY_KEEP_STATE = "lookup-join-may-keep-state"

    PARTITION_KEY_ADDED = "partition-key-added"
    PARTITION_KEY_REMOVED = "partition-key-removed"
    PARTITION_KEY_CHANGED = "partition-key-changed"
    RANK_ORDER_CHANGED = "rank-order-changed"
    RANK_RANGE_CHANGED = "rank-range-changed"
    RANK_FUNCTION_CHANGED = "rank-function-changed"
    RANK_INPUT_CHANGED = "rank-input-changed"
    RANK_COLUMN_CHANGED = "rank-column-changed"
    RANK_INPUT_TYPE_UNKNOWN = "rank-input-type-unknown"
    RANK_TIME_UNKNOWN = "rank-time-unknown"

    OVER_ORDER_CHANGED = "over-order-changed"
    OVER_FRAME_CHANGED = "over-frame-changed"
    OVER_INPUT_CHANGED = "over-input-changed"
    OVER_COLUMN_CHANGED = "over-column-changed"
    OVER_INPUT_TYPE_UNKNOWN = "over-input-type-unknown"

    JOIN_TYPE_CHANGED = "join-type-changed"
    JOIN_CONDITION_CHANGED = "join-condition-changed"
    JOIN_INTERVAL_CHANGED = "join-interval-changed"
    JOIN_TIME_CHANGED = "join-time-changed"
    JOIN_INPUT_CHANGED = "join-input-changed"

    PATTERN_CHANGED = "pattern-changed"
    PATTERN_ORDER_CHANGED = "pattern-order-changed"
    MEASURES_CHANGED = "measures-changed"
    AFTER_MATCH_CHANGED = "after-match-changed"
    DEFINE_CHANGED = "define-changed"
    WITHIN_CHANGED = "within-changed"
    ROWS_PER_MATCH_CHANGED = "rows-per-match-changed"
    PATTERN_INPUT_CHANGED = "pattern-input-changed"
    PATTERN_INPUT_TYPE_UNKNOWN = "pattern-input-type-unknown"

    SORT_KEYS_CHANGED = "sort-keys-changed"
    SORT_INPUT_CHANGED = "sort-input-changed"
    PROCTIME_SORT_INPUT_CHANGED = "proctime-sort-input-changed"
    LIMIT_CHANGED = "limit-changed"
    OFFSET_CHANGED = "offset-changed"
    LIMIT_INPUT_CHANGED = "limit-input-changed"
    SET_OPERATION_CHANGED = "set-operation-changed"
    SET_OPERATION_COLUMNS_CHANGED = "set-operation-columns-changed"

    FILTER_ADDED = "filter-added"
    FILTER_REMOVED = "filter-removed"
    FILTER_CHANGED = "filter-changed"
    INPUT_ADDED = "input-added"
    INPUT_REMOVED = "input-removed"

    SOURCE_RENAMED = "source-renamed"
    SOURCE_DECLARATION_MOVED = "source-declaration-moved"
    SOURCE_CONNECTOR_CHANGED = "source-connector-changed"
    SOURCE_PRIMARY_KEY_CHANGED = "source-primary-key-changed"
    SOURCE_SHARDING_CHANGED = "source-sharding-changed"
    SOURCE_CHANGELOG_CHANGED = "source-changelog-changed"
    SOURCE_DATA_CHANGED = "source-data-changed"
    SOURCE_COLUMNS_UNKNOWN = "source-columns-unknown"
    UPSERT_SOURCE_ROW_CHANGED = "upsert-source-row-changed"
    SINK_CHANGED = "sink-changed"
    SINK_COLUMNS_CHANGED = "sink-columns-changed"
    UPSERT_KEY_CHANGED = "upsert-key-changed"
    SINK_PRIMARY_KEY_CHANGED = "sink-primary-key-changed"
    FUNCTION_IMPLEMENTATION_CHANGED = "function-implementation-changed"

    STATE_ADDED = "state-added"
    STATE_REMOVED = "state-removed"
    PIPELINE_ADDED = "pipeline-added"
    PIPELINE_REMOVED = "pipeline-removed"
    TEMPORARY_TABLE_CHANGED = "temporary-table-changed"
    ENGINE_VERSION_CHANGED = "engine-version-changed"
    GROUP_WINDOW_ACROSS_ENGINES = "group-window-across-engines"
    SESSION_ACROSS_ENGINES = "session-across-engines"
    KINDS_OF_CHANGE_MIXED = "kinds-of-change-mixed"

    OPERATOR_IDS_CHANGED = "operator-ids-changed"
    STORED_STATE_CHANGED = "stored-state-changed"
    QUERY_REFUSED = "query-refused"

    NOT_JUDGED = "change-not-judged"
    CONSTRUCT_NOT_SUPPORTED = "construct-not-supported"
    STATEMENT_NOT_READ = "statement-not-read"
    TEMPLATE_CHANGED = "template-changed"
    CONSTANT_ROWS_CHANGED = "constant-rows-changed"


class LifetimeChange(Enum):
    """How another time to live concerns state that was stored under the former one."""

    SWITCHED = "switched"
    """It came or went: state with a time to live is stored in another form than state without one."""
    LENGTHENED = "lengthened"
    SHORTENED = "shortened"
    UNREADABLE = "unreadable"
    """One of both values is no length of time."""


class Presence(Enum):
    """On which sides a feature stands that speaks by being there."""

    ADDED = "added"
    REMOVED = "removed"
    KEPT = "kept"


@dataclass(frozen=True)
class Change:
    """One difference of one operator.

    ``current`` and ``baseline`` are the clauses that differ. For something removed ``current`` is what remains where
    it stood, and ``removed`` is set; for something added ``baseline`` is ``None``. ``subject`` names the part in a few
    words, ``baseline_text`` and ``current_text`` say its two forms as a person would.
    """

    kind: ChangeKind
    query: QueryKind
    current: Place | None
    baseline: Place | None
    removed: bool = False
    presence: Presence | None = None
    subject: str = ""
    baseline_text: str = ""
    current_text: str = ""
    kept: tuple[str, ...] = ()
    """Signatures of the aggregates that go on, where that matters."""
    window: str = ""
    """The window whose state it is about, in words."""
    reason: str = ""
    """Why nobody can tell what it costs, where the kind of change does not say so."""
    outside: OutsideSetting | None = None
    """What was set outside of the SQL on one side or both."""
    tables: frozenset[str] = frozenset()
    """The source tables whose declaration it is about, by the names that the current version reads them under."""
    columns: frozenset[str] = frozenset()
    """The columns of ``tables`` that it is about, where it is about some of them."""
    parameter: str = ""
    """The key of the job parameter that it is about."""
    lifetime: LifetimeChange | None = None
    """Set for a time to live."""
    operators: tuple[int | None, int | None] = field(default=(None, None), compare=False)
    """The operators that it was found at, by their number in the plans of the baseline and of the current version
    (``Plan.operators``).
    """

    def under(self, query: QueryKind) -> Change:
        """The same edit, seen by an operator further up."""
        return replace(self, query=query)
