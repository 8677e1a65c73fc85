"""Processes that work on many things: order, faults, and nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess

import pytest

from keepstate_lsp.cli.run.worker_pool import WorkerPool

OwnChildren = Callable[[], list[BaseProcess]]


def square(task: int) -> int:
    return task * task


def square_or_die(task: int) -> int:
    """Ends its process at some tasks, in two ways."""
    if task % 10 == 3:
        os._exit(7)
    if task % 10 == 8:
        os.kill(os.getpid(), signal.SIGKILL)
    return task * task


def slow_at_first(task: int) -> int:
    time.sleep(0.05 if task < 4 else 0)
    return task


def lost(task: int, status: int | None) -> int:
    return -1000 * task - abs(status or 0)


@pytest.fixture
def own_children() -> OwnChildren:
    """The processes that were started since: a server of an earlier test may still be ending its own."""
    others = set(multiprocessing.active_children())
    return lambda: [child for child in multiprocessing.active_children() if child not in others]


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("tasks", [0, 1, 2, 200])
def test_results_come_in_the_order_of_the_tasks(size: int, tasks: int, own_children: OwnChildren) -> None:
    assert list(WorkerPool(square, lost, size).results(range(tasks))) == [number * number for number in range(tasks)]
    assert list(WorkerPool(slow_at_first, lost, size).results(range(20))) == list(range(20))
    assert own_children() == []


@pytest.mark.skipif(os.name == "nt", reason="no signals to die of")
def test_a_process_that_dies_costs_one_task(own_children: OwnChildren) -> None:
    found = list(WorkerPool(square_or_die, lost, 3).results(range(100)))
    for task, result in enumerate(found):
        expected = {3: -1000 * task - 7, 8: -1000 * task - signal.SIGKILL}
        assert result == expected.get(task % 10, task * task), task
    assert own_children() == []


def test_processes_end_with_whoever_stops_asking(own_children: OwnChildren) -> None:
    results = WorkerPool(square, lost, 2).results(range(1000))
    assert next(results) == 0
    assert own_children()
    results.close()  # type: ignore[attr-defined]
    assert own_children() == []


def test_large_tasks_and_results_do_not_block_each_other() -> None:
    tasks = [chr(97 + number % 26) * 300_000 for number in range(60)]
    assert list(WorkerPool(str.upper, _lost_text, 2).results(tasks)) == [task.upper() for task in tasks]


def _lost_text(task: str, status: int | None) -> str:
    return ""
