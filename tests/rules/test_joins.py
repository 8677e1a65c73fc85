"""Joins in other spellings than those of the rule pages (spec sections 10 and 11)."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict
from pairs import assert_silent, clauses, compare

INCOMPATIBLE, PARTIAL, UNKNOWN = Verdict.INCOMPATIBLE, Verdict.PARTIAL, Verdict.UNKNOWN
_COLUMNS = "id BIGINT, k STRING, x INT, y INT, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts"
TABLES = "".join(
    f"CREATE TABLE {name} ({_COLUMNS}) WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json');\n"
    for name in ("a", "b", "c")
) + (
    "CREATE TABLE d (id BIGINT, k STRING, x INT, y INT) WITH ('connector' = 'jdbc');\n"
    "CREATE TABLE r (k STRING, rate INT, bank STRING, vt TIMESTAMP(3), WATERMARK FOR vt AS vt, "
    "PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'kafka', 'format' = 'debezium-json');\n"
)
IGNORE_FILTER = {"table.optimizer.state-compatibility.ignore-filter": "true"}

JOIN = "SELECT a.x, b.y FROM a JOIN b ON a.id = b.id"
LEFT = "SELECT a.x, b.y FROM a LEFT JOIN b ON a.id = b.id"
THREE = "SELECT a.x, b.y, c.s FROM a, b, c WHERE a.id = b.id AND b.k = c.k AND a.x > c.x"
NESTED = "SELECT a.x, b.y, c.s FROM a JOIN (b JOIN c ON b.k = c.k) ON a.id = b.id"
SELF = "SELECT l.x, r.y FROM a AS l JOIN a AS r ON l.id = r.id AND r.x > 1"
COMMON = "WITH s AS (SELECT id, k, x FROM a WHERE x > 3) SELECT l.x, r.k FROM s AS l JOIN s AS r ON l.id = r.id"
IN = "SELECT x FROM a WHERE id IN (SELECT id FROM b WHERE x > 4 AND b.y > a.y)"
GROUPS = "SELECT a.x, g.n FROM a JOIN (SELECT id, COUNT(*) AS n FROM b GROUP BY id) AS g ON a.id = g.id"
INTERVAL = "SELECT a.x, b.y FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '4' HOUR"
TEMPORAL = "SELECT a.x, r.rate FROM a JOIN r FOR SYSTEM_TIME AS OF a.ts ON a.k = r.k"
LOOKUP = (
    "SELECT a.x, COUNT(*) AS n, SUM(d.y) AS s FROM a JOIN d FOR SYSTEM_TIME AS OF a.pt ON a.id = d.id{} GROUP BY a.x"
)
HOURS = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
WINDOWS = (
    f"SELECT l.x, r.y FROM {HOURS.format('a')} AS l JOIN {HOURS.format('b')} AS r "
    "ON l.id = r.id AND l.window_start = r.window_start AND l.window_end = r.window_end"
)
UNDECLARED = (
    "INSERT INTO o SELECT q.id, p.who FROM q JOIN p "
    "ON q.id = p.id AND p.sent BETWEEN q.made AND q.made + INTERVAL '4' HOUR"
)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (JOIN, "select `a`.x, /* the other */ b.y from a inner join b using (id)"),
        (JOIN, "WITH l AS (SELECT * FROM a) SELECT l.x, m.y FROM l, (SELECT id, x, y FROM b) AS m WHERE m.id = l.id"),
        (JOIN, "CREATE TEMPORARY VIEW v AS SELECT a.id, a.x, b.y FROM a JOIN b ON b.id = a.id; SELECT x, y FROM v"),
        (LEFT + " WHERE b.x > 3", JOIN + " AND 3 < b.x"),
        ("SELECT a.x, b.y FROM a FULL JOIN b ON a.id = b.id WHERE a.x IS NOT NULL", LEFT + " WHERE a.x IS NOT NULL"),
        (THREE, "SELECT a.x, b.y, c.s FROM a JOIN b USING (id) CROSS JOIN c WHERE b.k = c.k AND c.x < a.x"),
        (THREE, "SELECT a.x, b.y, c.s FROM (a JOIN b ON a.id = b.id) JOIN c ON b.k = c.k WHERE NOT c.x >= a.x"),
        (
            NESTED,
            "SELECT a.x, m.y, m.cs FROM a JOIN (SELECT b.*, c.s AS cs FROM b JOIN c ON c.k = b.k) AS m ON a.id = m.id",
        ),
        (
            "SELECT * FROM a JOIN b USING (id, k)",
            "SELECT a.*, b.x, b.y, b.s, b.ts, b.pt FROM a JOIN b ON a.id = b.id AND a.k = b.k",
        ),
        (SELF, "SELECT p.x, q.y FROM a p JOIN (SELECT * FROM a WHERE x > 1) q ON q.id = p.id"),
        (COMMON, "SELECT l.x, r.k FROM a AS l JOIN a AS r ON l.id = r.id WHERE r.x > 3 AND l.x > 3"),
        (IN, "SELECT x FROM a AS o WHERE EXISTS (SELECT 1 FROM b WHERE b.id = o.id AND o.y < b.y AND b.x > 4)"),
        (
            "SELECT x FROM a WHERE id IN (SELECT id FROM a WHERE x > 4)",
            "SELECT x FROM a WHERE EXISTS (SELECT * FROM a AS i WHERE i.x > 4 AND i.id = a.id)",
        ),
        (GROUPS, GROUPS.replace("COUNT(*) AS n", "COUNT(*) AS n, MAX(x) AS unread")),
        (
            INTERVAL,
            INTERVAL.replace(
                "b.ts BETWEEN a.ts AND a.ts + INTERVAL '4' HOUR",
                "a.ts >= b.ts - INTERVAL '240' MINUTE(3) AND NOT b.ts < a.ts",
            ),
        ),
        (TEMPORAL, TEMPORAL + " WHERE r.rate > 3"),
        (LOOKUP.format(""), LOOKUP.format(" AND d.x > 4").replace("JOIN", "LEFT JOIN")),
        (LOOKUP.format(" AND d.x > 4"), LOOKUP.format(" WHERE d.x > 4")),
        (WINDOWS, WINDOWS.replace("r.y", "r.y, r.window_end").replace("'1' HOUR", "'60' MINUTE")),
        (UNDECLARED, UNDECLARED.replace("'4' HOUR", "'240' MINUTE(3)")),
    ],
)
def test_another_spelling_is_silent(was: str, now: str) -> None:
    assert_silent(was, now, TABLES)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (JOIN, JOIN + " WHERE a.x > 3 AND b.s <> ''"),
        (LEFT, LEFT + " AND b.x > 3"),
        (INTERVAL, INTERVAL + " AND a.s = 'web'"),
        (IN, IN.replace("x > 4", "x > 5")),
        (WINDOWS, WINDOWS + " WHERE l.x > 3"),
        (TEMPORAL, TEMPORAL.replace("FROM a", "FROM (SELECT * FROM a WHERE s = 'web') AS a")),
    ],
)
def test_filters_in_front_of_a_join_can_be_ignored(was: str, now: str) -> None:
    assert compare(was, now, TABLES).verdict is INCOMPATIBLE
    assert_silent(was, now, TABLES, IGNORE_FILTER)


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        # Inputs that change places, come or go are one change.
        (JOIN, "SELECT a.x, b.y FROM b JOIN a ON a.id = b.id", ["b JOIN a"]),
        (LEFT, "SELECT a.x, b.y FROM b RIGHT JOIN a ON a.id = b.id", ["b RIGHT JOIN a"]),
        (JOIN, "SELECT a.x, b.y, c.s FROM a JOIN c ON a.k = c.k JOIN b ON a.id = b.id", ["JOIN c ON a.k = c.k"]),
        (JOIN, JOIN + " WHERE a.k IN (SELECT k FROM c)", ["a.k IN (SELECT k FROM c)"]),
        ("SELECT x FROM a", "SELECT a.x FROM a LEFT JOIN b ON a.id = b.id", ["LEFT JOIN b ON a.id = b.id"]),
        (
            "SELECT a.x FROM a JOIN b ON a.id = b.id JOIN c ON a.k = c.k",
            "SELECT a.x FROM a JOIN c ON a.k = c.k JOIN b ON a.id = b.id",
            ["c", "b"],
        ),
        # One edit in several joins is one finding.
        (THREE, THREE.replace("b.k = c.k", "b.s = c.s"), ["b.s = c.s"]),
        (NESTED, NESTED.replace("b.k = c.k", "b.k = c.s"), ["b.k = c.s"]),
        (COMMON, COMMON.replace("x > 3", "x > 4"), ["x > 4"]),
        # What an operator behind or below the join reads or gives.
        (
            "SELECT a.x, COUNT(*) FROM a JOIN b ON a.id = b.id GROUP BY a.x",
            "SELECT a.x, COUNT(*), MAX(b.s) FROM a JOIN b ON a.id = b.id GROUP BY a.x",
            ["MAX(b.s)"],
        ),
        (
            "SELECT a.x, COUNT(*) FROM a JOIN b ON a.id = b.id GROUP BY a.x",
            "SELECT a.x, b.s, COUNT(*) FROM a JOIN b ON a.id = b.id GROUP BY a.x, b.s",
            ["b.s"],
        ),
        (GROUPS, GROUPS.replace("COUNT(*) AS n", "COUNT(*) AS n, MAX(x) AS m").replace("g.n", "g.n, g.m"), ["MAX(x)"]),
        (LEFT, LEFT + " WHERE b.s IS NULL", ["b.s IS NULL"]),
        # The condition, wherever it is written.
        (LEFT, LEFT + " AND a.x > 3", ["a.x > 3"]),
        (THREE, THREE.replace(" AND a.x > c.x", ""), ["- a.x > c.x"]),
        (IN, IN.replace(" AND b.y > a.y", ""), ["- b.y > a.y"]),
        (SELF, SELF.replace("l.id = r.id", "l.id = r.x"), ["l.id = r.x"]),
        (SELF, SELF.replace("r.x > 1", "l.x > 1"), ["- r.x > 1", "l.x > 1"]),
        (INTERVAL, INTERVAL.replace("a.ts AND", "a.ts - INTERVAL '1' MINUTE AND"), ["INTERVAL '1' MINUTE"]),
        (INTERVAL, INTERVAL.replace(" BETWEEN a.ts AND", " <="), ["- b.ts BETWEEN a.ts AND a.ts + INTERVAL '4' HOUR"]),
        (TEMPORAL, TEMPORAL + " AND a.x > 3", ["a.x > 3"]),
        (TEMPORAL, TEMPORAL.replace("a.ts", "a.pt"), ["a.pt"]),
        (TEMPORAL, TEMPORAL + " WHERE r.bank = 'x'", ["r.bank = 'x'"]),
        (WINDOWS, WINDOWS.replace("'1' HOUR", "'2' HOUR", 1), ["INTERVAL '2' HOUR"]),
        (WINDOWS, WINDOWS.replace(" AND l.window_end = r.window_end", ""), ["- l.window_end = r.window_end"]),
        # Tables that the script does not declare.
        (UNDECLARED, UNDECLARED.replace("'4' HOUR", "'5' HOUR"), ["INTERVAL '5' HOUR"]),
        (UNDECLARED, UNDECLARED.replace("p.who", "p.who, q.town"), ["q.town"]),
        (UNDECLARED, UNDECLARED.replace("q.id = p.id", "q.id = p.ref"), ["q.id = p.ref"]),
        (UNDECLARED, UNDECLARED + " AND q.town = 'Oslo'", ["q.town = 'Oslo'"]),
    ],
)
def test_what_costs_the_state(was: str, now: str, found: list[str]) -> None:
    report = compare(was, now, TABLES)
    assert report.verdict is INCOMPATIBLE
    assert clauses(report) == found


def test_a_condition_of_a_temporal_join_is_no_filter() -> None:
    report = compare(TEMPORAL, TEMPORAL + " AND a.x > 3", TABLES, IGNORE_FILTER)
    assert (report.verdict, clauses(report)) == (INCOMPATIBLE, ["a.x > 3"])


@pytest.mark.parametrize(
    ("now", "verdict", "found"),
    [
        (LOOKUP.format("").replace("COUNT(*) AS n", "COUNT(*) AS n, MAX(d.k) AS k"), PARTIAL, ["MAX(d.k)"]),
        (LOOKUP.format(" WHERE d.x > 4"), INCOMPATIBLE, ["d.x > 4"]),
        (LOOKUP.format(" WHERE a.y > 4"), INCOMPATIBLE, ["a.y > 4"]),
    ],
)
def test_behind_a_lookup_join_the_rules_of_the_state_hold(now: str, verdict: Verdict, found: list[str]) -> None:
    report = compare(LOOKUP.format(""), now, TABLES)
    assert (report.verdict, clauses(report)) == (verdict, found)


def test_nothing_is_kept_of_a_table_that_is_looked_up() -> None:
    for tables in (TABLES.replace("'jdbc'", "'redis'"), TABLES.replace("CREATE TABLE d (", "CREATE TABLE d (z INT, ")):
        assert_silent(TABLES + LOOKUP.format(""), tables + LOOKUP.format(""), "")


def test_a_join_that_went_leaves_its_state_behind() -> None:
    report = compare("SELECT a.x FROM a JOIN b ON a.id = b.id", "SELECT x FROM a", TABLES)
    assert (report.verdict, clauses(report)) == (UNKNOWN, ["- JOIN b ON a.id = b.id"])


def test_a_column_of_another_type_makes_other_rows() -> None:
    other = TABLES.replace(
        "TABLE b (id BIGINT, k STRING, x INT, y INT", "TABLE b (id BIGINT, k STRING, x INT, y BIGINT"
    )
    report = compare(TABLES + JOIN, other + JOIN, "")
    assert (report.verdict, clauses(report)) == (INCOMPATIBLE, ["y BIGINT"])
    unread = TABLES.replace("TABLE b (id BIGINT, k STRING, x INT", "TABLE b (id BIGINT, k STRING, more INT, x BIGINT")
    assert_silent(TABLES + JOIN, unread + JOIN, "")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("id BIGINT, k STRING, more INT, x INT, y INT, s STRING", []),
        ("id BIGINT, x INT, k INT, y INT, s STRING", []),
        ("id BIGINT, k STRING, x INT, y BIGINT, s STRING", ["y BIGINT"]),
    ],
)
def test_a_ranking_of_joined_rows_does_not_mind_columns_that_nothing_reads(columns: str, found: list[str]) -> None:
    ranking = (
        "SELECT x, y FROM (SELECT a.x, b.y, ROW_NUMBER() OVER (PARTITION BY a.x ORDER BY b.y) AS n "
        "FROM a JOIN b ON a.id = b.id) WHERE n <= 3"
    )
    other = TABLES.replace("TABLE b (id BIGINT, k STRING, x INT, y INT, s STRING", f"TABLE b ({columns}")
    report = compare(TABLES + ranking, other + ranking, "")
    assert clauses(report) == found
    assert report.verdict is (INCOMPATIBLE if found else Verdict.COMPATIBLE)


@pytest.mark.parametrize("name", ["SUBQUERY", "`INPUT`", "`UNION`", "`OUTER`", "`FILLED IN`", "F"])
def test_a_function_may_have_any_name(name: str) -> None:
    """The plan has nodes of its own for columns of unions and inputs, and none of them is a function by its name."""
    tables = (
        "CREATE TABLE o (k STRING, a BIGINT, b BIGINT) WITH ('connector' = 'kafka');"
        "CREATE TABLE s (k STRING, c BIGINT) WITH ('connector' = 'kafka');"
    )
    before, after = (
        JobVersion(f"{tables}SELECT o.k, c FROM o JOIN s ON {name}(o.{column}, o.b) = s.c;") for column in "ab"
    )
    assert [finding.rule for finding in check(after, before, "flink").findings] == ["join-condition-changed"]
