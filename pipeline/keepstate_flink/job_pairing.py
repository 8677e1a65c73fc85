"""Pairing of the jobs of two scripts: which of them a restart replaces by which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Queries = tuple[str, ...]
"""The names of the queries of a job."""


@dataclass(frozen=True)
class JobPair:
    """Jobs of two scripts by their numbers: that of the current version and the one that it replaces; ``None`` where
    there is none.
    """

    name: str
    baseline: int | None
    current: int | None


def paired(was: Sequence[Queries], now: Sequence[Queries], one_job: bool) -> Iterator[JobPair]:
    """The jobs of both scripts, those that a restart replaces together; with ``one_job`` each script is one."""
    if one_job:
        yield JobPair(_name(now[0]), 0, 0)
        return
    former = partners(was, now)
    for number, job in enumerate(now):
        yield JobPair(_name(job), former.get(number), number)
    for number, job in enumerate(was):
        if number not in former.values():
            yield JobPair(_name(job), number, None)


def partners(was: Sequence[Queries], now: Sequence[Queries]) -> dict[int, int]:
    """The number of the former job for that of each current one: that of the same queries, else the one that shares
    the most. Two scripts of one job each are the same job, whatever table it fills.
    """
    pairs: dict[int, int] = {}
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
        if number not in pairs and other in free:
            pairs[number] = other
            del free[other]
    if len(was) == len(now) == 1:
        pairs = {0: 0}
    return pairs


def _in_common(former: Queries, job: Queries) -> int:
    return (Counter(former) & Counter(job)).total()


def _name(queries: Queries) -> str:
    return ", ".join(queries)
