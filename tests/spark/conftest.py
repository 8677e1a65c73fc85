"""One small Spark session for all tests that need one; they run in one worker, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.running import LOWERING_SETTINGS
from keepstate_spark.session import spark_session

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A JVM takes seconds to start and half a gigabyte, so one worker of pytest-xdist gets all tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


SMALL = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""A few rows are not worth planning twice, or dividing."""


INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""To compile a query takes longer than to go through a few hundred rows."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with spark_session(cores="2", quick=True, settings=SMALL) as session:
        yield session


@pytest.fixture(scope="session")
def session(spark: SparkSession) -> SparkSession:
    """A session for many different queries over few rows, in which Flink's queries mean what they mean in Flink."""
    own = spark.newSession()
    for key, value in {**LOWERING_SETTINGS, **INTERPRETED}.items():
        own.conf.set(key, value)
    return own
