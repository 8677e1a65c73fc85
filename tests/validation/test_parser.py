"""Text that Flink's parser refuses: the token at which it stops, and text that only it and other engines tell apart."""

from __future__ import annotations

import pytest
from marked import without_marks

from keepstate.syntax.statement import parse_statement
from keepstate.validation.grammar.parsing import refusal_of_parser

REFUSED = [
    ("reserved-word", "SELECT a AS «value» FROM t"),
    ("reserved-word", "SELECT a «count» FROM t"),
    ("reserved-word", "SELECT t«.»user FROM t"),
    ("reserved-word", "CREATE TABLE t («day» INT)"),
    ("reserved-word", "CREATE TABLE «models» (a INT)"),
    ("reserved-word", "SELECT CAST(a AS ROW<«end» INT>) FROM t"),
    ("reserved-word", "SELECT «language»(a) FROM t"),
    ("not-equal", "SELECT a FROM t WHERE a «!=» 1"),
    ("interval-unit", "SELECT a - INTERVAL '5' «MIN» FROM t"),
    ("interval-unit", "CREATE TABLE t (a TIMESTAMP(3), WATERMARK FOR a AS a - INTERVAL '5' «SECS»)"),
    ("column-type", "CREATE TABLE t (a INT, b«,» c INT)"),
    ("column-type", "CREATE TABLE t (a, b «INT»)"),
    ("default-value", "CREATE TABLE t (a INT «DEFAULT» 1)"),
    ("unknown-type", "CREATE TABLE t (a NUMBER«(»3))"),
    ("unknown-type", "CREATE TABLE t (a TIMESTAMP WITH «TIME» ZONE)"),
    ("type-number", "CREATE TABLE t (a INT«(»3))"),
    ("unique-key", "CREATE TABLE t (a INT, UNIQUE «KEY» (a))"),
    ("clause-order", "CREATE TABLE t (a INT) WITH ('a' = 'b') «COMMENT» 'c'"),
    ("option-quotes", "SET 'a' = «b»"),
    ("insert-into", "INSERT INTO «TABLE» t SELECT 1"),
    ("partition-column", "INSERT INTO t PARTITION (a«)» SELECT 1"),
    ("on-conflict", "INSERT INTO t SELECT 1 ON CONFLICT DO «UPDATE»"),
    ("function-class", "CREATE FUNCTION f «LANGUAGE» JAVA"),
    ("view-columns", "CREATE VIEW v (a «INT») AS SELECT 1"),
    ("limit", "SELECT a FROM t LIMIT «-»1"),
    ("limit", "SELECT a FROM t «LIMIT» 1, 2"),
    ("set-operation", "SELECT a FROM t «MINUS» SELECT b FROM u"),
    ("join-kind", "SELECT a FROM t «LEFT» ANTI JOIN u ON a = b"),
    ("parentheses", "SELECT a FROM («t»)"),
    ("table-keyword", "SELECT a FROM TABLE «t»"),
    ("distinct-star", "SELECT COUNT(DISTINCT «*») FROM t"),
    ("argument-count", "SELECT COUNT(*«,» 1) FROM t"),
    ("argument-count", "SELECT JSON_EXISTS(a«)» FROM t"),
    ("time-unit", "SELECT TIMESTAMPDIFF(«'DAY'», a, b) FROM t"),
    ("function-form", "SELECT POSITION(a«,» b) FROM t"),
    ("function-form", "SELECT FLOOR(a«,» 1) FROM t"),
    ("function-form", "SELECT JSON_VALUE(a, '$' NULL ON EMPTY «RETURNING» INT) FROM t"),
    ("function-form", "SELECT JSON_VALUE(a, '$' DEFAULT 1 ON «NULL») FROM t"),
    ("function-form", "SELECT JSON_QUERY(a, '$' WITH ARRAY «CONDITIONAL» WRAPPER) FROM t"),
    ("function-form", "SELECT JSON_QUERY(a, '$' «DEFAULT» 'x' ON EMPTY) FROM t"),
    ("function-form", "SELECT JSON_OBJECT('a' VALUE a NULL ON NULL«,» 'b' VALUE b) FROM t"),
    ("function-form", "SELECT JSON_OBJECT(«UPPER»(a) VALUE a) FROM t"),
    ("function-form", "SELECT JSON_OBJECTAGG(a«,» b) FROM t"),
    ("function-form", "SELECT JSON_OBJECTAGG(a VALUE b) «WITHIN» GROUP (ORDER BY a) FROM t"),
    ("function-form", "SELECT JSON_ARRAYAGG(«DISTINCT» a) FROM t"),
    ("function-form", "SELECT JSON_ARRAYAGG(a) «OVER» (ORDER BY b) FROM t"),
    ("over-frame", "SELECT SUM(a) OVER (ORDER BY b ROWS 5 PRECEDING «EXCLUDE» TIES) FROM t"),
    ("cast", "SELECT CAST(a AS INT «NOT» NULL) FROM t"),
    ("pattern", "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY a MEASURES A.b AS c ONE ROW PER «ROW» PATTERN (A B))"),
    ("hint", "SELECT a FROM t AS x «/*+» OPTIONS('a' = 'b') */"),
    ("hint", "SELECT a FROM t x «/*+» OPTIONS('a' = 'b') */ WHERE a > 1"),
    ("hint", "SELECT a FROM t /*+ A */ «/*+» B */"),
    ("hint", "SELECT a FROM (SELECT 1) «/*+» A */"),
    ("hint", "SELECT a FROM UNNEST(b) «/*+» A */ AS x"),
    ("hint", "SELECT a FROM (t JOIN u ON b = c) «/*+» A */"),
    ("hint", "SELECT /*+ A(b) «B» */ a FROM t"),
    ("hint", "SELECT /*+ A(b), «*/» a FROM t"),
    ("hint", "SELECT /*+ «*/» a FROM t"),
    ("hint", "INSERT INTO t /*+ «*/» SELECT 1"),
    ("hint", "SELECT /*+ A(«'b'» = c) */ a FROM t"),
    ("hint", "SELECT /*+ A(b, «'c'») */ a FROM t"),
    ("hint", "SELECT /*+ A(b, «'c'» = 'd') */ a FROM t"),
    ("hint", "SELECT /*+ A(«b».c) */ a FROM t"),
    ("temporal-time", "SELECT a FROM t JOIN u AS x «FOR» SYSTEM_TIME AS OF b ON c = d"),
    ("temporal-time", "SELECT a FROM t JOIN u x «FOR» SYSTEM_TIME AS OF b ON c = d"),
    ("temporal-time", "SELECT a FROM t JOIN (SELECT 1) «FOR» SYSTEM_TIME AS OF b ON c = d"),
    ("temporal-time", "SELECT a FROM t FOR SYSTEM_TIME AS OF b «FOR» SYSTEM_TIME AS OF c"),
    ("pattern", "SELECT a FROM t x «MATCH_RECOGNIZE» (PATTERN (A) DEFINE A AS TRUE)"),
    ("pattern", "SELECT a FROM TABLE(f(b)) «MATCH_RECOGNIZE» (PATTERN (A) DEFINE A AS TRUE)"),
    ("alias", "SELECT a FROM t TABLESAMPLE SYSTEM (10) «AS» x"),
    ("tablesample", "SELECT a FROM t TABLESAMPLE SYSTEM (10) «TABLESAMPLE» SYSTEM (10)"),
    ("parentheses", "SELECT a FROM (t «JOIN» u ON b = c) AS x"),
    ("parentheses", "SELECT a FROM ((t «JOIN» u ON b = c)) AS x"),
    ("parentheses", "SELECT a FROM (t «JOIN» u ON b = c) TABLESAMPLE SYSTEM (10)"),
    ("join-kind", "SELECT a FROM t AS x «LEFT» ASOF JOIN u MATCH_CONDITION b > c ON TRUE"),
    ("join-kind", "SELECT a FROM t AS x «ASOF» JOIN u AS y MATCH_CONDITION b > c ON TRUE"),
    ("missing-from", "SELECT a «WHERE» a > 1"),
    ("missing-from", "SELECT a «GROUP» BY a"),
    ("missing-from", "SELECT COUNT(*) «HAVING» COUNT(*) > 1"),
    ("missing-from", "SELECT a «QUALIFY» b > 1"),
    ("missing-from", "SELECT a FROM t WHERE b IN (SELECT 1 «WHERE» TRUE)"),
    ("missing-from", "SELECT a FROM t UNION ALL SELECT b «WHERE» TRUE"),
    ("missing-from", "INSERT INTO t SELECT a, b c «WHERE» TRUE"),
    ("parentheses", "SELECT f(a, «SELECT» 1) FROM t"),
    ("parentheses", "SELECT f(a, «VALUES» (1)) FROM t"),
    ("parentheses", "SELECT («)» FROM t"),
    ("parentheses", "SELECT f((«)») FROM t"),
    ("argument-count", "SELECT ROW(«)» FROM t"),
    ("distinct-star", "SELECT COUNT(ALL «*») FROM t"),
    ("descriptor", "SELECT a FROM TABLE(f(DESCRIPTOR(a «INT»)))"),
    ("descriptor", "SELECT a FROM TABLE(f(DESCRIPTOR(a «b»)))"),
    ("table-function", "SELECT a FROM TABLE(«(»f(b)))"),
    ("table-function", "SELECT a FROM TABLE(f«)»"),
    ("string", "SELECT a - INTERVAL '1' «'2'» MINUTE FROM t"),
    ("string", "SELECT DATE '2020-01-01' «'2020-01-02'» FROM t"),
    ("string", "CREATE TABLE t (a INT COMMENT 'x' «'y'»)"),
    ("string", "CREATE TABLE t (a INT) COMMENT 'x' «'y'»"),
    ("string", "CREATE FUNCTION f AS 'x' «'y'» LANGUAGE JAVA"),
    ("language", "CREATE FUNCTION f AS 'x' LANGUAGE «RUST»"),
    ("like", "CREATE TABLE t LIKE u («)»"),
    ("syntax", "SELECT a FROM t WHER«E»"),
    ("syntax", "SELECT a FROM t WHERE a «=» = 1"),
    ("syntax", "SELECT a FROM t WHERE a «AND» NOT"),
    ("reserved-word", "SELECT a, b«.» FROM t"),
    ("syntax", "SELECT a FROM t «INNER» JOI u ON a = b"),
    ("syntax", "SELECT a FROM t GROUP BY a«,» FROM"),
    ("syntax", "SELECT COUNT(*) FILTER «WHERE» a FROM t"),
    ("syntax", "CREATE TABLE t (a DECIMAL(3, 2«,» b INT)"),
]
TAKEN = [
    "SELECT a AS `value`, t.`user`, level, name, type, key FROM t",
    "SELECT a - INTERVAL '5' MINUTES FROM t WHERE a <> 1",
    "CREATE TABLE t (s, i) WITH ('connector' = 'print') AS SELECT i, s FROM u",
    "SET table.exec.state.ttl = 1h",
    "SELECT LEFT(a, 1), USER, CURRENT_DATE, COUNT(a), YEAR(b) FROM t",
    "INSERT INTO t VALUE (1)",
    "SELECT a FROM (t JOIN u ON b = c)",
    "SELECT a FROM ((t AS x JOIN u AS y ON b = c) JOIN v ON TRUE) JOIN w AS z ON TRUE",
    "SELECT a FROM t AS x TABLESAMPLE SYSTEM (10)",
    "SELECT a FROM ((SELECT 1)) AS x (a)",
    "SELECT a FROM t /*+ B */ FOR SYSTEM_TIME AS OF b MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS TRUE) AS x",
    "SELECT a FROM t AS x MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS TRUE) AS y (b) TABLESAMPLE SYSTEM (10)",
    "SELECT /*+ A(b, c), B('d' = 'e', f = 'g'), C, D(1, -2, 'x'), E() */ a FROM t",
    "SELECT /* + a */ '/*+ b */' FROM t -- /*+ c */",
    "SELECT asof.a FROM t asof JOIN u ON b = c",
    "SELECT a ORDER BY a LIMIT 1",
    "SELECT f(SELECT 1, a), f((SELECT 1), (SELECT 2)), f(a => SELECT 1), f(DISTINCT a), f(ALL a) FROM t",
    "SELECT a FROM t GROUP BY (), GROUPING SETS ((a), ())",
    "SELECT 'a' 'b', f('c'\n'd'), a LIKE 'e' 'f' FROM t",
    "SELECT a FROM TABLE(f(DESCRIPTOR(a, b), DESCRIPTOR()))",
    "CREATE FUNCTION f AS 'x' LANGUAGE PYTHON",
    "CREATE TABLE t (a INT COMMENT 'x') COMMENT 'y' WITH ('a' 'b' = 'c' 'd')",
    "CREATE TABLE t LIKE u (INCLUDING ALL EXCLUDING OPTIONS)",
    "SELECT a FROM t QUALIFY a > 1",
    "SELECT JSON_VALUE(a, '$' RETURNING INT DEFAULT 1 ON ERROR NULL ON EMPTY) FROM t",
    "SELECT JSON_OBJECT(KEY UPPER(a) VALUE a, CONCAT(a, 'b') VALUE a ABSENT ON NULL), JSON_OBJECT() FROM t",
    "SELECT JSON_ARRAYAGG(a ORDER BY b NULL ON NULL), JSON_ARRAYAGG(a) WITHIN GROUP (ORDER BY b) FROM t",
    "SELECT CAST(a AS DOUBLE PRECISION), CAST(b AS TIMESTAMP(3) WITH LOCAL TIME ZONE) FROM t",
]


@pytest.mark.parametrize(("rule", "marked"), REFUSED)
def test_the_parser_stops_at_flinks_token(rule: str, marked: str) -> None:
    text, underlined, start = without_marks(marked)
    found = refusal_of_parser(parse_statement(text))
    assert found is not None
    assert (found.rule, found.span.of(text), found.span.start) == (rule, underlined, start), found.message


@pytest.mark.parametrize("text", TAKEN)
def test_near_misses_are_read(text: str) -> None:
    assert refusal_of_parser(parse_statement(text)) is None


def test_words_that_only_newer_versions_reserve_are_names_before() -> None:
    statement = parse_statement("SELECT a AS monday FROM t")
    assert refusal_of_parser(statement, (2, 3)) is not None
    assert refusal_of_parser(statement, (1, 20)) is None
