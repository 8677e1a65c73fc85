"""A session for an audit: on this machine, on a cluster, or the one that ``spark-submit`` has made."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_spark.audit.shipping import package
from keepstate_spark.errors import PipelineError
from keepstate_spark.session import FIXED, SETTINGS, spark_session
from keepstate_spark.spark_errors import said_by_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OURS = {
    # Many small tasks and no large ones: what a worker holds is a batch of rows.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    # A worker that judged is as good for the next task, and has the analyzer loaded.
    "spark.python.worker.reuse": "true",
    # Few and small columns are shuffled; ``fit`` sets more of them for many rows.
    "spark.sql.adaptive.enabled": "false",
}
_ROWS_OF_A_PARTITION = 50_000
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Variable that ``spark-submit`` sets in the environment of a program that it runs."""


@contextmanager
def audit_session(
    master: str | None, cores: int | None, memory: str, settings: Mapping[str, str]
) -> Iterator[SparkSession]:
    """A session that ends with the block, on ``cores`` of this machine or on the cluster ``master``, which gets our
    package. Raises like ``spark_session``.
    """
    if _SUBMITTED in os.environ:
        with _submitted(settings) as session, _spark_errors(), _shipped(session):
            fit(session, 0)
            yield session
        return
    core_count = "*" if cores is None else str(cores)
    # On one machine the JVM takes its time from the workers, who do the work: it had better not compile for speed.
    quick = master is None
    all_settings = {**_OURS, **settings}
    with (
        spark_session(cores=core_count, memory=memory, quick=quick, master=master, settings=all_settings) as session,
        _spark_errors(),
        _shipped(session),
    ):
        fit(session, 0)
        yield session


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Turn errors of Spark into one sentence, as long as its JVM is there."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        sentence = f"The audit failed. {said_by_spark(error)}"
        raise PipelineError(
            sentence,
            "What was done so far is kept: run it again to go on, or remove .state in its folder to begin anew.",
        ) from error


def fit(session: SparkSession, rows: int) -> None:
    """Have shuffles be divided as ``rows`` rows are worth."""
    cores = session.sparkContext.defaultParallelism
    session.conf.set("spark.sql.shuffle.partitions", str(max(cores, -(-rows // _ROWS_OF_A_PARTITION))))


@contextmanager
def _submitted(settings: Mapping[str, str]) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for key, value in {**SETTINGS, **_OURS, **settings, **FIXED}.items():
        if not key.startswith("spark.driver."):
            builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _shipped(session: SparkSession) -> Iterator[None]:
    """Gives the package to executors of another machine, or of another process, which fetch it when they begin."""
    context = session.sparkContext
    if str(context.master).partition("[")[0] == "local":
        yield
        return
    with tempfile.TemporaryDirectory(prefix="keepstate-audit-") as folder:
        archive = Path(folder) / "keepstate-audit.zip"
        package(archive)
        context.addPyFile(str(archive))
        yield
