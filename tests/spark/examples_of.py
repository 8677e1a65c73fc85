"""Examples that hypothesis makes, without a test of each.

A Spark job costs as much as a thousand examples, so the examples come first and one job answers them all.
"""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

T = TypeVar("T")


def gathered(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """``count`` examples, made at random."""
    found: list[T] = []

    @settings(
        max_examples=count,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(strategy)
    def gather(example: T) -> None:
        found.append(example)

    gather()
    return found
