"""Scripts to begin from: those of the generators of the properties, of the rule pages, and small ones by hand."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from catalogue_of_edits import EDITS
from combined_edits import edits_of_one_query, edits_of_two_queries
from given_scripts import given_pairs, given_scripts
from keepstate import JobVersion
from kinds import KINDS, job_of
from rule_pages import all_examples
from spelling import PLAIN, Chance
from sql_statements import STATEMENTS

SQL_WORDS = tuple(
    """SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET UNION ALL INTERSECT EXCEPT JOIN LEFT ON AS WITH INSERT INTO
    CREATE TABLE TEMPORARY VIEW FUNCTION SET DISTINCT NULL TRUE CASE WHEN THEN ELSE END CAST INTERVAL '1' MINUTE DAY
    TUMBLE HOP CUMULATE SESSION DESCRIPTOR TABLE( LATERAL UNNEST ROW_NUMBER() OVER PARTITION RANGE BETWEEN PRECEDING
    MATCH_RECOGNIZE PATTERN DEFINE MEASURES AFTER MATCH SKIP COUNT(*) SUM( AVG( MAX( window_start window_end PROCTIME()
    EXISTS IN NOT AND OR = <> < >= ( ) , . ; * + - [ ] ROW( ARRAY[ MAP[ VALUES FOR SYSTEM_TIME OF QUALIFY FILTER
    GROUPING SETS CUBE ROLLUP WATERMARK PRIMARY KEY ENFORCED LIKE EXCLUDING OPTIONS /*+ STATE_TTL BEGIN
    STATEMENT EXECUTE RESET
    DROP ALTER USE ADD JAR EXPLAIN ANALYZE""".split()
)
_SMALL = (
    "SELECT 1",
    "SET 'table.exec.state.ttl' = '1 d';\nSELECT a, COUNT(*) FROM t GROUP BY a;",
    "CREATE VIEW v AS SELECT * FROM v;\nSELECT * FROM v;",
    "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b",
    "INSERT INTO s SELECT a, b[1].c, r.f, MAP['x', 1]['x'] FROM t CROSS JOIN UNNEST(b) AS u (c);",
    "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;",
    "CREATE TABLE l (WATERMARK FOR ts AS ts) LIKE t (EXCLUDING ALL INCLUDING GENERATED);",
    "SELECT * FROM t /*+ OPTIONS('a' = 'b') */ AS x WHERE (a, b) IN (SELECT a, b FROM u) AND NOT EXISTS (SELECT 1)",
    "{{ config(x) }} SELECT ${a} FROM {{ ref('t') }} {% if x %} WHERE a {% endif %}",
    "<<<<<<< a\nSELECT 1;\n=======\nSELECT 2;\n>>>>>>> b\n",
)
_HOLED = "INSERT INTO s SELECT a, SUM(b) FROM {{ ref('t') }} WHERE c = ${c} AND d > {{ least }} GROUP BY a;"
_PLANS = Path(__file__).parents[1] / "analyzer" / "plan"
_EVERY = 12
_EVERY_QUERY = 8
"""Inputs that are no seeds come fresh, now and then."""


@cache
def scripts() -> tuple[str, ...]:
    """One plain script of each kind of query, statements of every kind, queries that Flink planned, and small ones."""
    made = [job_of(kind, Chance(random.Random(number))).script(PLAIN).text for number, kind in enumerate(KINDS)]
    return (
        *_SMALL,
        *STATEMENTS,
        *made,
        *given_scripts(),
        *(f"{_tables()}\n{query};" for query in _planned()[::_EVERY_QUERY]),
    )


@cache
def pairs_of_scripts() -> tuple[tuple[str, str], ...]:
    """Baselines with their current versions: some examples of the rule pages, and some of the labelled edits."""
    pairs = [
        ("SELECT a, COUNT(*) FROM t GROUP BY a", "SELECT a, b, COUNT(*) FROM t GROUP BY a, b"),
        (_HOLED, _HOLED.replace("${c}", "${e}").replace("SUM(b)", "SUM({{ b }})")),
    ]
    pairs += [(_reported(one.baseline), _reported(one.current)) for one in all_examples()[::_EVERY]]
    for number, edit in enumerate(EDITS[::_EVERY]):
        chance = Chance(random.Random(number))
        before, after = edit.change(edit.prepare(job_of(edit.kind, chance), chance), chance)
        pairs.append((before.script(PLAIN).text, after.script(chance).text))
    return (*pairs, *given_pairs())


def fresh_script(chance: random.Random) -> str:
    """A job of any kind, in any spelling, or a query over the tables of those that Flink planned."""
    if chance.random() < 0.3:
        return f"{_tables()}\n{chance.choice(_planned())};"
    drawn = Chance(chance)
    return job_of(drawn.pick(*KINDS), drawn).script(drawn).text


def fresh_pair(chance: random.Random) -> tuple[str, str]:
    """A job before and after one edit or two, or in two spellings; an example; or one query and another one."""
    drawn = Chance(chance)
    kind = chance.randrange(10)
    if kind == 0:
        job = job_of(drawn.pick(*KINDS), drawn)
        return job.script(PLAIN).text, job.script(drawn).text
    if kind == 1:
        one, other = (chance.choice(_planned()) for _ in range(2))
        return f"{_tables()}\n{one};", f"{_tables()}\n{other};"
    if kind in (4, 5):
        example = chance.choice(all_examples())
        return _reported(example.baseline), _reported(example.current)
    if kind in (2, 3):
        combined = edits_of_one_query(drawn) if kind == 2 else edits_of_two_queries(drawn)
        if combined is not None:
            return combined.before.script(PLAIN).text, combined.after.script(drawn).text
    edit = drawn.pick(*EDITS)
    before, after = edit.change(edit.prepare(job_of(edit.kind, drawn), drawn), drawn)
    pair = before.script(PLAIN).text, after.script(drawn).text
    # What is mutated is mostly the second text; where it is what ran, other things come and go.
    return pair if chance.random() < 0.7 else (pair[1], pair[0])


def _reported(version: JobVersion) -> str:
    """A version with its parameters in its text."""
    return "".join(f"SET '{key}' = '{value}';\n" for key, value in version.parameters.items()) + version.text


@cache
def _tables() -> str:
    return (_PLANS / "flink_joins.sql").read_text("utf-8")


@cache
def _planned() -> tuple[str, ...]:
    """The queries with measured plans of Flink."""
    lines = (_PLANS / "flink_joins.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith(("#", " ")))
