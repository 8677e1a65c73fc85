"""Counts of function calls: what work costs, the same on each machine and under each load."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions ``work`` calls, those of C included."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
