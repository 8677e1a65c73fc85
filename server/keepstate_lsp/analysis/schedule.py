"""The schedule of checks: newest version only, one at a time, off the event loop.

``Worker`` is the one thread in which the analyzer and git run (neither is meant for several threads). ``Scheduler``
chooses its next run: a request for a document supersedes the waiting request for that document, waits longer if the
last runs were expensive, and the result of a superseded run is dropped. Documents share nothing but the worker, so a
failed run costs the others nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from keepstate_lsp.runtime import gc_policy

T = TypeVar("T")

log = logging.getLogger(__name__)

# The parser recurses; the default stack of a thread on macOS (512 kB) is too small for deeply nested SQL.
_STACK_BYTES = 32 * 1024 * 1024

INSTANT = 0.05
"""Seconds of a run up to which the next one starts without delay: typing is not faster."""
LONGEST_DELAY = 1.0
TELLING_RUNS = 3
"""The number of last runs of which the quickest tells what the next one takes."""
REST = 0.25
"""Seconds without a call after which typing has probably stopped: time to collect garbage, and to prepare answers."""


_Call = tuple[Future[Any], Callable[[], Any]]


class Worker:
    """One daemon thread that makes calls in the order given; calls not yet begun can be cancelled."""

    def __init__(self, name: str = "keepstate-worker", collects: bool = True) -> None:
        """``collects``: garbage is collected while nothing is to be done."""
        self._collects = collects
        self._busy_since: float | None = None
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._calls_at_rest: queue.SimpleQueue[_Call] = queue.SimpleQueue()
        # A daemon: a run that does not end must not keep the process alive after the editor said exit.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        size = threading.stack_size(_STACK_BYTES)
        try:
            self._thread.start()
        finally:
            threading.stack_size(size)

    def call(self, function: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._calls.put((future, function))
        return future

    def call_at_rest(self, function: Callable[[], T]) -> Future[T]:
        """A call that no other one waits for, unless that comes while it is made: it is begun ``REST`` seconds after
        the last call.
        """
        future: Future[T] = Future()
        self._calls_at_rest.put((future, function))
        # A worker that rests already notices nothing but calls.
        self.call(_nothing)
        return future

    async def result(self, function: Callable[[], T]) -> T:
        """The result of a call made in the worker; cancelling the awaiting task cancels a call not yet begun."""
        return await asyncio.wrap_future(self.call(function))

    @property
    def busy_seconds(self) -> float:
        """Seconds that the present call has taken so far; 0 between two calls."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    def close(self, timeout: float) -> bool:
        """Let the worker end after the calls it has; whether it did within ``timeout`` seconds."""
        self._calls.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (item := self._next()) is not None:
            self._busy_since = time.monotonic()
            self._answer(*item)
            self._busy_since = None
            # The objects of a call must not live on until the next call.
            del item

    def _next(self) -> _Call | None:
        if self._collects or not self._calls_at_rest.empty():
            with contextlib.suppress(queue.Empty):
                return self._calls.get(timeout=REST)
            if self._collects:
                gc_policy.collect()
            with contextlib.suppress(queue.Empty):
                return self._calls_at_rest.get_nowait()
        return self._calls.get()

    @staticmethod
    def _answer(future: Future[Any], function: Callable[[], Any]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001 - every exception belongs to the caller of the future
            future.set_exception(error)
        else:
            future.set_result(result)


def _nothing() -> None:
    pass


def debounce(costs: Collection[float]) -> float:
    """Seconds of silence to wait for before a run: so many as the quickest of the last runs took. The first runs read
    all of a script and import what they need, and say nothing about the next one.

    >>> debounce([0.3, 0.3]), debounce([0.3, 0.3, 0.01]), debounce([0.3, 0.2, 0.3])
    (0.0, 0.0, 0.2)
    """
    cost = min(costs) if len(costs) >= TELLING_RUNS else 0.0
    return 0.0 if cost <= INSTANT else min(cost, LONGEST_DELAY)


@dataclass
class _Slot:
    """The state of one key."""

    requested: int = 0
    """Number of the newest request."""
    settled: int = 0
    """Number of the newest request that was run, or had nothing to run."""
    costs: deque[float] = field(default_factory=partial(deque, maxlen=TELLING_RUNS))
    """Seconds of the last runs."""
    timer: asyncio.TimerHandle | None = None
    waiters: list[asyncio.Future[None]] = field(default_factory=list)


class Scheduler(Generic[T]):
    """Runs the newest job of each key in a worker.

    ``prepare(key)`` is called on the event loop when the worker is free and gives the call to make (``None``: nothing
    to do); ``deliver(key, result)`` is called on the loop with its result, unless a newer request came meanwhile.
    """

    def __init__(
        self,
        worker: Worker,
        prepare: Callable[[str], Callable[[], T] | None],
        deliver: Callable[[str, T], None],
    ) -> None:
        self._worker = worker
        self._prepare = prepare
        self._deliver = deliver
        self._slots: dict[str, _Slot] = {}
        self._ready: dict[str, None] = {}
        self._is_running = False
        self._rest_waiters: list[asyncio.Future[None]] = []

    def request(self, key: str, *, at_once: bool = False) -> None:
        """Ask for a run of ``key``'s newest state; supersedes an earlier request for ``key``."""
        slot = self._slots.setdefault(key, _Slot())
        slot.requested += 1
        if slot.timer is not None:
            slot.timer.cancel()
            slot.timer = None
        delay = 0.0 if at_once else debounce(slot.costs)
        if delay:
            slot.timer = asyncio.get_running_loop().call_later(delay, self._enqueue, key)
        else:
            self._enqueue(key)

    def drop(self, key: str) -> None:
        """Forget a key: what waits for it does not run, what runs is not delivered."""
        slot = self._slots.pop(key, None)
        self._ready.pop(key, None)
        if slot is not None:
            if slot.timer is not None:
                slot.timer.cancel()
            self._release(slot)

    def is_settled(self, key: str) -> bool:
        """Return whether every request for ``key`` was run and delivered."""
        slot = self._slots.get(key)
        return slot is None or slot.settled == slot.requested

    async def resting(self) -> None:
        """Return when nothing runs and nothing waits."""
        while self._is_running or self._ready:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._rest_waiters.append(waiter)
            await waiter

    async def settled(self, key: str) -> None:
        """Return once the newest request of ``key`` was run and delivered (at once when there is none)."""
        if self.is_settled(key):
            return
        slot = self._slots[key]
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        slot.waiters.append(waiter)
        try:
            await waiter
        finally:
            with contextlib.suppress(ValueError):
                slot.waiters.remove(waiter)

    def close(self) -> None:
        """Drop all keys."""
        for key in tuple(self._slots):
            self.drop(key)

    def _enqueue(self, key: str) -> None:
        self._slots[key].timer = None
        # A key that waits already keeps its place: fast typing in one document does not starve another.
        self._ready.setdefault(key)
        self._start_next()

    def _start_next(self) -> None:
        while self._ready and not self._is_running:
            key = next(iter(self._ready))
            del self._ready[key]
            slot = self._slots[key]
            try:
                call = self._prepare(key)
            except Exception:
                log.exception("could not prepare the check of %s", key)
                call = None
            if call is None:
                self._settle(slot, slot.requested)
                continue
            self._run(key, slot, call)
        if not self._ready and not self._is_running:
            waiters, self._rest_waiters = self._rest_waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def _run(self, key: str, slot: _Slot, call: Callable[[], T]) -> None:
        request = slot.requested
        loop = asyncio.get_running_loop()

        def timed() -> tuple[T, float]:
            began = time.perf_counter()
            return call(), time.perf_counter() - began

        def done(future: Future[tuple[T, float]]) -> None:
            # The loop is closed if the server stops while the worker is busy; then nothing waits for the result.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._finish, key, slot, request, future)

        self._is_running = True
        self._worker.call(timed).add_done_callback(done)

    def _finish(self, key: str, slot: _Slot, request: int, future: Future[tuple[T, float]]) -> None:
        self._is_running = False
        try:
            result, cost = future.result()
            slot.costs.append(cost)
            if self._slots.get(key) is slot and slot.requested == request:
                self._deliver(key, result)
        except Exception:
            log.exception("the check of %s failed", key)
        finally:
            self._settle(slot, request)
            self._start_next()

    def _settle(self, slot: _Slot, request: int) -> None:
        slot.settled = request
        if slot.settled == slot.requested:
            self._release(slot)

    @staticmethod
    def _release(slot: _Slot) -> None:
        slot.settled = slot.requested
        waiters, slot.waiters = slot.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
