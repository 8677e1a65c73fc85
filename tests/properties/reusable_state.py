"""Test of reusable state: by the rows that both versions of a query are evaluated on."""

from __future__ import annotations

from random import Random

from random_row_queries import tables_of
from row_queries import Kept, RowQuery

DATA = [tables_of(Random(seed)) for seed in range(6)]


def is_of_no_use(before: Kept, after: Kept, engine: str) -> bool:
    """Return whether an operator of the new version lacks a value in the state of the old one."""
    if engine == "vvr":
        # Other rows are reported in any case (WH-01), and so is the number of rows of a ranking (TN-06).
        other = before.keys != after.keys or before.bound != after.bound
        return other or any(values not in before.values for values in after.values)
    # To Flink, keys that are no longer asked for do no harm.
    if not after.keys <= before.keys:
        return True
    # It may have counted the rows of each key in any case, and reads by position.
    known = (*before.values, before.rows)
    if not all(any(values <= one for one in known) for values in after.values):
        return True
    pairs = zip(before.values, after.values, strict=False)
    return len(before.values) == len(after.values) and not all(now <= was for was, now in pairs)


def have_the_same_operators(before: RowQuery, after: RowQuery) -> bool:
    return before.shape == after.shape


def needs_other_state(before: RowQuery, after: RowQuery, engine: str) -> bool:
    """Return whether some rows show it. Both have the same operators, which are compared one by one."""
    return any(
        is_of_no_use(was, now, engine)
        for tables in DATA
        for was, now in zip(before.kept(tables), after.kept(tables), strict=True)
    )
