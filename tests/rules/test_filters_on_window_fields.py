"""Filters on window fields: what Flink plans in front of the aggregation is one filter, wherever it is written.

Real Flink 2.3 was asked for the plans of all contexts: those in which the condition stands below the aggregation, and
those in which it does not get there.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from keepstate import ENGINES, JobVersion
from keepstate.report import Report, Verdict
from pairs import TABLES
from shared_analyses import check

WINDOWS = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE))"
LIMIT = "TIMESTAMP '2026-01-01 00:00:00'"
KEYS = "a, c, window_start, window_end, window_time"
SUMS = (
    f"SELECT a, c, SUM(b) AS s, window_start AS ws, window_end AS we, window_time AS wt FROM {WINDOWS} GROUP BY {KEYS}"
)
SETS = f"SELECT a, c, SUM(b) AS s, window_start AS ws FROM {WINDOWS} GROUP BY window_start, window_end, {{}}"
RANKED = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY ws, we ORDER BY s DESC) AS rn FROM ({SUMS})"
START = "TUMBLE_START(ts, INTERVAL '10' MINUTE)"
LEGACY = f"SELECT a, SUM(b) AS s, {START} AS ws FROM t GROUP BY a, TUMBLE(ts, INTERVAL '10' MINUTE)"
FIRST_ROWS = (
    "SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, a ORDER BY ts DESC) AS rn FROM " + WINDOWS
)
RUNNING = f"SELECT a, ws, SUM(s) OVER (PARTITION BY a ORDER BY wt) AS r FROM ({SUMS})"
UNNESTED = "UNNEST(ARRAY[x.c]) AS n (e)"
VIEW = f"CREATE TEMPORARY VIEW v AS {SUMS};\n"
HOURS = "TABLE(TUMBLE(TABLE v, DESCRIPTOR(wt), INTERVAL '1' HOUR))"
OTHER = SUMS.replace("SUM(b)", "MAX(b)")
HOURLY = f"SELECT a, SUM(s), window_start AS ws FROM {HOURS} GROUP BY a, window_start, window_end"
WHOLE_SETS = "GROUPING SETS ((window_start, window_end, a), (window_start, window_end))"
BOTH = f"({SUMS}) AS x JOIN ({OTHER}) AS y ON x.a = y.a AND x.ws = y.ws AND x.we = y.we"


def having(window: str, keys: str = "a, window_start, window_end") -> str:
    return f"SELECT a, SUM(b) AS s FROM {window} GROUP BY {keys}"


CONDITION = f"ws > {LIMIT}"
# The query, and the condition that comes.
PASSES = {
    "where": (
        f"SELECT a, SUM(b) FROM {WINDOWS} {{}} GROUP BY a, window_start, window_end",
        "WHERE window_start > " + LIMIT,
    ),
    "having": (having(WINDOWS) + " {}", f"HAVING window_start > {LIMIT}"),
    "having beside an aggregate": (having(WINDOWS) + " HAVING SUM(b) > 3 {}", f"AND window_end < {LIMIT}"),
    "sessions": (
        having("TABLE(SESSION(TABLE t PARTITION BY a, DESCRIPTOR(ts), INTERVAL '9' MINUTE))") + " {}",
        f"HAVING window_start > {LIMIT}",
    ),
    "hopping windows": (
        having("TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE))") + " {}",
        f"HAVING window_start > {LIMIT}",
    ),
    "cumulating windows": (
        having("TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE))") + " {}",
        f"HAVING window_end > {LIMIT}",
    ),
    "processing time": (having(WINDOWS.replace("ts", "pt")) + " {}", f"HAVING window_start > {LIMIT}"),
    "subquery": (f"SELECT * FROM ({SUMS}) {{}}", f"WHERE {CONDITION}"),
    "two subqueries": (f"SELECT a FROM (SELECT a, ws AS since FROM ({SUMS})) {{}}", f"WHERE since > {LIMIT}"),
    "window_time": (f"SELECT * FROM ({SUMS}) {{}}", f"WHERE wt > {LIMIT}"),
    "common table": (f"WITH w AS ({SUMS}) SELECT * FROM w {{}}", f"WHERE {CONDITION}"),
    "view": (f"{VIEW}INSERT INTO o SELECT * FROM v {{}}", f"WHERE {CONDITION}"),
    "one of two inserts": (
        f"{VIEW}INSERT INTO p SELECT * FROM v;\nINSERT INTO o SELECT * FROM v {{}}",
        f"WHERE {CONDITION}",
    ),
    "computed": (f"SELECT * FROM (SELECT a, DATE_FORMAT(ws, 'HH') AS h FROM ({SUMS})) {{}}", "WHERE h = '12'"),
    "both ends": (f"SELECT * FROM ({SUMS}) {{}}", "WHERE ws + INTERVAL '1' MINUTE < we"),
    "in a list": (f"SELECT * FROM ({SUMS}) {{}}", f"WHERE ws IN ({LIMIT}, TIMESTAMP '2026-01-01 01:00:00')"),
    "or a key": (f"SELECT * FROM ({SUMS}) {{}}", f"WHERE {CONDITION} OR c = 'x'"),
    "compared with a key": (f"SELECT * FROM ({SUMS}) {{}}", "WHERE DATE_FORMAT(ws, 'HH') = c"),
    "case": (f"SELECT * FROM ({SUMS}) {{}}", f"WHERE CASE WHEN c = 'x' THEN {CONDITION} ELSE TRUE END"),
    "the time now": (f"SELECT * FROM ({SUMS}) {{}}", "WHERE ws > LOCALTIMESTAMP"),
    "a random number": (f"SELECT * FROM ({SUMS}) {{}}", "WHERE EXTRACT(HOUR FROM ws) > RAND() * 10"),
    "distinct": (f"SELECT * FROM (SELECT DISTINCT a, ws FROM ({SUMS})) {{}}", f"WHERE {CONDITION}"),
    "grouped again": (
        f"SELECT * FROM (SELECT a, ws, COUNT(*) FROM ({SUMS}) GROUP BY a, ws) {{}}",
        f"WHERE {CONDITION}",
    ),
    "windows handed on": (f"{VIEW}INSERT INTO o SELECT c, SUM(s) FROM v {{}} GROUP BY c, ws, we", f"WHERE {CONDITION}"),
    "windows of windows": (f"{VIEW}INSERT INTO o SELECT * FROM ({HOURLY}) {{}}", f"WHERE {CONDITION}"),
    "between windows": (
        f"{VIEW}INSERT INTO o SELECT a, SUM(s) FROM {HOURS} {{}} GROUP BY a, window_start, window_end",
        f"WHERE {CONDITION}",
    ),
    "group window over windows": (
        f"{VIEW}INSERT INTO o SELECT a, SUM(s) FROM v GROUP BY a, ws, TUMBLE(wt, INTERVAL '1' HOUR) {{}}",
        f"HAVING {CONDITION}",
    ),
    "below a ranking": (f"SELECT * FROM ({RANKED} {{}}) WHERE rn <= 3", f"WHERE {CONDITION}"),
    "union": (f"SELECT * FROM ({SUMS} UNION ALL {OTHER}) {{}}", f"WHERE {CONDITION}"),
    "one branch": (f"SELECT a, ws FROM ({SUMS}) UNION ALL SELECT a, ws FROM ({OTHER}) {{}}", f"WHERE {CONDITION}"),
    "union distinct": (
        f"SELECT * FROM (SELECT a, ws FROM ({SUMS}) UNION SELECT a, ws FROM ({OTHER})) {{}}",
        f"WHERE {CONDITION}",
    ),
    "join": (f"SELECT * FROM ({SUMS}) AS x JOIN u ON x.a = u.a {{}}", f"WHERE x.{CONDITION}"),
    "on": (f"SELECT * FROM ({SUMS}) AS x JOIN u ON x.a = u.a {{}}", f"AND x.{CONDITION}"),
    "the kept side of an outer join": (
        f"SELECT * FROM ({SUMS}) AS x LEFT JOIN u ON x.a = u.a {{}}",
        f"WHERE x.{CONDITION}",
    ),
    "on the other side of one": (f"SELECT * FROM u LEFT JOIN ({SUMS}) AS x ON x.a = u.a {{}}", f"AND x.{CONDITION}"),
    "semi join": (
        f"SELECT * FROM ({SUMS}) AS x WHERE EXISTS (SELECT * FROM u WHERE u.a = x.a) {{}}",
        f"AND x.{CONDITION}",
    ),
    "window join": (f"SELECT x.a, x.s, y.s FROM {BOTH} {{}}", f"WHERE x.{CONDITION}"),
    "interval join": (
        f"SELECT x.a FROM ({SUMS}) AS x JOIN u ON x.a = u.a AND x.wt BETWEEN u.ts AND u.ts + INTERVAL '1' HOUR {{}}",
        f"WHERE x.{CONDITION}",
    ),
    "unnest": (f"SELECT * FROM ({SUMS}) AS x CROSS JOIN {UNNESTED} {{}}", f"WHERE x.{CONDITION}"),
    "left unnest": (
        f"SELECT * FROM ({SUMS}) AS x LEFT JOIN {UNNESTED} ON TRUE {{}}",
        f"WHERE x.{CONDITION}",
    ),
    "order without limit": (f"SELECT * FROM (SELECT * FROM ({SUMS}) ORDER BY wt) {{}}", f"WHERE {CONDITION}"),
    "sorted": (f"SELECT * FROM ({SUMS}) {{}} ORDER BY wt", f"WHERE {CONDITION}"),
    "rollup": (f"SELECT * FROM ({SETS.format('ROLLUP (a, c)')}) {{}}", f"WHERE {CONDITION}"),
    "grouping sets with the window": (
        f"SELECT a, SUM(b) FROM {WINDOWS} GROUP BY {WHOLE_SETS} {{}}",
        f"HAVING window_start > {LIMIT}",
    ),
    "or a key of some sets": (
        f"SELECT * FROM ({SETS.format('GROUPING SETS ((a, c), (a))')}) {{}}",
        f"WHERE {CONDITION} OR c = 'x'",
    ),
}
STAYS = {
    "an aggregate in the same condition": (f"SELECT * FROM ({SUMS}) {{}}", f"WHERE {CONDITION} OR s > 5"),
    "an aggregate alone": (f"SELECT * FROM ({SUMS}) {{}}", "WHERE s > 5"),
    "group window, having": (f"{LEGACY} {{}}", f"HAVING {START} > {LIMIT}"),
    "group window, outer": (f"SELECT * FROM ({LEGACY}) {{}}", f"WHERE {CONDITION}"),
    "behind a window ranking": (f"SELECT * FROM ({RANKED}) WHERE rn <= 3 {{}}", f"AND {CONDITION}"),
    "around a window ranking": (f"SELECT * FROM (SELECT * FROM ({RANKED}) WHERE rn <= 3) {{}}", f"WHERE {CONDITION}"),
    "behind a ranking": (
        f"SELECT * FROM ({RANKED.replace('ws, we ORDER', 'a ORDER')}) WHERE rn <= 3 {{}}",
        f"AND {CONDITION}",
    ),
    "behind a window deduplication": (
        f"SELECT * FROM ({FIRST_ROWS}) WHERE rn = 1 {{}}",
        f"AND window_start > {LIMIT}",
    ),
    "behind an over window": (f"SELECT * FROM ({RUNNING}) {{}}", f"WHERE {CONDITION}"),
    "behind a limit": (f"SELECT * FROM (SELECT * FROM ({SUMS}) LIMIT 10) {{}}", f"WHERE {CONDITION}"),
    "behind a sorted view": (
        f"CREATE TEMPORARY VIEW v AS {SUMS} ORDER BY wt;\nINSERT INTO o SELECT * FROM v {{}}",
        f"WHERE {CONDITION}",
    ),
    "what a table function gives": (f"SELECT * FROM ({SUMS}) AS x CROSS JOIN {UNNESTED} {{}}", "WHERE n.e = 'x'"),
}
ONE_FILTER = {
    "spellings": [
        f"SELECT a, SUM(b) AS s FROM {WINDOWS} WHERE window_start > {LIMIT} GROUP BY a, window_start, window_end",
        f"{having(WINDOWS)} HAVING window_start > {LIMIT}",
        f"SELECT a, s FROM ({having(WINDOWS).replace('AS s', 'AS s, window_start AS ws')}) WHERE {LIMIT} < ws",
        f"WITH w AS (SELECT * FROM {WINDOWS} WHERE window_start > {LIMIT}) {having('w')}",
    ],
    "union": [
        f"SELECT a, ws FROM ({SUMS} UNION ALL {OTHER}) WHERE {CONDITION}",
        f"SELECT a, ws FROM ({SUMS}) WHERE {CONDITION} UNION ALL SELECT a, ws FROM ({OTHER}) WHERE {CONDITION}",
        f"SELECT a, ws FROM ({SUMS} HAVING window_start > {LIMIT} UNION ALL {OTHER} HAVING window_start > {LIMIT})",
    ],
    "join": [
        f"SELECT x.a, x.s FROM ({SUMS}) AS x JOIN u ON x.a = u.a WHERE x.{CONDITION}",
        f"SELECT x.a, x.s FROM ({SUMS}) AS x JOIN u ON x.a = u.a AND x.{CONDITION}",
        f"SELECT x.a, x.s FROM ({SUMS} HAVING window_start > {LIMIT}) AS x JOIN u ON x.a = u.a",
    ],
    "distinct": [
        f"SELECT * FROM (SELECT DISTINCT a, ws FROM ({SUMS})) WHERE {CONDITION}",
        f"SELECT DISTINCT a, ws FROM ({SUMS}) WHERE {CONDITION}",
        f"SELECT DISTINCT a, ws FROM ({SUMS} HAVING window_start > {LIMIT})",
    ],
    "rollup": [
        SETS.format("ROLLUP (a, c)") + f" HAVING window_start > {LIMIT}",
        SETS.format("ROLLUP (a, c)").replace(" GROUP BY", f" WHERE window_start > {LIMIT} GROUP BY"),
    ],
    "a common key of grouping sets": [
        SETS.format("GROUPING SETS ((a, c), (a))") + " HAVING a = 3",
        SETS.format("GROUPING SETS ((a, c), (a))").replace(" GROUP BY", " WHERE a = 3 GROUP BY"),
    ],
}


RANKED_FILTER = (
    f"SELECT * FROM ({RANKED} WHERE {CONDITION}) WHERE rn <= 3",
    f"SELECT * FROM ({RANKED.removesuffix(')')} HAVING window_start > {LIMIT})) WHERE rn <= 3",
)


def report(was: str, now: str, engine: str = "vvr") -> Report:
    found = check(*(JobVersion(f"{TABLES}{side};") for side in (now, was)), engine)
    assert (found.problems, found.baseline_problems) == ((), ())
    return found


def both_ways(contexts: dict[str, tuple[str, str]]) -> list[object]:
    return [
        pytest.param(*sides, condition, id=f"{name}, {way}")
        for name, (query, condition) in contexts.items()
        for way, sides in (
            ("added", (query.format(""), query.format(condition))),
            ("removed", (query.format(condition), query.format(""))),
        )
    ]


@pytest.mark.spec("WTVF-24", "WTN-13")
@pytest.mark.parametrize(("was", "now", "condition"), both_ways(PASSES))
def test_it_stands_in_front_of_the_aggregation(was: str, now: str, condition: str) -> None:
    found = report(was, now)
    assert found.verdict is Verdict.UNKNOWN
    shown = [
        finding.baseline.text if finding.removed and finding.baseline is not None else finding.current.text
        for finding in found.findings
        if finding.rule == "window-field-filtered"
    ]
    assert shown == [condition.split(" ", 1)[1]]
    assert report(was, now, "flink").verdict in (Verdict.INCOMPATIBLE, Verdict.UNKNOWN)


def test_so_does_one_that_a_template_fills_in() -> None:
    query = f"SELECT * FROM ({SUMS})"
    assert report(query, f"{query} WHERE ws > ${{since}}").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("was", "now", "condition"), both_ways(STAYS))
def test_it_stays_behind_the_state(was: str, now: str, condition: str, engine: str) -> None:
    found = report(was, now, engine)
    assert (found.verdict, found.findings) == (Verdict.COMPATIBLE, ()), condition


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("was", "now"), [pair for queries in ONE_FILTER.values() for pair in combinations(queries, 2)])
def test_one_filter_in_several_spellings_is_silent(was: str, now: str, engine: str) -> None:
    for one, other in ((was, now), (now, was)):
        found = report(one, other, engine)
        assert (found.findings, found.verdict) == ((), Verdict.COMPATIBLE)


@pytest.mark.parametrize(("engine", "expected"), [("vvr", Verdict.COMPATIBLE), ("flink", Verdict.INCOMPATIBLE)])
def test_below_a_ranking_its_place_decides_what_reaches_that(engine: str, expected: Verdict) -> None:
    """By WHERE the ranking stands on the select list, by HAVING on the aggregation."""
    assert report(*RANKED_FILTER, engine).verdict is expected


@pytest.mark.parametrize(
    ("sets", "condition"),
    [
        ("GROUPING SETS ((a, c), (a))", "a = 3"),
        ("GROUPING SETS ((a, c), (a))", "c = 'x'"),
        ("a, ROLLUP (c)", "a = 3"),
        ("CUBE (a, c)", "a = 3 AND c = 'x'"),
        ("ROLLUP (a, c)", "GROUPING(c) = 0"),
        ("a, c", "a = 3"),
        ("a, c", "RAND() > 0.5"),
    ],
)
@pytest.mark.parametrize("source", [f"{WINDOWS} GROUP BY window_start, window_end, ", "t GROUP BY "])
def test_a_filter_on_keys_stands_in_front_of_the_state(source: str, sets: str, condition: str) -> None:
    query = f"SELECT a, c, SUM(b) AS s FROM {source}{sets}"
    for was, now in ((query, f"{query} HAVING {condition}"), (f"{query} HAVING {condition}", query)):
        found = report(was, now)
        assert found.verdict is Verdict.INCOMPATIBLE
        assert {"filter-added", "filter-removed"} & {finding.rule for finding in found.findings}


def test_a_filter_on_a_key_of_some_sets_is_not_one_on_the_rows() -> None:
    """Above the sets it drops the totals, in WHERE it chooses what goes into them."""
    query = SETS.format("ROLLUP (a, c)")
    found = report(query.replace(" GROUP BY", " WHERE c = 'x' GROUP BY"), f"{query} HAVING c = 'x'")
    assert "filter-changed" in {finding.rule for finding in found.findings}
