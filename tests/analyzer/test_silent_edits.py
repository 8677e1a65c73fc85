"""Edits of one declaration that no other statement feels: the rest is not looked at again, and no answer differs."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import keepstate
from keepstate.plan.job import Job, planned_of
from keepstate.plan.planned.declaration_edits import declaration_edit
from keepstate.plan.planned.silent_edits import silent_edit
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script
from unshared_analyses import nothing_shared

JOB = """\
CREATE TABLE orders (
  id BIGINT,
  category STRING,
  amount DECIMAL(10, 2),
  unread INT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.client.id' = 'a', 'scan.startup.mode' = 'latest-offset',
  'format' = 'json');
CREATE TABLE rates (category STRING, rate DOUBLE, other INT, PRIMARY KEY (category) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'rates', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE refunds (id BIGINT, extra STRING, spare STRING)
WITH ('connector' = 'kafka', 'topic' = 'refunds', 'format' = 'json');
CREATE TABLE totals (category STRING, gmv DECIMAL(38, 2), extra STRING, PRIMARY KEY (category) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'u');
CREATE VIEW paid AS SELECT id, category, amount, ts FROM orders WHERE amount > 10;
INSERT INTO sums SELECT category, SUM(amount) AS gmv, COUNT(*) AS n FROM paid GROUP BY category;
INSERT INTO windows SELECT window_start, category, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE paid, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, category;
INSERT INTO joined SELECT p.id, r.rate FROM paid AS p JOIN rates AS r ON p.category = r.category;
INSERT INTO pairs SELECT o.id FROM orders AS o JOIN refunds AS r ON o.id = r.id;
INSERT INTO ranked SELECT id, category FROM (
  SELECT id, category, ROW_NUMBER() OVER (PARTITION BY category ORDER BY amount DESC) AS place FROM orders)
WHERE place <= 3;
INSERT INTO copied SELECT id FROM refunds;
"""
SILENT = {
    "a type": ("unread INT", "unread STRING"),
    "a name": ("unread INT", "notes INT"),
    "a comment of the column": ("unread INT", "unread INT COMMENT 'of no use'"),
    "a row": ("unread INT", "unread ROW<first INT, second ARRAY<STRING>>"),
    "not null": ("unread INT", "unread INT NOT NULL"),
    "a comment in between": ("unread INT", "unread /* typed */ BIGINT"),
    "several columns": ("unread INT", "one INT, two STRING, three BYTES"),
    "an option of the client": ("'properties.client.id' = 'a'", "'properties.client.id' = 'b'"),
    "the name of a column of another table": ("spare STRING", "rate STRING"),
    "one of two columns": ("spare STRING", "spare INT"),
    "a refused type": ("unread INT", "unread VARCHAR(0)"),
    "the layout": ("  category STRING,\n", "  category   STRING,\n"),
}
FELT = {
    "a column that is read": ("amount DECIMAL(10, 2)", "amount DECIMAL(11, 2)"),
    "the name of a column that a query reads": ("unread INT", "rate INT"),
    "a name of a field like a column elsewhere": ("unread INT", "unread ROW<spare INT>"),
    "the last unread column": ("  unread INT,\n", ""),
    "a place": ("  unread INT,\n  ts TIMESTAMP(3),", "  ts TIMESTAMP(3),\n  unread INT,"),
    "the alias of a reader": ("unread INT", "gmv INT"),
    "a computed column": ("unread INT", "unread AS amount * 2"),
    "a column twice": ("unread INT", "unread INT, id INT"),
    "a column of metadata": ("unread INT", "unread INT METADATA"),
    "a broken type": ("unread INT", "unread DECIMAL("),
    "a word that is reserved": ("unread INT", "select INT"),
    "the topic": ("'topic' = 'orders'", "'topic' = 'others'"),
    "the start": ("'latest-offset'", "'earliest-offset'"),
    "a column of a key": ("rate DOUBLE, other INT", "rate DOUBLE, other STRING"),
    "a column of a sink": ("gmv DECIMAL(38, 2), extra STRING", "gmv DECIMAL(38, 2), extra INT"),
    "the name of a table": ("CREATE TABLE orders", "CREATE TABLE `orders `"),
    "a temporary table": ("CREATE TABLE orders", "CREATE TEMPORARY TABLE orders"),
    "a key": ("  unread INT,", "  unread INT PRIMARY KEY NOT ENFORCED,"),
    "the watermark": ("'5' SECOND", "'6' SECOND"),
}
SURROUNDINGS = {
    "a star": "INSERT INTO all_of SELECT * FROM orders;\n",
    "a star in a view": "CREATE VIEW everything AS SELECT * FROM orders;\n",
    "a star in COUNT": "INSERT INTO counted SELECT COUNT(*) FROM orders;\n",
    "an heir": "CREATE TABLE heir LIKE orders;\n",
    "a table of a query": "CREATE TABLE made WITH ('connector' = 'x') AS SELECT id FROM orders;\n",
    "an alias with columns": "INSERT INTO named SELECT b FROM orders AS o (a, b, c, d, e);\n",
    "a natural join": "INSERT INTO naturally SELECT id FROM orders NATURAL JOIN refunds;\n",
    "its own sink": "INSERT INTO orders SELECT * FROM orders;\n",
    "a change": "ALTER TABLE orders ADD (more INT);\n",
    "a later declaration": "CREATE TABLE orders (id INT) WITH ('connector' = 'x');\n",
    "a temporary table of the name": "CREATE TEMPORARY TABLE orders (id INT, unread INT) WITH ('connector' = 'x');\n",
    "a drop": "DROP TABLE orders;\n",
    "a broken query": "INSERT INTO broken SELECT FROM orders;\n",
    "a refused query": "INSERT INTO refused SELECT nothing FROM orders;\n",
    "a reader of the column": "INSERT INTO reading SELECT unread FROM orders;\n",
    "a template": "INSERT INTO {{ sink }} SELECT {{ columns }} FROM orders;\n",
    "a set": "EXECUTE STATEMENT SET BEGIN INSERT INTO one SELECT id FROM orders; INSERT INTO two SELECT 1; END;\n",
    "another database": "USE other;\nINSERT INTO elsewhere SELECT id FROM orders;\n",
    "a SET": "SET 'table.exec.state.ttl' = '1 d';\nINSERT INTO later SELECT id, COUNT(*) FROM orders GROUP BY id;\n",
}


def edited(edit: tuple[str, str], job: str = JOB) -> str:
    was, now = edit
    assert job.count(was) >= 1, was
    return job.replace(was, now, 1)


def after(text: str, job: str = JOB) -> tuple[Job, Job | None]:
    """The job of a text, made of a former one; with that former one."""
    memo = Memo()
    former = Job.of(parse_script(job, memo), {})
    return former, former.after_declaration_edit(parse_script(text, memo))


@pytest.mark.parametrize("name", SILENT)
def test_a_job_is_made_of_the_former_one(name: str) -> None:
    was, now = after(edited(SILENT[name]))
    assert now is not None
    memo = now.script.memo
    for before, pipeline in zip(was.pipelines, now.pipelines, strict=True):
        anew = planned_of(pipeline.statement, pipeline.definitions, memo)
        # Just what planning from nothing would share.
        assert pipeline.planned.meaning is anew.meaning
        assert pipeline.planned.storage is anew.storage
        assert (pipeline.planned.wording is before.planned.wording) == (anew.wording is before.planned.wording)
        assert pipeline.plan == anew.plan


def is_silent(text: str, job: str = JOB) -> bool:
    memo = Memo()
    was, now = (parse_script(each, memo).contents for each in (job, text))
    edit = declaration_edit(was, now, memo)
    return edit is not None and silent_edit(edit, now, memo) is not None


@pytest.mark.parametrize("name", [*SILENT, *FELT])
def test_an_edit_is_silent_if_no_other_statement_feels_it(name: str) -> None:
    assert is_silent(edited({**SILENT, **FELT}[name])) is (name in SILENT)


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("surroundings", ["none", *SURROUNDINGS])
def test_each_answer_is_that_of_an_analysis_from_nothing(engine: str, surroundings: str) -> None:
    job = JOB + SURROUNDINGS.get(surroundings, "")
    baseline, workspace = keepstate.JobVersion(job), keepstate.Workspace()
    some = ("a type", "a name", "several columns", "an option of the client")
    for edit in (
        *map(SILENT.__getitem__, some),
        FELT["a column that is read"],
        FELT["a broken type"],
        SILENT["a type"],
    ):
        check(keepstate.JobVersion(edited(edit, job)), baseline, engine, workspace)


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("name", [*SILENT, *FELT])
def test_there_and_back_again(engine: str, name: str) -> None:
    edit = {**SILENT, **FELT}[name]
    baseline, workspace = keepstate.JobVersion(edited(SILENT["a type"])), keepstate.Workspace()
    for text in (JOB, edited(edit), JOB):
        check(keepstate.JobVersion(text), baseline, engine, workspace)


FILLED = """\
CREATE TABLE made /* Ours. */ (PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = 'made', 'properties.client.id' = 'a', 'scan.parallelism' = '1')
AS SELECT o.id, COUNT(*) AS n FROM orders AS o JOIN refunds AS r ON o.id = r.id GROUP BY o.id;
INSERT INTO again SELECT id, SUM(n) AS n FROM made GROUP BY id;
"""
OF_FILLED = {
    "a comment": ("/* Ours. */", "/* Theirs. */"),
    "a shorter comment": ("/* Ours. */ ", ""),
    "the layout": ("made /*", "made\n  /*"),
    "a comment in the key": ("(id) NOT", "(id) /* typed */ NOT"),
    "an option of the client": ("'properties.client.id' = 'a'", "'properties.client.id' = 'b'"),
    "how it runs": ("'scan.parallelism' = '1'", "'scan.parallelism' = '2'"),
    "the key": ("(PRIMARY KEY (id) NOT ENFORCED)\n", "\n"),
    "a comment in the query": ("AS SELECT", "AS /* typed */ SELECT"),
    "the query": ("COUNT(*) AS n", "MAX(o.amount) AS n"),
}


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("name", OF_FILLED)
def test_a_table_of_a_query_is_also_a_query(engine: str, name: str) -> None:
    """The places of its plan are those of the text that is there now."""
    job = JOB + FILLED
    workspace = keepstate.Workspace()
    baseline = keepstate.JobVersion(job.replace("GROUP BY o.id", "GROUP BY o.id, o.category"))
    for text in (job, edited(OF_FILLED[name], job), job):
        version = keepstate.JobVersion(text)
        check(version, baseline, engine, workspace)
        assert keepstate.state_hovers(version, engine, workspace) == keepstate.state_hovers(version, engine)


@pytest.mark.parametrize("unit", list(JobUnit))
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_edits_upon_edits(engine: str, unit: JobUnit) -> None:
    chance = random.Random(f"{engine} {unit.value}")
    workspace, baseline = keepstate.Workspace(), keepstate.JobVersion(JOB, jobs=unit)
    text = JOB
    for edit in edits(chance, 30):
        if edit[0] in text:
            text = edited(edit, text)
            check(keepstate.JobVersion(text, jobs=unit), baseline, engine, workspace)


def edits(chance: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Edits there and back, and queries that come and go."""
    pairs = [*SILENT.values(), *FELT.values()]
    pairs += [("INSERT INTO copied", each + "INSERT INTO copied") for each in SURROUNDINGS.values()]
    for _ in range(count):
        was, now = chance.choice(pairs)
        yield (was, now) if chance.random() < 0.5 or not now else (now, was)


def check(
    version: keepstate.JobVersion, baseline: keepstate.JobVersion, engine: str, workspace: keepstate.Workspace
) -> None:
    kept = keepstate.analyse(version, baseline, engine, workspace)
    with nothing_shared():
        fresh = keepstate.analyse(version, baseline, engine)
        assert kept.report() == fresh.report(), version.text
        assert kept.comparison.stored_pairs == fresh.comparison.stored_pairs, version.text
    assert keepstate.validate(version, engine) == kept.comparison.current_job.validity, version.text
