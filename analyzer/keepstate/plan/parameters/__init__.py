"""Job parameters that shape state or compatibility: their meaning, the queries that they affect, and the aspect that a
change touches.

The tables hold facts about Flink and the platforms on it. The engine profile decides the cost of a change; a ``reason``
is given where the cost is undecidable beforehand. The affected queries were measured on open-source Flink 1.20 and 2.3:
by the ids of operators with and without each parameter, and by restoring savepoints.
"""

from __future__ import annotations

from keepstate.plan.parameters.aggregation_parameters import (
    AGGREGATION,
    ALLOW_LATENESS,
    BATCH_LATENCY,
    BATCH_SIZE,
    EARLY_DELAY,
    EARLY_FIRE,
    LATE_DELAY,
    LATE_FIRE,
    MINI_BATCH,
    STATE_TTL,
)
from keepstate.plan.parameters.parameter import Parameter, ParameterConcern, ParameterReach
from keepstate.plan.parameters.parameter_values import ValueType, milliseconds
from keepstate.plan.parameters.planner_parameters import MAX_PARALLELISM, MULTI_JOIN, PLANNING, UPDATE_STRATEGY
from keepstate.plan.parameters.runtime_parameters import RUNNING

__all__ = [
    "ALLOW_LATENESS",
    "BATCH_LATENCY",
    "BATCH_SIZE",
    "EARLY_DELAY",
    "EARLY_FIRE",
    "LATE_DELAY",
    "LATE_FIRE",
    "MAX_PARALLELISM",
    "MINI_BATCH",
    "MULTI_JOIN",
    "PARAMETERS",
    "STATE_TTL",
    "UPDATE_STRATEGY",
    "Parameter",
    "ParameterConcern",
    "ParameterReach",
    "known_parameter",
    "milliseconds",
    "parameter_of",
]

PARAMETERS: tuple[Parameter, ...] = (*AGGREGATION, *PLANNING, *RUNNING)

_BY_KEY = {key: parameter for parameter in PARAMETERS for key in (parameter.key, *parameter.synonyms)}
_PLANNER_GROUPS = ("table.exec.", "table.optimizer.")
_HARMLESS_GROUPS = (
    "table.exec.async-ml-predict.",
    "table.exec.async-scalar.",
    "table.exec.async-table.",
    "table.exec.async-vector-search.",
    "table.exec.deduplicate.",
    "table.exec.delta-join.",
    "table.exec.disabled-operators",
    "table.exec.local-hash-agg.",
    "table.exec.mini-batch.compact-changes-enabled",
    "table.exec.operator-fusion-codegen.",
    "table.exec.resource.",
    "table.exec.shuffle-mode",
    "table.exec.simplify-operator-name-enabled",
    "table.exec.sink.",
    "table.exec.sort.",
    "table.exec.spill-compression.",
    "table.exec.window-agg.",
    "table.optimizer.adaptive-broadcast-join.",
    "table.optimizer.bushy-join-reorder-threshold",
    "table.optimizer.dynamic-filtering.",
    "table.optimizer.join.",
    "table.optimizer.multiple-input-enabled",
    "table.optimizer.ptf.",
    "table.optimizer.reuse-sink-enabled",
    "table.optimizer.runtime-filter.",
    "table.optimizer.skewed-join-optimization.",
    "table.optimizer.source.aggregate-pushdown-enabled",
    "table.optimizer.source.report-statistics-enabled",
)
"""Groups of parameters of the planner that change nothing of a streaming job's state: measured, or for batch jobs."""


def known_parameter(key: str) -> Parameter | None:
    """The parameter that goes by this key or synonym; ``None`` for one that nothing is known of.

    >>> known_parameter("table.exec.state.ttl").default
    '0 ms'
    >>> known_parameter("my.own.parameter") is None
    True
    """
    return _BY_KEY.get(key)


def parameter_of(key: str) -> Parameter:
    """Return the parameter with this key.

    An unknown key counts as harmless if it is no parameter of the planner (spec CFG-06); otherwise its effect on a plan
    is undecidable.

    >>> parameter_of("table.exec.mini-batch.enabled").concern.name
    'STATE'
    >>> parameter_of("my.own.parameter").concern.name, parameter_of("table.optimizer.of-tomorrow").concern.name
    ('NOTHING', 'STATE')
    """
    parameter = _BY_KEY.get(key)
    if parameter is not None:
        return parameter
    planner = key.startswith(_PLANNER_GROUPS) and not key.startswith(_HARMLESS_GROUPS)
    return Parameter(
        key,
        ValueType.TEXT,
        None,
        "A parameter that Keepstate does not know",
        "Parameters of this group may change of which operators the planner builds a query.",
        ParameterConcern.STATE if planner else ParameterConcern.NOTHING,
        reason="Keepstate does not know this parameter, and it may change of which operators a query is built",
    )
