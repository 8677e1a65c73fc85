"""IS NOT DISTINCT FROM between columns is a key of a join, however it is written.

Each expectation is the hash distribution in the plans of Flink 2.3.0 and 1.20.5.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import Join
from keepstate.report import Verdict
from keepstate.syntax.script import parse_script

TABLES = """
CREATE TABLE t (id INT, k INT, u STRING, n INT, nn INT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE r (k INT, u STRING, w INT, nn INT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
"""
ON = "SELECT t.id, r.w FROM t JOIN r ON {}"
COMPUTED = "SELECT t.id, r.w FROM (SELECT id, k, {} AS x FROM t) t JOIN r ON t.k = r.k AND t.x IS NOT DISTINCT FROM {}"


@pytest.mark.parametrize(
    ("query", "left", "right"),
    [
        (ON.format("t.k = r.k AND t.u IS NOT DISTINCT FROM r.u"), "k, u", "k, u"),
        (ON.format("t.k = r.k AND r.u IS NOT DISTINCT FROM t.u"), "k, u", "k, u"),
        (ON.format("t.u IS NOT DISTINCT FROM r.u AND t.k = r.k"), "u, k", "u, k"),
        (ON.format("t.u IS NOT DISTINCT FROM r.u"), "u", "u"),
        (ON.format("t.k IS NOT DISTINCT FROM r.k AND t.n IS NOT DISTINCT FROM r.w"), "k, n", "k, w"),
        (ON.format("t.k = r.k AND t.nn IS NOT DISTINCT FROM r.nn"), "k, nn", "k, nn"),
        (ON.format("t.k = r.k AND t.nn IS NOT DISTINCT FROM r.w"), "k, nn", "k, w"),
        (ON.format("t.k = r.k WHERE t.u IS NOT DISTINCT FROM r.u"), "k, u", "k, u"),
        ("SELECT t.id, r.w FROM t, r WHERE t.u IS NOT DISTINCT FROM r.u", "u", "u"),
        *(
            (f"SELECT t.id FROM t {kind} JOIN r ON t.u IS NOT DISTINCT FROM r.u AND t.k = r.k", "u, k", "u, k")
            for kind in ("LEFT", "RIGHT", "FULL")
        ),
        (
            ON.format("t.u IS NOT DISTINCT FROM r.u AND t.ts BETWEEN r.ts AND r.ts + INTERVAL '1' HOUR"),
            "u",
            "u",
        ),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM r WHERE r.u IS NOT DISTINCT FROM t.u)", "u", "u"),
        # Other words for it.
        (ON.format("t.k = r.k AND NOT (t.u IS DISTINCT FROM r.u)"), "k, u", "k, u"),
        (ON.format("t.k = r.k AND (t.u IS NOT DISTINCT FROM r.u) IS TRUE"), "k, u", "k, u"),
        (ON.format("t.k = r.k AND (t.u = r.u OR (t.u IS NULL AND r.u IS NULL))"), "k, u", "k, u"),
        (ON.format("t.k = r.k AND ((r.u IS NULL AND t.u IS NULL) OR r.u = t.u)"), "k, u", "k, u"),
        # What is computed in front of the join is a column of it, what is computed in its condition is not.
        (COMPUTED.format("n + 1", "r.w"), "k, n + 1", "k, w"),
        (COMPUTED.format("UPPER(u)", "r.u"), "k, UPPER(u)", "k, u"),
        (ON.format("t.k = r.k AND t.n + 1 IS NOT DISTINCT FROM r.w"), "k", "k"),
        (ON.format("t.k = r.k AND (t.n + 1 = r.w OR (t.n + 1 IS NULL AND r.w IS NULL))"), "k", "k"),
        # Other conditions.
        (ON.format("t.k = r.k AND t.u IS DISTINCT FROM r.u"), "k", "k"),
        (ON.format("t.k = r.k AND (t.u = r.u OR t.u IS NULL)"), "k", "k"),
        (ON.format("t.k = r.k AND (t.u = r.u OR (t.u IS NULL AND r.u IS NULL) OR t.n = 5)"), "k", "k"),
    ],
)
def test_keys_are_those_of_the_plan(query: str, left: str, right: str) -> None:
    plan = Job.of(parse_script(TABLES + query), {}).pipelines[-1].plan
    join = next(each for each in plan.operators if isinstance(each, Join))
    keys = equated(join, JoinSides.of(join))
    assert [", ".join(map(str, side)) for side in keys] == [left, right]


SAFE, EQUAL = "t.u IS NOT DISTINCT FROM r.u", "t.u = r.u"
SPELLED_OUT = f"({EQUAL} OR (t.u IS NULL AND r.u IS NULL))"


@pytest.mark.parametrize(
    ("was", "now", "verdict"),
    [
        # As restored by Flink 2.3: StateMigrationException, or the rows of a run over all data.
        ("t.k = r.k", f"t.k = r.k AND {SAFE}", Verdict.INCOMPATIBLE),
        (f"t.k = r.k AND {SAFE}", "t.k = r.k", Verdict.INCOMPATIBLE),
        (f"t.k = r.k AND {SAFE}", f"{SAFE} AND t.k = r.k", Verdict.INCOMPATIBLE),
        ("t.k = r.k", f"t.k = r.k AND {SPELLED_OUT}", Verdict.INCOMPATIBLE),
        (f"t.k = r.k AND {EQUAL}", f"t.k = r.k AND {SAFE}", Verdict.COMPATIBLE),
        (f"t.k = r.k AND {SPELLED_OUT}", f"t.k = r.k AND {SAFE}", Verdict.COMPATIBLE),
        ("t.k = r.k", "t.k = r.k AND t.n + 1 IS NOT DISTINCT FROM r.w", Verdict.COMPATIBLE),
    ],
)
def test_another_key_is_reported(was: str, now: str, verdict: Verdict) -> None:
    before, after = (JobVersion(TABLES + ON.format(condition).replace("t.id, r.w", "*")) for condition in (was, now))
    assert check(after, before, "flink").verdict is verdict
