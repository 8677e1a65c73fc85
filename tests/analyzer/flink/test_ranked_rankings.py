"""Stored rows of a ranking below another one. As Flink 1.20.5, 2.1.3, 2.2.1 and 2.3.0 planned them."""

from __future__ import annotations

import pytest

from keepstate.job_version import JobVersion, job_of
from keepstate.physical.stored_job import StoredJob
from keepstate.state.stored_operators import StatePart

TABLE = """\
CREATE TABLE o (id BIGINT, u STRING, k STRING, o1 BIGINT, extra STRING, more INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
"""
ALL = "id, u, k, o1, extra, more, ts"
VERSIONS = "1.20", "2.2", "2.3"


def rows(upper: str, lower: str, condition: str, order: str, version: str = "2.3") -> tuple[str, str]:
    """The columns that the rankings store, the upper one first."""
    numbered = f"SELECT {lower}, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS m FROM o"
    top = f"SELECT {upper}, ROW_NUMBER() OVER (PARTITION BY u ORDER BY id) AS n FROM ({numbered}) WHERE {condition}"
    query = f"{TABLE}SELECT u, id FROM ({top}) WHERE n <= 3;"
    (stored,) = StoredJob.of(job_of(JobVersion(query, engine_version=version))).queries
    one, other = (
        " ".join(str(each.meaning).replace(" ", "") for each in state.fields).replace("ROW_NUMBER()", "#")
        for number in sorted(stored.operators)
        for state in stored.operators[number][1].states
        if state.part is StatePart.ROWS
    )
    return one, other


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("upper", "lower", "condition", "order", "expected"),
    [
        # A key that the lower list lacks.
        ("u, id", "id, u, k, extra", "m <= 5", "o1", ("id u k #", "id u k o1 extra")),
        ("u, id", "id, u, extra", "m <= 5", "o1 DESC", ("id u", "id u k o1 extra")),
        ("*", "id, u, o1, extra", "m = 1", "ts DESC", ("id u", "id u k o1 extra ts")),
        ("u, id", "id, u, k, UPPER(extra) AS up", "m = 1", "ts DESC", ("id u k", "id u k ts UPPER(extra)")),
        # Another order than that of the row.
        ("u, id", "u, id, k, o1, extra", "m <= 5", "o1", ("u id k #", "id u k o1 extra")),
        ("u, id", "id, u, k, o1, UPPER(extra) AS up", "m <= 5", "o1", ("id u k #", "id u k o1 extra")),
        # What is computed of a constant, or of keys, is a column of the row.
        ("u, id", "u, id, k, o1, extra || 'x' AS p", "m <= 5", "o1", ("u id k #", "id u k o1 extra||'x'")),
        ("u, id", "u, id, k, o1, -o1 AS p", "m <= 5", "o1", ("u id k #", "id u k o1 -o1")),
        ("u, id", "u, id, k, o1, CAST(extra AS INT) AS p", "m <= 5", "o1", ("u id k #", "id u k o1 extra")),
        # The whole row: all of it with a constant number, unless the upper list has all columns too.
        ("u, id", "id, u, k, o1, extra", "m = 1", "o1", ("id u k", "id u k o1 extra")),
        ("*", "id, u, k, o1, extra", "m = 1", "o1", ("id u k", "id u k o1")),
        ("u, id", "id, u, k, o1, extra", "m <= 5", "o1", ("id u k #", "id u k o1")),
        # All columns of the table.
        ("u, id", ALL, "m <= 5", "o1", ("id u k #", "id u k o1")),
        ("*", "*", "m = 1", "ts", ("id u k", "id u k ts")),
        # The upper list computes.
        ("UPPER(u) AS up, id, u", "id, u, extra", "m = 1", "ts DESC", ("id u", "id u k ts")),
    ],
)
def test_a_ranking_below_another_one_stores_its_select_list(
    upper: str, lower: str, condition: str, order: str, expected: tuple[str, str], version: str
) -> None:
    assert rows(upper, lower, condition, order, version) == expected


@pytest.mark.parametrize(("version", "expected"), [("1.20", "id u k"), ("2.2", "id u k #"), ("2.3", "id u k #")])
def test_the_number_1_of_a_whole_row_is_stored_by_newer_planners(version: str, expected: str) -> None:
    assert [rows("u, id", each, "m = 1", "ts DESC", version)[0] for each in ("*", ALL)] == [expected] * 2
