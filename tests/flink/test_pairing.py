"""Pairing of jobs: from which one of the baseline a job of the current version takes its state."""

from __future__ import annotations

import pytest

from keepstate_flink.job_pairing import partners


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        (["a b"], ["a b"], {0: 0}),
        (["a b"], ["b a"], {0: 0}),
        (["a"], ["a b"], {0: 0}),
        (["a b"], ["b"], {0: 0}),
        (["a"], ["renamed"], {0: 0}),
        (["a", "b"], ["b", "a"], {0: 1, 1: 0}),
        (["a", "b"], ["b", "renamed"], {0: 1}),
        (["a", "b"], ["a b"], {0: 0}),
        (["a b"], ["a", "b"], {0: 0}),
        (["a b", "b c d"], ["b c", "a b"], {0: 1, 1: 0}),
        (["a b c", "a"], ["a", "a b"], {0: 1, 1: 0}),
        (["a", "a"], ["a", "a", "a"], {0: 0, 1: 1}),
        ([], ["a"], {}),
        (["a"], [], {}),
        (["a", "b"], ["c"], {}),
    ],
)
def test_partners(was: list[str], now: list[str], found: dict[int, int]) -> None:
    assert partners([tuple(job.split()) for job in was], [tuple(job.split()) for job in now]) == found
