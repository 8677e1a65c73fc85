"""Counts of calls and of instructions: what work costs, the same on each machine and under each load."""

from __future__ import annotations

import cProfile
import pstats
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions ``work`` calls, those of C included."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def instructions_of(work: Callable[[], object]) -> int:
    """Return how many instructions of bytecode ``work`` executes: loops count, which are no calls."""
    instructions = 0

    def note(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal instructions
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        instructions += event == "opcode"
        return note

    former = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(former)
    return instructions
