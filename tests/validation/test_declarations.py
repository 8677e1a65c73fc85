"""Declarations: columns, types, keys, watermarks, LIKE, views, and the order of statements."""

from __future__ import annotations

import pytest
from marked import DECLARED, STATEMENTS, assert_refused, assert_taken, validity

from keepstate.validation import Answer

REFUSED = [
    ("unknown-column", "CREATE TABLE x (a INT) DISTRIBUTED BY («b») INTO 4 BUCKETS WITH ('connector' = 'print');"),
    ("unknown-column", "CREATE TABLE x (a INT, b AS a + 1) DISTRIBUTED BY HASH(«b») WITH ('connector' = 'print');"),
    ("buckets", "CREATE TABLE x (a INT) DISTRIBUTED BY (a) INTO «0» BUCKETS WITH ('connector' = 'print');"),
    (
        "connector-option",
        "CREATE TABLE x (a BIGINT) DISTRIBUTED BY (a) WITH ('connector' = 'print'); "
        "INSERT INTO «x» SELECT id FROM rides;",
    ),
    (
        "connector-option",
        "CREATE TABLE x (a BIGINT) DISTRIBUTED INTO 2 BUCKETS WITH ('connector' = 'kafka', 'topic' = 'x', "
        "'format' = 'json'); INSERT INTO «x» SELECT id FROM rides;",
    ),
    ("duplicate-column", "CREATE TABLE x (a INT, «a» STRING);"),
    ("unknown-type", "CREATE TABLE x (a «TEXT»);"),
    ("unknown-type", "CREATE TABLE x (a ARRAY<«TEXT»>);"),
    ("type-number", "CREATE TABLE x (a «DECIMAL(2, 3)»);"),
    ("type-fields", "CREATE TABLE x (a «ROW<b INT, b INT>»);"),
    ("unknown-column", "CREATE TABLE x (a INT, b AS a + 1, c AS «b» + 1);"),
    ("unknown-column", "CREATE TABLE x (a INT, PRIMARY KEY («b») NOT ENFORCED);"),
    ("primary-key", "CREATE TABLE x (a INT, b AS a + 1, PRIMARY KEY («b») NOT ENFORCED);"),
    ("primary-key", "CREATE TABLE x (a INT, «PRIMARY KEY (a, a) NOT ENFORCED»);"),
    ("primary-key", "CREATE TABLE x (a INT PRIMARY KEY NOT ENFORCED, b INT, «PRIMARY KEY (b) NOT ENFORCED»);"),
    ("primary-key-enforced", "CREATE TABLE x (a INT, «PRIMARY KEY (a)»);"),
    ("unique", "CREATE TABLE x (a INT, «UNIQUE (a)»);"),
    ("watermark-column", "CREATE TABLE x (a INT, WATERMARK FOR «b» AS b);"),
    ("watermark-column", "CREATE TABLE x (a INT, WATERMARK FOR «a» AS a);"),
    ("watermark-column", "CREATE TABLE x (a TIMESTAMP(6), WATERMARK FOR «a» AS a);"),
    ("watermark-column", "CREATE TABLE x (a AS PROCTIME(), WATERMARK FOR «a» AS a);"),
    ("watermark", "CREATE TABLE x (a TIMESTAMP(3), WATERMARK FOR a AS «CURRENT_TIMESTAMP»);"),
    ("watermark", "CREATE TABLE x (a TIMESTAMP(3), WATERMARK FOR a AS a, «WATERMARK FOR a AS a»);"),
    ("partition-column", "CREATE TABLE «x» (a INT) PARTITIONED BY (b);"),
    ("computed-column", "CREATE TABLE x (a INT, b AS «(SELECT 1)»);"),
    ("duplicate-column", "CREATE TABLE x («km» INT) LIKE rides;"),
    ("like", "CREATE TABLE x LIKE rides («OVERWRITING ALL»);"),
    ("like", "CREATE TABLE x LIKE rides (INCLUDING OPTIONS «EXCLUDING OPTIONS»);"),
    ("like", "CREATE TABLE «x» (WATERMARK FOR begun AS begun) LIKE rides;"),
    ("duplicate-column", "CREATE VIEW x AS SELECT «id», id FROM rides;"),
    ("view-columns", "CREATE VIEW «x (a)» AS SELECT id, km FROM rides;"),
    ("duplicate-table", "CREATE VIEW «rides» AS SELECT 1 AS a;"),
    ("used-before-declaration", "SELECT * FROM «x»; CREATE VIEW x AS SELECT 1 AS a;"),
    ("used-before-declaration", "CREATE VIEW x AS SELECT * FROM «x»;"),
    ("source-key", "CREATE TABLE x (a INT) WITH ('connector' = 'upsert-kafka'); SELECT * FROM «x»;"),
    ("statement-set", "«END»;"),
    ("statement-set", "EXECUTE STATEMENT SET BEGIN INSERT INTO log SELECT rider, id, km FROM rides; «SELECT» 1; END;"),
    ("statement-set", "EXECUTE STATEMENT SET BEGIN INSERT INTO log SELECT rider, id, km FROM rides«;»"),
    ("statement-set", "EXECUTE STATEMENT SET BEGIN «END»;"),
    ("missing-semicolon", "SELECT id FROM rides\n«CREATE» VIEW x AS SELECT 1 AS a;"),
]
TAKEN = [
    "CREATE TABLE x (a INT) DISTRIBUTED BY (a) INTO 4 BUCKETS WITH ('connector' = 'datagen'); SELECT a FROM x;",
    "CREATE TABLE x (a INT) DISTRIBUTED BY HASH(a) WITH ('connector' = 'print');",
    "CREATE TABLE x (a INT, b AS a + 1, c INT METADATA FROM 'k' VIRTUAL, PRIMARY KEY (a) NOT ENFORCED);",
    "CREATE TABLE x (a TIMESTAMP_LTZ(3), WATERMARK FOR a AS a - INTERVAL '5' SECOND) PARTITIONED BY (a);",
    "CREATE TABLE x (WATERMARK FOR begun AS begun) LIKE rides (OVERWRITING WATERMARKS); SELECT km FROM x;",
    "CREATE TABLE x (more INT) WITH ('connector' = 'print') LIKE rides (EXCLUDING OPTIONS); SELECT km, more FROM x;",
    "CREATE VIEW x AS SELECT * FROM rides AS r JOIN bills AS b ON r.id = b.id; SELECT id0 FROM x;",
    "CREATE TEMPORARY VIEW rides AS SELECT 1 AS a; SELECT a FROM rides;",
    "CREATE VIEW IF NOT EXISTS rides AS SELECT 1 AS a; SELECT km FROM rides;",
    "DROP TABLE rides; CREATE TABLE rides (a INT); SELECT a FROM rides;",
    "EXECUTE STATEMENT SET BEGIN INSERT INTO log SELECT rider, id, km FROM rides; END;",
    "BEGIN STATEMENT SET; INSERT INTO log SELECT rider, id, km FROM rides; END;",
    "CREATE TABLE x WITH ('connector' = 'print') AS SELECT id, rider FROM rides;",
]


@pytest.mark.parametrize(("rule", "marked"), REFUSED)
def test_what_flink_refuses_is_refused_at_its_token(rule: str, marked: str) -> None:
    assert_refused(rule, marked)


@pytest.mark.parametrize("text", TAKEN)
def test_near_misses_are_taken(text: str) -> None:
    assert_taken(text)


UNDECIDED = [
    ("catalog", "SELECT a FROM elsewhere;"),
    ("catalog", "INSERT INTO elsewhere SELECT id FROM rides;"),
    ("catalog", "CREATE TABLE shop.x (a INT);"),
    ("function", "SELECT my_function(id) FROM rides;"),
    ("function", "CREATE FUNCTION f AS 'com.example.F'; SELECT f(id) FROM rides;"),
    ("template", "SELECT ${column} FROM rides;"),
]


@pytest.mark.parametrize(("depends", "text"), UNDECIDED)
def test_what_the_script_does_not_tell_is_undecided(depends: str, text: str) -> None:
    found = validity(text)
    assert not found.problems
    assert [problem.depends for problem in found.undecided] == [depends]


def test_what_is_wrong_whatever_a_catalog_holds_is_refused_beside_it() -> None:
    found = validity("SELECT r.km, e.a FROM rides AS r JOIN elsewhere AS e ON r.id = e.id WHERE r.fee > 1;")
    assert [problem.rule for problem in found.problems] == ["unknown-column"]


def test_a_broken_view_is_one_problem_and_related_to_its_readers() -> None:
    readers = "".join(f"INSERT INTO log SELECT rider, id, km FROM x WHERE id > {number};\n" for number in range(22))
    broken = "CREATE VIEW x AS SELECT fee FROM rides;\n"
    found = validity(broken + readers)
    assert [(problem.rule, problem.statement) for problem in found.problems] == [("unknown-column", STATEMENTS + 1)]
    assert len(found.undecided) == 22
    (related,) = found.undecided[0].related
    assert (related.span.of(DECLARED + broken + readers), related.message) == ("x", found.problems[0].message)
    assert found.of(STATEMENTS + 2) is Answer.UNDECIDED


def test_a_view_that_cannot_be_planned_is_refused_when_it_is_read() -> None:
    view = "CREATE VIEW x AS SELECT SUM(km) OVER (PARTITION BY rider) AS s FROM rides;"
    assert not validity(view).problems
    found = validity(view + "SELECT s FROM x; SELECT s FROM x;")
    assert [(problem.rule, problem.statement) for problem in found.problems] == [("over-order", STATEMENTS + 1)]


def test_another_engine_may_know_more_functions_but_no_other_columns() -> None:
    text = "SELECT UPPER(seats) FROM rides; SELECT fee FROM rides;"
    assert [problem.rule for problem in validity(text).problems] == ["argument-type", "unknown-column"]
    found = validity(text, engine="vvr")
    assert [problem.rule for problem in found.problems] == ["unknown-column"]
    assert [problem.depends for problem in found.undecided] == ["engine"]


def test_answers_are_for_statements_and_for_the_script() -> None:
    found = validity("SELECT id FROM rides; SELECT fee FROM rides; SELECT a FROM elsewhere;")
    numbers = range(STATEMENTS + 1, STATEMENTS + 4)
    assert [found.of(number) for number in numbers] == [Answer.VALID, Answer.INVALID, Answer.UNDECIDED]
    assert found.answer is Answer.INVALID
    assert validity("").answer is Answer.VALID
