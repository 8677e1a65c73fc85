"""Signals that end a command, also when Python loses one."""

from __future__ import annotations

import os
import signal
import time

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


def work() -> None:
    with signals.ending_cleanly():
        Destroyed()
        began = time.monotonic()
        while time.monotonic() - began < 30:
            time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_python_loses_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "PATIENCE", 0.2)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


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
