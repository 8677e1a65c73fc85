"""The scheduler: newest first, one at a time, nothing stale delivered, no document hurts another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from keepstate_lsp.analysis import schedule
from keepstate_lsp.analysis.schedule import INSTANT, LONGEST_DELAY, TELLING_RUNS, Scheduler, Worker, debounce


class Desk:
    """Documents as numbers; a gate per document holds its run up in the worker."""

    def __init__(self) -> None:
        self.worker = Worker("test-worker")
        self.texts: dict[str, int] = {}
        self.gates: dict[str, threading.Event] = {}
        self.begun: list[tuple[str, int]] = []
        self.delivered: list[tuple[str, int]] = []
        self.failing: set[str] = set()
        self.scheduler: Scheduler[int] = Scheduler(self.worker, self.prepare, self.deliver)

    def prepare(self, key: str) -> Callable[[], int] | None:
        number = self.texts.get(key)
        if number is None:
            return None
        if number == -1:
            raise RuntimeError("cannot prepare")

        def run() -> int:
            self.begun.append((key, number))
            if key in self.gates:
                assert self.gates[key].wait(120)
            if key in self.failing:
                raise RuntimeError("told to fail")
            return number

        return run

    def deliver(self, key: str, result: int) -> None:
        self.delivered.append((key, result))

    def put(self, key: str, number: int) -> None:
        self.texts[key] = number
        self.scheduler.request(key)

    async def begun_with(self, key: str, number: int) -> None:
        while (key, number) not in self.begun:
            await asyncio.sleep(0)


def run(play: Callable[[Desk], Awaitable[None]]) -> Desk:
    async def played() -> Desk:
        desk = Desk()
        try:
            await asyncio.wait_for(play(desk), 20)
        finally:
            for gate in desk.gates.values():
                gate.set()
            desk.scheduler.close()
            desk.worker.close(5)
        return desk

    return asyncio.run(played())


def test_the_newest_version_supersedes_those_that_wait() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["other"] = threading.Event()
        desk.put("other", 0)
        for version in range(1, 50):
            desk.put("a", version)
        gate.set()
        await desk.scheduler.settled("a")

    assert run(play).begun == [("other", 0), ("a", 49)]


def test_the_result_of_a_superseded_run_is_dropped() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["a"] = threading.Event()
        desk.put("a", 1)
        await desk.begun_with("a", 1)
        desk.put("a", 2)
        gate.set()
        await desk.scheduler.settled("a")

    desk = run(play)
    assert desk.begun == [("a", 1), ("a", 2)]
    assert desk.delivered == [("a", 2)]


def test_one_run_at_a_time_and_no_document_starves() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["slow"] = threading.Event()
        desk.put("slow", 1)
        desk.put("a", 1)
        desk.put("b", 1)
        desk.put("a", 2)
        gate.set()
        await asyncio.gather(*(desk.scheduler.settled(key) for key in ("slow", "a", "b")))

    assert run(play).delivered == [("slow", 1), ("a", 2), ("b", 1)]


def test_a_run_that_fails_costs_the_others_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def play(desk: Desk) -> None:
        desk.failing.add("bad")
        desk.put("bad", 1)
        desk.put("worse", -1)
        desk.put("good", 1)
        await asyncio.gather(*(desk.scheduler.settled(key) for key in ("bad", "worse", "good")))
        desk.failing.clear()
        desk.put("bad", 2)
        await desk.scheduler.settled("bad")

    assert run(play).delivered == [("good", 1), ("bad", 2)]
    assert "told to fail" in caplog.text and "cannot prepare" in caplog.text


def test_a_dropped_document_is_neither_run_nor_delivered() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["a"] = threading.Event()
        desk.put("a", 1)
        desk.put("b", 1)
        await desk.begun_with("a", 1)
        waiting = asyncio.create_task(desk.scheduler.settled("a"))
        await asyncio.sleep(0)
        desk.scheduler.drop("a")
        desk.scheduler.drop("b")
        await waiting
        gate.set()
        desk.put("c", 1)
        await desk.scheduler.settled("c")

    desk = run(play)
    assert desk.begun == [("a", 1), ("c", 1)]
    assert desk.delivered == [("c", 1)]


def test_a_document_closed_and_opened_again_gets_no_old_result() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["a"] = threading.Event()
        desk.put("a", 1)
        await desk.begun_with("a", 1)
        desk.scheduler.drop("a")
        desk.put("a", 2)
        gate.set()
        await desk.scheduler.settled("a")

    assert run(play).delivered == [("a", 2)]


def test_a_waiter_that_is_cancelled_leaves_the_rest_alone() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["a"] = threading.Event()
        desk.put("a", 1)
        impatient = asyncio.create_task(desk.scheduler.settled("a"))
        patient = asyncio.create_task(desk.scheduler.settled("a"))
        await asyncio.sleep(0)
        impatient.cancel()
        gate.set()
        await patient

    assert run(play).delivered == [("a", 1)]


def test_a_question_cancelled_before_its_turn_is_not_asked() -> None:
    async def play(desk: Desk) -> None:
        gate = desk.gates["a"] = threading.Event()
        desk.put("a", 1)
        asked: list[str] = []
        question = asyncio.create_task(desk.worker.result(lambda: asked.append("asked")))
        await asyncio.sleep(0)
        question.cancel()
        await asyncio.gather(question, return_exceptions=True)
        gate.set()
        await desk.scheduler.settled("a")
        await desk.worker.result(lambda: None)
        assert asked == []

    run(play)


def test_the_delay_follows_what_the_last_runs_cost() -> None:
    assert debounce([0.0] * TELLING_RUNS) == debounce([INSTANT] * TELLING_RUNS) == 0.0
    assert INSTANT < debounce([0.2] * TELLING_RUNS) == 0.2
    assert debounce([30.0] * TELLING_RUNS) == LONGEST_DELAY


def test_a_cold_first_run_delays_nothing() -> None:
    assert debounce([]) == debounce([30.0] * (TELLING_RUNS - 1)) == 0.0
    assert debounce([30.0] * (TELLING_RUNS - 1) + [INSTANT]) == 0.0


def test_a_slow_document_waits_for_a_pause() -> None:
    async def play(desk: Desk) -> None:
        clock = asyncio.get_running_loop()
        desk.put("a", 1)
        await desk.scheduler.settled("a")
        desk.scheduler._slots["a"].costs.extend([0.1] * TELLING_RUNS)
        began = clock.time()
        desk.put("a", 2)
        desk.put("a", 3)
        assert not desk.scheduler.is_settled("a")
        await desk.scheduler.settled("a")
        assert clock.time() - began >= 0.1
        desk.scheduler._slots["a"].costs.extend([100.0] * TELLING_RUNS)
        desk.scheduler.request("a", at_once=True)
        await desk.scheduler.settled("a")

    assert run(play).begun == [("a", 1), ("a", 3), ("a", 3)]


def test_a_worker_in_a_run_that_does_not_end_does_not_hold_up_the_exit() -> None:
    worker, gate = Worker(), threading.Event()
    worker.call(lambda: gate.wait(120))
    assert worker.close(timeout=0.01) is False
    gate.set()
    worker._thread.join(120)
    assert not worker._thread.is_alive()


def test_a_call_at_rest_comes_after_all_others() -> None:
    worker, gate, order = Worker(), threading.Event(), list[str]()
    worker.call(lambda: gate.wait(120))
    at_rest = worker.call_at_rest(lambda: order.append("at rest"))
    for name in ("first", "second"):
        worker.call(partial(order.append, name))
    gate.set()
    at_rest.result(120)
    assert order == ["first", "second", "at rest"]
    assert worker.close(timeout=120)


@pytest.mark.parametrize("collects", [True, False])
def test_a_worker_at_rest_makes_the_calls_of_a_rest(collects: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "REST", 0.001)
    worker = Worker(collects=collects)
    assert [worker.call_at_rest(partial(str, number)).result(120) for number in range(3)] == ["0", "1", "2"]
    assert worker.close(timeout=120)
