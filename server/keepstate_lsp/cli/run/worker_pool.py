"""Work on many things at once, in processes: results in order, and a process that dies costs the thing it was at.

``concurrent.futures`` gives up on everything when one of its processes dies; here it is replaced. A worker gets a few
tasks at a time and answers one by one, so that the first one without an answer is the one that it died of. It gets new
ones when all are answered: then neither side writes while the other does, and no pipe can fill up on both ends.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_BATCHES_EACH = 8
"""Into so many batches the share of each worker is cut, so that all have something to do until the end."""
_LARGEST_BATCH = 16
FORKS = sys.platform == "linux"
"""Forked workers have all that was loaded and read; elsewhere forking is not safe, or not to be had."""


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    at: deque[int] = field(default_factory=deque)
    """The unanswered tasks of the process, by number."""


class WorkerPool(Generic[T, R]):
    """Applies ``work``, a function of a module that never raises, to tasks. If a process dies of a task, ``lost`` is
    called with the task and the exit code (negative: the signal), and returns the result instead.
    """

    def __init__(self, work: Callable[[T], R], answer_for_lost: Callable[[T, int | None], R], size: int) -> None:
        self._work = work
        self._lost = answer_for_lost
        self._size = size
        self._context = multiprocessing.get_context("fork") if FORKS else multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []

    def results(self, tasks: Sequence[T]) -> Iterator[R]:
        """The result of each task, in the order of the tasks. Workers end with the iterator, however it ends."""
        batch = max(1, min(_LARGEST_BATCH, len(tasks) // (self._size * _BATCHES_EACH)))
        waiting = deque(range(len(tasks)))
        results: dict[int, R] = {}
        following = 0
        try:
            while following < len(tasks):
                while len(self._workers) < min(self._size, len(waiting)):
                    self._workers.append(self._started())
                for worker in self._workers:
                    if not worker.at:
                        self._give(worker, [waiting.popleft() for _ in range(min(batch, len(waiting)))], tasks)
                self._receive(tasks, results, waiting)
                while following in results:
                    yield results.pop(following)
                    following += 1
        finally:
            for worker in self._workers:
                worker.connection.close()
                worker.process.kill()
                worker.process.join()
            self._workers.clear()

    def _receive(self, tasks: Sequence[T], results: dict[int, R], waiting: deque[int]) -> None:
        busy = {worker.connection: worker for worker in self._workers if worker.at}
        for connection in wait(list(busy)):
            assert isinstance(connection, Connection)
            worker = busy[connection]
            try:
                results[worker.at[0]] = connection.recv()
                worker.at.popleft()
            except (EOFError, OSError):
                worker.process.join()
                task = worker.at.popleft()
                results[task] = self._lost(tasks[task], worker.process.exitcode)
                waiting.extendleft(reversed(worker.at))
                connection.close()
                self._workers.remove(worker)

    def _give(self, worker: _Worker, numbers: list[int], tasks: Sequence[T]) -> None:
        if not numbers:
            return
        worker.at.extend(numbers)
        try:
            worker.connection.send([tasks[number] for number in numbers])
        except OSError:
            # The process died between two tasks; its tasks are found to be without an answer.
            return

    def _started(self) -> _Worker:
        own_end, worker_end = self._context.Pipe()
        open_ends = [own_end, *(worker.connection for worker in self._workers)]
        inherited = open_ends if self._context.get_start_method() == "fork" else []
        process = self._context.Process(target=_serve, args=(worker_end, inherited, self._work), daemon=True)
        process.start()
        worker_end.close()
        return _Worker(process, own_end)


def _serve(connection: Connection, inherited: Sequence[Connection], work: Callable[[T], R]) -> None:
    """Answer tasks in a worker process until the connection is closed."""
    # An interrupt from the keyboard goes to all processes; the parent process reports it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        # Held open here, a connection would keep other workers waiting after the end of their parent.
        other.close()
    try:
        while True:
            for task in connection.recv():
                connection.send(work(task))
    except (EOFError, OSError):
        return
