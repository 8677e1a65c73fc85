"""Queries that a parameter affects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    Join,
    LookupJoin,
    Operator,
    OverAggregate,
    TableSourceScan,
    Unsupported,
    Window,
    WindowAggregate,
    WindowJoin,
    expressions_of,
)
from keepstate.plan.parameters import MINI_BATCH, ParameterReach, known_parameter
from keepstate.plan.types.inference import type_of

_CLOCKS = frozenset({"CURRENT_DATE", "CURRENT_TIME", "FROM_UNIXTIME", "LOCALTIME", "LOCALTIMESTAMP", "UNIX_TIMESTAMP"})
"""Functions whose results depend on the time zone of the session for any argument."""


_FITTED = frozenset("= <> < <= IS CASE COALESCE IFNULL NULLIF GREATEST LEAST ROW ARRAY MAP AND OR NOT IN".split())
"""Operations that cast their operands to one type, and do nothing else with a time."""
_LOCAL = frozenset({"TIMESTAMP", "DATE", "TIME", "CHAR", "VARCHAR"})
_NEVER_MERGED = frozenset({"right", "full", "semi", "anti"})
"""Kinds of joins that ``JoinToMultiJoinRule`` leaves alone."""


def reaches(reach: ParameterReach, pipeline: Pipeline, job: Job) -> bool:
    """Return whether parameters of this reach affect a query of the job.

    >>> both = job("SELECT id FROM orders; SELECT buyer, COUNT(*) FROM orders GROUP BY buyer")
    >>> [reaches(ParameterReach.STATE, each, both) for each in both.pipelines]
    [False, True]
    >>> [reaches(ParameterReach.EVERY_SOURCE, each, both) for each in both.pipelines]
    [True, True]
    """
    plan = pipeline.plan
    operators = plan.operators
    match reach:
        case ParameterReach.EVERY_SOURCE:
            return bool(plan.sources) or plan.stateful
        case ParameterReach.LOOKUPS:
            return any(isinstance(operator, LookupJoin) for operator in operators)
        case ParameterReach.STATE_OR_LOOKUPS:
            return plan.stateful or reaches(ParameterReach.LOOKUPS, pipeline, job)
        case ParameterReach.GROUP_WINDOWS:
            return any(isinstance(operator, GroupWindowAggregate) for operator in operators)
    if not plan.stateful:
        return False
    match reach:
        case ParameterReach.LOCAL_TIME:
            return any(_holds_local_time(operator) for operator in operators)
        case ParameterReach.TWO_PHASES:
            batches = _is_on(MINI_BATCH, pipeline)
            return any(isinstance(operator, WindowAggregate) for operator in operators) or (
                batches and any(isinstance(operator, Aggregate) for operator in operators)
            )
        case ParameterReach.DISTINCT:
            return any(
                isinstance(operator, Aggregate) and any(call.distinct for call in operator.aggregates)
                for operator in operators
            )
        case ParameterReach.OVER:
            return any(isinstance(operator, OverAggregate) for operator in operators)
        case ParameterReach.JOINS:
            return any(type(operator) is Join for operator in operators)
        case ParameterReach.MERGED_JOINS:
            return any(isinstance(operator, Join) and may_be_merged(operator) for operator in operators)
        case ParameterReach.SEVERAL_JOINS:
            return sum(isinstance(operator, Join) for operator in operators) > 1
        case ParameterReach.SHARED_SOURCES:
            reads = Counter(table for other in job.pipelines for table in _tables(other))
            return any(reads[table] > 1 for table in plan.sources)
        case ParameterReach.FILTERS:
            return any(_filters_source(operator) for operator in operators)
        case ParameterReach.CASTS:
            return any(isinstance(node, Call) and node.name.endswith("CAST") for node in _nodes(operators))
        case ParameterReach.KEYED_SOURCES:
            return any(_has_key(table, job) for table in plan.sources)
        case ParameterReach.KEYED_SINKS:
            return pipeline.sink is not None and _has_key(pipeline.sink, job)
    return True


def may_be_merged(join: Join) -> bool:
    """Return whether a MULTI_JOIN hint, or the setting for all joins, can change the operator of a join.

    >>> both = "SELECT o.id FROM orders AS o {} buyers AS b ON o.buyer = b.name"
    >>> [may_be_merged(root(both.format(kind))) for kind in ("JOIN", "FULL JOIN")]
    [True, False]
    """
    return type(join) in (Join, WindowJoin) and join.kind not in _NEVER_MERGED


def _is_on(key: str, pipeline: Pipeline) -> bool:
    parameter, option = known_parameter(key), pipeline.settings.get(key)
    return parameter is not None and parameter.meaning_of(option.value if option is not None else None) is True


def _tables(pipeline: Pipeline) -> Iterator[str]:
    return (operator.table for operator in pipeline.plan.operators if isinstance(operator, TableSourceScan))


def _has_key(table: str, job: Job) -> bool:
    """Return whether a table has a primary key; an undeclared table may have one."""
    definition = job.source(table)
    return definition is None or bool(definition.primary_key) or definition.like is not None


def _filters_source(operator: Operator) -> bool:
    return isinstance(operator, Calc) and isinstance(operator.input, TableSourceScan)


def _holds_local_time(operator: Operator) -> bool:
    """Return whether an operator assigns windows on a time that may be local, or computes with local time."""
    if isinstance(operator, Unsupported):
        return True
    window = getattr(operator, "window", None)
    if isinstance(window, Window):
        time = type_of(window.time)
        if time is None or time.root != "TIMESTAMP" or any(map(_reads_zone, window.time.walk())):
            return True
    return any(map(_reads_zone, _nodes((operator,))))


def _reads_zone(expr: Expr) -> bool:
    """Return whether an operation depends on the time zone of the session: it reads the clock, or makes of an instant
    (TIMESTAMP_LTZ) a time, a part of one or a text, or the other way round. Operations on instants alone do not.
    """
    if not isinstance(expr, Call):
        return False
    if expr.name in _CLOCKS:
        return True
    of_instants = [_holds_instant(arg) for arg in expr.args]
    if expr.name in ("CAST", "TRY_CAST"):
        return of_instants[0] is not _holds_instant(expr)
    if not any(of_instants):
        return False
    if expr.name in _FITTED:
        types = (type_of(arg) for arg in expr.args)
        return any(type_ is not None and type_.root in _LOCAL for type_ in types)
    return expr.name.isidentifier()


def _holds_instant(expr: Expr) -> bool:
    return "TIMESTAMP_LTZ" in str(type_of(expr))


def _nodes(operators: tuple[Operator, ...]) -> Iterator[Expr]:
    return (node for operator in operators for expr in expressions_of(operator) for node in expr.walk())
