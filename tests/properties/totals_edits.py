"""Edits of an aggregation whose results something else reads: of aggregates that are read, and of those that are not.

An aggregate that nothing reads is left out, so it may come and go; below a ranking it is stored nevertheless (step 0 of
section 17), and counts as any other (GA-01 to GA-10, WTN-06).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aggregations import Aggregation, distinct_calls_of
from clauses import Aggregate, Condition
from edits import COMPATIBLE, INCOMPATIBLE, PARTIAL, UNKNOWN, Edit, OnQuery, on_query, prepared
from grouping_edits import change_window_size
from keepstate.report import Verdict
from spelling import Chance
from totals import PRUNED, Best, Regrouped

Changed = tuple[Any, Any]


def with_below(query: Any, below: Aggregation) -> Any:
    return replace(query, totals=replace(query.totals, below=below))


def _with_calls(query: Any, *calls: Aggregate) -> Any:
    return with_below(query, replace(query.below, aggregates=calls))


def _unread(query: Any) -> Aggregate:
    domain = query.domain
    return Aggregate("MAX", f"@{domain.m1}", type=domain.decimal)


# ---- aggregates that nothing reads


def add_unread(query: Any, chance: Chance) -> Changed:
    """One more, behind those that are read: the roles of these stay."""
    new = chance.pick(_unread(query), Aggregate("COUNT", f"@{query.domain.k2}"))
    return query, _with_calls(query, *query.below.aggregates, replace(new, touched=True))


def remove_unread(query: Any, chance: Chance) -> Changed:
    after, before = add_unread(query, chance)
    return before, after


def modify_unread(query: Any, chance: Chance) -> Changed:
    calls = query.below.aggregates
    before = _with_calls(query, *calls, replace(_unread(query), touched=True))
    return before, _with_calls(query, *calls, replace(_unread(query), function="MIN", touched=True))


def add_unread_distinct(query: Any, chance: Chance) -> Changed:
    new = chance.pick(*distinct_calls_of(query.domain))
    return query, _with_calls(query, *query.below.aggregates, replace(new, touched=True))


def remove_unread_distinct(query: Any, chance: Chance) -> Changed:
    after, before = add_unread_distinct(query, chance)
    return before, after


# ---- aggregates that are read


def modify_second(query: Any, chance: Chance) -> Changed:
    first, second = query.below.aggregates
    new = Aggregate("COUNT", f"@{query.domain.k2}", touched=True)
    return _with_calls(query, first, replace(second, touched=True)), _with_calls(query, first, new)


def modify_first(query: Any, chance: Chance) -> Changed:
    first, second = query.below.aggregates
    new = replace(first, argument=f"@{query.domain.m2} * 2", touched=True)
    return _with_calls(query, replace(first, touched=True), second), _with_calls(query, new, second)


def filter_below(query: Any, chance: Chance) -> Changed:
    new = Condition(f"@{query.domain.note}", "<>", "'unwanted'", touched=True)
    return query, with_below(query, replace(query.below, where=(*query.below.where, new)))


def widen_below(query: Any, chance: Chance) -> Changed:
    before, after = change_window_size(query.below, chance)
    return with_below(query, before), with_below(query, after)


# ---- conditions above


def add_condition(query: Any, chance: Chance) -> Changed:
    """On a value: nothing keeps state behind it, or what does gets other rows."""
    return query, replace(query, where=(*query.where, Condition("@aggregate0", ">", "5", touched=True)))


def _on_window(query: Any, operator: str = ">=") -> Condition:
    field = "@window_start" if operator == ">=" else "@window_end"
    return Condition(field, operator, "TIMESTAMP '2026-01-01 00:00:00'", touched=True)


def add_condition_on_window(query: Any, chance: Chance) -> Changed:
    """Planned below the aggregation, although it is written above it."""
    return query, replace(query, where=(*query.where, _on_window(query, chance.pick(">=", "<"))))


def remove_condition_on_window(query: Any, chance: Chance) -> Changed:
    after, before = add_condition_on_window(query, chance)
    return before, after


def keep_condition_on_window(query: Any, chance: Chance) -> Changed:
    """Something else changes beside it."""
    kept = replace(query, where=(*query.where, _on_window(query)))
    return modify_second(kept, chance)


def having_on_window(query: Any, chance: Chance) -> Changed:
    return query, with_below(query, replace(query.below, having=(_on_window(query),)))


def without_conditions(query: Any, chance: Chance) -> Any:
    return replace(query, where=())


def of_windows(query: Any, chance: Chance) -> Any:
    """Until the totals are those of windows."""
    from kinds import QUERIES

    kind = "totals-regrouped" if isinstance(query, Regrouped) else "totals-picked"
    while query.below.window is None or getattr(query, "windowed", 0):
        query = QUERIES[kind](chance)
    return query


def lists_columns(query: Best, chance: Chance) -> Best:
    """The ranking names the columns that it hands on, which is not early enough either."""
    fields = ("window_start", "window_end") if query.below.window is not None else ()
    return replace(query, listed=(*fields, *query.shown))


def of_one_table(query: Any, chance: Chance) -> Any:
    """Of a union in the call of a window function, Flink 1.20 and 2.3 read the first input only."""
    return with_below(query, replace(query.below, feed=replace(query.below.feed, others=())))


def ranks_sums(query: Best, chance: Chance) -> Best:
    """A sum may fall, so that the ranking keeps all rows."""
    _, *rest = query.below.aggregates
    return _with_calls(query, Aggregate("SUM", f"@{query.domain.m2}", type="INT"), *rest)


def without_number(query: Best, chance: Chance) -> Best:
    return replace(query, number=False)


def show_number(query: Best, chance: Chance) -> tuple[Best, Best]:
    return query, replace(query, number=True)


def computes(query: Best, chance: Chance) -> Best:
    return replace(query, computed=True, number=False)


def _one(
    spec: str, kind: str, verdict: Verdict, change: OnQuery, *steps: OnQuery, name: str = "", part: str = "below",
    indirect: bool = False, silent: bool = False, also: tuple[Verdict, ...] = (), item: str = "",
) -> Edit:  # fmt: skip
    name = name or change.__name__.replace("_", "-")
    return Edit(
        name, spec, kind, verdict, on_query(change), prepared(*steps), part=part, item=item, indirect=indirect,
        silent=silent, also=frozenset(also),
    )  # fmt: skip


_UNREAD = (add_unread, remove_unread, modify_unread, add_unread_distinct, remove_unread_distinct)
B, W, L = "totals-best", "totals-best-of-windows", "totals-latest"
EDITS: tuple[Edit, ...] = (
    *(_one("C-30", kind, COMPATIBLE, change, silent=True) for kind in PRUNED for change in _UNREAD),
    *(
        one
        for name, steps in (("", ()), ("-of-listed-columns", (lists_columns,)))
        for one in (
            _one("GA-01", B, PARTIAL, add_unread, *steps, name=f"add-unread{name}"),
            _one("GA-02", B, COMPATIBLE, remove_unread, *steps, name=f"remove-unread{name}"),
            _one("GA-04", B, PARTIAL, modify_unread, *steps, name=f"modify-unread{name}"),
            _one("GA-10", B, INCOMPATIBLE, add_unread_distinct, *steps, name=f"add-unread-distinct{name}"),
            _one("GA-10", B, INCOMPATIBLE, remove_unread_distinct, *steps, name=f"remove-unread-distinct{name}"),
            # The ranked row does not change, so the rows about it and those about the aggregation say different things.
            _one("WTN-06", W, INCOMPATIBLE, add_unread, *steps, name=f"add-unread{name}", also=(PARTIAL,)),
            _one("WTN-06", W, INCOMPATIBLE, modify_unread, *steps, name=f"modify-unread{name}", also=(PARTIAL,)),
            _one("WTN-06", W, INCOMPATIBLE, add_unread_distinct, *steps, name=f"add-unread-distinct{name}"),
            _one("WTN-06", W, INCOMPATIBLE, remove_unread_distinct, *steps, name=f"remove-unread-distinct{name}"),
        )
    ),
    _one("WTVF-01", L, PARTIAL, add_unread),
    _one("WTVF-02", L, COMPATIBLE, remove_unread),
    _one("WTVF-04", L, PARTIAL, modify_unread),
    _one("WTVF-15", L, INCOMPATIBLE, add_unread_distinct),
    _one("WTVF-15", L, INCOMPATIBLE, remove_unread_distinct),
    *(_one("C-30", kind, COMPATIBLE, change, computes, silent=True, name=f"{name}-of-computed")
      for kind in (B, W)
      for name, change in (("add-unread", add_unread), ("remove-unread", remove_unread),
                           ("modify-unread", modify_unread))),
    *(_one("CMB-02", kind, PARTIAL, modify_second, *steps, item="aggregates", indirect=kind == "totals-running")
      for kind, steps in (("totals-picked", ()), ("totals-regrouped", (without_conditions,)), ("totals-cascaded", ()),
                          ("totals-running", ()))),
    *(_one("CMB-02", kind, PARTIAL, modify_first, item="aggregates")
      for kind in ("totals-picked", "totals-regrouped", "totals-cascaded")),
    # What orders the rows is read above as well.
    _one("TN-05", B, INCOMPATIBLE, modify_first, indirect=True),
    _one("WTN-06", W, INCOMPATIBLE, modify_first, indirect=True),
    _one("WTN-06", W, INCOMPATIBLE, modify_second),
    *(_one("WH-01", kind, INCOMPATIBLE, filter_below) for kind in (*PRUNED, B, W, L)),
    *(_one("WTVF-11", kind, INCOMPATIBLE, widen_below) for kind in ("totals-cascaded", "totals-running", L)),
    _one("WTN-04", W, INCOMPATIBLE, widen_below),
    _one("EQ-06", "totals-picked", COMPATIBLE, add_condition, without_conditions, part="condition"),
    _one("WH-01", "totals-regrouped", INCOMPATIBLE, add_condition, without_conditions, part="condition"),
    *(
        _one("WTVF-24", kind, UNKNOWN, change, of_windows, without_conditions, part="surroundings",
             indirect=change is keep_condition_on_window)
        for kind in ("totals-picked", "totals-regrouped")
        for change in (
            add_condition_on_window, remove_condition_on_window, keep_condition_on_window, having_on_window,
        )
    ),
)  # fmt: skip
