"""One small Spark session for all tests that need one; they run in one worker, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.session import spark_session

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A JVM takes seconds to start and half a gigabyte, so one worker of pytest-xdist gets all tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


SMALL = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""A few rows are not worth planning twice, or dividing."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with spark_session(cores="2", quick=True, settings=SMALL) as session:
        yield session
