"""Queries with the columns, types and rows that real Flink gave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query
from truth import GOLDEN, QUERIES, GoldenQuery, golden_queries

REFUSED: dict[str, str] = {}
"""Queries that are not run, and what of them is not: a refusal with its place is no wrong row. One that is run fails
until it is deleted here.
"""
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def _params(queries: Iterable[GoldenQuery]) -> list[Any]:
    return [pytest.param(query, id=query.name, marks=list(_marks(query.name))) for query in queries]


def _marks(name: str) -> Iterable[pytest.MarkDecorator]:
    if name in REFUSED:
        yield pytest.mark.xfail(reason=REFUSED[name], raises=PipelineError, strict=True)


def test_what_is_not_right_is_a_query() -> None:
    assert {query.name for query in golden_queries(QUERIES)} >= REFUSED.keys()


@pytest.mark.parametrize("query", [*_params(golden_queries(GOLDEN)), *_params(golden_queries(QUERIES))])
def test_rows_and_types_are_those_of_flink(query: GoldenQuery, spark: SparkSession) -> None:
    settings = {
        "table.local-time-zone": query.zone,
        "execution.runtime-mode": query.mode,
        "pipeline.auto-watermark-interval": f"{query.watermark_interval} ms",
    }
    script = prepared(f"{query.ddl}\n{query.sql}", f"{query.name}.sql", query.folder, parameters=settings)
    running = lowered_query(script, script.queries[0], spark)
    found = [[_number(value) for value in row] for row in running.values()]
    read = [_reader(type_) for type_ in query.types]
    expected = [
        [None if value is None else of(value) for of, value in zip(read, row, strict=True)] for row in query.rows
    ]
    assert _in_order(found) == _almost(_in_order(expected))
    assert tuple(running.names) == query.columns
    assert tuple(running.shown_types()) == query.types


def _in_order(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return sorted(rows, key=lambda row: json.dumps(_coarse(row), sort_keys=True))


def _coarse(value: Any) -> Any:
    """Floating numbers to nine digits, at any depth."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [_coarse(element) for element in value]
    if isinstance(value, dict):
        return {key: _coarse(element) for key, element in value.items()}
    return value


def _almost(value: Any) -> Any:
    """A value that equals others with the same twelve digits of floating numbers."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-12)
    if isinstance(value, list):
        return [_almost(element) for element in value]
    if isinstance(value, dict):
        return {key: _almost(element) for key, element in value.items()}
    return value


def _reader(type_: str) -> Callable[[Any], Any]:
    """Makes comparable values of Flink's: numbers may be texts, ARRAY, MAP and ROW are texts of JSON."""
    if type_.startswith("DECIMAL"):
        return lambda value: _number(Decimal(str(value)))
    if type_.startswith(("DOUBLE", "FLOAT")):
        return lambda value: value if value in _NOT_FINITE else _number(float(value))
    if type_.startswith(("ARRAY", "MAP", "MULTISET", "ROW")):
        return lambda value: _number(json.loads(value) if isinstance(value, str) else value)
    return _number


def _number(value: Any) -> Any:
    """Decimals by their value, at any depth."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, list | tuple):
        return [_number(element) for element in value]
    if isinstance(value, dict):
        return {key: _number(element) for key, element in value.items()}
    return value
