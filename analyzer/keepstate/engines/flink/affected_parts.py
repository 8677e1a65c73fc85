"""Parts of stored state that a change can be about, and its effect where none of them differs."""

from __future__ import annotations

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.engines.lookup import touch
from keepstate.engines.rule_facts import Touch
from keepstate.physical.graph_options import shapes_graph
from keepstate.report import Effect
from keepstate.state.stored_operators import StatePart

_BY_VALUE = Touch(frozenset(), frozenset(), otherwise=None)
_SAME_INPUT = Touch(frozenset({StatePart.ID}), frozenset(), Effect.EXACT)


def touch_of(change: Change) -> Touch:
    """Return the parts that a change can concern, by its rule page and by more than its kind.

    Of parameters only those that shape the job graph touch stored state, and a table under another name is the same
    input.
    """
    match change.kind:
        case ChangeKind.SETTING_CHANGED if not shapes_graph(change.parameter):
            return _BY_VALUE
        case ChangeKind.SOURCE_RENAMED if change.query is QueryKind.SOURCE:
            return _SAME_INPUT
    return touch(change.query, change.kind)
