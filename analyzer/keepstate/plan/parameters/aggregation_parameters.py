"""Parameters of aggregations: how long state lives, when windows give results, in how many steps rows are added up."""

from __future__ import annotations

from keepstate.plan.parameters.parameter import Parameter, ParameterConcern, ParameterReach
from keepstate.plan.parameters.parameter_values import ValueType

BOOLEAN = ValueType.BOOLEAN
DURATION = ValueType.DURATION
NUMBER = ValueType.NUMBER
WORD = ValueType.WORD

STATE_TTL = "table.exec.state.ttl"
EARLY_FIRE = "table.exec.emit.early-fire.enabled"
EARLY_DELAY = "table.exec.emit.early-fire.delay"
LATE_FIRE = "table.exec.emit.late-fire.enabled"
LATE_DELAY = "table.exec.emit.late-fire.delay"
ALLOW_LATENESS = "table.exec.emit.allow-lateness"
MINI_BATCH = "table.exec.mini-batch.enabled"
BATCH_LATENCY = "table.exec.mini-batch.allow-latency"
BATCH_SIZE = "table.exec.mini-batch.size"
PHASES = "table.optimizer.agg-phase-strategy"
SPLITS_DISTINCT = "table.optimizer.distinct-agg.split.enabled"


_TIME_TO_LIVE = (
    Parameter(
        STATE_TTL,
        DURATION,
        "0 ms",
        "How long state is kept without an update",
        "Operators without a window of their own drop a key that was not written to for this long: GROUP BY, regular "
        "joins, Top-N, deduplication, LIMIT. Its results then begin again. Windows, interval joins and patterns end "
        "their state by themselves.",
        ParameterConcern.TIME_TO_LIVE,
        unset="for ever",
    ),
)
_EMISSION = (
    Parameter(
        EARLY_FIRE,
        BOOLEAN,
        "false",
        "Results of group windows before they end",
        "An open window (TUMBLE, HOP or SESSION in GROUP BY) gives updated results every early-fire.delay. It keeps "
        "the results that it has sent, to take them back.",
        ParameterConcern.EMISSION,
        ParameterReach.GROUP_WINDOWS,
    ),
    Parameter(
        EARLY_DELAY,
        DURATION,
        None,
        "How often an open group window gives results",
        "Means something only while early-fire.enabled is true; 0 stands for a result with every row.",
        ParameterConcern.EMISSION,
        ParameterReach.GROUP_WINDOWS,
    ),
    Parameter(
        LATE_FIRE,
        BOOLEAN,
        "false",
        "Updated results of group windows after they have ended",
        "A window (TUMBLE, HOP or SESSION in GROUP BY) stays in the state behind its end, for allow-lateness. It gives "
        "updated results when late rows arrive.",
        ParameterConcern.EMISSION,
        ParameterReach.GROUP_WINDOWS,
    ),
    Parameter(
        LATE_DELAY,
        DURATION,
        None,
        "How often an ended group window gives updated results",
        "Means something only while late-fire.enabled is true; 0 stands for a result with every row.",
        ParameterConcern.EMISSION,
        ParameterReach.GROUP_WINDOWS,
    ),
    Parameter(
        ALLOW_LATENESS,
        DURATION,
        None,
        "How long group windows stay in the state behind their end",
        "Rows that are late by up to this much still count, if late-fire.enabled is true.",
        ParameterConcern.EMISSION,
        ParameterReach.GROUP_WINDOWS,
    ),
)
_AGGREGATION = (
    Parameter(
        MINI_BATCH,
        BOOLEAN,
        "false",
        "Rows are collected and worked off in small batches",
        "State is read and written once for a batch of rows of a key. It puts an operator that marks batches behind "
        "the source, and splits GROUP BY into a local and a global step.",
        ParameterConcern.STATE,
        reason="with mini-batches the planner puts other operators around the stateful ones, whose state open-source "
        "Flink does not find again",
    ),
    Parameter(
        BATCH_LATENCY,
        DURATION,
        "0 ms",
        "How long rows are collected for a mini-batch",
        "Rows wait up to this long before they reach the state. It may change at any restart.",
    ),
    Parameter(
        BATCH_SIZE,
        NUMBER,
        "-1",
        "How many rows make a mini-batch at most",
        "A full batch does not wait any longer. It may change at any restart.",
    ),
    Parameter(
        PHASES,
        WORD,
        "AUTO",
        "Whether aggregations are done in one step or two",
        "In two steps, one operator aggregates rows where they come from, and a second one these results by key. Each "
        "has a layout of its own. It matters for windows always, for GROUP BY with mini-batches.",
        ParameterConcern.STATE,
        ParameterReach.TWO_PHASES,
        "one step and two are different operators, whose state open-source Flink does not find again",
    ),
    Parameter(
        SPLITS_DISTINCT,
        BOOLEAN,
        "false",
        "Aggregates with DISTINCT are split over buckets",
        "Keys with very many rows are first aggregated in buckets, in one more stateful operator.",
        ParameterConcern.STATE,
        ParameterReach.DISTINCT,
        "the aggregation is split into two operators or put together from them, whose state open-source Flink does "
        "not find again",
    ),
    Parameter(
        "table.optimizer.distinct-agg.split.bucket-num",
        NUMBER,
        "1024",
        "The number of buckets that aggregates with DISTINCT are split over",
        "The bucket is part of the state key: with another number, values are found in other buckets than before.",
        ParameterConcern.STATE,
        ParameterReach.DISTINCT,
        "with another number of buckets a value may be counted in two of them; open-source Flink restores and "
        "gives other numbers",
    ),
    Parameter(
        "table.optimizer.incremental-agg-enabled",
        BOOLEAN,
        "true",
        "Two aggregations over buckets become one incremental one",
        "Matters with split aggregates and mini-batches only.",
        ParameterConcern.STATE,
        ParameterReach.DISTINCT,
        "the aggregation is made of other operators then, whose state open-source Flink does not find again",
    ),
    Parameter(
        "table.exec.unbounded-over.version",
        NUMBER,
        "2",
        "The implementation of OVER aggregations without an upper bound",
        "The versions keep their rows in different layouts.",
        ParameterConcern.STATE,
        ParameterReach.OVER,
        "the two implementations keep rows in different layouts",
    ),
)

AGGREGATION = (*_TIME_TO_LIVE, *_EMISSION, *_AGGREGATION)
