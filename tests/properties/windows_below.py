"""Edits of a window whose rows something else than an aggregation over both of its fields reads.

A window table-valued function keeps nothing itself. What stands above it does: an aggregation over one of the fields,
OVER, a ranking, a join, each by rows of its own, so every change of the window is a change of what is stored
(sections 2, 4 and 10 of the specification).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from aggregations import WINDOW_FIELDS, Aggregation, Window, window_aggregation
from edits import INCOMPATIBLE, Edit, edit
from joins import Join, with_window
from rankings import Ranking, window_top_n
from spelling import Chance

_STEPS = {"HOP": 2, "CUMULATE": 4}
"""Number of slides or steps of a window."""


def windowed_groups(chance: Chance) -> Aggregation:
    """Grouped by one field of the window: to Flink a plain aggregation over the rows of windows."""
    query = window_aggregation(chance, sessions=False)
    gone = chance.pick(*WINDOW_FIELDS)
    keys = tuple(key for key in query.keys if key.expression != gone)
    return replace(query, keys=keys, shown=tuple(name for name in query.shown if name != gone))


def _with(query: Any, window: Window) -> Any:
    return with_window(query, window) if isinstance(query, Join) else replace(query, window=window)


def _over_rows(query: Any, chance: Chance) -> Any:
    """A ranking of the rows of windows, not of an aggregation over these."""
    while isinstance(query, Ranking) and query.window is None:
        query = window_top_n(chance)
    return query


def of_kind(*kinds: str) -> Callable[[Any, Chance], Any]:
    def prepare(query: Any, chance: Chance) -> Any:
        query = _over_rows(query, chance)
        window = query.window
        if window.kind in kinds:
            return query
        kind = chance.pick(*kinds)
        partition = (query.domain.k1, query.domain.k2) if kind == "SESSION" else ()
        slide = window.size // _STEPS[kind] if kind in _STEPS else 0
        return _with(query, replace(window, kind=kind, slide=slide, partition=partition))

    return prepare


def offset_of(seconds: int) -> Callable[[Any, Chance], Any]:
    def prepare(query: Any, chance: Chance) -> Any:
        return _with(query, replace(query.window, offset=seconds))

    return prepare


# ---- edits


def other_kind(query: Any, chance: Chance) -> tuple[Any, Any]:
    window = query.window
    kind = chance.pick(*(kind for kind in ("TUMBLE", "HOP", "CUMULATE") if kind != window.kind))
    slide = window.size // _STEPS[kind] if kind in _STEPS else 0
    return query, _with(query, window.change("kind", kind=kind, slide=slide))


def other_size(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, _with(query, query.window.change("size", size=query.window.size * chance.pick(2, 3)))


def other_slide(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, _with(query, query.window.change("slide", slide=query.window.slide // chance.pick(2, 3)))


def other_offset(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, _with(query, query.window.change("offset", offset=chance.pick(7, 11)))


def other_time(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, _with(query, query.window.change("time", time=query.domain.proctime))


def other_session_keys(query: Any, chance: Chance) -> tuple[Any, Any]:
    return query, _with(query, query.window.change("partition", partition=query.window.partition[:1]))


@dataclass(frozen=True)
class _Rows:
    """The rows of the specification that speak of the windows of a kind of query."""

    kind: str
    size: str
    time: str
    other: str


def _edits(kind: str, row: _Rows) -> list[Edit]:
    def one(spec: str, change: Any, *steps: Any, name: str) -> Edit:
        shape = "rows" if kind == "window-top-n" else ""
        return edit(spec, kind, INCOMPATIBLE, change, *steps, part="window", name=name, shape=shape)

    fixed = ("TUMBLE", "HOP", "CUMULATE")
    return [
        one(row.kind, other_kind, of_kind(*fixed), name="other-kind-of-window"),
        one(row.size, other_size, of_kind(*fixed), name="other-size"),
        one(row.other, other_slide, of_kind("HOP"), name="other-slide"),
        one(row.other, other_slide, of_kind("CUMULATE"), name="other-step"),
        one(row.other, other_size, of_kind("SESSION"), name="other-gap"),
        one(row.other, other_offset, of_kind(*fixed), name="offset-added"),
        one(row.other, other_offset, of_kind(*fixed), offset_of(5), name="other-offset"),
        one(row.other, other_session_keys, of_kind("SESSION"), name="other-session-keys"),
        one(row.time, other_time, of_kind(*fixed), name="other-time"),
    ]


_TVF = _Rows("WTVF-10", "WTVF-11", "WTVF-12", "WTVF-29")
EDITS = (
    *_edits("windowed-groups", _TVF),
    *_edits("windowed-over", _TVF),
    *_edits("window-top-n", _Rows(*["WTN-04"] * 4)),
    *_edits("window-dedup", _Rows(*["WD-01"] * 4)),
    *_edits("window-join", _Rows(*["WJ-01"] * 4)),
)
