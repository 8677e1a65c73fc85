"""Edits of columns in stored rows that the type of the column decides, or that stay unknown without a type.

Rows are read back as long as their types stay (C-23 to C-25, DD-03). A function that no script registers gives a type
that only a catalog knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from clauses import Aggregate
from edits import INCOMPATIBLE, PARTIAL, UNKNOWN, Edit, edit
from joins import Join
from keepstate.report import Verdict
from rankings import Ranking
from row_edits import two_calls
from rows import Over, Pattern
from spelling import Chance
from tables import Computed, Table


def _shows_note(query: Any, chance: Chance) -> Any:
    """``note`` is in the stored rows, and nothing else reads it."""
    note = query.domain.note
    if isinstance(query, Pattern):
        define = tuple((name, part) for name, part in query.define if f"@{note}" not in part.text)
        pattern = replace(query.pattern, text="b c")
        measures = tuple(part for part in query.measures if "a." not in part.text) or query.measures[-1:]
        measures = tuple(replace(part, text=f"c.@{query.domain.id}") for part in measures[:1])
        return replace(query, define=define, pattern=pattern, measures=measures)
    if isinstance(query, Join):
        return query if f"l__{note}" in query.shown else replace(query, shown=(f"l__{note}", *query.shown))
    if note in query.shown:
        return query
    if isinstance(query, Ranking):
        own = [column.name for column in query.feed.table.columns if column.name in {*query.shown, note}]
        return replace(query, shown=(*own, *(name for name in query.shown if name.startswith("window"))))
    return replace(query, shown=(*query.shown, note))


def _computed(expression: str, type_: str = "") -> Callable[[Any, Chance], tuple[Any, Any]]:
    def change(query: Any, chance: Chance) -> tuple[Any, Any]:
        note = query.domain.note
        computed = Computed(note, expression.format(note=f"@{note}"), type=type_)
        others = tuple(one for one in query.feed.computed if one.name != note)
        return query, replace(query, feed=replace(query.feed, computed=(*others, computed)))

    return change


def _computed_already(query: Over, chance: Chance) -> Over:
    """A computed column stands behind the other columns of the row, so a column that becomes computed moves."""
    return _computed("LOWER({note})")(query, chance)[1]


def _on_note(spec: str, kind: str, verdict: Verdict, name: str, expression: str, type_: str = "") -> Edit:
    steps = (_shows_note, two_calls, _computed_already) if kind == "over" else (_shows_note,)
    change = _computed(expression, type_)
    return edit(spec, kind, verdict, change, *steps, part="output", name=name, indirect=True)


def compute_aggregated_column(query: Over, chance: Chance) -> tuple[Over, Over]:
    """A computed column that one aggregate of several reads, and that comes out as well: the type stays."""
    was, now = (Computed(query.domain.m2, f"@{query.domain.m2} * {factor}") for factor in (2, 3))
    before = replace(query, feed=replace(query.feed, computed=(was,)))
    return before, replace(query, feed=replace(query.feed, computed=(now,)))


def reads_m2_and_more(query: Over, chance: Chance) -> Over:
    m1, m2 = f"@{query.domain.m1}", f"@{query.domain.m2}"
    calls = (Aggregate("MAX", m2, type="INT"), Aggregate("MIN", m1, type=query.domain.decimal))
    keys = tuple(key for key in query.partition if m2 not in key.expression)
    return replace(query, aggregates=calls, partition=keys)


def by_undeclared_time(query: Ranking, chance: Chance) -> Ranking:
    """The first row by a column that no script declares: whether it is a time attribute, a catalog knows."""
    table: Table = replace(query.feed.table, declared=False)
    (first, *_) = query.order
    order = (replace(first, expression=f"@{query.domain.entered}", descending=False),)
    return replace(query, feed=replace(query.feed, table=table), bound=1, order=order, number=False)


_UNKNOWN_FUNCTION = "normalise({note})"
EDITS = (
    _on_note("DD-03", "dedup-rowtime", UNKNOWN, "computed-by-an-unknown-function", _UNKNOWN_FUNCTION),
    _on_note("DD-03", "dedup-proctime-desc", UNKNOWN, "computed-by-an-unknown-function", _UNKNOWN_FUNCTION),
    _on_note("OA-07", "over", UNKNOWN, "computed-by-an-unknown-function", _UNKNOWN_FUNCTION),
    _on_note("SRC-09", "pattern", UNKNOWN, "computed-by-an-unknown-function", _UNKNOWN_FUNCTION),
    _on_note("C-25", "over", PARTIAL, "computed-of-the-same-type", "TRIM({note})"),
    edit("OA-07", "over", INCOMPATIBLE, _computed("TRIM({note})"), _shows_note, two_calls, part="output",
         name="becomes-computed", indirect=True),
    _on_note("OA-07", "over", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    _on_note("SRC-09", "pattern", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    _on_note("TS-03", "sort-rowtime", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    _on_note("LM-03", "limit", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    _on_note("LM-03", "sort-limit", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    _on_note("WD-01", "window-dedup", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    _on_note("TN-07", "top-n", INCOMPATIBLE, "computed-of-another-type", "CHAR_LENGTH({note})", "INT"),
    edit("C-25", "over", PARTIAL, compute_aggregated_column, reads_m2_and_more, part="aggregates",
         item="aggregates", indirect=True),
    edit("TN-07", "top-n", UNKNOWN, _computed("TRIM({note})"), _shows_note, by_undeclared_time, part="surroundings",
         name="computed-in-rows-by-an-undeclared-time", indirect=True),
)  # fmt: skip
