"""Effects of a difference in each part of the stored state, for readers: the results of ``differences``.

A test holds both together: no difference has another effect than its part has here.
"""

from __future__ import annotations

from collections.abc import Mapping

from keepstate.engines.rule_facts import EffectCase
from keepstate.report import Effect
from keepstate.state.stored_operators import StatePart

_STOPS, _WRONG, _LOST = Effect.DOES_NOT_START, Effect.WRONG_RESULTS, Effect.STATE_LOST
_OPEN, _EXACT = Effect.UNDETERMINED, Effect.EXACT
_ROW = (
    EffectCase(_STOPS, "types or their number differ"),
    EffectCase(_WRONG, "types stay, and a value is read as another one"),
    EffectCase(_OPEN, "a type is not known"),
)

TITLES: Mapping[StatePart, str] = {StatePart.CONDITION: "condition of the join or the pattern"}
"""Names of parts for readers, where their own are too narrow."""
PART_CASES: Mapping[StatePart, tuple[EffectCase, ...]] = {
    StatePart.ID: (
        EffectCase(_STOPS, "the savepoint has state under an id that is gone"),
        EffectCase(_OPEN, "what the id depends on is not known"),
    ),
    StatePart.KEY: (
        EffectCase(_STOPS, "types or their number differ"),
        EffectCase(_WRONG, "types stay, and equal values of the new keys take the state over"),
        EffectCase(_LOST, "types stay, and no new key can equal a stored one"),
        EffectCase(_EXACT, "grouping sets are left out"),
        EffectCase(_OPEN, "a type is not known"),
    ),
    StatePart.WINDOW: (
        EffectCase(_STOPS, "windows are filed under another type, or merged windows are not stored"),
        EffectCase(_LOST, "state is filed under windows that are never asked for (TUMBLE to HOP)"),
        EffectCase(_EXACT, "a window is put together of fewer slices of the same length"),
        EffectCase(_WRONG, "rows of the former windows come out in the new ones"),
    ),
    StatePart.ACCUMULATORS: _ROW,
    StatePart.ROWS: _ROW,
    StatePart.ORDER: (*_ROW[:1], EffectCase(_WRONG, "types stay, and the rows are in the former order"), *_ROW[2:]),
    StatePart.RANGE: (
        EffectCase(_EXACT, "all rows that the new range needs are stored"),
        EffectCase(_WRONG, "only rows of the former range are stored"),
    ),
    StatePart.FRAME: (
        EffectCase(_EXACT, "the frame becomes shorter in time, or stays unbounded"),
        EffectCase(_WRONG, "the rows and totals of the former frame are stored"),
    ),
    StatePart.CONDITION: (
        EffectCase(_EXACT, "no partners are counted (inner joins, window joins, temporal joins)"),
        EffectCase(_WRONG, "partners were counted under the former condition"),
        EffectCase(_STOPS, "partial matches wait at a symbol of the pattern that is gone"),
        EffectCase(_OPEN, "partial matches go on under a pattern with all of their symbols"),
    ),
    StatePart.KIND: (
        EffectCase(_LOST, "the operator looks for its state under another name"),
        EffectCase(_STOPS, "the serializer expects another structure, or Flink does not run the operator"),
        EffectCase(_WRONG, "a part of the state fits, or the operator starts empty and gets rows taken back"),
        EffectCase(Effect.STARTS_EMPTY, "the savepoint has nothing for the operator"),
        EffectCase(_EXACT, "what is stored does not depend on it"),
        EffectCase(_OPEN, "the layout of the state is not known"),
    ),
    StatePart.BOUNDS: (
        EffectCase(_EXACT, "an inner join gets narrower bounds"),
        EffectCase(_WRONG, "rows that the new bounds need may be gone"),
    ),
    StatePart.FILTER: (
        EffectCase(_EXACT, "the new conditions are on keys, and keys that they drop are never asked for"),
        EffectCase(_WRONG, "rows that passed the former filter stay in the state"),
    ),
    StatePart.INPUT: (EffectCase(_WRONG, "the state was built from the former input"),),
    StatePart.WATERMARK: (EffectCase(_WRONG, "rows that came too late by one watermark are missing, or too many"),),
}
