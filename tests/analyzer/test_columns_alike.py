"""Columns that are written alike over the sources: the COUNT(*) of a query and of one below, and two equal UNNEST.

An edit that takes one for the other is a change, and another spelling of the same one is none.
"""

from __future__ import annotations

import pytest

import keepstate

DECLARATIONS = """\
CREATE TABLE t (k STRING, g STRING, v INT, xs ARRAY<INT>)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE VIEW counts AS SELECT k, g, COUNT(*) AS n FROM t GROUP BY k, g;
CREATE VIEW both_counts AS SELECT n, g, COUNT(*) AS c FROM counts GROUP BY n, g;
CREATE VIEW both_maxima AS SELECT n, MAX(v) AS c, g FROM (SELECT k, g, v, MAX(v) AS n FROM t GROUP BY k, g, v)
GROUP BY n, g;
CREATE VIEW both_keys AS SELECT n + 1 AS n, COUNT(*) AS c, g FROM counts GROUP BY n + 1, g;
CREATE VIEW both_filters AS SELECT n, COUNT(*) FILTER (WHERE n > 1) AS c, g FROM (
  SELECT g, COUNT(*) FILTER (WHERE v > 1) AS n FROM t GROUP BY g) GROUP BY n, g;
CREATE VIEW pairs AS SELECT g, a.x AS n, b.x AS c FROM t CROSS JOIN UNNEST(xs) AS a (x) CROSS JOIN UNNEST(xs) AS b (x)
WHERE a.x < 5;
CREATE VIEW words AS SELECT g, a.w AS n, b.w AS c FROM t, LATERAL TABLE(split(g)) AS a (w),
LATERAL TABLE(split(g)) AS b (w) WHERE a.w <> 'x';
"""
VIEWS = ("both_counts", "both_maxima", "both_keys", "both_filters", "pairs", "words")
QUERIES = {
    "an operand": "SELECT g, MAX({0}) AS m FROM {view} GROUP BY g",
    "a group key": "SELECT {0} AS x, MIN(g) AS m FROM {view} GROUP BY {0}",
    "DISTINCT": "SELECT DISTINCT {0} AS x FROM {view}",
    "the order of a Top-N": "SELECT g, n, c FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY {0} DESC) AS rn "
    "FROM {view}) WHERE rn <= 3",
    "a filter in front of groups": "SELECT g, SUM({0} * {1}) AS s FROM {view} WHERE {0} > 1 GROUP BY g",
    "a FILTER": "SELECT g, COUNT(*) FILTER (WHERE {0} > 1) AS s FROM {view} GROUP BY g",
    "a key of a join": "SELECT j.g, t.v FROM {view} AS j JOIN t ON j.{0} = t.v",
    "an operand of two": "SELECT g, SUM({0} - 2 * {1}) AS s FROM {view} GROUP BY g",
}


def rules_of(former: str, query: str) -> list[str]:
    now, was = (keepstate.JobVersion(f"{DECLARATIONS}INSERT INTO out_of {each};") for each in (query, former))
    return [finding.rule for finding in keepstate.check(now, was, "flink").findings]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_one_for_the_other_is_a_change(query: str, view: str) -> None:
    former, edited = (query.format(*names, view=view) for names in (("n", "c"), ("c", "n")))
    assert rules_of(former, edited)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_same_one_under_another_name_is_none(query: str, view: str) -> None:
    former = query.format("n", "c", view=view)
    renamed = query.format("q", "p", view=f"(SELECT g, n AS q, c AS p, n, c FROM {view}) AS renamed")
    assert rules_of(former, renamed) == []


def test_having_is_of_the_groups() -> None:
    spelled = "SELECT n, c FROM (SELECT n, COUNT(*) AS c FROM counts GROUP BY n) WHERE c > 1"
    having = "SELECT n, COUNT(*) AS c FROM counts GROUP BY n HAVING COUNT(*) > 1"
    below = "SELECT n, COUNT(*) AS c FROM counts GROUP BY n HAVING n > 1"
    assert rules_of(spelled, having) == []
    assert rules_of(below, having)


@pytest.mark.parametrize("key", ["COALESCE(n, 0)", "IFNULL(n, 0)", "CASE WHEN TRUE THEN n ELSE 0 END"])
def test_a_call_that_is_a_group_key_is_no_aggregate_of_the_groups(key: str) -> None:
    query = "SELECT {} AS x, MIN(g) AS m FROM counts GROUP BY n"
    assert rules_of(query.format("n"), query.format(key)) == []


TUMBLE = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
OF_WINDOWS = f"(SELECT k, window_start, window_end, SUM(v) AS s FROM {TUMBLE} GROUP BY k, window_start, window_end)"
FIELDS_AS_KEYS = {
    "the other end": ("k, window_start", "k, window_end", TUMBLE),
    "no window": ("k, window_start", "k", TUMBLE),
    "a window": ("k", "k, window_end", TUMBLE),
    "the other end of a window below": ("window_start", "window_end", OF_WINDOWS),
    "no window of a window below": ("k, window_start", "k", OF_WINDOWS),
}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(("former", "keys", "rows"), FIELDS_AS_KEYS.values(), ids=FIELDS_AS_KEYS)
def test_fields_of_a_window_are_keys_of_groups_without_one(former: str, keys: str, rows: str, engine: str) -> None:
    """WTVF-21: where neither side holds both fields, the rules of plain groups apply."""
    table = (
        "CREATE TABLE clicks (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
    )
    was, now = (
        keepstate.JobVersion(f"{table}INSERT INTO out_of SELECT COUNT(*) AS c FROM {rows} GROUP BY {each};")
        for each in (former, keys)
    )
    for first, second in ((was, now), (now, was)):
        rules = [finding.rule for finding in keepstate.check(second, first, engine).findings]
        assert len(rules) == 1
        assert rules[0].startswith("group-key-")


ANSWERS = {
    "EXISTS": ("EXISTS (SELECT 1 FROM s)", "EXISTS (SELECT 1 FROM r)"),
    "IN": ("v IN (SELECT v FROM s WHERE b > 1)", "v IN (SELECT v FROM s)"),
    "one value": ("(SELECT COUNT(*) FROM s)", "(SELECT COUNT(*) FROM r)"),
}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize(("below", "above"), ANSWERS.values(), ids=ANSWERS)
def test_answers_of_queries_of_two_levels_are_two_columns(below: str, above: str, engine: str) -> None:
    tables = (
        "CREATE TABLE r (v INT, b INT) WITH ('connector' = 'kafka');"
        "CREATE TABLE s (v INT, b INT) WITH ('connector' = 'kafka');"
    )
    view = f"CREATE VIEW j AS SELECT k, p, {above} AS q FROM (SELECT k, v, {below} AS p FROM t);"
    for query in ("SELECT k, MAX(CAST({0} AS STRING)) AS m FROM j GROUP BY k", "SELECT DISTINCT {0} AS x FROM j"):
        was, now = (
            keepstate.JobVersion(f"{DECLARATIONS}{tables}{view}INSERT INTO out_of {query.format(name)};")
            for name in "pq"
        )
        assert keepstate.check(now, was, engine).findings
