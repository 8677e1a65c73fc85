"""The shape of the tree for every construct, and that nothing of it is called broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import StatementKind, parse_script
from keepstate.syntax.statement import parse_statement
from trees import assert_expressions_parse_again, assert_spans_nest, parse, text_of, tree_of

Node = TypeVar("Node", bound=exp.Expression)

CREATE_TABLES = """
CREATE TABLE t (a INT)
CREATE TABLE IF NOT EXISTS c.d.t (a INT NOT NULL, b STRING NULL)
CREATE TEMPORARY TABLE t (a INT, PRIMARY KEY (a) NOT ENFORCED)
CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED COMMENT 'x', b AS a + 1 COMMENT 'y', p AS PROCTIME())
CREATE TABLE t (a INT, CONSTRAINT pk PRIMARY KEY (a, b) NOT ENFORCED, UNIQUE (c))
CREATE TABLE t (a INT METADATA, b INT METADATA FROM 'k', c INT METADATA FROM 'k' VIRTUAL, d INT METADATA VIRTUAL)
CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '0.1' SECOND, WATERMARK FOR r.ts AS r.ts)
CREATE TABLE t (a INT) COMMENT 'c' PARTITIONED BY (a, b) WITH ('k' = 'v', 'l' = 'w' 'x')
CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) INTO 4 BUCKETS PARTITIONED BY (a) WITH ('k' = 'v')
CREATE TABLE t (a INT) DISTRIBUTED INTO 4 BUCKETS
CREATE TABLE t WITH ('k' = 'v') LIKE s (INCLUDING ALL EXCLUDING PARTITIONS OVERWRITING OPTIONS)
CREATE TABLE t LIKE c.d.s
CREATE TABLE t (a INT) WITH () LIKE s
CREATE TABLE t WITH ('k' = 'v') AS SELECT 1 AS a
CREATE TABLE t (a, b) AS WITH x AS (SELECT 1, 2) SELECT * FROM x
CREATE OR REPLACE TABLE t (PRIMARY KEY (a) NOT ENFORCED) AS SELECT 1 AS a
CREATE MATERIALIZED TABLE m FRESHNESS = INTERVAL '3' MINUTE REFRESH_MODE = FULL AS SELECT 1
CREATE OR ALTER MATERIALIZED TABLE m (PRIMARY KEY (a) NOT ENFORCED) AS SELECT a FROM t
CREATE TABLE t (period INT, watermark INT, `dateTime` TIMESTAMP(3), dateTime TIMESTAMP, comment STRING, value INT)
"""

OTHER_DEFINITIONS = """
CREATE VIEW v AS SELECT 1
CREATE TEMPORARY VIEW IF NOT EXISTS c.d.v (a, b COMMENT 'x') COMMENT 'y' AS VALUES (1, 2)
CREATE OR REPLACE VIEW v AS (SELECT 1) UNION ALL (SELECT 2)
CREATE FUNCTION f AS 'a.b.C'
CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'm.f' LANGUAGE PYTHON
CREATE TEMPORARY FUNCTION c.d.f AS 'a.B' LANGUAGE JAVA USING JAR 'x.jar', ARTIFACT 'y.jar'
CREATE CATALOG c WITH ('type' = 'jdbc')
CREATE CATALOG IF NOT EXISTS c COMMENT 'x' WITH ('type' = 'jdbc')
CREATE DATABASE IF NOT EXISTS c.d COMMENT 'x' WITH ('k' = 'v')
CREATE MODEL m INPUT (a INT, b STRING) OUTPUT (c DOUBLE) WITH ('provider' = 'x')
CREATE TEMPORARY CONNECTION c COMMENT 'x' WITH ('k' = 'v')
DROP TABLE IF EXISTS t
DROP TEMPORARY SYSTEM FUNCTION IF EXISTS f
DROP DATABASE d CASCADE
DROP MATERIALIZED TABLE m
ALTER TABLE t RENAME TO s
ALTER TABLE t RENAME a.b TO c
ALTER TABLE t SET ('k' = 'v')
ALTER TABLE t RESET ('k')
ALTER TABLE t ADD a INT NOT NULL COMMENT 'x' FIRST
ALTER TABLE t ADD (a INT AFTER b, c AS d + 1, WATERMARK FOR x AS x, PRIMARY KEY (a) NOT ENFORCED)
ALTER TABLE t ADD r.f INT AFTER r.e
ALTER TABLE t MODIFY WATERMARK FOR x AS x - INTERVAL '1' SECOND
ALTER TABLE t DROP (a, b)
ALTER TABLE t ADD IF NOT EXISTS PARTITION (a = 1) WITH ('k' = 'v')
ALTER TABLE t ADD DISTRIBUTION BY HASH(a) INTO 3 BUCKETS
ALTER VIEW v AS SELECT 1
ALTER DATABASE d SET ('k' = 'v')
ALTER FUNCTION f AS 'x' LANGUAGE JAVA
ALTER CATALOG c COMMENT 'x'
ALTER MATERIALIZED TABLE m SUSPEND
"""

SESSION = """
SET 'table.exec.state.ttl' = '1 d'
SET table.exec.state.ttl = 1 d
SET execution.runtime-mode=streaming
SET
RESET 'k'
RESET
USE CATALOG c
USE c.d
USE MODULES a, b
SHOW TABLES FROM d LIKE 'x%'
SHOW CREATE TABLE t
DESCRIBE EXTENDED t
DESC t
LOAD MODULE m WITH ('k' = 'v')
UNLOAD MODULE m
ADD JAR 'x.jar'
CALL c.p(1, a => 'x')
STOP JOB 'x' WITH SAVEPOINT
TRUNCATE TABLE t
DELETE FROM t WHERE a = 1
UPDATE t SET a = 1 WHERE b = 2
ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS
EXPLAIN SELECT 1
EXPLAIN ESTIMATED_COST, CHANGELOG_MODE INSERT INTO t SELECT 1
EXECUTE PLAN 'p'
BEGIN STATEMENT SET
END
"""

QUERIES = """
TABLE orders
VALUES (1, 'a'), (2, 'b')
VALUES 1, ROW(2)
(SELECT 1)
((SELECT 1) UNION (SELECT 2)) EXCEPT ALL SELECT 3 ORDER BY 1 DESC NULLS LAST LIMIT 3 OFFSET 2
SELECT 1 UNION SELECT 2 INTERSECT SELECT 3
WITH a AS (SELECT 1), b (x) AS (VALUES 2) SELECT * FROM a, b
SELECT ALL a FROM t
SELECT DISTINCT a, t.*, * FROM t
SELECT a FROM t FETCH FIRST 3 ROWS ONLY
SELECT a FROM t OFFSET 5 ROWS FETCH NEXT 1 ROW ONLY
SELECT a FROM t LIMIT ALL
SELECT a FROM t WHERE (a, b) IN ((1, 2)) GROUP BY a, (b, c), () HAVING COUNT(*) > 1
SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, (), CUBE (a, b), ROLLUP (c))
SELECT a FROM t GROUP BY CUBE (a, (b, c)), ROLLUP (d)
SELECT a, GROUPING(a), GROUPING_ID(a, b) FROM t GROUP BY ROLLUP (a, b)
SELECT SUM(a) OVER w, MAX(a) OVER (w ORDER BY b) FROM t WINDOW w AS (PARTITION BY a), v AS (ORDER BY c)
SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1
SELECT * FROM a JOIN b USING (x, y) NATURAL LEFT JOIN c CROSS JOIN d FULL OUTER JOIN e ON TRUE
SELECT * FROM (a JOIN b ON a.x = b.x) JOIN c ON TRUE
SELECT * FROM (SELECT 1) AS x (a), (VALUES (1)) AS y (b), ((SELECT 1) UNION ALL (SELECT 2)) AS z
SELECT * FROM a, LATERAL TABLE(f(a.x)) AS t (b, c)
SELECT * FROM a LEFT JOIN LATERAL TABLE(f(a.x)) t ON TRUE
SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x) AS t
SELECT * FROM a CROSS JOIN UNNEST(a.xs) WITH ORDINALITY AS t (x, i)
SELECT * FROM a JOIN b FOR SYSTEM_TIME AS OF a.p AS c ON a.x = c.x
SELECT * FROM a JOIN b /*+ OPTIONS('k' = 'v') */ FOR SYSTEM_TIME AS OF a.p ON a.x = b.x
SELECT /*+ BROADCAST(a), STATE_TTL('a' = '1d'), LOOKUP('table' = 'b') */ * FROM a
SELECT * FROM a TABLESAMPLE BERNOULLI(10) REPEATABLE(3)
SELECT * FROM a PIVOT (SUM(x) FOR y IN ('p' AS q)) AS z
SELECT * FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(a), MAP['k', 'v'])
INSERT INTO t SELECT 1
INSERT INTO c.d.t (a, r.b) VALUES (1, 2)
INSERT INTO t (SELECT 1)
INSERT INTO t /*+ OPTIONS('k' = 'v') */ (a) TABLE s
INSERT OVERWRITE t PARTITION (a = 'x', b = 2) SELECT 1
INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x
INSERT INTO t SELECT 1 ON CONFLICT DO DEDUPLICATE
EXECUTE INSERT INTO t SELECT 1
COMPILE PLAN 'p' IF NOT EXISTS FOR INSERT INTO t SELECT 1
"""

WINDOWS = """
TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
TABLE(TUMBLE(TABLE c.d.t, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' MINUTE))
TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' HOUR, `OFFSET` => INTERVAL '5' MINUTE))
TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES)
TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), STEP => INTERVAL '1' HOUR, SIZE => INTERVAL '1' DAY))
TABLE(SESSION(TABLE t PARTITION BY a, DESCRIPTOR(ts), INTERVAL '5' MINUTE))
TABLE(SESSION(TABLE t PARTITION BY (a, b) ORDER BY c, DESCRIPTOR(ts), INTERVAL '5' MINUTE))
TABLE(SESSION(DATA => TABLE t PARTITION BY (a), TIMECOL => DESCRIPTOR(ts), GAP => INTERVAL '5' MINUTE))
TABLE(TUMBLE((SELECT * FROM t), DESCRIPTOR(ts), INTERVAL '1' DAY))
table(tumble(table t, descriptor(`ts`), interval '1' day))
"""

EXPRESSIONS = """
SUM(DISTINCT a) FILTER (WHERE b > 1)
COUNT(DISTINCT a, b)
COUNT(ALL a)
LISTAGG(a, ',') WITHIN GROUP (ORDER BY b)
FIRST_VALUE(a) IGNORE NULLS OVER (ORDER BY ts)
LAG(a, 1) OVER (PARTITION BY b ORDER BY ts RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW)
SUM(a) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING)
TUMBLE_START(ts, INTERVAL '1' DAY)
HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR)
SESSION_ROWTIME(ts, INTERVAL '1' HOUR)
CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END
CASE a WHEN 1, 2 THEN b END
CAST(a AS ROW<x INT NOT NULL, y ARRAY<MAP<STRING, DECIMAL(10, 2)>>>)
TRY_CAST(a AS TIMESTAMP(3) WITH LOCAL TIME ZONE)
CAST(a AS INT ARRAY NOT NULL ARRAY)
CAST(a AS INTERVAL DAY(3) TO SECOND(3))
CAST(a AS RAW('c', 's'))
CAST(a AS c.d.my_type)
EXTRACT(EPOCH FROM ts)
FLOOR(ts TO HOUR)
TIMESTAMPADD(DAY, 1, ts)
TIMESTAMPDIFF(MINUTE, a, b)
TRIM(BOTH ' ' FROM a)
TRIM(LEADING FROM a)
SUBSTRING(a FROM 1 FOR 2)
OVERLAY(a PLACING b FROM 1 FOR 2)
POSITION('x' IN a)
JSON_VALUE(a, '$.b' RETURNING INT DEFAULT 0 ON EMPTY ERROR ON ERROR)
JSON_QUERY(a, '$.b' RETURNING ARRAY<STRING> WITH CONDITIONAL ARRAY WRAPPER EMPTY ARRAY ON EMPTY)
JSON_EXISTS(a, '$.b' TRUE ON ERROR)
JSON_OBJECT('a' VALUE b, KEY 'c' VALUE JSON_ARRAY(1, 2 NULL ON NULL) ABSENT ON NULL)
JSON_OBJECTAGG(KEY a VALUE b)
a IS JSON OBJECT
DATE '2024-01-01'
TIMESTAMP '2024-01-01 00:00:00'
TIMESTAMP WITH LOCAL TIME ZONE '2024-01-01 00:00:00'
INTERVAL '1-2' YEAR TO MONTH
INTERVAL -'5' SECOND(1, 3)
INTERVAL 5 DAYS
U&'\\0041' UESCAPE '!'
'a' 'b'
ARRAY[1, 2][1]
MAP['a', 1]['a'].b
ROW(1, a).f
t.r.f.g.h
f(a).b
c.d.f(a)
f(a => 1, b => DEFAULT)
a = ANY (SELECT 1)
a NOT IN (SELECT b FROM t)
a IS NOT DISTINCT FROM b
a NOT SIMILAR TO 'x' ESCAPE '!'
a BETWEEN SYMMETRIC 1 AND 2
(a, b) OVERLAPS (c, d)
a MEMBER OF b
NOT a = b AND c OR NOT d IS NULL
a || b || c
-a + +b * (c - d) / e % f
CURRENT_TIMESTAMP
LOCALTIMESTAMP
PROCTIME()
$rowtime
`a``b`
"""


def lines(table: str) -> list[str]:
    return table.strip().splitlines()


STATEMENTS = [
    *lines(CREATE_TABLES),
    *lines(OTHER_DEFINITIONS),
    *lines(SESSION),
    *lines(QUERIES),
    *(f"SELECT * FROM {window} AS w" for window in lines(WINDOWS)),
    *(f"SELECT {expression} AS x FROM t" for expression in lines(EXPRESSIONS)),
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_flink_sql_parses_with_the_span_of_every_node(text: str) -> None:
    script = parse_script(f"-- before\n{text};\n")
    assert not script.problems
    (statement,) = script.statements
    assert statement.text == text
    assert_spans_nest(statement.parsed)
    assert_expressions_parse_again(statement.parsed)
    lower = parse_statement(text.lower())
    assert lower.kind is statement.kind


def test_kinds() -> None:
    kinds = {
        "CREATE TABLE t (a INT)": StatementKind.CREATE_TABLE,
        "CREATE VIEW v AS SELECT 1": StatementKind.CREATE_VIEW,
        "CREATE FUNCTION f AS 'x'": StatementKind.CREATE_FUNCTION,
        "CREATE CATALOG c": StatementKind.CREATE_OTHER,
        "DROP TABLE t": StatementKind.DROP,
        "ALTER TABLE t SET ('k' = 'v')": StatementKind.ALTER,
        "INSERT INTO t SELECT 1": StatementKind.INSERT,
        "EXECUTE INSERT INTO t SELECT 1": StatementKind.INSERT,
        "WITH a AS (SELECT 1) SELECT * FROM a": StatementKind.QUERY,
        "SET 'k' = 'v'": StatementKind.SET,
        "RESET": StatementKind.RESET,
        "USE CATALOG c": StatementKind.USE,
        "EXPLAIN INSERT INTO t SELECT 1": StatementKind.OTHER,
        "SHOW TABLES": StatementKind.OTHER,
        "BEGIN STATEMENT SET": StatementKind.STATEMENT_SET_START,
        "END": StatementKind.STATEMENT_SET_END,
        "SELECT": StatementKind.BROKEN,
    }
    assert {text: parse_statement(text).kind for text in kinds} == kinds


def only(text: str, kind: type[Node]) -> Node:
    (node,) = tree_of(parse(text)).find_all(kind)
    assert isinstance(node, kind)
    return node


def test_calls_keep_their_name_and_the_order_of_their_arguments() -> None:
    call = only("SELECT IfNull(b, a) FROM t", exp.Anonymous)
    assert call.this == "IfNull"
    assert [argument.name for argument in call.expressions] == ["b", "a"]
    assert only("SELECT SUBSTRING(a FROM 1 FOR 2)", exp.Anonymous) == only("SELECT SUBSTRING(a, 1, 2)", exp.Anonymous)


def test_distinct_filter_and_over_wrap_the_call() -> None:
    window = only("SELECT SUM(DISTINCT a) FILTER (WHERE b) OVER (PARTITION BY c, d ORDER BY e) FROM t", exp.Window)
    assert [key.name for key in window.args["partition_by"]] == ["c", "d"]
    assert isinstance(window.this, exp.Filter) and isinstance(window.this.expression, exp.Where)
    call = window.this.this
    assert isinstance(call, exp.Anonymous) and isinstance(call.expressions[0], exp.Distinct)


def test_a_window_table_function_is_the_content_of_a_table() -> None:
    text = "SELECT * FROM TABLE(HOP(TABLE db.t, DESCRIPTOR(ts), SLIDE => INTERVAL '1' MINUTE)) AS w"
    table = tree_of(parse(text)).args["from_"].this
    assert isinstance(table, exp.Table) and table.alias == "w"
    function = table.this
    assert isinstance(function, syntax_nodes.TableFunction) and function.this.name == "HOP"
    data, time, slide = function.expressions
    assert isinstance(data, syntax_nodes.TableArgument) and (data.this.db, data.this.name) == ("db", "t")
    assert isinstance(time, syntax_nodes.Descriptor) and isinstance(time.expressions[0], exp.Column)
    assert isinstance(slide, syntax_nodes.NamedArgument) and slide.this.name == "SLIDE"
    bare = tree_of(parse(text.replace("TABLE(HOP", "HOP").replace("MINUTE))", "MINUTE)"))).args["from_"].this
    assert bare == table


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("INTERVAL '5' MINUTES", "5", exp.Var(this="MINUTES")),
        ("interval '5' second(3)", "5", exp.Var(this="SECOND")),
        (
            "INTERVAL '1 2' DAY TO HOUR",
            "1 2",
            exp.IntervalSpan(this=exp.Var(this="DAY"), expression=exp.Var(this="HOUR")),
        ),
    ],
)
def test_intervals(text: str, number: str, unit: exp.Expression) -> None:
    parsed = parse(f"SELECT {text}")
    (interval,) = tree_of(parsed).find_all(exp.Interval)
    assert (interval.this.name, interval.args["unit"]) == (number, unit)
    assert text_of(parsed, interval.args["unit"]) == text.split("' ")[1].removesuffix("(3)")


def test_a_temporal_join_has_the_time_in_the_table() -> None:
    join = only("SELECT * FROM a LEFT JOIN b FOR SYSTEM_TIME AS OF a.p AS c ON TRUE", exp.Join)
    assert (join.side, join.this.alias) == ("LEFT", "c")
    assert join.this.args["version"].expression.name == "p"


def test_a_lateral_call_bears_its_alias() -> None:
    join = only("SELECT * FROM a, LATERAL TABLE(f(x)) AS t (b, c)", exp.Join)
    lateral = join.this
    assert isinstance(lateral, exp.Lateral) and isinstance(lateral.this, syntax_nodes.TableFunction)
    assert (lateral.alias, lateral.alias_column_names) == ("t", ["b", "c"])


def test_a_row_pattern_stands_for_the_table_it_reads() -> None:
    text = (
        "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts MEASURES A.x AS x, FINAL LAST(B.y) AS y "
        "ONE ROW PER MATCH AFTER MATCH SKIP TO LAST B PATTERN (A  B+? (C|D){2,}) WITHIN INTERVAL '1' HOUR "
        "SUBSET U = (A, B) DEFINE A AS A.x > 1) AS m (x, y)"
    )
    match = only(text, syntax_nodes.RowPattern)
    assert match.this.name == "t"
    assert match.args["rows"].this == "ONE ROW PER MATCH"
    assert match.args["after"].this == "AFTER MATCH SKIP TO LAST B"
    assert match.args["pattern"].this == "A B + ? ( C | D ) { 2 , }"
    assert isinstance(match.args["within"], exp.Interval)
    assert [measure.alias for measure in match.args["measures"]] == ["x", "y"]
    assert (match.args["subsets"][0].alias, match.args["define"][0].alias) == ("U", "A")
    assert match.args["alias"].name == "m"


def test_a_table_definition() -> None:
    create = tree_of(
        parse(
            "CREATE TEMPORARY TABLE db.t (a BIGINT NOT NULL, b AS a + 1, c STRING METADATA FROM 'k' VIRTUAL, "
            "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, PRIMARY KEY (a) NOT ENFORCED) "
            "WITH ('connector' = 'x', 'it''s' = 'y') LIKE s (EXCLUDING ALL)"
        )
    )
    assert (create.args["kind"], create.args["temporary"]) == ("TABLE", True)
    a, b, c, watermark, key = create.this.expressions
    assert a.args["kind"].this is exp.DType.BIGINT
    assert isinstance(a.args["constraints"][0], exp.NotNullColumnConstraint)
    assert isinstance(b.args["constraints"][0], exp.ComputedColumnConstraint)
    metadata = c.args["constraints"][0]
    assert isinstance(metadata, syntax_nodes.MetadataColumn) and (metadata.this.this, metadata.args["virtual"]) == (
        "k",
        True,
    )
    assert isinstance(watermark, exp.WatermarkColumnConstraint) and watermark.this.name == "ts"
    assert isinstance(key, exp.PrimaryKey) and key.expressions[0].name == "a"
    options = {option.this.this: option.args["value"].this for option in create.args["properties"].expressions}
    assert options == {"connector": "x", "it's": "y"}
    assert create.args["like"].this.name == "s"


def test_settings_with_and_without_quotes() -> None:
    for text in ("SET 'a.b' = 'c d'", "SET a.b = c d", "set a.b=c d"):
        option = only(text, syntax_nodes.SetOption)
        assert (option.this.this, option.expression.this) == ("a.b", "c d")


def test_grouping_keeps_all_its_parts() -> None:
    group = only("SELECT 1 FROM t GROUP BY a, CUBE (b), (c, d), GROUPING SETS ((e), ())", exp.Group)
    assert [type(key) for key in group.expressions] == [exp.Column, exp.Tuple]
    assert isinstance(group.args["cube"][0], exp.Cube)
    assert isinstance(group.args["grouping_sets"][0], exp.GroupingSets)


PRECEDENCE = [
    ("a OR b AND NOT c = d", "a OR (b AND (NOT (c = d)))"),
    ("NOT a IS NULL", "NOT (a IS NULL)"),
    ("a = b IS NULL", "(a = b) IS NULL"),
    ("a + b || c * d", "a + ((b || c) * d)"),
    ("a - b - c", "(a - b) - c"),
    ("- a * b", "(- a) * b"),
    ("a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"),
    ("a = b IN (1)", "a = (b IN (1))"),
    ("a LIKE b || c", "a LIKE (b || c)"),
    ("a < b = c", "(a < b) = c"),
    ("a IS DISTINCT FROM b + 1 AND c", "(a IS DISTINCT FROM (b + 1)) AND c"),
    ("- a[1].b", "- (a[1].b)"),
]


@pytest.mark.parametrize(("text", "parenthesised"), PRECEDENCE)
def test_operators_bind_as_in_calcite(text: str, parenthesised: str) -> None:
    def without_parentheses(tree: exp.Expression) -> exp.Expression:
        tree = tree.copy()
        for paren in list(tree.find_all(exp.Paren)):
            paren.replace(paren.this)
        return tree

    plain, explicit = (tree_of(parse(f"SELECT {piece}")) for piece in (text, parenthesised))
    assert plain == without_parentheses(explicit)
    assert plain != explicit


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_token_keys_ignore_the_case_of_keywords_only(change: Callable[[str], str]) -> None:
    key = parse("select A from T where B is null").token_key
    assert (
        parse(f"{change('select')} A {change('from')}\n T -- x\n {change('where')} B {change('is null')}").token_key
        == key
    )
    assert parse("select a from T where B is null").token_key != key
