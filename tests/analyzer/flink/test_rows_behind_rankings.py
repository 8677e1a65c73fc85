"""Rows that a LIMIT above a ranking stores, and rows of a ranking by computed columns: as Flink 2.3.0 plans them."""

from __future__ import annotations

from itertools import permutations

import pytest

import keepstate

TABLE = """\
CREATE TABLE t (k STRING, g STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE VIEW v AS SELECT UPPER(k) AS uk, a + b AS ab, g, ts, a * 2 AS a2 FROM t WHERE a > 0;
"""
LIMITED = (
    "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY b DESC) AS n FROM t) WHERE n = 1 LIMIT 3"
)
SELECTED = "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {} DESC) AS n FROM v) WHERE n = 1"

LISTS = {
    "another expression": ("k, a + 1 AS x, b", "k, a + 2 AS x, b", True),
    "a column that is read already": ("k, b + 1 AS x", "k, b + 1 AS x, b", True),
    "a column less": ("k, a + 1 AS x, b", "b, a + 1 AS x, b AS c", False),
    "the number of the row": ("k, a + 1 AS x, b", "k, a + 1 AS x, n", False),
    "another column": ("k, a, b", "b, a, b AS c", False),
    "another order": ("k, a, b", "k, b, a", False),
    "another name": ("k, a, b", "k AS x, a AS y, b AS z", True),
}


def fits(former: str, changed: str) -> bool:
    versions = (keepstate.JobVersion(f"{TABLE}{query};") for query in (changed, former))
    return not keepstate.check(*versions, "flink").findings


@pytest.mark.parametrize(("former", "changed", "is_same"), LISTS.values(), ids=LISTS)
def test_a_limit_stores_the_columns_that_its_list_reads(former: str, changed: str, is_same: bool) -> None:
    """The changes were restarted, from a savepoint."""
    assert fits(LIMITED.format(former), LIMITED.format(changed)) is is_same
    assert fits(LIMITED.format(changed), LIMITED.format(former)) is is_same


@pytest.mark.parametrize(("key", "order"), list(permutations(("uk", "ab", "a2"), 2)))
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_columns_that_only_a_key_reads_keep_their_place(key: str, order: str, engine: str) -> None:
    """A ranking stores its keys where the query below lists them, whether anything above reads them or not."""
    lists = (f"{key}, {order}", f"{order}", f"{key}", f"{order}, {key}")
    versions = [keepstate.JobVersion(f"{TABLE}{SELECTED.format(each, key, order)};") for each in lists]
    for former, changed in permutations(versions, 2):
        assert not keepstate.check(changed, former, engine).findings
