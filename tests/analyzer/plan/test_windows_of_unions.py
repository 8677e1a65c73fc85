"""Windows above a UNION ALL, as Flink 2.3.0 and 1.20.5 plan them: the branches have one window, or none is known."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.report import Verdict
from keepstate.syntax.script import parse_script

TABLES = """
CREATE TABLE t (page STRING, usr STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE u (usr STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE l (usr STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
"""
FIVE = "TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '5' MINUTE)"
SIX = FIVE.replace("'5'", "'6'")
SHIFTED = FIVE.replace("MINUTE)", "MINUTE, INTERVAL '1' MINUTE)")
HOP = "HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)"
CUMULATE = HOP.replace("HOP", "CUMULATE")
SESSION = "SESSION(TABLE {} PARTITION BY usr, DESCRIPTOR(ts), INTERVAL '5' MINUTE)"
GROUPS = "SELECT k, window_start, window_end, COUNT(*) FROM ({}) GROUP BY k, window_start, window_end"
TOP = (
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY k) AS rn FROM ({})) "
    "WHERE rn <= 3"
)
COUNTS = (
    "SELECT usr AS k, window_start, window_end, COUNT(*) AS n FROM TABLE({}) GROUP BY usr, window_start, window_end"
)


def rows(window: str, table: str, key: str = "usr") -> str:
    return f"SELECT {key} AS k, window_start, window_end FROM TABLE({window.format(table)})"


def both(one: str, other: str, word: str = "UNION ALL") -> str:
    return f"{rows(one, 't', 'page')} {word} {rows(other, 'u')}"


PLAIN = "SELECT usr AS k, ts AS window_start, ts AS window_end FROM u"
SWAPPED = f"SELECT usr AS k, window_end, window_start FROM TABLE({FIVE.format('u')})"
TOTALS = "SELECT window_start, window_end, SUM(n) FROM ({} UNION ALL {}) GROUP BY window_start, window_end"
JOINED = (
    f"SELECT a.k FROM ({{}}) a JOIN ({rows(FIVE, 't')}) b "
    "ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end"
)


def titles(query: str) -> list[str]:
    plan = Job.of(parse_script(f"{TABLES}{query};"), {}).pipelines[-1].plan
    return [each.title for each in plan.operators if each.title not in ("TableSourceScan", "WindowTableFunction")]


@pytest.mark.parametrize(
    ("query", "operators"),
    [
        (GROUPS.format(both(FIVE, FIVE)), ["WindowAggregate", "Union"]),
        (GROUPS.format(f"{both(FIVE, FIVE)} UNION ALL {rows(FIVE, 't')}"), ["WindowAggregate", "Union"]),
        (GROUPS.format(both(HOP, HOP)), ["WindowAggregate", "Union"]),
        (GROUPS.format(both(CUMULATE, CUMULATE)), ["WindowAggregate", "Union"]),
        (GROUPS.format(both(SESSION, SESSION)), ["WindowAggregate", "Union"]),
        (GROUPS.format(both(FIVE, FIVE, "UNION")), ["WindowAggregate", "WindowAggregate", "Union"]),
        (GROUPS.format(f"{rows(FIVE, 't')} UNION ALL {rows(FIVE, 't')}"), ["WindowAggregate", "Union"]),
        (GROUPS.format(f"{rows(FIVE, 't')} UNION ALL {rows(FIVE, 'l')}"), ["WindowAggregate", "Union"]),
        (GROUPS.format(both(FIVE, SIX)), ["GroupAggregate", "Union"]),
        (GROUPS.format(both(FIVE, SHIFTED)), ["GroupAggregate", "Union"]),
        (GROUPS.format(both(FIVE, HOP)), ["GroupAggregate", "Union"]),
        (GROUPS.format(both(FIVE, SIX, "UNION")), ["GroupAggregate", "GroupAggregate", "Union"]),
        (GROUPS.format(f"{rows(FIVE, 't')} UNION ALL {PLAIN}"), ["GroupAggregate", "Union"]),
        (GROUPS.format(f"{rows(FIVE, 't')} UNION ALL {SWAPPED}"), ["GroupAggregate", "Union"]),
        (TOP.format(both(FIVE, FIVE)), ["WindowRank", "Union"]),
        (TOP.format(both(FIVE, SIX)), ["Rank", "Union"]),
        (JOINED.format(both(FIVE, FIVE)), ["WindowJoin", "Union"]),
        (JOINED.format(both(FIVE, SIX)), ["Join", "Union"]),
        (
            TOTALS.format(COUNTS.format(FIVE.format("t")), COUNTS.format(FIVE.format("u"))),
            ["WindowAggregate", "Union", "WindowAggregate", "WindowAggregate"],
        ),
        (
            TOTALS.format(COUNTS.format(FIVE.format("t")), COUNTS.format(SIX.format("u"))),
            ["GroupAggregate", "Union", "WindowAggregate", "WindowAggregate"],
        ),
    ],
)
def test_a_union_has_the_one_window_of_its_branches(query: str, operators: list[str]) -> None:
    assert titles(query) == operators


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(
    ("now", "rule"),
    [
        (GROUPS.format(both(SIX, SIX)), "window-size-changed"),
        (GROUPS.format(both(FIVE, SIX)), "window-kind-changed"),
        (GROUPS.format(both(HOP, HOP)), "window-kind-changed"),
        (GROUPS.format(both(SHIFTED, SHIFTED)), "window-offset-changed"),
    ],
)
def test_a_change_of_its_windows_is_found(now: str, rule: str, engine: str) -> None:
    """Restarts of Flink 2.3.0: wrong numbers where all windows change alike, else the state is not mapped."""
    was = GROUPS.format(both(FIVE, FIVE))
    for one, other in ((was, now), (now, was)):
        report = check(JobVersion(f"{TABLES}{other};"), JobVersion(f"{TABLES}{one};"), engine)
        assert report.verdict is Verdict.INCOMPATIBLE
        assert rule in {finding.rule for finding in report.findings}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_other_names_of_its_columns_are_silent(engine: str) -> None:
    was = GROUPS.format(both(FIVE, FIVE))
    now = was.replace("SELECT k, window_start", "SELECT k, ws").replace(", window_end, COUNT", ", we, COUNT")
    now = now.replace(
        "window_start, window_end FROM TABLE(TUMBLE(TABLE t",
        "window_start AS ws, window_end AS we FROM TABLE(TUMBLE(TABLE t",
    )
    now = now.replace("GROUP BY k, window_start, window_end", "GROUP BY k, ws, we")
    report = check(JobVersion(f"{TABLES}{now};"), JobVersion(f"{TABLES}{was};"), engine)
    assert (report.verdict, report.findings) == (Verdict.COMPATIBLE, ())
