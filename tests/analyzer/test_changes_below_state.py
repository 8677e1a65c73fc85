"""Changes of the rows in front of a state: each is felt by an aggregate, a group key and a ranking above it.

The changes are in ``changes_below_state.tsv``, one for each construct. Both directions count.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import keepstate

FOLDER = Path(__file__).parent
TABLES = (FOLDER / "changes_below_state.sql").read_text("utf-8")
CHANGES = [
    line.split("\t") for line in (FOLDER / "changes_below_state.tsv").read_text("utf-8").splitlines() if line[0] != "#"
]
STATES = {
    "aggregate": "SELECT k, SUM(CAST(z AS BIGINT)) AS s FROM ({}) GROUP BY k",
    "key": "SELECT z, COUNT(*) AS s FROM ({}) GROUP BY z",
    "ranking": "SELECT * FROM (SELECT k, z, ROW_NUMBER() OVER (PARTITION BY k ORDER BY z DESC) AS n FROM ({})) "
    "WHERE n <= 3",
}
ALWAYS_FIT = {"lookup key", "lookup kind", "lookup extra"}
"""JL-01: under vvr, any change of a lookup join itself."""


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(("name", "former", "changed"), CHANGES, ids=[name for name, _, _ in CHANGES])
def test_a_change_below_a_state_is_felt(name: str, former: str, changed: str, engine: str, state: str) -> None:
    was, now = (keepstate.JobVersion(f"{TABLES}{state.format(each)};") for each in (former, changed))
    for first, second in ((was, now), (now, was)):
        fits = not keepstate.check(second, first, engine).findings
        assert fits == (engine == "vvr" and name in ALWAYS_FIT)
