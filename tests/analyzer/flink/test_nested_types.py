"""NOT NULL and names inside stored types. The answers are those of restarts on Flink 2.3.0."""

from __future__ import annotations

import pytest

from keepstate import JobVersion
from keepstate.report import Effect
from shared_analyses import check

SOURCE = (
    "CREATE TABLE t (k INT, d INT, {column}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
)
OTHER = "CREATE TABLE u (k INT, w INT) WITH ('connector' = 'kafka');"
ROW, ROW_REQUIRED = "v ROW<zip INT, city STRING>", "v ROW<zip INT NOT NULL, city STRING>"
TYPES = {
    "field NOT NULL": (ROW, ROW_REQUIRED),
    "field nullable": (ROW_REQUIRED, ROW),
    "field in another case": (ROW, "v ROW<Zip INT, city STRING>"),
    "element": ("v ARRAY<STRING>", "v ARRAY<STRING NOT NULL>"),
    "element written behind": ("v STRING ARRAY", "v STRING NOT NULL ARRAY"),
    "value": ("v MAP<STRING, INT>", "v MAP<STRING, INT NOT NULL>"),
    "key": ("v MAP<STRING, INT>", "v MAP<STRING NOT NULL, INT>"),
    "element of a multiset": ("v MULTISET<STRING>", "v MULTISET<STRING NOT NULL>"),
    "row in a row": ("v ROW<r ROW<b INT>>", "v ROW<r ROW<b INT> NOT NULL>"),
    "field of a row in a row": ("v ROW<r ROW<b INT>>", "v ROW<r ROW<b INT NOT NULL>>"),
    "field of an element": ("v ARRAY<ROW<x INT>>", "v ARRAY<ROW<x INT NOT NULL>>"),
    "field of a row that is NOT NULL": (f"{ROW} NOT NULL", f"{ROW_REQUIRED} NOT NULL"),
}
USES = {
    "last value": "SELECT k, LAST_VALUE(v) FROM t GROUP BY k",
    "stored row": "SELECT v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY d) AS r FROM t) WHERE r <= 2",
    "row of a join": "SELECT t.v FROM t JOIN u ON t.k = u.k",
    "key": "SELECT COUNT(*) FROM t GROUP BY v",
    "element of a list": "SELECT k, ARRAY_AGG(v) FROM t GROUP BY k",
    "former row": "SELECT LAG(v) OVER (PARTITION BY k ORDER BY ts) FROM t",
    "inside an array": "SELECT COUNT(*) FROM t GROUP BY ARRAY[v]",
    "inside a row": "SELECT COUNT(*) FROM t GROUP BY ROW(v, d)",
    "through COALESCE": "SELECT COUNT(*) FROM t GROUP BY COALESCE(v, v)",
    "through CASE": "SELECT COUNT(*) FROM t GROUP BY CASE WHEN d > 3 THEN v END",
}
_BY_ITSELF = ("field in another case", "element of a list")
"""The names of a row's own fields do not count where it stands alone."""


def _effect(columns: tuple[str, str], query: str, engine: str = "flink") -> Effect:
    was, now = (JobVersion(f"{SOURCE.format(column=each)}\n{OTHER}\n{query};") for each in columns)
    return check(now, was, engine).effect


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("change", TYPES)
def test_a_stored_value_has_another_type(change: str, use: str) -> None:
    expected = Effect.EXACT if (change, use) == _BY_ITSELF else Effect.DOES_NOT_START
    assert _effect(TYPES[change], USES[use]) is expected


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("change", TYPES)
def test_nothing_changes_on_vvr(change: str, use: str) -> None:
    assert _effect(TYPES[change], USES[use], "vvr") is Effect.EXACT


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    ("was", "now"),
    [
        (ROW, "v ROW<zip INT 'postal code', city STRING>"),
        (ROW, "v ROW(zip INT,city   STRING)"),
        (ROW, "v ROW<`zip` INT NULL, city VARCHAR(2147483647)>"),
        ("v ARRAY<STRING NOT NULL>", "v STRING NOT NULL ARRAY"),
        ("v ARRAY<STRING>", "v ARRAY<STRING NULL>"),
    ],
)
def test_another_spelling_is_silent(was: str, now: str, use: str) -> None:
    assert _effect((was, now), USES[use]) is Effect.EXACT


@pytest.mark.parametrize(
    ("was", "now", "query", "expected"),
    [
        # A field of a row that may be NULL may be NULL.
        (ROW, ROW_REQUIRED, "SELECT COUNT(*) FROM t GROUP BY v.zip", Effect.EXACT),
        (f"{ROW} NOT NULL", f"{ROW_REQUIRED} NOT NULL", "SELECT COUNT(*) FROM t GROUP BY v.zip", Effect.DOES_NOT_START),
        ("v ARRAY<STRING>", "v ARRAY<STRING NOT NULL>", "SELECT COUNT(*) FROM t GROUP BY v[1]", Effect.EXACT),
        (
            "v ARRAY<ROW<x INT>>",
            "v ARRAY<ROW<x INT NOT NULL>>",
            "SELECT COUNT(*) FROM t GROUP BY v[1]",
            Effect.DOES_NOT_START,
        ),
        (
            "v MAP<STRING, INT>",
            "v MAP<STRING, INT NOT NULL>",
            "SELECT COUNT(*) FROM t GROUP BY MAP_VALUES(v)",
            Effect.DOES_NOT_START,
        ),
        (
            "v MAP<STRING, INT>",
            "v MAP<STRING, INT NOT NULL>",
            "SELECT COUNT(*) FROM t GROUP BY MAP_KEYS(v)",
            Effect.EXACT,
        ),
        (
            "v ARRAY<ROW<x INT>>",
            "v ARRAY<ROW<x INT NOT NULL>>",
            "SELECT COUNT(*) FROM t CROSS JOIN UNNEST(v) AS c (x) GROUP BY x",
            Effect.UNDETERMINED,
        ),
        ("v STRING", "v STRING NOT NULL", "SELECT COUNT(*) FROM t GROUP BY ARRAY[v]", Effect.DOES_NOT_START),
        ("v STRING", "v STRING NOT NULL", "SELECT COUNT(*) FROM t GROUP BY SPLIT(v, ',')", Effect.UNDETERMINED),
        ("v STRING", "v STRING NOT NULL", "SELECT k, COLLECT(v) FROM t GROUP BY k", Effect.EXACT),
        (ROW, ROW_REQUIRED, "SELECT k, COUNT(v) FROM t GROUP BY k", Effect.EXACT),
    ],
)
def test_parts_of_values(was: str, now: str, query: str, expected: Effect) -> None:
    assert _effect((was, now), query) is expected


@pytest.mark.parametrize("target", ["ROW<a INT NOT NULL>", "ROW<A INT>"])
def test_a_cast_has_another_target(target: str) -> None:
    query = "SELECT COUNT(*) FROM t GROUP BY CAST(v AS {})"
    table = SOURCE.format(column="v ROW<b INT>")
    was, now = (JobVersion(f"{table}\n{query.format(each)};") for each in ("ROW<a INT>", target))
    assert check(now, was, "flink").effect is Effect.DOES_NOT_START
