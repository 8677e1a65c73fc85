"""Refusals that depend on the version of Flink: what 1.20 keeps of a time attribute and 2.3 does not."""

from __future__ import annotations

import pytest
from marked import validity

WINDOW = (
    "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(begun), INTERVAL '1' HOUR)) "
    "GROUP BY window_start, window_end"
)
LATEST = "MAX(begun) OVER (PARTITION BY id ORDER BY begun) AS begun"


@pytest.mark.parametrize(("version", "refused"), [("1.20", False), ("2.3", True)])
def test_an_aggregate_over_rows_gave_a_time_attribute(version: str, refused: bool) -> None:
    found = validity(f"CREATE VIEW v AS SELECT id, {LATEST} FROM rides; {WINDOW};", version=version)
    assert [problem.rule for problem in found.problems] == (["window-time"] if refused else [])


@pytest.mark.parametrize("version", ["1.20", "2.3"])
def test_a_regular_join_gives_none_in_any_version(version: str) -> None:
    view = "CREATE VIEW v AS SELECT r.begun FROM rides AS r JOIN bills AS b ON r.id = b.id"
    found = validity(f"{view}; {WINDOW};", version=version)
    assert [problem.rule for problem in found.problems] == ["window-time"]


@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize(("aggregate", "refused_in"), [("STDDEV_POP", "1.20"), ("SUM", "1.20 2.3"), ("AVG", "")])
def test_overlapping_windows_take_distinct_values_off(version: str, aggregate: str, refused_in: str) -> None:
    window = WINDOW.replace("COUNT(*)", f"{aggregate}(DISTINCT km)").replace("TUMBLE(TABLE v", "HOP(TABLE rides")
    found = validity(window.replace("'1' HOUR))", "'1' HOUR, INTERVAL '2' HOUR))") + ";", version=version)
    assert [problem.rule for problem in found.problems] == ["window-aggregate"] * (version in refused_in.split())
