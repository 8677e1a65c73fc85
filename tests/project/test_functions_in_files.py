"""Functions that a file without any other construct of Flink declares, and jobs that call them."""

from __future__ import annotations

import pytest
from tests.project.scenarios import Check

TABLES = (
    "CREATE TABLE orders (shop STRING, amount INT) WITH ('connector' = 'kafka');\n"
    "CREATE TABLE sums (shop STRING, total BIGINT) WITH ('connector' = 'blackhole');\n"
)
CALLS = "INSERT INTO sums SELECT shop, SUM(score(amount)) FROM orders GROUP BY shop;\n"
CONTEXT = 'context = ["*.sql"]\n'

DECLARATIONS = {
    "plain": "CREATE FUNCTION score AS 'com.a.{}';\n",
    "with a language": "CREATE FUNCTION score AS 'com.a.{}' LANGUAGE JAVA;\n",
    "temporary": "CREATE TEMPORARY FUNCTION score AS 'com.a.{}';\n",
    "a system function": "CREATE TEMPORARY SYSTEM FUNCTION score AS 'com.a.{}';\n",
    "in another spelling": "CREATE FUNCTION IF NOT EXISTS Score AS 'com.a.{}';\n",
    "dropped before": "DROP FUNCTION IF EXISTS score;\nCREATE FUNCTION score AS 'com.a.{}';\n",
    "with a jar": "CREATE FUNCTION score AS 'com.a.{}' USING JAR 'hdfs:///a.jar';\n",
    "among others": "CREATE FUNCTION other AS 'com.a.Other';\nCREATE FUNCTION score AS 'com.a.{}';\n",
}


@pytest.mark.parametrize("configuration", ["", CONTEXT], ids=["assumed", "context"])
@pytest.mark.parametrize("name", DECLARATIONS)
def test_another_implementation_is_not_silent(check: Check, name: str, configuration: str) -> None:
    before = {"ddl.sql": TABLES, "f.sql": DECLARATIONS[name].format("Score"), "job.sql": CALLS}
    if configuration:
        before["keepstate.toml"] = configuration
    found = check(before, {**before, "f.sql": DECLARATIONS[name].format("Better")})
    line = DECLARATIONS[name].count("\n")
    assert found.status == 1
    assert found.findings == {("job.sql", "function-implementation-changed", "f.sql", line)}


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("CREATE FUNCTION score AS 'a.B';\n", "-- scores\nCREATE FUNCTION  score AS 'a.B';\n"),
        ("CREATE FUNCTION other AS 'a.B';\n", "CREATE FUNCTION other AS 'a.C';\n"),
        ("DROP FUNCTION IF EXISTS score;\n", "DROP FUNCTION IF EXISTS score ;\n"),
        (
            "CREATE FUNCTION score(a int) RETURNS int AS 'select 1' LANGUAGE SQL;\n",
            "CREATE FUNCTION score(a int) RETURNS int AS 'select 2' LANGUAGE SQL;\n",
        ),
    ],
    ids=["a comment", "a function that is not called", "a drop", "another dialect"],
)
def test_nothing_that_the_job_calls_changed(check: Check, was: str, now: str) -> None:
    before = {"ddl.sql": TABLES, "f.sql": was, "job.sql": CALLS}
    found = check(before, {**before, "f.sql": now})
    assert not found.findings and found.status == 0


@pytest.mark.parametrize("configuration", ["", CONTEXT], ids=["assumed", "context"])
def test_a_function_that_is_dropped_behind_its_declaration(check: Check, configuration: str) -> None:
    declared = "CREATE FUNCTION score AS 'a.B';\n"
    before = {"ddl.sql": TABLES, "f.sql": declared, "job.sql": CALLS}
    if configuration:
        before["keepstate.toml"] = configuration
    found = check(before, {**before, "f.sql": f"{declared}DROP FUNCTION score;\n"})
    assert found.status == 1 and found.findings
