"""Effects of a difference in each part of the stored state, for readers: the results of ``differences``.

A test holds both together: no difference has another effect than its part has here.
"""

from __future__ import annotations

from collections.abc import Mapping

from keepstate.engines.facts import Case
from keepstate.report import Effect
from keepstate.state.stored import Part

_STOPS, _WRONG, _LOST = Effect.DOES_NOT_START, Effect.WRONG_RESULTS, Effect.STATE_LOST
_OPEN, _EXACT = Effect.UNDETERMINED, Effect.EXACT
_ROW = (
    Case(_STOPS, "types or their number differ"),
    Case(_WRONG, "types stay, and a value is read as another one"),
    Case(_OPEN, "a type is not known"),
)

TITLES: Mapping[Part, str] = {Part.CONDITION: "condition of the join or the pattern"}
"""Names of parts for readers, where their own are too narrow."""
PART_CASES: Mapping[Part, tuple[Case, ...]] = {
    Part.ID: (
        Case(_STOPS, "the savepoint has state under an id that is gone"),
        Case(_OPEN, "what the id depends on is not known"),
    ),
    Part.KEY: (
        Case(_STOPS, "types or their number differ"),
        Case(_WRONG, "types stay, and equal values of the new keys take the state over"),
        Case(_LOST, "types stay, and no new key can equal a stored one"),
        Case(_EXACT, "grouping sets are left out"),
        Case(_OPEN, "a type is not known"),
    ),
    Part.WINDOW: (
        Case(_STOPS, "windows are filed under another type, or merged windows are not stored"),
        Case(_LOST, "state is filed under windows that are never asked for (TUMBLE to HOP)"),
        Case(_EXACT, "a window is put together of fewer slices of the same length"),
        Case(_WRONG, "rows of the former windows come out in the new ones"),
    ),
    Part.ACCUMULATORS: _ROW,
    Part.ROWS: _ROW,
    Part.ORDER: (*_ROW[:1], Case(_WRONG, "types stay, and the rows are in the former order"), *_ROW[2:]),
    Part.RANGE: (
        Case(_EXACT, "all rows that the new range needs are stored"),
        Case(_WRONG, "only rows of the former range are stored"),
    ),
    Part.FRAME: (
        Case(_EXACT, "the frame becomes shorter in time, or stays unbounded"),
        Case(_WRONG, "the rows and totals of the former frame are stored"),
    ),
    Part.CONDITION: (
        Case(_EXACT, "no partners are counted (inner joins, window joins, temporal joins)"),
        Case(_WRONG, "partners were counted under the former condition"),
        Case(_STOPS, "partial matches wait at a symbol of the pattern that is gone"),
        Case(_OPEN, "partial matches go on under a pattern with all of their symbols"),
    ),
    Part.KIND: (
        Case(_LOST, "the operator looks for its state under another name"),
        Case(_STOPS, "the serializer expects another structure, or Flink does not run the operator"),
        Case(_WRONG, "a part of the state fits, or the operator starts empty and gets rows taken back"),
        Case(Effect.STARTS_EMPTY, "the savepoint has nothing for the operator"),
        Case(_EXACT, "what is stored does not depend on it"),
        Case(_OPEN, "the layout of the state is not known"),
    ),
    Part.BOUNDS: (
        Case(_EXACT, "an inner join gets narrower bounds"),
        Case(_WRONG, "rows that the new bounds need may be gone"),
    ),
    Part.FILTER: (
        Case(_EXACT, "the new conditions are on keys, and keys that they drop are never asked for"),
        Case(_WRONG, "rows that passed the former filter stay in the state"),
    ),
    Part.INPUT: (Case(_WRONG, "the state was built from the former input"),),
    Part.WATERMARK: (Case(_WRONG, "rows that came too late by one watermark are missing, or too many"),),
}
