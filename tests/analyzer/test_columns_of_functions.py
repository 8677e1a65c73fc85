"""Messages about the columns of UNNEST, VALUES and table functions: by their names, or by what tells them apart."""

from __future__ import annotations

from itertools import permutations

import pytest

import keepstate

TABLE = """\
CREATE TABLE t (a INT, k STRING, xs ARRAY<INT>, ys ARRAY<INT>, ms MAP<STRING, INT>, rs ARRAY<ROW<s STRING, n INT>>)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
"""
FUNCTIONS = (
    "UNNEST(xs) AS u (x)",
    "UNNEST(ys) AS u (x)",
    "UNNEST(ms) AS u (s, x)",
    "UNNEST(rs) WITH ORDINALITY AS u (s, x, place)",
    "(VALUES (1), (2)) AS u (x)",
    "LATERAL TABLE(parts(k)) AS u (x)",
    "UNNEST(SPLIT(k, 'a')) AS u (x)",
    "UNNEST(SPLIT(k, 'i')) AS u (x)",
)
QUERIES = (
    "SELECT x, COUNT(*) AS n FROM t CROSS JOIN {} GROUP BY x",
    "SELECT k, MAX(x) AS m FROM t CROSS JOIN {} GROUP BY k",
    "SELECT DISTINCT * FROM t CROSS JOIN {}",
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x) AS rn FROM t CROSS JOIN {}) WHERE rn <= 3",
    "SELECT l.k, l.x FROM (SELECT * FROM t CROSS JOIN {}) AS l JOIN t AS r ON l.x = r.a",
)
OF_THE_PLAN = ("COLUMN(", "(NUMBER)", "(NAME)", "(TYPE)")


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_no_message_shows_what_only_plans_have(query: str, engine: str) -> None:
    versions = [keepstate.JobVersion(f"{TABLE}{query.format(each)};") for each in FUNCTIONS]
    messages = [
        finding.message
        for former, changed in permutations(versions, 2)
        for finding in keepstate.check(changed, former, engine).findings
    ]
    assert messages
    assert not [message for message in messages if any(words in message for words in OF_THE_PLAN)]


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_columns_of_one_name_are_told_apart_by_their_functions(engine: str) -> None:
    former, changed = (
        keepstate.JobVersion(f"{TABLE}{QUERIES[0].format(each)};") for each in (FUNCTIONS[-2], FUNCTIONS[-1])
    )
    messages = [finding.message for finding in keepstate.check(changed, former, engine).findings]
    assert any("'a' -> 'i'" in message for message in messages), messages


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_a_column_is_called_as_the_query_calls_it(engine: str) -> None:
    sums = "SELECT k, SUM({}) AS s FROM t CROSS JOIN UNNEST(xs) AS u (x) GROUP BY k;"
    former, changed = (keepstate.JobVersion(TABLE + sums.format(each)) for each in ("x", "x + 1"))
    (finding,) = keepstate.check(changed, former, engine).findings
    assert finding.message.startswith("SUM(x) -> SUM(x + 1): ")
