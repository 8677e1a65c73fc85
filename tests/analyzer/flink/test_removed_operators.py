"""Windows and joins without a reader: which of them the planners of Flink remove. The numbers are those of the plans of
1.20.5, 2.1.3, 2.2.1 and 2.3.0.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.plan.operators import Join, OverAggregate
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.report import Verdict
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE t (id INT, a INT, b INT, k STRING, g STRING, pt AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE u (id INT, a INT, k STRING, s STRING) WITH ('connector' = 'kafka', 'topic' = 'u', 'format' = 'json');
CREATE TABLE p (k STRING, a INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'p');
CREATE TABLE c (a INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (a) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'c');
CREATE TABLE l (a INT, s STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'jdbc');
CREATE VIEW j AS SELECT t.id, t.ts FROM t LEFT JOIN p ON t.k = p.k;
CREATE VIEW w AS SELECT g, b, ts, MAX(a) OVER (PARTITION BY k ORDER BY ts) AS o FROM t;
"""
ON_KEY = "t LEFT JOIN p ON t.k = p.k"
COUNTED = "(SELECT k, COUNT(*) AS c FROM u GROUP BY k)"
PLAIN = "(SELECT g, b, ts FROM w)"
COUNTED_WINDOW = "SELECT COUNT(*) FROM (SELECT MAX(a) OVER (PARTITION BY {} ORDER BY ts) AS o FROM t)"
TUMBLED = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"

# queries over a window whose result none reads
WINDOWS_THAT_STAY = [
    "SELECT g FROM w WHERE b > 3",
    "SELECT x.g FROM w AS x JOIN u ON x.b = u.a",
    "SELECT x.g FROM w AS x LEFT JOIN u ON x.b = u.a",
    "SELECT x.g FROM u LEFT JOIN w AS x ON x.b = u.a",
    "SELECT x.g FROM w AS x JOIN (SELECT DISTINCT a FROM u) AS u ON x.b = u.a",
    "SELECT x.g, COUNT(*) FROM w AS x JOIN u ON x.b = u.a GROUP BY x.g",
    "SELECT u.s FROM w AS x CROSS JOIN u",
    "SELECT g FROM w WHERE b IN (SELECT a FROM u)",
    "SELECT g FROM w WHERE EXISTS (SELECT 1 FROM u WHERE u.a = w.b)",
    "SELECT g FROM w WHERE b > (SELECT MAX(a) FROM u)",
    "SELECT g, (SELECT MAX(a) FROM u) FROM w",
    "SELECT x.g FROM w AS x JOIN t AS y ON x.b = y.a AND x.ts BETWEEN y.ts - INTERVAL '1' HOUR AND y.ts",
    "SELECT x.g FROM w AS x JOIN c FOR SYSTEM_TIME AS OF x.ts ON x.b = c.a",
    "SELECT x.g FROM w AS x CROSS JOIN UNNEST(ARRAY[1, 2]) AS q (e)",
    "SELECT x.g, e FROM w AS x LEFT JOIN UNNEST(ARRAY[x.b, 2]) AS q (e) ON TRUE",
    f"SELECT window_start, COUNT(*) FROM {TUMBLED.format('w')}",
    "SELECT k FROM (SELECT k, b, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM t) WHERE b > 3",
]
WINDOWS_BELOW_COUNTS = [
    "SELECT COUNT(*) FROM w",
    "SELECT COUNT(*) FROM (SELECT o FROM w)",
    "SELECT COUNT(*) FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM t)",
]
WINDOWS_THAT_GO = [
    "SELECT g FROM w",
    "SELECT g, COUNT(*) FROM w GROUP BY g",
    "SELECT DISTINCT g FROM w",
    "SELECT COUNT(*), MAX(g) FROM w",
    "SELECT g FROM w UNION ALL SELECT k FROM u",
    "SELECT g FROM w INTERSECT SELECT k FROM u",
    "SELECT g FROM w LIMIT 3",
    "SELECT COUNT(*) FROM w GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
    f"SELECT COUNT(*) FROM {PLAIN}",
    f"SELECT g FROM {PLAIN} WHERE b > 3",
    f"SELECT x.g FROM {PLAIN} AS x JOIN u ON x.b = u.a",
    f"SELECT x.g FROM {PLAIN} AS x WHERE x.b IN (SELECT a FROM u)",
    f"SELECT x.g, (SELECT MAX(a) FROM u) FROM {PLAIN} AS x",
    f"SELECT x.g FROM {PLAIN} AS x CROSS JOIN UNNEST(ARRAY[1, 2]) AS q (e)",
]
# queries with joins, and how many of these 2.3 and 1.20 plan (which takes no OVER and no window over an outer join)
JOINS: list[tuple[str, int, int]] = [
    (f"SELECT t.id FROM t LEFT JOIN {COUNTED} AS y ON t.k = y.k", 0, 1),
    (f"SELECT t.id FROM {ON_KEY}", 0, 1),
    # No key is seen behind a watermark, unless something else makes it one.
    ("SELECT t.id FROM t LEFT JOIN c ON t.a = c.a", 1, 1),
    ("SELECT t.id FROM c RIGHT JOIN t ON t.a = c.a", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT a FROM c WHERE s > 'a') AS y ON t.a = y.a", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT a FROM c GROUP BY a) AS y ON t.a = y.a", 0, 1),
    (f"SELECT t.id FROM {ON_KEY} AND p.a > 3", 0, 1),
    (f"SELECT t.id FROM {ON_KEY} AND t.a > 3", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN p ON UPPER(t.k) = p.k", 0, 1),
    (f"SELECT t.id, u.s FROM {ON_KEY} LEFT JOIN u ON t.a = u.a", 1, 2),
    (f"SELECT t.id FROM {ON_KEY} JOIN u AS x ON t.a = x.a", 1, 2),
    (f"SELECT t.g, COUNT(*) FROM {ON_KEY} GROUP BY t.g", 0, 1),
    (f"SELECT t.g, COUNT(p.k) FROM {ON_KEY} GROUP BY t.g", 1, 1),
    (f"SELECT DISTINCT t.g FROM {ON_KEY}", 0, 1),
    (f"SELECT t.id FROM {ON_KEY} WHERE t.a > 3", 0, 1),
    (f"SELECT t.id FROM {ON_KEY} WHERE p.k IS NULL", 1, 1),
    (f"SELECT t.id FROM {ON_KEY} WHERE t.a IN (SELECT a FROM u)", 1, 2),
    (f"SELECT t.id, p.k FROM {ON_KEY}", 1, 1),
    ("SELECT p.a FROM t RIGHT JOIN p ON t.k = p.k", 1, 1),
    ("SELECT p.a FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) AS t RIGHT JOIN p ON t.k = p.k", 0, 1),
    ("SELECT t.id FROM t FULL JOIN p ON t.k = p.k", 1, 1),
    ("SELECT t.id FROM t JOIN p ON t.k = p.k", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN u ON t.k = u.k", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN p ON t.a = p.a", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN p ON t.k = p.k OR t.g = p.k", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN p ON p.k = 'x'", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT k, s FROM u) AS y ON t.k = y.k AND t.g = y.s", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT MAX(a) AS m FROM u) AS y ON TRUE", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT * FROM p WHERE a > 3) AS x ON t.k = x.k", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT UPPER(k) AS k, a FROM p) AS x ON t.k = x.k", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT k FROM u UNION SELECT k FROM p) AS x ON t.k = x.k", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT k FROM p UNION ALL SELECT k FROM p) AS x ON t.k = x.k", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT k FROM u INTERSECT SELECT k FROM p) AS x ON t.k = x.k", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN (SELECT p.k, c.s FROM p JOIN c ON p.a = c.a) AS x ON t.k = x.k", 2, 2),
    (f"SELECT t.id, p2.a FROM {ON_KEY} LEFT JOIN p AS p2 ON t.g = p2.k", 1, 2),
    (f"SELECT t.id, p2.a FROM {ON_KEY} LEFT JOIN p AS p2 ON p.k = p2.k", 2, 2),
    (f"SELECT t.id FROM {ON_KEY} LEFT JOIN p AS p2 ON p.k = p2.k", 0, 2),
    (f"SELECT t.id FROM (SELECT t.id, t.a, p.a AS pa FROM {ON_KEY}) AS t", 0, 1),
    (f"SELECT COUNT(*) FROM {ON_KEY}", 0, 1),
    (f"SELECT t.id FROM {ON_KEY} UNION SELECT a FROM u", 0, 1),
    (f"SELECT t.id FROM {ON_KEY} ORDER BY t.a LIMIT 3", 0, 1),
    (f"SELECT t.id, SUM(t.a) OVER (PARTITION BY t.k ORDER BY t.ts) FROM {ON_KEY}", 0, 1),
    (
        f"SELECT id FROM (SELECT t.id, ROW_NUMBER() OVER (PARTITION BY t.k ORDER BY t.a) n FROM {ON_KEY}) WHERE n < 3",
        1,
        1,
    ),
    (f"SELECT t.id, e FROM {ON_KEY} CROSS JOIN UNNEST(ARRAY[t.a, 2]) AS q (e)", 1, 1),
    (f"SELECT window_start, COUNT(*) FROM {TUMBLED.format('j')}", 0, 1),
    ("SELECT t.id FROM t LEFT JOIN l FOR SYSTEM_TIME AS OF t.pt ON t.a = l.a", 1, 1),
    ("SELECT t.id FROM t LEFT JOIN c FOR SYSTEM_TIME AS OF t.ts ON t.a = c.a", 1, 1),
    ("SELECT id FROM (SELECT t.id, (SELECT COUNT(*) FROM u WHERE u.k = t.k) FROM t)", 0, 1),
    ("SELECT t.id, (SELECT COUNT(*) FROM u WHERE u.k = t.k) FROM t", 1, 1),
]
# former, changed: whether their plans are equal under 2.3, and under 1.20
EDITS = [
    (f"SELECT t.id FROM {ON_KEY}", "SELECT t.id FROM t", True, False),
    (f"SELECT t.g, COUNT(*) FROM {ON_KEY} GROUP BY t.g", "SELECT t.g, COUNT(*) FROM t GROUP BY t.g", True, False),
    (
        f"SELECT t.g, COUNT(*) FROM {ON_KEY} GROUP BY t.g",
        f"SELECT t.g, COUNT(*) FROM {ON_KEY} AND p.a > 3 GROUP BY t.g",
        True,
        False,
    ),
    (
        f"SELECT t.g, COUNT(*) FROM {ON_KEY} GROUP BY t.g",
        f"SELECT t.g, COUNT(p.k) FROM {ON_KEY} GROUP BY t.g",
        False,
        True,
    ),
    (f"SELECT t.id FROM {ON_KEY}", f"SELECT t.id, p.k FROM {ON_KEY}", False, True),
    (
        f"SELECT t.id, u.s FROM {ON_KEY} LEFT JOIN u ON t.a = u.a",
        "SELECT t.id, u.s FROM t LEFT JOIN u ON t.a = u.a",
        True,
        False,
    ),
    (
        f"SELECT t.id, u.s FROM {ON_KEY} LEFT JOIN u ON t.a = u.a",
        f"SELECT t.id, u.s, p.k FROM {ON_KEY} LEFT JOIN u ON t.a = u.a",
        False,
        False,
    ),
    ("SELECT x.g FROM w AS x JOIN u ON x.b = u.a", f"SELECT x.g FROM {PLAIN} AS x JOIN u ON x.b = u.a", False, False),
    (COUNTED_WINDOW.format("k"), COUNTED_WINDOW.format("g"), False, True),
    (COUNTED_WINDOW.format("k"), "SELECT COUNT(*) FROM t", False, True),
]


def count(query: str, kind: type, planner: PlannerGeneration) -> int:
    plan = Job.of(parse_script(f"{TABLES}{query};"), {}, None).pipelines[0].plan
    return sum(isinstance(operator, kind) for operator in plan.as_held(planner).operators)


@pytest.mark.parametrize("planner", PlannerGeneration)
@pytest.mark.parametrize("query", WINDOWS_THAT_STAY)
def test_a_window_stays_below_what_keeps_its_select_list_apart(query: str, planner: PlannerGeneration) -> None:
    assert count(query, OverAggregate, planner) == 1


@pytest.mark.parametrize("planner", PlannerGeneration)
@pytest.mark.parametrize("query", WINDOWS_THAT_GO)
def test_a_window_goes_with_a_projection_above_it(query: str, planner: PlannerGeneration) -> None:
    assert count(query, OverAggregate, planner) == 0


@pytest.mark.parametrize("query", WINDOWS_BELOW_COUNTS)
def test_newer_planners_keep_a_window_whose_rows_are_counted(query: str) -> None:
    assert [count(query, OverAggregate, planner) for planner in PlannerGeneration] == [0, 1, 1]


@pytest.mark.parametrize(("query", "newer", "older"), JOINS)
def test_newer_planners_remove_an_outer_join_without_a_reader(query: str, newer: int, older: int) -> None:
    # By 2.2 COUNT(*) reads all columns below it.
    counts = query.startswith("SELECT COUNT(*)")
    assert [count(query, Join, planner) for planner in PlannerGeneration] == [older, older if counts else newer, newer]


@pytest.mark.parametrize(("former", "changed", "newer", "older"), EDITS)
def test_edits_are_felt_as_plans_differ(former: str, changed: str, newer: bool, older: bool) -> None:
    for version, same in (("2.3", newer), ("1.20", older)):
        for one, other in ((former, changed), (changed, former)):
            was, now = (JobVersion(f"{TABLES}{query};", engine_version=version) for query in (one, other))
            report = check(now, was, "flink")
            assert (report.verdict is Verdict.COMPATIBLE and not report.findings) is same


@pytest.mark.parametrize("key", ["k", "g"])
def test_the_key_of_a_window_without_a_reader_counts(key: str) -> None:
    """Measured: a restart from a savepoint fails."""
    texts = [
        f"SELECT COUNT(*) FROM (SELECT a, MAX(b) OVER (PARTITION BY {each} ORDER BY ts) AS o FROM t);"
        for each in ("id", key)
    ]
    former, changed = (JobVersion(TABLES + text) for text in texts)
    assert check(changed, former, "flink").verdict is Verdict.INCOMPATIBLE
