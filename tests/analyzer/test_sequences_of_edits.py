"""Long sequences of edits: each answer of a document that is open equals the answer of an analysis from nothing, which
shares no plan between its two sides either.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import keepstate
from keepstate.plan.units.cluster_jobs import JobUnit
from unshared_analyses import nothing_shared

JOB = """\
SET 'table.exec.state.ttl' = '1 d';
CREATE TABLE base (k STRING, v BIGINT, unread INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'base', 'format' = 'json');
CREATE TABLE changing (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'changing', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE heir WITH ('topic' = 'heir') LIKE base;
CREATE TABLE by_key (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'u');
CREATE VIEW big AS SELECT k, v, ts FROM base WHERE v > 10;
CREATE VIEW bigger AS SELECT k, v * 2 AS v FROM big WHERE v > 100;
CREATE VIEW biggest AS SELECT bigger.k, bigger.v FROM bigger JOIN big ON bigger.k = big.k WHERE bigger.v > 1000;
BEGIN STATEMENT SET;
INSERT INTO by_key SELECT k, COUNT(*) AS n FROM big GROUP BY k;
INSERT INTO plain SELECT k, SUM(v) AS total, MAX(v) AS largest FROM bigger GROUP BY k;
END;
INSERT INTO windows SELECT window_start, k, SUM(v) AS total
FROM TABLE(TUMBLE(TABLE heir, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, k;
INSERT INTO joined SELECT b.k, b.v, c.v AS other FROM big AS b JOIN changing AS c ON b.k = c.k;
INSERT INTO ranked SELECT k, v FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS place FROM base) WHERE place <= 3;
INSERT INTO plain SELECT k, v, v FROM changing;
INSERT INTO most SELECT /*+ STATE_TTL('b' = '1d') */ k, COUNT(*) AS n FROM biggest AS b GROUP BY k;
INSERT INTO copied SELECT k, v FROM undeclared WHERE v > 1;
"""
REPLACED = (
    ("v > 10 ", "v > 11 "),
    ("v > 10;", "v > 12;"),
    ("v > 100", "v > 101"),
    ("SUM(v)", "MIN(v)"),
    ("MAX(v)", "MAX(v + 1)"),
    ("unread INT", "unread BIGINT"),
    ("unread INT", "unread INT, more STRING"),
    ("unread INT, ", ""),
    ("unread INT", "unread /* typed */ INT"),
    ("unread INT", "unread INT -- v, ts\n"),
    ("unread INT", "unread INT, k STRING"),
    ("unread INT", "unread INT, `window_start` TIMESTAMP(3)"),
    ("unread INT", "unread INT, `n` INT"),
    ("unread INT", "unread INT METADATA"),
    # A reserved word: Flink reads nothing of the script.
    ("unread INT", "unread INT, user STRING"),
    ("n BIGINT, PRIMARY", "n BIGINT, user STRING, PRIMARY"),
    ("unread INT", "unread AS v * 2"),
    ("v BIGINT, unread INT", "unread INT, v BIGINT"),
    ("'topic' = 'base'", "'topic' = 'base', 'properties.linger.ms' = '5'"),
    ("'topic' = 'base'", "'topic' = 'base', 'properties.group.id' = 'unread'"),
    ("'topic' = 'changing'", "'topic' = 'changing', 'properties.x' = 'y'"),
    ("'url' = 'u'", "'url' = 'u', 'properties.x' = 'y'"),
    ("k STRING, n BIGINT, PRIMARY", "k STRING, n BIGINT, more INT, PRIMARY"),
    ("'1d'", "'2d'"),
    ("AS b GROUP BY", "AS c GROUP BY"),
    ("SELECT k, v, ts FROM", "SELECT k, /* typed */ v, ts FROM"),
    ("SELECT k, v, ts FROM", "SELECT * FROM"),
    ("SELECT k, v, ts FROM", "SELECT k, v, ts, unread FROM"),
    ("v > 1000", "v > 1000 -- typed\n"),
    ("v > 1000", "v > 1001"),
    ("v BIGINT", "v INT"),
    ("'5' SECOND", "'6' SECOND"),
    ("'10' MINUTE", "'20' MINUTE"),
    ("'topic' = 'base'", "'topic' = 'base', 'scan.parallelism' = '2'"),
    ("'format' = 'json'", "'format' = 'debezium-json'"),
    ("GROUP BY k;", "GROUP BY k; -- typed"),
    ("SELECT k", "SELECT /* here */ k"),
    ("PRIMARY KEY (k) NOT ENFORCED", "PRIMARY KEY (v) NOT ENFORCED"),
    (" LIKE base", " LIKE base (EXCLUDING OPTIONS)"),
    ("'1 d'", "'2 d'"),
    ("BEGIN STATEMENT SET;\n", ""),
    ("place <= 3", "place <= 30"),
    ("FROM big ", "FROM base "),
    ("INTO plain", "INTO by_key"),
    ("CREATE VIEW big ", "CREATE VIEW large "),
    ("JOIN changing", "LEFT JOIN changing"),
    (" GROUP BY k", " GROUP BY"),
    ("INSERT INTO windows", "SET 'table.exec.mini-batch.enabled' = 'true';\nINSERT INTO windows"),
    ("INSERT INTO joined", "ALTER TABLE base RENAME TO basis;\nINSERT INTO joined"),
    ("INSERT INTO joined", "DROP VIEW big;\nINSERT INTO joined"),
    ("INSERT INTO ranked", "CREATE TABLE base (k STRING, v BIGINT) WITH ('connector' = 'x');\nINSERT INTO ranked"),
    ("INSERT INTO copied", "USE other;\nINSERT INTO copied"),
    ("INSERT INTO copied", "CREATE TABLE undeclared (k STRING, v INT) WITH ('connector' = 'x');\nINSERT INTO copied"),
    ("CREATE TABLE changing", "CREATE TABLE changed"),
)
Edit = Callable[[str, random.Random], str]


def _replaced(text: str, chance: random.Random) -> str:
    """One place of one of the edits, there or back."""
    pairs = [(was, now) for old, new in REPLACED for was, now in ((old, new), (new, old)) if was and was in text]
    was, now = chance.choice(pairs)
    places = [at for at in range(len(text)) if text.startswith(was, at)]
    place = chance.choice(places)
    return text[:place] + now + text[place + len(was) :]


def _without_a_statement(text: str, chance: random.Random) -> str:
    pieces = text.split(";\n")
    pieces.pop(chance.randrange(len(pieces)))
    return ";\n".join(pieces)


def _with_one_twice(text: str, chance: random.Random) -> str:
    pieces = text.split(";\n")
    pieces.insert(chance.randrange(len(pieces)), chance.choice(pieces))
    return ";\n".join(pieces)


def _moved(text: str, chance: random.Random) -> str:
    pieces = text.split(";\n")
    pieces.insert(chance.randrange(len(pieces)), pieces.pop(chance.randrange(len(pieces))))
    return ";\n".join(pieces)


def _without_a_letter(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    return text[:place] + text[place + 1 :]


EDITS: tuple[Edit, ...] = (_replaced,) * 8 + (_without_a_statement, _with_one_twice, _moved, _without_a_letter)


@pytest.mark.parametrize("unit", list(JobUnit))
@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("seed", [1, 2])
def test_each_answer_is_that_of_an_analysis_from_nothing(engine: str, unit: JobUnit, seed: int) -> None:
    chance = random.Random(f"{engine} {unit.value} {seed}")
    workspace, baseline = keepstate.Workspace(), keepstate.JobVersion(JOB, jobs=unit)
    past = [JOB]
    verdicts = set[str]()
    for number in range(40):
        text = chance.choice(past[-6:]) if number % 7 == 6 else chance.choice(EDITS)(past[-1], chance)
        if number % 10 == 9:
            text = JOB
        past.append(text)
        version = keepstate.JobVersion(text, jobs=unit)
        kept = keepstate.analyse(version, baseline, engine, workspace)
        with nothing_shared():
            fresh = keepstate.analyse(version, baseline, engine)
            assert kept.report() == fresh.report(), text
            if number % 8 == 0:
                assert kept.comparison.stored_pairs == fresh.comparison.stored_pairs, text
        if number % 4 == 1:
            noted = [keepstate.state_hovers(version, engine, memory) for memory in (workspace, None)]
            assert noted[0] == noted[1], text
        verdicts.add(kept.report().verdict.value)
    assert len(verdicts) > 1
