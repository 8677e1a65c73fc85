"""Signals that end a command, also when Python loses one."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from keepstate_lsp.cli.terminal import signals

pytestmark = pytest.mark.usefixtures("default_signals")


class Destroyed:
    """An object whose destructor swallows exceptions."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        # Python hears of the signal between two steps of this loop.
        for _ in range(1000):
            pass


class SlowlyDestroyed:
    """An object whose destructor takes longer than the next exception, and swallows it."""

    def __del__(self) -> None:
        time.sleep(0.2)


def loses_in_a_destructor() -> None:
    Destroyed()


def loses_in_two_destructors() -> None:
    Destroyed()
    SlowlyDestroyed()


def loses_in_a_library() -> None:
    with suppress(BaseException):
        signal.raise_signal(signal.SIGTERM)


def work(loses: Callable[[], None]) -> None:
    with signals.ending_cleanly():
        loses()
        began = time.monotonic()
        while time.monotonic() - began < 10:
            time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("loses", "patience"),
    # Longer than the work: interrupted at once, or not at all.
    [(loses_in_a_destructor, 60), (loses_in_two_destructors, 60), (loses_in_a_library, 0.2)],
)
def test_a_signal_that_is_swallowed_is_remembered(
    monkeypatch: pytest.MonkeyPatch, loses: Callable[[], None], patience: float
) -> None:
    monkeypatch.setattr(signals, "PATIENCE", patience)
    hook = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        work(loses)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert sys.unraisablehook is hook


def work_that_loses_its_place() -> None:
    """Like a query: the connection to Spark has no answer for who cleans up."""
    with signals.ending_cleanly():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            raise ConnectionError("The answer is empty.")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_what_fails_because_of_a_signal_is_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        work_that_loses_its_place()
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_what_fails_without_a_signal_is_reported_as_it_is() -> None:
    with pytest.raises(ConnectionError), signals.ending_cleanly():
        raise ConnectionError("The answer is empty.")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_ignored_signal_stays_ignored_and_the_others_end_the_command() -> None:
    """As under ``nohup``: the terminal may close, and ``kill`` still ends."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        closed_and_killed(steps)
    assert steps == ["the terminal is closed"]
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def closed_and_killed(steps: list[str]) -> None:
    with signals.ending_cleanly():
        signal.raise_signal(signal.SIGHUP)
        steps.append("the terminal is closed")
        signal.raise_signal(signal.SIGTERM)
        steps.append("killed")
