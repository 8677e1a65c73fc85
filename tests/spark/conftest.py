"""One small Spark session for the tests of this folder."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import class_archive
from keepstate_spark.errors import PipelineError
from keepstate_spark.running import LOWERING_SETTINGS
from keepstate_spark.session import spark_session
from spark_versions import IS_OLD, REFUSAL

HERE = Path(__file__).parent
SMALL = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""A few rows are not worth planning twice, or dividing."""


INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""To compile a query takes longer than to go through a few hundred rows."""


@pytest.fixture(autouse=True)
def archived_classes() -> Iterator[None]:
    """The JVMs of commands need not read each class from a jar. Not for longer: Java tells of an archive of others."""
    with class_archive.in_use():
        yield


@pytest.fixture(scope="module")
def spark() -> SparkSession:
    return _SHARED.session()


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """A session for many different queries over few rows, in which Flink's queries mean what they mean in Flink."""
    own = spark.newSession()
    for key, value in {**LOWERING_SETTINGS, **INTERPRETED}.items():
        own.conf.set(key, value)
    return own


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Leave out a test of functions that Spark 3.5 does not have, if they are refused by their names there."""
    try:
        return (yield)
    except (PipelineError, AssertionError) as failure:
        if IS_OLD and REFUSAL in str(failure):
            pytest.skip(REFUSAL)
        raise


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """End the session before a worker goes on elsewhere: commands that tests call there start their own."""
    yield
    if nextitem is None or not nextitem.path.is_relative_to(HERE):
        _SHARED.end()


class _SharedSession:
    """The session of the modules of this folder that a worker runs one after the other."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._session: SparkSession | None = None

    def session(self) -> SparkSession:
        if self._session is None:
            with class_archive.in_use():
                started = spark_session(cores="2", quick=True, settings=SMALL)
                self._session = self._opened.enter_context(started)
        return self._session

    def end(self) -> None:
        self._session = None
        self._opened.close()


_SHARED = _SharedSession()
