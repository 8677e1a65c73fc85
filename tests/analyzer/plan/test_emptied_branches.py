"""A branch of UNION ALL that WHERE FALSE empties is gone from the plan, but not the columns that it made of constants.

Flink looks for constants while the union has all of its branches. Each pair was planned by Flink 2.3.
"""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion
from keepstate.report import Verdict
from shared_analyses import check

DDL = "".join(
    f"CREATE TABLE {name} (id BIGINT NOT NULL, k STRING NOT NULL, s STRING, a INT NOT NULL, b INT) "
    "WITH ('connector' = 'kafka');\n"
    for name in ("t", "u", "d")
)
GROUPS = "SELECT id, c, COUNT(z) AS n FROM v GROUP BY id, c"
DISTINCT = "SELECT DISTINCT id, c FROM v"
TOP = "SELECT {}, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY z DESC) AS rn FROM v"
RUNNING = "SELECT id, c, SUM(z) OVER (PARTITION BY c, id ORDER BY PROCTIME()) AS y FROM v"
MAXIMUM = "SELECT id, MAX(c) AS m FROM v GROUP BY id"
COMPARED = "SELECT id, COUNT(*) AS n FROM v WHERE c = 1 GROUP BY id"
RANKED = f"SELECT id, c, z FROM ({TOP.format('id, c, z', 'c, id')}) WHERE rn <= 3"
STORED = f"SELECT id, c, z FROM ({TOP.format('id, c, z', 'id')}) WHERE rn <= 3"
SEMI = "SELECT id, c FROM v WHERE c IN (SELECT a FROM d WHERE d.id = v.id)"


def _joined(kind: str, column: str = "a") -> str:
    return f"SELECT v.id, v.c, d.b FROM v {kind} JOIN d ON v.c = d.{column} AND v.id = d.id"


KEYS = [GROUPS, DISTINCT, RUNNING, RANKED, STORED, SEMI, *map(_joined, ("INNER", "LEFT", "RIGHT", "FULL"))]
LITERAL = "SELECT id, 1 AS c, b AS z FROM t"
FIXED = "SELECT id, a AS c, b AS z FROM t WHERE a = 1"
COMPUTED = "SELECT id, a + 1 AS c, b AS z FROM t WHERE a = 1"
NULLABLE = "SELECT id, s AS c, b AS z FROM t WHERE s = 'x'"
COLUMN = "SELECT id, a AS c, b AS z FROM t"
TEXT = "SELECT id, k AS c, b AS z FROM t"
WIDE = "SELECT id, id AS c, b AS z FROM t"
TWO = f"{LITERAL} UNION ALL SELECT id, 1, b FROM d"
UNLIKE = f"{LITERAL} UNION ALL SELECT id, 3, b FROM d"


def _versions(left: str, emptied: str, query: str) -> tuple[JobVersion, JobVersion]:
    """The query with a branch that is emptied, and without."""
    views = (f"{left} UNION ALL SELECT id, {emptied}, b FROM u WHERE FALSE", left)
    with_branch, without = (JobVersion(f"{DDL}CREATE TEMPORARY VIEW v AS {view};\n{query};") for view in views)
    return with_branch, without


@pytest.mark.parametrize(
    ("left", "emptied", "query"),
    [
        *((LITERAL, emptied, query) for emptied in ("2", "a") for query in KEYS),
        *((left, "a", query) for left in (FIXED, COMPUTED) for query in KEYS),
        *((TWO, "2", query) for query in KEYS if query != GROUPS),
    ],
)
def test_constants_stay_columns_beside_an_emptied_branch(left: str, emptied: str, query: str) -> None:
    one, other = _versions(left, emptied, query)
    for engine in ENGINES:
        assert {check(*pair, engine).verdict for pair in ((one, other), (other, one))} == {Verdict.INCOMPATIBLE}, engine


@pytest.mark.parametrize(
    ("left", "emptied", "query"),
    [
        # Aggregates and filters are reduced when the union is gone.
        *((left, emptied, MAXIMUM) for left, emptied in ((LITERAL, "2"), (FIXED, "a"), (COMPUTED, "a"))),
        *((left, "a", COMPARED) for left in (LITERAL, FIXED)),
        # All branches give the same constant.
        *((LITERAL, "1", query) for query in (DISTINCT, RUNNING, RANKED, *map(_joined, ("INNER", "LEFT", "FULL")))),
        # A union remains, of branches that give different ones.
        *((UNLIKE, "2", query) for query in KEYS),
        # The constant is cast to a type that admits NULL, and remains a key.
        *((NULLABLE, emptied, query) for emptied in "sk" for query in (GROUPS, DISTINCT, _joined("LEFT", "s"))),
        # No constant at all.
        *((COLUMN, emptied, query) for emptied in ("a", "1") for query in KEYS),
        # The emptied branch decides no type.
        *((TEXT, "'x'", query) for query in (GROUPS, RANKED, MAXIMUM, _joined("INNER", "k"))),
        *((WIDE, "1", query) for query in (GROUPS, MAXIMUM, _joined("INNER", "id"))),
    ],
)
def test_other_columns_are_those_of_the_branch_that_is_left(left: str, emptied: str, query: str) -> None:
    one, other = _versions(left, emptied, query)
    for engine in ENGINES:
        for before, after in ((one, other), (other, one)):
            report = check(after, before, engine)
            assert (report.verdict, report.findings) == (Verdict.COMPATIBLE, ()), engine


@pytest.mark.parametrize("query", [MAXIMUM, GROUPS, RANKED, _joined("INNER")])
@pytest.mark.parametrize(("left", "emptied"), [(LITERAL, "b"), (FIXED, "b"), (COLUMN, "id")])
def test_an_emptied_branch_that_decides_the_type_is_reported(left: str, emptied: str, query: str) -> None:
    for pair in (versions := _versions(left, emptied, query), versions[::-1]):
        assert check(*pair, "flink").verdict is Verdict.INCOMPATIBLE


@pytest.mark.parametrize("query", [RANKED, STORED])
def test_a_fixed_column_keeps_its_place_among_those_of_a_union(query: str) -> None:
    """Without the union, a ranking stores the constant of a filter behind the columns that it reads."""
    for pair in (versions := _versions(NULLABLE, "s", query), versions[::-1]):
        assert check(*pair, "flink").verdict is Verdict.INCOMPATIBLE
