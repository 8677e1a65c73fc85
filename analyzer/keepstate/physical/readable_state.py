"""Stored state of a query in open-source Flink, for readers: in words, and with places for operators that are in no
plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from keepstate.physical.stored_query import SINK, StoredPipeline, join_below
from keepstate.plan.job import Pipeline, Plan
from keepstate.plan.operators import Join, Operator, TableSourceScan
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.plan.settings import Settings
from keepstate.state.lifetimes import lifetime_words, time_to_live_words
from keepstate.state.logical import logical_state
from keepstate.state.stored_operators import StoredOperator
from keepstate.state.stored_queries import AddedOperator, StoredQuery


def described(pipeline: Pipeline, stored_pipeline: StoredPipeline, planner: PlannerGeneration) -> StoredQuery:
    """Return the whole stored state of a query as a planner plans it.

    >>> from keepstate.physical.stored_job import StoredJob
    >>> from keepstate.plan.optimizer.planners import NEWEST_GENERATION
    >>> totals = job("SELECT buyer, SUM(price) FROM orders GROUP BY buyer")
    >>> query = described(totals.pipelines[0], StoredJob.of(totals).pipelines[0], NEWEST_GENERATION)
    >>> [[field.words for field in operator.key] for operator in query.operators.values()]
    [['buyer']]
    """
    operators = {
        operator.number: _described_operator(stored_pipeline.operators[operator.number], operator, pipeline.settings)
        for operator in pipeline.plan.operators
        if operator.number in stored_pipeline.operators and not isinstance(operator, TableSourceScan)
    }
    held = pipeline.plan.as_held(planner)
    added = tuple(_added_operators(pipeline, stored_pipeline, held))
    return StoredQuery(operators, added, dict(_removals(pipeline.plan, held)))


def _removals(plan: Plan, held: Plan) -> Iterator[tuple[int, str]]:
    """Yield the outer joins that the planner removes. Only one of the inputs goes with them."""
    for operator in plan.operators:
        if not isinstance(operator, Join) or operator.number in held.by_number:
            continue
        outer = operator.outer_input
        if outer is not None and any(below.number in held.by_number for below in outer.walk()):
            unread = "right" if outer is operator.left else "left"
            yield operator.number, f"nothing reads the {unread} input, so Flink plans no join"


def _added_operators(pipeline: Pipeline, stored_pipeline: StoredPipeline, held: Plan) -> Iterator[AddedOperator]:
    plan, settings = pipeline.plan, pipeline.settings
    for operator in plan.operators:
        number = operator.number
        if number in stored_pipeline.operators and isinstance(operator, TableSourceScan):
            yield AddedOperator(replace(stored_pipeline.operators[number], until=time_to_live_words(settings)), number)
        if join_below(number) in stored_pipeline.operators:
            join = _described_operator(stored_pipeline.operators[join_below(number)], operator, settings)
            yield AddedOperator(join, number, below=True)
    below = plan.root.number
    for operator in reversed(held.operators):
        if operator.number in plan.by_number:
            below = operator.number
        elif operator.number in stored_pipeline.operators:
            # A window that nothing reads.
            yield AddedOperator(
                _described_operator(stored_pipeline.operators[operator.number], operator, settings), below
            )
    if SINK in stored_pipeline.operators:
        yield AddedOperator(
            replace(stored_pipeline.operators[SINK], until=time_to_live_words(settings)), plan.root.number
        )


def _described_operator(stored_operator: StoredOperator, operator: Operator, settings: Settings) -> StoredOperator:
    """Return the stored state of an operator, described by what the operator needs if the layout has no words of its
    own.
    """
    state = logical_state(operator)
    summary, until = (state.summary, state.until) if state is not None else ("", "")
    return replace(
        stored_operator,
        summary=stored_operator.summary or summary,
        until=lifetime_words(operator, settings) or stored_operator.until or until,
    )
