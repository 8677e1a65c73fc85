"""Number of examples for each property: the same ones in every run.

KEEPSTATE_EXAMPLES multiplies the numbers, for a night's search; then the examples are new ones in every run.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

_FACTOR = int(os.environ.get("KEEPSTATE_EXAMPLES", "1"))
_COMMON = {
    "deadline": None,
    "derandomize": _FACTOR == 1,
    "database": None,
    "print_blob": False,
    "phases": [Phase.explicit, Phase.generate, Phase.shrink],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
}
spellings = settings(max_examples=40 * _FACTOR, **_COMMON)
edits = settings(max_examples=5 * _FACTOR, **_COMMON)
combinations = settings(max_examples=40 * _FACTOR, **_COMMON)
union_rows = settings(max_examples=300 * _FACTOR, **_COMMON)
row_queries = settings(max_examples=400 * _FACTOR, **_COMMON)
