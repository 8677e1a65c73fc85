"""Edits of one declaration: the job of the former text serves again, and is the one that is made from nothing."""

from __future__ import annotations

import pytest

import keepstate
from keepstate.plan.job import Job
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script
from unshared_analyses import nothing_shared

JOB = """\
CREATE TABLE orders (id BIGINT, category STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE rates (category STRING, rate DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'rates', 'format' = 'json');
CREATE TABLE heir WITH ('topic' = 'others') LIKE orders;
CREATE VIEW paid AS SELECT id, category, amount FROM orders WHERE amount > 10 AND id > 0;
CREATE TEMPORARY VIEW dear AS SELECT id, category FROM paid WHERE amount > 100;
CREATE TABLE filled WITH ('connector' = 'x') AS SELECT category, COUNT(*) AS n FROM paid GROUP BY category;
INSERT INTO sums SELECT category, SUM(amount) AS gmv FROM paid GROUP BY category;
INSERT INTO counts SELECT category, COUNT(*) AS n FROM dear GROUP BY category;
INSERT INTO maxima SELECT category, MAX(rate) AS most FROM rates GROUP BY category;
INSERT INTO inherited SELECT category, COUNT(*) AS n FROM heir GROUP BY category;
"""
ONE_DECLARATION = {
    "a condition of a view": ("amount > 10 AND", "amount > 20 AND"),
    "a condition at the end of a view": ("amount > 100", "amount > 200"),
    "a column of a view": ("SELECT id, category FROM paid", "SELECT id, UPPER(category) AS category FROM paid"),
    "one column less in a view": ("SELECT id, category FROM paid", "SELECT id FROM paid"),
    "a view of another table": ("FROM orders WHERE", "FROM heir WHERE"),
    "a view that reads itself": ("FROM orders WHERE", "FROM paid WHERE"),
    "a view that reads one below": ("FROM orders WHERE", "FROM dear WHERE"),
    "a view of a query that is refused": ("SELECT id, category FROM paid", "SELECT id, nothing FROM paid"),
    "a type": ("amount DECIMAL(10, 2)", "amount DECIMAL(12, 2)"),
    "a column that a view loses": ("amount DECIMAL(10, 2)", "total DECIMAL(10, 2)"),
    "a key": ("rate DOUBLE)", "rate DOUBLE, PRIMARY KEY (category) NOT ENFORCED)"),
    "a watermark": ("WATERMARK FOR ts AS ts)", "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)"),
    "a connector": ("'topic' = 'rates'", "'topic' = 'rates', 'scan.startup.mode' = 'earliest-offset'"),
    "a base of LIKE": ("LIKE orders", "LIKE rates"),
    "a type that is refused": ("rate DOUBLE", "rate VARCHAR(0)"),
}
MORE = {
    "another name": ("CREATE VIEW paid", "CREATE VIEW payed"),
    "another kind": ("CREATE TEMPORARY VIEW dear AS SELECT id, category", "CREATE TABLE dear AS SELECT id, category"),
    "a temporary view": ("CREATE VIEW paid", "CREATE TEMPORARY VIEW paid"),
    "a lasting view": ("CREATE TEMPORARY VIEW dear", "CREATE VIEW dear"),
    "a declaration that cannot be read": ("CREATE VIEW paid AS SELECT id", "CREATE VIEW paid AS SELECT id,"),
    "the query of a table": ("COUNT(*) AS n FROM paid", "COUNT(id) AS n FROM paid"),
    "a query": ("SUM(amount)", "MAX(amount)"),
    "two declarations": ("amount > 10 AND", "amount > 20 AND"),
}


def edited(name: str) -> str:
    was, now = {**ONE_DECLARATION, **MORE}[name]
    assert was in JOB, was
    text = JOB.replace(was, now, 1)
    return text.replace("amount > 100", "amount > 300") if name == "two declarations" else text


def after(name: str) -> tuple[Job, Job | None]:
    memo = Memo()
    former = Job.of(parse_script(JOB, memo), {})
    return former, former.after_declaration_edit(parse_script(edited(name), memo))


@pytest.mark.parametrize("name", ONE_DECLARATION)
def test_the_job_of_the_former_text_serves_again(name: str) -> None:
    was, now = after(name)
    assert now is not None
    anew = Job.of(now.script, {})
    assert [*now.catalog.tables.items()] == [*anew.catalog.tables.items()]
    assert [*now.catalog.views.items()] == [*anew.catalog.views.items()]
    assert now.catalog is anew.catalog
    assert now.settings == anew.settings
    for before, one, other in zip(was.pipelines, now.pipelines, anew.pipelines, strict=True):
        assert one == other
        assert one.definitions == other.definitions
        # Of a query that the declaration does not reach nothing is made again.
        assert (one.planned is before.planned) == (one.definitions == before.definitions)


@pytest.mark.parametrize("name", MORE)
def test_a_job_is_made_anew(name: str) -> None:
    assert after(name)[1] is None


def test_a_name_that_is_declared_twice_is_no_place_for_an_edit() -> None:
    memo, twice = Memo(), JOB + "CREATE TABLE rates (other INT);"
    former = Job.of(parse_script(twice, memo), {})
    assert former.after_declaration_edit(parse_script(twice.replace("rate DOUBLE", "rate INT"), memo)) is None


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("name", [*ONE_DECLARATION, *MORE])
def test_each_answer_is_that_of_an_analysis_from_nothing(engine: str, name: str) -> None:
    text = JOB
    baseline, workspace = keepstate.JobVersion(text), keepstate.Workspace()
    further = text.replace("MAX(rate)", "MIN(rate)")
    for each in (text, edited(name), edited(name).replace("ts AS ts", "ts AS  ts"), further, edited(name), text):
        version = keepstate.JobVersion(each)
        kept = keepstate.analyse(version, baseline, engine, workspace)
        with nothing_shared():
            fresh = keepstate.analyse(version, baseline, engine)
            assert kept.report() == fresh.report(), each
            assert kept.comparison.stored_pairs == fresh.comparison.stored_pairs, each
            assert kept.comparison.current_job.validity == fresh.comparison.current_job.validity, each


def test_a_refusal_points_at_the_declaration_where_it_is_now() -> None:
    text = """\
CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
INSERT INTO s SELECT a FROM t;
"""
    baseline, workspace = keepstate.JobVersion(text), keepstate.Workspace()
    keepstate.analyse(baseline, baseline, "flink", workspace).report()
    for each in ("CREATE TABLE t (b INT)", "CREATE  TABLE t (b INT)", "CREATE /* moved */ TABLE t (b INT)"):
        version = keepstate.JobVersion(text.replace("CREATE TABLE t (a INT)", each))
        kept = keepstate.analyse(version, baseline, "flink", workspace)
        with nothing_shared():
            fresh = keepstate.analyse(version, baseline, "flink")
            assert kept.report() == fresh.report()
        assert kept.report().refusals
