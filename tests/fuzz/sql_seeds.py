"""Scripts to begin from: those of the generators of the properties, and small ones by hand."""

from __future__ import annotations

import random

from catalogue_of_edits import EDITS
from kinds import QUERIES, job_of
from spelling import PLAIN, Chance

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
_EVERY = 12


def scripts() -> list[str]:
    """One plain script of each kind of query, and the small ones."""
    made = [job_of(kind, Chance(random.Random(number))).script(PLAIN).text for number, kind in enumerate(QUERIES)]
    return [*_SMALL, *made]


def pairs_of_scripts() -> list[tuple[str, str]]:
    """Baselines with their current versions: some of the labelled edits."""
    pairs = [("SELECT a, COUNT(*) FROM t GROUP BY a", "SELECT a, b, COUNT(*) FROM t GROUP BY a, b")]
    for number, edit in enumerate(EDITS[::_EVERY]):
        chance = Chance(random.Random(number))
        before, after = edit.change(edit.prepare(job_of(edit.kind, chance), chance), chance)
        pairs.append((before.script(PLAIN).text, after.script(chance).text))
    return pairs
