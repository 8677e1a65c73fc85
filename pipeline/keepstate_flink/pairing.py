"""Pairing of the jobs of two scripts: which of them a restart replaces by which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Queries = tuple[str, ...]
"""The names of the queries of a job."""


def partners(was: Sequence[Queries], now: Sequence[Queries]) -> dict[int, int]:
    """The number of the former job for that of each current one: that of the same queries, else the one that shares
    the most. Two scripts of one job each are the same job, whatever table it fills.
    """
    found: dict[int, int] = {}
    free = dict(enumerate(was))
    # Sets that lost, got or reordered queries come last, so that they take no job that another one still is.
    shared = sorted(
        (
            (former != job, -_in_common(former, job), number, other)
            for number, job in enumerate(now)
            for other, former in free.items()
            if _in_common(former, job)
        ),
    )
    for _, _, number, other in shared:
        if number not in found and other in free:
            found[number] = other
            del free[other]
    if len(was) == len(now) == 1:
        found = {0: 0}
    return found


def _in_common(former: Queries, job: Queries) -> int:
    return (Counter(former) & Counter(job)).total()
