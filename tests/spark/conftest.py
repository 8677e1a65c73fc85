"""One small Spark session for all tests of a worker that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import class_archive
from keepstate_spark.running import LOWERING_SETTINGS
from keepstate_spark.session import spark_session

SMALL = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""A few rows are not worth planning twice, or dividing."""


INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""To compile a query takes longer than to go through a few hundred rows."""


@pytest.fixture(scope="session", autouse=True)
def archived_classes() -> Iterator[None]:
    """The JVM of the worker, and those of commands that its tests run, need not read each class from a jar."""
    archive = class_archive.archive()
    with pytest.MonkeyPatch.context() as patched:
        if archive is not None:
            given = os.environ.get(class_archive.OPTIONS, "")
            patched.setenv(class_archive.OPTIONS, f"{given} -XX:SharedArchiveFile={archive}".strip())
        yield


@pytest.fixture(scope="session")
def spark(archived_classes: None) -> Iterator[SparkSession]:
    with spark_session(cores="2", quick=True, settings=SMALL) as session:
        yield session


@pytest.fixture(scope="session")
def session(spark: SparkSession) -> SparkSession:
    """A session for many different queries over few rows, in which Flink's queries mean what they mean in Flink."""
    own = spark.newSession()
    for key, value in {**LOWERING_SETTINGS, **INTERPRETED}.items():
        own.conf.set(key, value)
    return own
