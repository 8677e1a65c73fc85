"""Queries that are found to say the same have equal plans and are stored alike: so they need not be planned again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import keepstate
from keepstate.job_version import JobVersion, job_of
from keepstate.physical.read_columns import keeps_read_columns
from keepstate.physical.stored_job import StoredJob
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.planned import query_planning
from keepstate.syntax.memo import Memo
from keepstate.syntax.tokens import lex
from keepstate.validation.statements import answer_cache
from night import by_night
from rules.rule_pages import all_examples

JOB = """\
CREATE TABLE t (k STRING, v BIGINT NOT NULL, w AS v * 2, rest INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json', 'properties.client.id' = 'c',
  'properties.group.id' = 'g');
CREATE TABLE u (k STRING, x INT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'u', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE s (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.acks' = '1');
CREATE FUNCTION f AS 'shop.F';
CREATE VIEW a AS SELECT k, f(v) AS v, w, ts FROM t WHERE v > 10;
CREATE VIEW b (k, v) AS SELECT a.k, a.w FROM a JOIN u ON a.k = u.k;
INSERT INTO s SELECT /*+ STATE_TTL('c' = '1d') */ k, COUNT(*) AS n FROM b AS c GROUP BY k;
"""
SAME = {
    "a comment in a table": ("v BIGINT", "v /* Ours. */ BIGINT"),
    "a comment in a view": ("WHERE v > 10", "WHERE -- Large.\n v > 10"),
    "a comment in the query": ("GROUP BY k", "GROUP BY /* Each. */ k"),
    "lines": ("WHERE v > 10", "WHERE\n  v   > 10"),
    "keywords": ("WHERE v > 10", "where v > 10"),
    "an option of the client": ("'properties.client.id' = 'c'", "'properties.client.id' = 'd'"),
    "one more option of the client": ("'topic' = 't'", "'topic' = 't', 'properties.x' = 'y'"),
    "no option of the client": (", 'properties.client.id' = 'c'", ""),
}
"""Edits after which a query says the same in all respects."""
UNREAD = {
    "one more column": ("rest INT", "rest INT, more STRING"),
    "one more column in front": ("(k STRING, v", "(more STRING, k STRING, v"),
    "no such column": ("rest INT, ", ""),
    "another type": ("rest INT", "rest ROW<more DECIMAL(10, 2)>"),
    "another name": ("rest INT", "remainder INT"),
}
"""Edits of columns that are not read: plans stay equal, and what connectors give does not."""
RUNNING = {
    "the tasks of the source": ("'topic' = 't'", "'topic' = 't', 'scan.parallelism' = '2'"),
    "the start of the source": ("'topic' = 't'", "'topic' = 't', 'scan.startup.mode' = 'latest-offset'"),
    "tasks of a source of upserts": ("'topic' = 'u'", "'topic' = 'u', 'scan.parallelism' = '2'"),
}
"""Edits of options that change how a source runs: plans stay equal, and ids of operators may not."""
OTHER = {
    "changes of a source": ("'topic' = 't'", "'topic' = 't', 'scan.read-changelog-as-append-only.enabled' = 'true'"),
    "the tasks of a sink": ("'topic' = 's'", "'topic' = 's', 'scan.parallelism' = '2'"),
    "tasks of another connector": (
        "'kafka', 'topic' = 't', 'format' = 'json'",
        "'pulsar', 'topic' = 't', 'format' = 'json', 'scan.parallelism' = '2'",
    ),
    "a type": ("v BIGINT", "v INT"),
    "NOT NULL": (" NOT NULL", ""),
    "a watermark": ("'5' SECOND", "'6' SECOND"),
    "no watermark": (",\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", ""),
    "a computed column": ("v * 2", "v * 3"),
    "a key": ("PRIMARY KEY (k)", "PRIMARY KEY (x)"),
    "a column of a table with a key": ("x INT,", "x INT, more INT,"),
    "a connector": ("'connector' = 'kafka', 'topic' = 't'", "'connector' = 'pulsar', 'topic' = 't'"),
    "a topic": ("'topic' = 't'", "'topic' = 'z'"),
    "a format": ("'format' = 'json', 'prop", "'format' = 'debezium-json', 'prop"),
    "an option that a source may need": (",\n  'properties.group.id' = 'g'", ""),
    "columns by their place": ("FROM t WHERE", "FROM t AS z (k, v, w, rest, ts) WHERE"),
    "a column of the sink": ("n BIGINT", "n BIGINT, more INT"),
    "an option of the sink": ("'properties.acks' = '1'", "'properties.acks' = '0'"),
    "the class of a function": ("'shop.F'", "'shop.G'"),
    "a condition of a view": ("v > 10", "v > 11"),
    "columns of a view": ("b (k, v)", "b (v, k)"),
    "a name in quotes": ("WHERE v >", "WHERE `v` >"),
    "a hint": ("'1d'", "'2d'"),
    "an alias": ("AS c GROUP", "AS d GROUP"),
    "the query": ("COUNT(*)", "COUNT(k)"),
    "a column by a star": ("SELECT k, f(v) AS v, w, ts FROM t", "SELECT * FROM t"),
    "a column that the query says": ("rest INT", "rest INT, n INT"),
    "a column that a string says": ("rest INT", "rest INT, `1d` INT"),
    "another database": ("CREATE FUNCTION f", "USE elsewhere;\nCREATE FUNCTION f"),
    "a temporary table": ("CREATE TABLE t", "CREATE TEMPORARY TABLE t"),
    "a template": ("'topic' = 't'", "'topic' = '${topic}'"),
}


def both(was: str, now: str) -> tuple[Job, Job]:
    memo = Memo()
    first, second = (job_of(JobVersion(text), memo) for text in (was, now))
    return first, second


def edited(edit: tuple[str, str]) -> str:
    assert edit[0] in JOB
    return JOB.replace(*edit)


@pytest.mark.parametrize("edit", SAME)
def test_what_says_nothing_leaves_the_wording(edit: str) -> None:
    was, now = both(JOB, edited(SAME[edit]))
    assert was.pipelines[0].planned.wording is now.pipelines[0].planned.wording
    assert_equal_where_the_same(was, now)


@pytest.mark.parametrize("edit", UNREAD | RUNNING)
def test_what_no_plan_follows_from_leaves_the_meaning(edit: str) -> None:
    was, now = both(JOB, edited((UNREAD | RUNNING)[edit]))
    assert was.pipelines[0].planned.meaning is now.pipelines[0].planned.meaning
    assert was.pipelines[0].planned.wording is not now.pipelines[0].planned.wording
    assert_equal_where_the_same(was, now)


@pytest.mark.parametrize("edit", OTHER)
def test_all_else_is_another_meaning(edit: str) -> None:
    was, now = both(JOB, edited(OTHER[edit]))
    assert not was.pipelines[0].planned.says_as(now.pipelines[0].planned)


def assert_equal_where_the_same(was: Job, now: Job) -> None:
    """Compare the plans and the stored states of queries that say the same; they are made of their own statements."""
    stored = [StoredJob.of(job, with_places=True) for job in (was, now)]
    for place, (first, second) in enumerate(zip(was.pipelines, now.pipelines, strict=False)):
        if not first.planned.says_as(second.planned):
            continue
        assert facts(first) == facts(second)
        if is_stored_alike(first, second, was, now):
            assert kept_by(stored[0], place) == kept_by(stored[1], place)
        if first.planned.wording is not second.planned.wording:
            continue
        assert [scan.columns for scan in first.plan.scans] == [scan.columns for scan in second.plan.scans]
        assert kept_by(stored[0], place) == kept_by(stored[1], place)


def facts(pipeline: Pipeline) -> tuple[object, ...]:
    plan = pipeline.plan
    hints = [[(option.key, option.value) for option in scan.options] for scan in plan.scans]
    return plan, plan.names, plan.row, plan.storage_root, plan.storage_columns, plan.starred, hints


def is_stored_alike(first: Pipeline, second: Pipeline, was: Job, now: Job) -> bool:
    storage = first.planned.storage
    if storage is None or storage is not second.planned.storage:
        return False
    if not (was.catalog.unambiguous and now.catalog.unambiguous):
        return False
    return keeps_read_columns(first.plan, was.catalog) and keeps_read_columns(second.plan, now.catalog)


def kept_by(job: StoredJob, place: int) -> tuple[object, ...]:
    query = job.queries[place]
    operators = {
        number: (node.digest, node.source_digest, stored) for number, (node, stored) in query.operators.items()
    }
    return operators, [(node.digest, table, number) for node, table, number in query.sources]


@contextmanager
def nothing_shared() -> Iterator[None]:
    """An analysis as if no statements ever said the same."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("wording_of", "meaning_of", "storage_of"):
            patch.setattr(query_planning, name, lambda *_: None)
        patch.setattr(answer_cache, "meaning_of", lambda *_: None)
        yield


TYPED = (
    "/* typed */",
    "-- typed\n",
    ", typed INT",
    ", 'properties.x' = 'x'",
    ", 'scan.parallelism' = '3'",
    "typed",
    "1",
    "k",
    "*",
    "NOT NULL",
)


def retyped(text: str, chance: random.Random) -> str:
    """A text with something typed behind a token, or without a token."""
    token = chance.choice(lex(text).tokens[:-1])
    if chance.random() < 0.2:
        return text[: token.start] + text[token.end :]
    return f"{text[: token.end]} {chance.choice(TYPED[:5] if chance.random() < 0.7 else TYPED)} {text[token.end :]}"


TEXTS = sorted({side for example in all_examples() for side in (example.baseline.text, example.current.text)})


@pytest.mark.parametrize("share", range(8))
def test_whatever_is_typed_no_answer_depends_on_what_is_shared(share: int) -> None:
    chance = random.Random(share)
    texts = by_night(TEXTS[share::8], TEXTS[share::8][::27])
    shared = 0
    for text in texts:
        memory = keepstate.Workspace()
        for _ in range(4):
            typed = retyped(text, chance)
            was, now = both(text, typed)
            pairs = zip(was.pipelines, now.pipelines, strict=False)
            shared += sum(first.planned.says_as(second.planned) for first, second in pairs)
            assert_equal_where_the_same(was, now)
            for engine in ("vvr", "flink"):
                kept = keepstate.analyse(JobVersion(typed), JobVersion(text), engine, memory).report()
                with nothing_shared():
                    fresh = keepstate.analyse(JobVersion(typed), JobVersion(text), engine).report()
                assert kept == fresh, typed
    assert shared
