"""Numbers of examples: few in CI, and many by night."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import settings

import budgets

NIGHTLY = Path(__file__).parents[2] / ".github" / "workflows" / "nightly.yml"
BY_NIGHT = {"spellings": 800, "edits": 100, "combinations": 800, "union_rows": 6000, "row_queries": 8000}


@pytest.mark.parametrize("name", BY_NIGHT)
def test_the_nightly_run_searches_all_properties(name: str) -> None:
    (factor,) = re.findall(r"KEEPSTATE_EXAMPLES=(\d+) \S*pytest tests/properties ", NIGHTLY.read_text("utf-8"))
    own: settings = getattr(budgets, name)
    assert own.max_examples // budgets._FACTOR * int(factor) >= BY_NIGHT[name]


def test_every_budget_has_a_nightly_one() -> None:
    assert {name for name, value in vars(budgets).items() if isinstance(value, settings)} == BY_NIGHT.keys()
