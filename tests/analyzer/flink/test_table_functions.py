"""State below UNNEST, where no column is dropped. As Flink 1.20.5 and 2.3.0 restarted it."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

ORDERS = "id BIGINT, u STRING, tags ARRAY<STRING>, extra STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
TABLES = f"""\
CREATE TABLE o ({ORDERS}) WITH ('connector' = 'kafka');
CREATE TABLE c (u STRING, city STRING, more INT, cs TIMESTAMP(3), WATERMARK FOR cs AS cs) WITH ('connector' = 'kafka');
CREATE TABLE up (id BIGINT, u STRING, tags ARRAY<STRING>, extra STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka');
"""
JOINED = "o JOIN c ON o.u = c.u"
UNNEST = "CROSS JOIN UNNEST(x.tags) AS t (tag)"
ORDERS_OF_LIST = "u, n, tags", "n, u, tags"
TYPE = ("extra STRING", "extra INT")
OTHER_TYPE = ("more INT", "more BIGINT")

KEEP_ALL = {
    "a join": f"SELECT o.id, t.tag FROM {JOINED} CROSS JOIN UNNEST(o.tags) AS t (tag)",
    "an outer join": "SELECT o.id FROM o LEFT JOIN c ON o.u = c.u LEFT JOIN UNNEST(o.tags) AS t (tag) ON TRUE",
    "a comma": f"SELECT o.id FROM {JOINED}, UNNEST(o.tags) AS t (tag)",
    "two functions": f"SELECT o.id FROM {JOINED}, UNNEST(o.tags) AS t (tag), UNNEST(o.tags) AS s (tag)",
    "an ordinality": f"SELECT o.id FROM {JOINED} CROSS JOIN UNNEST(o.tags) WITH ORDINALITY AS t (tag, n)",
    "an array of its own": f"SELECT o.id, tag FROM {JOINED} CROSS JOIN UNNEST(ARRAY[o.u, c.city]) AS t (tag)",
    "an aggregation above": f"SELECT tag, COUNT(*) FROM {JOINED}, UNNEST(o.tags) AS t (tag) GROUP BY tag",
    "a ranking above": "SELECT id FROM (SELECT o.id, ROW_NUMBER() OVER (PARTITION BY t.tag ORDER BY o.id) AS n "
    f"FROM {JOINED}, UNNEST(o.tags) AS t (tag)) WHERE n <= 2",
    "an interval join": "SELECT o.id FROM o JOIN c ON o.u = c.u AND o.ts BETWEEN c.cs AND c.cs + INTERVAL '1' HOUR "
    "CROSS JOIN UNNEST(o.tags) AS t (tag)",
    "a common table": f"WITH x AS (SELECT o.*, c.more FROM {JOINED}) SELECT x.id FROM x {UNNEST}",
    "upserts": "SELECT x.id, t.tag FROM up AS x CROSS JOIN UNNEST(x.tags) AS t (tag)",
    "a semi join": f"SELECT x.id FROM (SELECT * FROM o WHERE u IN (SELECT u FROM c)) AS x {UNNEST}",
    "first rows": "SELECT x.id FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY ts) AS n "
    f"FROM o) WHERE n = 1) AS x {UNNEST}",
    "first rows of a condition above": "SELECT x.id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY ts) "
    f"AS n FROM o) AS x {UNNEST} WHERE n = 1",
    "an OVER window": "SELECT x.id, x.n FROM (SELECT *, COUNT(id) OVER (PARTITION BY u ORDER BY ts) AS n FROM o) AS x "
    + UNNEST,
    "different rows": f"SELECT x.id FROM (SELECT DISTINCT id, tags, extra FROM o) AS x {UNNEST}",
    "a union": f"SELECT x.id FROM (SELECT o.id, o.tags, o.extra FROM {JOINED} UNION ALL "
    f"SELECT id, tags, extra FROM o) AS x {UNNEST}",
}


def verdict(query: str, tables: str = TABLES, now: str | None = None, engine: str = "flink") -> Verdict:
    current, baseline = JobVersion(f"{tables}{now or query};"), JobVersion(f"{TABLES}{query};")
    return check(current, baseline, engine).verdict


@pytest.mark.parametrize("query", KEEP_ALL.values(), ids=KEEP_ALL)
def test_unread_columns_below_unnest_are_stored(query: str) -> None:
    assert verdict(query, TABLES.replace(*TYPE)) is Verdict.INCOMPATIBLE


@pytest.mark.parametrize(
    ("query", "edit"),
    [
        (f"SELECT x.id FROM (SELECT o.id, o.tags FROM {JOINED}) AS x {UNNEST}", TYPE),
        (f"SELECT x.id FROM (SELECT o.*, UPPER(c.city) AS city FROM {JOINED}) AS x {UNNEST}", OTHER_TYPE),
        (f"SELECT x.id FROM (SELECT o.* FROM {JOINED}) AS x {UNNEST}", OTHER_TYPE),
        ("SELECT o.id FROM o CROSS JOIN UNNEST(o.tags) AS t (tag) JOIN c ON c.u = t.tag", TYPE),
        ("SELECT tag, COUNT(*) FROM o CROSS JOIN UNNEST(o.tags) AS t (tag) GROUP BY tag", TYPE),
    ],
)
def test_columns_of_no_select_list_and_above_the_function_are_not(query: str, edit: tuple[str, str]) -> None:
    assert verdict(query, TABLES.replace(*edit)) is Verdict.COMPATIBLE


@pytest.mark.parametrize("query", [KEEP_ALL["a join"], KEEP_ALL["first rows of a condition above"]])
def test_a_reader_above_the_function_changes_no_state(query: str) -> None:
    name = query[: query.index(".")].removeprefix("SELECT ")
    now = query.replace(f"{name}.id", f"CHAR_LENGTH({name}.extra), {name}.id", 1)
    assert verdict(query, now=now) is Verdict.COMPATIBLE


def test_an_aggregate_that_nothing_reads_is_computed_below_unnest() -> None:
    query = f"SELECT x.u FROM (SELECT u, tags, COUNT(*) AS n, MAX(id) AS most FROM o GROUP BY u, tags) AS x {UNNEST}"
    assert verdict(query, now=query.replace(", MAX(id) AS most", "")) is Verdict.INCOMPATIBLE


def test_the_order_of_a_list_above_a_union_is_that_of_its_branches() -> None:
    branch = "SELECT u, COUNT(*) AS n, ARRAY_AGG({}) AS tags FROM {} GROUP BY u"
    branches = f"{branch.format('extra', 'o')} UNION ALL {branch.format('city', 'c')}"
    was, now = (f"SELECT x.u, tag FROM (SELECT {each} FROM ({branches})) AS x {UNNEST}" for each in ORDERS_OF_LIST)
    assert verdict(was, now=now) is Verdict.INCOMPATIBLE
    assert verdict(was, now=now, engine="vvr") is Verdict.COMPATIBLE


def test_rows_of_a_table_function_have_no_key() -> None:
    """The join above them keeps rows with counts, be its input one of upserts or not."""
    query = "SELECT o.id FROM up AS o CROSS JOIN UNNEST(o.tags) AS t (tag) JOIN c ON c.u = t.tag"
    now = query.replace("SELECT o.id", "SELECT o.id, o.extra")
    assert verdict(query, now=now) is Verdict.INCOMPATIBLE


def test_by_the_documents_only_what_is_read_is_kept() -> None:
    assert verdict(KEEP_ALL["a join"], TABLES.replace(*TYPE), engine="vvr") is Verdict.COMPATIBLE
