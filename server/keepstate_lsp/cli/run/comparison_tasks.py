"""Comparisons that are ready to be made, here or in other processes."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.report import Acceptance
from keepstate.reporting.file_status import unread_of_new
from keepstate_lsp.cli.arguments import JobSettings, makes_comment, makes_json, shows_fixes
from keepstate_lsp.cli.ci.diagrams import draws_mermaid
from keepstate_lsp.cli.result.file_result import FileResult, compare, compare_with_nothing, not_compared
from keepstate_lsp.cli.result.new_findings import BaselineOrigin, BranchPoint

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.project.composition import ComposedJob
    from keepstate.project.memory import ProjectMemory

_MUCH = 60_000
"""Characters of SQL, of both sides, that are worth starting processes for: about thirty small jobs."""


@dataclass(frozen=True)
class ResultParts:
    """The parts of a result that outputs show, each of which takes analyses of its own."""

    fixes: bool = True
    file_fixes: bool = False
    """Fixes of the job as a whole."""
    cutovers: bool = False
    """The outlook of a cutover, where state is lost."""
    diagrams: bool = False
    """The plans as a diagram, where state is lost."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> ResultParts:
        """The parts that the formats of a command show, in builds those that the host draws."""
        comment = makes_comment(arguments)
        return cls(
            shows_fixes(arguments),
            cutovers=comment or makes_json(arguments),
            diagrams=comment and draws_mermaid(os.environ),
        )


@dataclass(frozen=True)
class ComparisonTask:
    """Two texts and all that it takes to compare them, read and ready."""

    path: str
    current: ComposedJob
    baseline: ComposedJob
    settings: JobSettings
    origin: BaselineOrigin
    accepted: tuple[Acceptance, ...] = ()
    former: BranchPoint | None = None
    wanted: ResultParts = ResultParts()
    root: Path = Path()
    """Folder that the files of the job are relative to."""

    def result(self, workspace: Workspace) -> FileResult:
        file_result = compare(
            self.path,
            self.current,
            self.baseline,
            self.settings,
            self.origin,
            self.accepted,
            self.former,
            self.wanted.fixes,
            workspace,
            self.root,
            self.wanted.file_fixes,
        )
        if not self.wanted.cutovers and not self.wanted.diagrams:
            return file_result
        from keepstate_lsp.cli.result.comment_parts import with_parts

        parts = self.wanted
        return with_parts(file_result, self.current, self.baseline, workspace, parts.cutovers, parts.diagrams)

    @property
    def size(self) -> int:
        """Characters to be read."""
        return len(self.current.text) + len(self.baseline.text)


@dataclass(frozen=True)
class ReadingTask:
    """A new text without baseline: its unreadable statements are reported all the same."""

    path: str
    current: str
    settings: JobSettings
    origin: BaselineOrigin
    reason: str
    """Reason why there is no result."""

    def result(self, workspace: Workspace) -> FileResult:
        return compare_with_nothing(
            self.path, self.current, self.settings, self.origin, self.reason, unread_of_new, workspace
        )

    @property
    def size(self) -> int:
        """Characters to be read."""
        return len(self.current)


Task = ComparisonTask | ReadingTask


def results(tasks: Sequence[Task], jobs: int | None, memory: ProjectMemory | None = None) -> Iterator[FileResult]:
    """The comparisons in the order of the tasks, by ``jobs`` processes; ``None``: as many as pay off. What
    ``memory`` read, to compose the jobs, is not read again.
    """
    if jobs is None:
        much = sum(task.size for task in tasks) >= _MUCH
        jobs = _cores() if much else 1
    if not tasks:
        return
    import keepstate

    if min(jobs, len(tasks)) <= 1:
        # Files of one run declare the same tables.
        workspace = _workspace(memory)
        yield from (task.result(workspace) for task in tasks)
        return
    from keepstate_lsp.cli.run.worker_pool import FORKS, WorkerPool

    # Loaded once, before there are several of us.
    _ = keepstate.analyse, keepstate.leading_to
    # A fork has the statements of its parent; another process would have to be sent them.
    work = partial(_result, memory=memory) if FORKS else _result
    yield from WorkerPool(work, _result_of_crash, min(jobs, len(tasks))).results(tasks)


def _result(task: Task, memory: ProjectMemory | None = None) -> FileResult:
    return task.result(_workspace(memory))


def _workspace(memory: ProjectMemory | None) -> Workspace:
    import keepstate

    return keepstate.Workspace(None if memory is None else memory.memo)


def _cores() -> int:
    """The number of processes that can work at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _result_of_crash(task: Task, status: int | None) -> FileResult:
    cause = f"exit status {status}"
    if status is not None and status < 0:
        cause = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    fault = f"The process that analysed it ended ({cause}). This is a fault of Keepstate, or a lack of memory."
    return not_compared(task.path, task.settings, fault, origin=task.origin)
