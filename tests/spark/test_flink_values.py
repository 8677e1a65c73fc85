"""Expressions, as Flink itself calculated them: ``flink/values.tsv`` has what Flink 2.3.0 answered.

Each line is an expression, its type and its value, in the session time zone Europe/Berlin. ``flink/extremes.tsv`` has
the session time zone in front: JSON, texts beyond ASCII, times before 1970, the ends of types.
``flink/kinds.tsv`` has expressions over the columns of ``flink/kinds.json``, one for each type, with the values for its
twelve rows: NULL, the ends of types, texts beyond ASCII, times before 1970 and at a change of the clock.
``flink/matrix.tsv`` has each function over each column that it takes, with the session time zone in front, but not for
the row of the year 9999, of which Spark gives no later time.
``flink/aggregates.jsonl`` has queries over VALUES and over ``flink/shelves.json``.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.row_names import row_names
from keepstate_spark.running import lowered_query
from spark_versions import is_newer

HERE = Path(__file__).parent
AT_ONCE = 60
"""Expressions in one query: each costs a column, and each query a job."""


def lines_of(name: str) -> list[list[str]]:
    """The fields of the lines of a file, without those of functions for which Spark is too old here."""
    lines = (HERE / "flink" / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not is_newer(line)]


ANSWERS = lines_of("values.tsv")
PARTS = [ANSWERS[start : start + AT_ONCE] for start in range(0, len(ANSWERS), AT_ONCE)]


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, (Decimal, float)) and isinstance(wanted, (int, float)):
        return math.isclose(value, wanted, rel_tol=1e-15)
    return bool(value == wanted)


@pytest.mark.parametrize("part", PARTS, ids=[part[0][0] for part in PARTS])
def test_values_and_types_are_those_of_flink(part: list[list[str]], spark: SparkSession) -> None:
    items = ",\n".join(f"{expression} AS c{index}" for index, (expression, _, _) in enumerate(part))
    script = prepared(f"SET 'table.local-time-zone' = 'Europe/Berlin';\nSELECT {items};", "values.sql", HERE)
    query = lowered_query(script, script.queries[0], spark)
    (row,) = query.values()
    wrong = {
        expression: (value, type_)
        for (expression, wanted_type, wanted), value, type_ in zip(part, row, query.shown_types(), strict=True)
        if not _same(value, json.loads(wanted)) or (type_ != wanted_type and expression not in ELEMENTS_NOT_NULL)
    }
    assert wrong == {}


ELEMENTS_NOT_NULL = {
    "ARRAY[1, 2, 3]",
    "MAP['a', 1, 'b', 2]",
    "ROW(1, 'a')",
    "IF(CAST(NULL AS BOOLEAN), 1, 2)",
    "ARRAY_SORT(ARRAY[3,1,2])",
    "ARRAY_APPEND(ARRAY[1], 2)",
    "ARRAY_PREPEND(ARRAY[1], 2)",
    "ARRAY_CONCAT(ARRAY[1], ARRAY[2])",
    "ARRAY_UNION(ARRAY[1,2], ARRAY[2,3])",
    "MAP_FROM_ARRAYS(ARRAY['a'], ARRAY[1])",
    "MAP_UNION(MAP['a', 1], MAP['b', 2])",
}
"""Flink says NOT NULL of elements as well, and forgets it for a condition that is NULL."""


EXTREMES = lines_of("extremes.tsv")
ZONES = sorted({line[0] for line in EXTREMES})
BY_ZONE = [[line for line in EXTREMES if line[0] == zone] for zone in ZONES]
EXTREME_PARTS = [lines[start : start + AT_ONCE] for lines in BY_ZONE for start in range(0, len(lines), AT_ONCE)]


@pytest.mark.parametrize("part", EXTREME_PARTS, ids=[f"{part[0][0]} {part[0][1]}" for part in EXTREME_PARTS])
def test_extreme_values_are_those_of_flink(part: list[list[str]], session: SparkSession) -> None:
    items = ",\n".join(f"{expression} AS c{index}" for index, (_, expression, _, _) in enumerate(part))
    script = prepared(f"SET 'table.local-time-zone' = '{part[0][0]}';\nSELECT {items};", "values.sql", HERE)
    query = lowered_query(script, script.queries[0], session)
    (row,) = query.values()
    wrong = {
        expression: (value, type_)
        for (_, expression, wanted_type, wanted), value, type_ in zip(part, row, query.shown_types(), strict=True)
        if not _same(value, json.loads(wanted)) or _bare(type_) != _bare(wanted_type)
    }
    assert wrong == {}


KINDS = (HERE / "flink" / "kinds.sql").read_text("utf-8")
OF_KINDS = lines_of("kinds.tsv")
KIND_PARTS = [OF_KINDS[start : start + AT_ONCE] for start in range(0, len(OF_KINDS), AT_ONCE)]


@pytest.mark.parametrize("part", KIND_PARTS, ids=[part[0][0] for part in KIND_PARTS])
def test_values_of_each_kind_are_those_of_flink(part: list[list[str]], session: SparkSession) -> None:
    assert _other_than_flink(part, "Europe/Berlin", "kinds", session) == {}


MATRIX = lines_of("matrix.tsv")
OF_ZONES = [[line for line in MATRIX if line[0] == zone] for zone in sorted({line[0] for line in MATRIX})]
MATRIX_PARTS = [lines[start : start + AT_ONCE] for lines in OF_ZONES for start in range(0, len(lines), AT_ONCE)]


@pytest.mark.parametrize("part", MATRIX_PARTS, ids=[f"{part[0][0]} {part[0][1]}" for part in MATRIX_PARTS])
def test_functions_of_each_type_give_the_values_of_flink(part: list[list[str]], session: SparkSession) -> None:
    expressions = [line[1:] for line in part]
    assert _other_than_flink(expressions, part[0][0], "kinds WHERE id <> 10", session) == {}


def _other_than_flink(part: list[list[str]], zone: str, rows: str, session: SparkSession) -> dict[Any, Any]:
    """The values and types of expressions over the rows of each kind that are not those of Flink, with Flink's."""
    items = ",\n".join(f"{expression} AS c{index}" for index, (expression, _, _) in enumerate(part))
    text = f"SET 'table.local-time-zone' = '{zone}';\n{KINDS}SELECT id, {items} FROM {rows};"
    script = prepared(text, "kinds.sql", HERE / "flink")
    query = lowered_query(script, script.queries[0], session)
    found = sorted(query.values(), key=lambda row: row[0])
    wrong: dict[Any, Any] = {
        (expression, row[0]): (row[index], wanted[place])
        for index, (expression, _, written) in enumerate(part, 1)
        for wanted in [json.loads(written)]
        for place, row in enumerate(found)
        if not _same(row[index], wanted[place])
    }
    types = zip(part, query.shown_types()[1:], strict=True)
    return wrong | {
        expression: (type_, wanted) for (expression, wanted, _), type_ in types if _bare(type_) != _bare(wanted)
    }


def _bare(type_: str) -> str:
    return type_.replace(" NOT NULL", "")


SHELVES = (
    "CREATE TABLE shelves (k STRING, v INT, d DECIMAL(5,2)) "
    "WITH ('connector' = 'filesystem', 'path' = 'shelves.json', 'format' = 'json');\n"
)
AGGREGATES = [json.loads(line) for line in (HERE / "flink" / "aggregates.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", AGGREGATES, ids=[answer["sql"] for answer in AGGREGATES])
def test_aggregates_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    script = prepared(f"{SHELVES}{answer['sql']};", "aggregates.sql", HERE / "flink")
    query = lowered_query(script, script.queries[0], session)
    assert sorted(map(_comparable, query.values())) == sorted(map(_comparable, answer["rows"]))
    assert query.shown_types() == answer["types"]


def _comparable(row: list[Any]) -> str:
    numbers = (float(f"{float(value):.12g}") if isinstance(value, (int, float, Decimal)) else value for value in row)
    return json.dumps(list(numbers), default=float, sort_keys=True)


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT JSON_OBJECTAGG(KEY k VALUE k) FROM shelves", "quoted twice"),
        ("SELECT PERCENTILE(DISTINCT v, 0.5) FROM shelves", "without DISTINCT"),
        ("SELECT JSON_OBJECT('a' VALUE COALESCE(JSON_ARRAY(v), k)) FROM shelves", "a choice among values of JSON"),
        ("SELECT PRINTF('%s', d) FROM shelves", "whole and floating numbers"),
        ("SELECT PARSE_URL(k, k) FROM shelves", "a constant part"),
        ("SELECT REGEXP_EXTRACT_ALL(k, k) FROM shelves", "a constant pattern"),
        ("SELECT INSTR(k, 'a', 1, v) FROM shelves", "a constant occurrence"),
        ("SELECT JSON_VALUE(k, 'lax $.a' RETURNING DOUBLE DEFAULT 7.5 ON EMPTY) FROM shelves", "none of a DOUBLE"),
    ],
)
def test_what_flink_gives_otherwise_is_refused(sql: str, sentence: str, session: SparkSession) -> None:
    script = prepared(f"{SHELVES}{sql};", "refused.sql", HERE / "flink")
    with pytest.raises(PipelineError, match=re.escape(sentence)):
        lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT JSON_OBJECTAGG(KEY CAST(d AS STRING) VALUE v) FROM shelves WHERE d < 2", "same key comes twice"),
        ("SELECT JSON_OBJECTAGG(KEY NULLIF(k, 'b') VALUE v) FROM shelves", "is NULL"),
        ("SELECT CAST(TIMESTAMP '1900-01-01 00:00:01' AS TIME) FROM shelves", "below zero"),
        ("""SELECT JSON_VALUE('{"a": "1"}', '$.a' RETURNING INT) FROM shelves""", "is no INT"),
        ("SELECT LAG(v, 1, 0) OVER (ORDER BY k) + 1 FROM shelves", "gives a NULL here"),
        ("SELECT ARRAY[1, 2][CHAR_LENGTH(k) + 2] FROM shelves WHERE k IS NOT NULL", "no value of Flink's"),
        ("SELECT STR_TO_MAP(k, ',', '') FROM shelves WHERE k IS NOT NULL", "between key and value"),
        ("SELECT CAST(MAP[k, 1, 'zz', 2] AS STRING) FROM shelves WHERE k IS NOT NULL", "in an order"),
        ("SELECT REGEXP_EXTRACT(k, '(x*)|(y)', 1) FROM shelves WHERE k IS NOT NULL", "took no part"),
    ],
)
def test_rows_at_which_flink_or_spark_stops_end_the_query(sql: str, sentence: str, session: SparkSession) -> None:
    script = prepared(f"{SHELVES}{sql};", "stopped.sql", HERE / "flink")
    with pytest.raises(PipelineError, match=re.escape(sentence)):
        list(lowered_query(script, script.queries[0], session).values())


ROWS = """
CREATE TABLE people (who ROW<name STRING, `Addr` ROW<City STRING>>, other ROW<Id INT>, again ROW<ID INT>) WITH (
  'connector' = 'filesystem', 'path' = 'shelves.json', 'format' = 'json');
CREATE TABLE sink (`Who` ROW<name STRING, `Addr` ROW<City STRING>>, nUmber INT) WITH ('connector' = 'blackhole');
"""


def test_fields_of_rows_and_columns_of_sinks_keep_their_case(session: SparkSession) -> None:
    script = prepared(f"{ROWS}INSERT INTO sink SELECT who, 1 FROM people;", "rows.sql", HERE / "flink")
    query = lowered_query(script, script.queries[0], session)
    assert list(query.names) == ["Who", "nUmber"]
    assert query.shown_types() == ["ROW<`name` STRING, `Addr` ROW<`City` STRING>>", "INT"]
    assert row_names(ROWS).keys().isdisjoint({LogicalType.parse("ROW<ID INT>")})
