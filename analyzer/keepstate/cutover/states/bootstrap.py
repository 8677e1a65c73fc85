"""The computed state of a query, of whichever kind it is."""

from __future__ import annotations

from keepstate.cutover.states.computed import Asked, Bootstrap, NotComputed
from keepstate.cutover.states.group_state import group_state
from keepstate.cutover.states.join_state import join_state
from keepstate.cutover.states.no_state import no_state
from keepstate.cutover.states.rank_state import rank_state
from keepstate.plan.operators import GroupAggregate, Join, Rank, WindowRank


def bootstrap_of(asked: Asked) -> Bootstrap:
    """The state of a query at a time, and the edits of the script by which the query goes on from it.

    Raises:
        NotComputed: the state does not follow from former rows, or the rows cannot be parted at a time.
    """
    operator = asked.last_operator
    if not asked.pipeline.plan.stateful:
        return no_state(asked)
    if isinstance(operator, GroupAggregate):
        return group_state(asked)
    if isinstance(operator, Rank) and not isinstance(operator, WindowRank):
        return rank_state(asked, operator)
    if isinstance(operator, Join):
        return join_state(asked)
    raise NotComputed("Only GROUP BY, deduplication, Top-N and regular joins have a state that is computed.")
