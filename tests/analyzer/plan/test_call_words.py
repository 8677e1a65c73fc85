"""Texts of calls in messages and drawings: SQL, as a query writes it."""

from __future__ import annotations

import pytest

from keepstate.job_version import JobVersion, job_of
from keepstate.plan.expressions import Expr

TABLE = "CREATE TABLE o (id BIGINT, u STRING, m MAP<STRING, STRING>, ts TIMESTAMP(3)) WITH ('connector' = 'kafka');\n"


def lowered(text: str) -> Expr:
    (pipeline,) = job_of(JobVersion(f"{TABLE}SELECT {text} FROM o")).pipelines
    return pipeline.plan.output[0]


@pytest.mark.parametrize(
    "text",
    [
        "FLOOR(ts TO HOUR)",
        "CEIL(ts TO DAY)",
        "FLOOR(id)",
        "m['k']",
        "ARRAY[1, 2]",
        "MAP['a', 1]",
        "JSON_OBJECT(KEY 'a' VALUE u ABSENT ON NULL)",
        "JSON_ARRAY(u, id NULL ON NULL)",
        "JSON_VALUE(u, '$.a' RETURNING INT DEFAULT 3 ON EMPTY ERROR ON ERROR)",
        "JSON_VALUE(u, '$.a' RETURNING VARCHAR(5))",
        "X'0A'",
        "JSON_QUERY(u, '$.a' WITH WRAPPER)",
        "JSON_EXISTS(u, '$.a' TRUE ON ERROR)",
        "TIMESTAMPDIFF(MINUTE, ts, ts)",
        "TIMESTAMPADD(WEEK, 3, ts)",
        "u LIKE 'a!%' ESCAPE '!'",
        "u SIMILAR TO 'a%'",
        "u IS JSON OBJECT",
        "u IS JSON",
        "JSON_OBJECT(KEY 'a' VALUE JSON('{}'))",
        "CURRENT_TIMESTAMP",
        "UPPER(u) || 'x'",
        "CASE WHEN id > 1 THEN 'a' ELSE u END",
    ],
)
def test_a_call_is_written_as_a_query_writes_it(text: str) -> None:
    assert str(lowered(text)) == text
    assert lowered(str(lowered(text))) == lowered(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("JSON_OBJECT('a' VALUE id)", "JSON_OBJECT(KEY 'a' VALUE id)"),
        ("NOT u SIMILAR TO 'a%'", "NOT (u SIMILAR TO 'a%')"),
        ("(u LIKE 'a!%' ESCAPE '!') AND id > 1", "id > 1 AND u LIKE 'a!%' ESCAPE '!'"),
        ("m['k'] || 'x'", "m['k'] || 'x'"),
    ],
)
def test_other_spellings_get_its_words(text: str, words: str) -> None:
    assert str(lowered(text)) == words
    assert lowered(words) == lowered(text)
