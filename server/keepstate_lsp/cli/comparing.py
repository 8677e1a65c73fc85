"""Comparisons that are ready to be made, here or in other processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepstate.report import Acceptance
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.blame import Former
from keepstate_lsp.cli.comparison import FileComparison, Origin, compare, not_compared

_MUCH = 60_000
"""Characters of SQL, of both sides, that are worth starting processes for: about thirty small jobs."""


@dataclass(frozen=True)
class Comparing:
    """Two texts and all that it takes to compare them, read and ready."""

    path: str
    current: str
    baseline: str
    settings: JobSettings
    origin: Origin
    accepted: tuple[Acceptance, ...] = ()
    former: Former | None = None
    fixes: bool = True
    """Whether to look for fixes as well."""

    def result(self) -> FileComparison:
        return compare(
            self.path, self.current, self.baseline, self.settings, self.origin, self.accepted, self.former, self.fixes
        )


def results(tasks: Sequence[Comparing], jobs: int | None) -> Iterator[FileComparison]:
    """The comparisons in the order of the tasks, by ``jobs`` processes; ``None``: as many as it is worth."""
    if jobs is None:
        much = sum(len(task.current) + len(task.baseline) for task in tasks) >= _MUCH
        jobs = _cores() if much else 1
    if min(jobs, len(tasks)) <= 1:
        yield from map(Comparing.result, tasks)
        return
    import keepstate
    from keepstate_lsp.cli.worker_pool import WorkerPool

    # Loaded once, before there are several of us.
    _ = keepstate.check, keepstate.fixes
    yield from WorkerPool(Comparing.result, _lost, min(jobs, len(tasks))).results(tasks)


def _cores() -> int:
    """How many processes can work at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lost(task: Comparing, status: int | None) -> FileComparison:
    cause = f"exit status {status}"
    if status is not None and status < 0:
        cause = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    fault = f"The process that analysed it ended ({cause}). This is a fault of Keepstate, or a lack of memory."
    return not_compared(task.path, task.settings, fault, origin=task.origin)
