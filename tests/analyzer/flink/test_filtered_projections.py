"""State below a filter on a projection, and below the same filter inside of it. As Flink 2.3.0 restarted them.

The planner pushes the filter down, and the projection stays where it was: what is below keeps the columns of the list.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE o (id BIGINT, u STRING, tags ARRAY<STRING>, extra STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE c (u STRING, city STRING, more INT, cs TIMESTAMP(3), WATERMARK FOR cs AS cs) WITH ('connector' = 'kafka');
"""
RANKED = (
    "SELECT u, id FROM (SELECT u, id, ROW_NUMBER() OVER (PARTITION BY u ORDER BY id DESC) AS n FROM ({}) AS v) "
    "WHERE n <= 2"
)
COMPUTED = RANKED.replace("SELECT u, id, ROW", "SELECT CONCAT(u, '!') AS p, u, id, ROW")
SUMMED = "SELECT u, SUM(id) OVER (PARTITION BY u ORDER BY ts) FROM ({}) AS v"
MOST = SUMMED.replace("SUM", "MAX")
GROUPED = "SELECT u, COUNT(*), MAX(id) FROM ({}) AS v GROUP BY u"
BOUNDS = "o.u = c.u AND o.ts BETWEEN c.cs AND c.cs + INTERVAL '1' HOUR"
LISTS = {
    "join": ("SELECT o.id, o.u, o.extra, c.city FROM o JOIN c ON o.u = c.u", "o.u <> 'x'", ""),
    "order": ("SELECT o.u, o.id FROM o JOIN c ON o.u = c.u", "o.u <> 'x'", ""),
    "left": ("SELECT o.id, o.u, o.extra FROM o LEFT JOIN c ON o.u = c.u", "o.u <> 'x'", ""),
    "interval": (f"SELECT o.id, o.u, o.ts FROM o JOIN c ON {BOUNDS}", "o.u <> 'x'", ""),
    "groups": ("SELECT u, COUNT(*) AS id, MAX(ts) AS last FROM o", "u <> 'x'", " GROUP BY u"),
    "keys": ("SELECT u, COUNT(*) AS id FROM o", "u <> 'x'", " GROUP BY u, extra"),
    "windows": (
        "SELECT u, COUNT(*) AS id FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
        "u <> 'x'",
        " GROUP BY u, window_start, window_end",
    ),
    "table": ("SELECT id, u, extra FROM o", "u <> 'x'", ""),
}


def verdict(was: str, now: str, engine: str = "flink", tables: str = TABLES) -> Verdict:
    return check(JobVersion(f"{tables}{now};"), JobVersion(f"{TABLES}{was};"), engine).verdict


def spellings(upper: str, name: str) -> tuple[str, str]:
    """The query with its filter above the select list, and inside."""
    listed, condition, groups = LISTS[name]
    return (
        upper.format(f"SELECT * FROM ({listed}{groups}) WHERE u <> 'x'"),
        upper.format(f"{listed} WHERE {condition}{groups}"),
    )


@pytest.mark.parametrize(
    ("upper", "name"),
    [
        (RANKED, "join"),
        (RANKED, "order"),
        (RANKED, "left"),
        (RANKED, "interval"),
        # A Top-N that finds no row again by a group key is another one.
        (RANKED, "keys"),
        # Neither does it store the window.
        (RANKED, "windows"),
        # The row of the ranking has the order of the list.
        (COMPUTED, "order"),
        (MOST, "interval"),
    ],
)
def test_the_place_of_a_filter_decides_what_is_stored_below_it(upper: str, name: str) -> None:
    outside, inside = spellings(upper, name)
    assert verdict(outside, inside) is Verdict.INCOMPATIBLE
    assert verdict(inside, outside) is Verdict.INCOMPATIBLE
    assert verdict(outside, inside, "vvr") is Verdict.COMPATIBLE


@pytest.mark.parametrize(
    ("upper", "name"),
    [
        (GROUPED, "join"),
        (GROUPED, "left"),
        (COMPUTED, "join"),
        (SUMMED, "interval"),
        (RANKED, "table"),
        (RANKED, "groups"),
    ],
)
def test_of_what_is_pruned_anyway_it_does_not(upper: str, name: str) -> None:
    assert verdict(*spellings(upper, name)) is Verdict.COMPATIBLE


def test_columns_of_no_list_are_not_stored() -> None:
    (outside, inside), now = spellings(RANKED, "join"), TABLES.replace("more INT", "more BIGINT")
    assert verdict(outside, outside, tables=now) is Verdict.COMPATIBLE
    assert verdict(inside, inside, tables=now) is Verdict.INCOMPATIBLE
