"""Number of examples for each property: the same few in every run, and each edit with some.

KEEPSTATE_EXAMPLES multiplies the numbers, for a night's search (.github/workflows/nightly.yml); then the examples are
new ones in every run.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

_FACTOR = int(os.environ.get("KEEPSTATE_EXAMPLES", "1"))
FEW = _FACTOR == 1
"""The few examples of each run may not meet a fault that many find."""
_COMMON = {
    "deadline": None,
    "derandomize": _FACTOR == 1,
    "database": None,
    "print_blob": False,
    "phases": [Phase.explicit, Phase.generate, Phase.shrink],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
}
spellings = settings(max_examples=20 * _FACTOR, **_COMMON)
edits = settings(max_examples=2 * _FACTOR, **_COMMON)
combinations = settings(max_examples=20 * _FACTOR, **_COMMON)
union_rows = settings(max_examples=150 * _FACTOR, **_COMMON)
row_queries = settings(max_examples=200 * _FACTOR, **_COMMON)
