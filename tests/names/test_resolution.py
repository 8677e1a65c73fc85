"""Each name of a script belongs to the declaration that Flink finds for it, at all its places."""

from __future__ import annotations

import pytest

from keepstate.names.recorder import NameRole
from name_marks import assert_one_name, cursor, names_in

TABLES = """\
CREATE TABLE users (id INT, age INT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'x');
CREATE TABLE orders (id INT, total INT, due TIMESTAMP(3), WATERMARK FOR due AS due) WITH ('connector' = 'x');
"""


@pytest.mark.parametrize(
    "marked",
    [
        # A column of a table: in its own declaration, and in all clauses.
        "CREATE TABLE t («a» INT, b AS «a» + 1, PRIMARY KEY («a») NOT ENFORCED) PARTITIONED BY («a»)",
        "CREATE TABLE t («a» TIMESTAMP(3), b INT, WATERMARK FOR «a» AS «a» - INTERVAL '1' SECOND)",
        "CREATE TABLE t («a» INT); SELECT «a», t.«a», `t`.`a` FROM t".replace("`a`", "«`a`»"),
        "CREATE TABLE t («a» INT, b INT); "
        "SELECT b FROM t WHERE «a» > 1 GROUP BY b, «a» HAVING MAX(«a») > 1 ORDER BY «a»",
        "CREATE TABLE t («a» INT, A INT); SELECT «a», A FROM t",
        "CREATE TABLE t («a» INT); SELECT x.«a» FROM default_catalog.default_database.t AS x",
        "CREATE TABLE d.t («a» INT); SELECT d.t.«a» FROM d.t",
        "CREATE TABLE t («a» INT, b INT); INSERT INTO t («a», b) SELECT 1, 2",
        "CREATE TABLE t («a» INT, b INT) PARTITIONED BY («a»); INSERT INTO t PARTITION («a» = 1) SELECT 2",
        "CREATE TABLE t («a» INT); CREATE TABLE u (b INT) LIKE t; SELECT «a», b FROM u",
        "CREATE TABLE t («a» INT, r ROW<a INT>); SELECT «a», r.a FROM t",
        "CREATE TABLE t («a» ROW<b INT>); SELECT t.«a».b, «a».b FROM t",
        "CREATE TABLE t («a» INT, b INT); "
        "SELECT CASE WHEN «a» > 1 THEN b END, CAST(«a» AS STRING), «a» IN (1, 2) FROM t",
        "CREATE TABLE t («a» INT, b INT); SELECT SUM(b) FILTER (WHERE «a» > 1), LISTAGG('', ',') FROM t",
        "CREATE TABLE t («a» INT, b INT); SELECT SUM(b) OVER (PARTITION BY «a» ORDER BY b) FROM t",
        "CREATE TABLE t («a» INT, b INT); SELECT b FROM t GROUP BY GROUPING SETS ((b, «a»), («a»))",
        "CREATE TABLE t («a» INT); EXPLAIN SELECT «a» FROM t",
        "CREATE TABLE t («a» INT); EXPLAIN INSERT INTO t («a») SELECT «a» FROM t",
        "CREATE TABLE t («week» INT); SELECT «week», MAX(DISTINCT «week») FROM t GROUP BY TIMESTAMPDIFF(WEEK, x, y)",
        # In options of connectors, and hints.
        "CREATE TABLE t («a» INT, a1 INT) WITH ('connector' = 'datagen', 'fields.«a».min' = '1', 'fields.a1.min' = '')",
        "CREATE TABLE t («a» INT, b INT) WITH ('connector' = 'kafka', 'key.fields' = 'b; «a»')",
        "CREATE TABLE t («a» INT); SELECT b FROM t /*+ OPTIONS('fields.«a».kind' = 'sequence') */ AS t (b)",
        "CREATE TABLE t (a INT); SELECT /*+ LOOKUP('table' = '«x»') */ 1 FROM t, t AS «x»",
        # Through views, common tables and subqueries, under the same name.
        "CREATE TABLE t («a» INT); "
        "CREATE VIEW v AS SELECT «a» FROM t; CREATE VIEW w AS SELECT * FROM v; SELECT «a» FROM w",
        "CREATE TABLE t («a» INT); WITH q AS (SELECT «a» FROM t) SELECT q.«a» FROM q",
        "CREATE TABLE t («a» INT); SELECT s.«a» FROM (SELECT «a» FROM t UNION ALL SELECT 1) AS s",
        # Subqueries see the query around them, and their own tables first.
        "CREATE TABLE t («a» INT); "
        "CREATE TABLE u (b INT); SELECT b FROM u WHERE b IN (SELECT «a» FROM t WHERE «a» = b)",
        "CREATE TABLE t («a» INT); "
        "CREATE TABLE u (b INT); SELECT 1 FROM t WHERE EXISTS (SELECT b FROM u WHERE b = «a»)",
        "CREATE TABLE t (a INT); CREATE TABLE u («a» INT); SELECT t.a FROM t WHERE t.a IN (SELECT «a» FROM u)",
        "CREATE TABLE t (a INT); CREATE TABLE u («a» INT); SELECT t.a, u.«a» FROM t JOIN u ON t.a = u.«a»",
        # Output columns.
        "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a AS «b» FROM t; SELECT «b» FROM v WHERE v.«b» > 1",
        "CREATE TABLE t (a INT); CREATE VIEW v («b») AS SELECT a FROM t; SELECT «b» FROM v",
        "CREATE TABLE t (a INT); WITH q («b») AS (SELECT a FROM t) SELECT «b» FROM q",
        "CREATE TABLE t (a INT); SELECT x.«b» FROM t AS x («b»)",
        "CREATE TABLE t (a INT); SELECT a + 1 AS «b» FROM t ORDER BY «b»",
        "CREATE TABLE t (a INT); SELECT «b» FROM (SELECT a AS «b» FROM t)",
        "CREATE TABLE t (a ARRAY<INT>); SELECT e.«x» FROM t CROSS JOIN UNNEST(a) AS e («x»)",
        "CREATE TABLE c AS SELECT 1 AS «x»; SELECT «x» FROM c",
        "SELECT «x» FROM (VALUES (1)) AS t («x»)",
        # Tables and views.
        "CREATE TABLE «t» (a INT); INSERT INTO «t» SELECT «t».a FROM «t»",
        "CREATE TABLE «t» (a INT); SELECT x.a FROM «t» AS x; DROP TABLE «t»",
        "CREATE TABLE «t» (a INT); DESCRIBE «t»; CREATE TABLE u LIKE «t»",
        "CREATE TABLE «t» (a INT); SELECT * FROM default_database.«t», (SELECT 1 AS t) AS y",
        "CREATE TEMPORARY VIEW «v» AS SELECT 1 AS a; SELECT «v».* FROM «v»",
        # Aliases, common tables, windows, functions.
        "CREATE TABLE t (a INT); SELECT «x».a FROM t AS «x» WHERE «x».a > 1 GROUP BY «x».a",
        "CREATE TABLE t (a INT); SELECT /*+ STATE_TTL('«x»' = '1d'), BROADCAST(«x») */ a FROM t AS «x»",
        "CREATE TABLE t (a INT); SELECT 1 FROM t AS «x» WHERE EXISTS (SELECT 1 FROM t AS y WHERE y.a = «x».a)",
        "CREATE TABLE t (a INT); SELECT (SELECT x.a FROM t AS x) FROM t AS «x» WHERE «x».a > 1",
        "CREATE TABLE q (a INT); WITH «q» AS (SELECT 1 AS b) SELECT «q».b FROM «q»",
        "WITH «p» AS (SELECT 1 AS b), q AS (SELECT b FROM «p») SELECT b FROM q, «p» AS z",
        "CREATE TABLE t (a INT); SELECT SUM(a) OVER «w» FROM t WINDOW «w» AS (ORDER BY a)",
        "CREATE FUNCTION «my» AS 'x.Y'; CREATE TABLE t (a INT); SELECT «My»(a), «`my`»(1) FROM t WHERE «my»(a) > 1",
        "CREATE FUNCTION «f» AS 'x.Y'; CREATE TABLE t (a INT); SELECT * FROM t, LATERAL TABLE(«f»(a)) AS x (b)",
    ],
)
def test_a_name_and_its_places(marked: str) -> None:
    assert_one_name(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "SELECT «age» FROM TABLE(TUMBLE(TABLE users, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
        "SELECT w.age FROM TABLE(TUMBLE(DATA => TABLE users, TIMECOL => DESCRIPTOR(«ts»), SIZE => INTERVAL '1' DAY)) w",
        "SELECT 1 FROM TABLE(SESSION(TABLE users PARTITION BY «age», DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
        "SELECT 1 FROM orders AS o JOIN users FOR SYSTEM_TIME AS OF o.due AS u ON u.«id» = o.total",
        "SELECT x FROM users MATCH_RECOGNIZE (PARTITION BY name ORDER BY ts MEASURES A.«age» AS x PATTERN (A B) "
        "DEFINE A AS «age» > 1, B AS B.«age» > LAST(A.«age»)) AS m",
        "SELECT 1 FROM users GROUP BY TUMBLE(«ts», INTERVAL '1' MINUTE)",
        "SELECT 1 FROM users LEFT JOIN LATERAL (SELECT total FROM orders WHERE orders.id = users.«id») AS l ON TRUE",
        "SELECT «age» FROM users NATURAL JOIN (SELECT total AS other FROM orders)",
        "SELECT total FROM (users JOIN orders ON users.«age» = orders.total)",
    ],
)
def test_columns_in_relations_of_all_kinds(marked: str) -> None:
    column = marked.partition("«")[2].partition("»")[0]
    assert_one_name(_declared(column) + marked)


def _declared(column: str) -> str:
    """The tables, with the column of users marked."""
    first, rest = TABLES.split("\n", 1)
    return first.replace(f"{column} ", f"«{column}» ", 1).replace("FOR ts AS ts", _watermark(column)) + "\n" + rest


def _watermark(column: str) -> str:
    return "FOR «ts» AS «ts»" if column == "ts" else "FOR ts AS ts"


def test_a_pattern_variable_and_its_places() -> None:
    pattern = (
        "SELECT x FROM users MATCH_RECOGNIZE (ORDER BY ts MEASURES «A».age AS x AFTER MATCH SKIP TO FIRST «A» "
        "PATTERN («A»+ B) DEFINE «A» AS «A».age > 1) AS m"
    )
    text = TABLES + pattern
    names = names_in(text.replace("«", "").replace("»", ""))
    start = text.replace("«", "").replace("»", "").index("A+ B")
    assert len(names.references(start)) == pattern.count("«")


@pytest.mark.parametrize(
    "broken",
    [
        "SELECT age FROM users WHERE nope > 1 AND ‸age = 2",
        "SELECT nope, age + name, -name, ‸age FROM users",
        "SELECT name FROM users GROUP BY nope ORDER BY ‸age",
        "SELECT age FROM users JOIN orders ON nope = 1 AND ‸age = 1",
        "SELECT 1 FROM users WHERE name > 1 AND EXISTS (SELECT nope FROM orders WHERE id = users.‸age)",
        "INSERT INTO nowhere SELECT nope(‸age), COUNT(age, ) FROM users".replace(", )", ")"),
        "INSERT INTO orders (nope) SELECT ‸age FROM users",
        "CREATE VIEW v AS SELECT nope AS x, age FROM users; SELECT ‸age, x FROM v",
        "CREATE VIEW v AS SELECT name + 1 AS x, age FROM users; SELECT ‸age, x FROM v",
        "SELECT FROM WHERE (; SELECT ‸age FROM users",
        "SELECT SUM(age), ‸age FROM users GROUP BY name",
        "SELECT ${x}, ‸age FROM users",
    ],
)
def test_a_refusal_elsewhere_costs_nothing(broken: str) -> None:
    text, offset = cursor(TABLES + broken)
    assert [place.name.words for place in names_in(text).definitions(offset)] == ["users.age"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ‸nope FROM users",
        "SELECT ‸AGE FROM users",
        "SELECT users.‸nope FROM users",
        "SELECT ‸x.age FROM users",
        "SELECT ‸id FROM users, orders",
        "SELECT ‸age FROM orders",
        "SELECT age FROM ‸Users",
        "SELECT total FROM orders WHERE EXISTS (SELECT 1 FROM users AS u) AND ‸u.id = 1",
        "SELECT '‸age' FROM users",
        "SELECT age /* ‸age */ FROM users",
        "DROP TABLE users; SELECT age FROM ‸users",
        "SELECT ‸COUNT(*) FROM users",
        "ALTER TABLE users RENAME TO people; SELECT age FROM ‸users",
        "CREATE FUNCTION f AS 'x.Y'; DROP FUNCTION f; SELECT ‸f(age) FROM users",
    ],
)
def test_what_the_script_does_not_tell_has_no_answer(text: str) -> None:
    text, offset = cursor(TABLES + text)
    assert not names_in(text).at(offset)


def test_a_column_of_using_names_both_sides() -> None:
    text, offset = cursor(TABLES + "SELECT age FROM users JOIN orders USING (‸id)")
    assert [place.name.words for place in names_in(text).definitions(offset)] == ["users.id", "orders.id"]


def test_a_declaration_leads_to_the_column_that_it_renames() -> None:
    text, offset = cursor(TABLES + "CREATE VIEW v AS SELECT age AS ‸years FROM users")
    assert [place.name.words for place in names_in(text).definitions(offset)] == ["users.age"]


def test_tables_that_are_written_are_told_from_those_that_are_read() -> None:
    text, offset = cursor(TABLES + "INSERT INTO users (age) SELECT ‸age FROM users")
    roles = [place.role for place in names_in(text).references(offset)]
    assert roles == [NameRole.DECLARATION, NameRole.WRITE, NameRole.READ]


def test_a_dropped_table_and_its_successor_are_two() -> None:
    text, offset = cursor(
        "CREATE TABLE t (a INT); SELECT a FROM t; DROP TABLE t; CREATE TABLE t (a INT); SELECT ‸a FROM t"
    )
    (place,) = names_in(text).definitions(offset)
    assert place.span.start == text.rindex("a INT")
