"""Whether a version of a query can go on with what another version kept, by the rows that both are evaluated on."""

from __future__ import annotations

from random import Random

from random_row_queries import tables_of
from row_queries import Kept, RowQuery

DATA = [tables_of(Random(seed)) for seed in range(6)]


def is_of_no_use(before: Kept, after: Kept, engine: str) -> bool:
    """Whether an operator of the new version lacks something in what the old one kept."""
    if before.keys != after.keys:
        return True
    if engine == "vvr":
        # The number of rows of a ranking counts in any case (TN-06).
        return before.bound != after.bound or any(values not in before.values for values in after.values)
    # Flink reads by position, and may have counted the rows of each key in any case.
    if any(values not in (*before.values, before.rows) for values in after.values):
        return True
    return len(before.values) == len(after.values) and before.values != after.values


def have_the_same_operators(before: RowQuery, after: RowQuery) -> bool:
    return before.shape == after.shape


def needs_other_state(before: RowQuery, after: RowQuery, engine: str) -> bool:
    """Whether some rows show it. Both have the same operators, which are compared one by one."""
    return any(
        is_of_no_use(was, now, engine)
        for tables in DATA
        for was, now in zip(before.kept(tables), after.kept(tables), strict=True)
    )
