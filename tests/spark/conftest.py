"""One small Spark session for all tests of a worker that need one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from pyspark.sql import SparkSession

import class_archive
from keepstate_spark.running import LOWERING_SETTINGS
from keepstate_spark.session import spark_session

SMALL = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""A few rows are not worth planning twice, or dividing."""


INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""To compile a query takes longer than to go through a few hundred rows."""


@pytest.fixture(autouse=True)
def archived_classes() -> Iterator[None]:
    """The JVMs of commands need not read each class from a jar. Not for longer: Java tells of an archive of others."""
    with class_archive.in_use():
        yield


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with ExitStack() as opened:
        with class_archive.in_use():
            session = opened.enter_context(spark_session(cores="2", quick=True, settings=SMALL))
        yield session


@pytest.fixture(scope="session")
def session(spark: SparkSession) -> SparkSession:
    """A session for many different queries over few rows, in which Flink's queries mean what they mean in Flink."""
    own = spark.newSession()
    for key, value in {**LOWERING_SETTINGS, **INTERPRETED}.items():
        own.conf.set(key, value)
    return own
