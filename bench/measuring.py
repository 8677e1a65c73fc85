"""Clocks and medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROUNDS = 15


def cpu(work: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """Median milliseconds of CPU that ``work`` takes, called with a new number each time; two rounds warm up."""
    times = []
    for number in range(rounds + 2):
        began = time.process_time()
        work(number)
        times.append(time.process_time() - began)
    return statistics.median(times[2:]) * 1000


def child_cpu(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> float:
    """Seconds of CPU, user and system, that a process and those that it waits for take from its start to its end. Its
    ``environment`` is added to that of this process.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"{command} ended with {process.returncode}"
    return usage.ru_utime + usage.ru_stime
