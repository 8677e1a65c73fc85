"""Examples in the docstrings of the Table API and of the window functions: they give what they show."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark import table, windows
from spark_examples import MODULES

PUBLIC = {name: getattr(package, name) for package in (table, windows) for name in package.__all__}


@pytest.fixture
def orders(spark: SparkSession) -> DataFrame:
    """The rows of the example in ``keepstate_spark.table``."""
    rows = "VALUES ('2026-03-01 10:01', 'ann', 5), ('2026-03-01 10:08', 'ann', 7), ('2026-03-01 10:12', 'bob', 1)"
    return spark.sql(f"SELECT CAST(col1 AS timestamp_ntz) AS rowtime, col2 AS buyer, col3 AS amount FROM {rows}")


def examples_of(module: str, **names: Any) -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = finder.find(import_module(module), module, extraglobs={**PUBLIC, "fn": fn, **names})
    return [test for test in found if test.examples]


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_show(module: str, spark: SparkSession, orders: DataFrame) -> None:
    tests = examples_of(module, spark=spark, orders=orders)
    assert tests
    for test in tests:
        words: list[str] = []
        # An empty line follows each table that Spark shows.
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        failed = runner.run(test, out=words.append).failed
        assert not failed, "".join(words)


def public_functions() -> Iterator[str]:
    """Functions, and methods that are called first on an exported class: ``Tumble.over``, ``Table.window``."""
    for name, value in PUBLIC.items():
        if inspect.isfunction(value):
            yield f"{value.__module__}.{name}"
        elif inspect.isclass(value):
            own = {key: method for key, method in vars(value).items() if not key.startswith("_")}
            methods = (key for key, method in own.items() if isinstance(method, staticmethod) or callable(method))
            yield from (f"{value.__module__}.{name}.{key}" for key in methods)


def test_each_public_function_has_an_example() -> None:
    functions = set(public_functions())
    assert {
        "keepstate_spark.table.windowed_table.Table.window",
        "keepstate_spark.windows.assignment.tumble",
    } <= functions
    assert functions <= {test.name for module in MODULES for test in examples_of(module)}
