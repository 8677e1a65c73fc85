"""The computed state of a query, of whichever kind it is."""

from __future__ import annotations

from keepstate.cutover.states.computed_state import Bootstrap, NotComputed, StateRequest
from keepstate.cutover.states.group_state import group_state
from keepstate.cutover.states.join_state import join_state
from keepstate.cutover.states.no_state import no_state
from keepstate.cutover.states.rank_state import rank_state
from keepstate.plan.operators import (
    GroupAggregate,
    GroupWindowAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    WindowAggregate,
    WindowJoin,
    WindowRank,
    WindowTableFunction,
)

_NO_STATE = "Only GROUP BY, deduplication, Top-N and regular joins have a state that is computed."
_REASONS: tuple[tuple[type[Operator] | tuple[type[Operator], ...], str], ...] = (
    (
        OverAggregate,
        "Of rows behind the watermark OVER counts those whose key had no later result yet, and leaves out the others: "
        "files of the past do not say which.",
    ),
    (Match, "Matches that have begun are no rows: no query over former rows gives them."),
    (Limit, "LIMIT keeps the rows that came first, and files of the past do not have the order of arrival."),
    (
        (WindowTableFunction, WindowAggregate, GroupWindowAggregate, WindowRank, WindowJoin),
        "Windows have none: they hand over at a boundary, where both versions show the time of results.",
    ),
)


def bootstrap_of(task: StateRequest) -> Bootstrap:
    """The state of a query at a time, and the edits of the script by which the query goes on from it.

    Raises:
        NotComputed: the state does not follow from former rows, or the rows cannot be parted at a time.
    """
    operator = task.last_operator
    if not task.pipeline.plan.stateful:
        return no_state(task)
    if isinstance(operator, GroupAggregate):
        return group_state(task)
    if isinstance(operator, Rank) and not isinstance(operator, WindowRank):
        return rank_state(task, operator)
    if isinstance(operator, Join):
        return join_state(task)
    if isinstance(operator, SetOperation):
        raise NotComputed(f"{operator.words} counts equal rows of both inputs, and takes rows back: no table has that.")
    raise NotComputed(next((reason for kind, reason in _REASONS if isinstance(operator, kind)), _NO_STATE))
