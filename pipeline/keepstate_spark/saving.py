"""Results as files of Spark: the formats, and the packages that some of them need."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from keepstate_spark.errors import PipelineError
from keepstate_spark.session import require_file_writer
from keepstate_spark.spark_errors import said_by_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PACKAGES: Mapping[str, str | None] = {
    "parquet": None,
    "orc": None,
    "avro": "org.apache.spark:spark-avro_2.13",
    "delta": "io.delta:delta-spark_2.13",
}
"""The formats, with the package of those that Spark does not bring along."""

_NO_SOURCE = ("Failed to find data source", "DATA_SOURCE_NOT_FOUND")


def require_format(session: SparkSession, format_: str) -> None:
    """Raise ``PipelineError`` unless ``session`` can write files of ``format_``."""
    require_file_writer()
    package = PACKAGES[format_]
    if package is None:
        return
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        # Spark looks for the format before it looks for the path.
        session.read.format(format_).load(os.path.join(os.sep, "keepstate", "no such path"))
    except (PySparkException, Py4JJavaError) as error:
        # Another error is that nothing is at the path.
        if any(words in str(error) for words in _NO_SOURCE):
            raise PipelineError(
                f"This Spark cannot write {format_}.",
                f"Name its package of the same version: --spark spark.jars.packages={package}:VERSION",
            ) from error


def save(rows: DataFrame, path: str, format_: str) -> None:
    """Write ``rows`` to a folder of files at ``path``, where nothing is.

    Raises ``PipelineError`` if rows are missing there afterwards: workers on other machines wrote to their own disks.
    """
    from pyspark.sql import functions as fn

    session = rows.sparkSession
    # Spark runs in a folder of its own, and takes what precedes a colon in a relative path for a scheme.
    place = os.path.abspath(path)
    if not works_elsewhere(session):
        rows.write.format(format_).save(place)
        return
    from pyspark.sql import Observation

    observation = Observation()
    rows.observe(observation, fn.count(fn.lit(1)).alias("rows")).write.format(format_).save(place)
    require_rows(session, place, format_, observation.get["rows"])


def works_elsewhere(session: SparkSession) -> bool:
    """Return whether workers of ``session`` may be on other machines."""
    return not str(session.conf.get("spark.master", "local")).startswith("local")


def require_rows(session: SparkSession, path: str, format_: str, count: int) -> None:
    """Raise ``PipelineError`` unless ``count`` rows are at ``path``."""
    from pyspark.errors import PySparkException

    try:
        row_count = session.read.format(format_).load(path).count()
    except PySparkException as error:
        if not count:
            return
        raise PipelineError(_missing_rows(path, count, said_by_spark(error)), _SHARED) from error
    if row_count != count:
        raise PipelineError(_missing_rows(path, count, f"It has {row_count}."), _SHARED)


_SHARED = "Name an --output that all machines of the cluster share, or --format jsonl, which this one writes."


def _missing_rows(path: str, count: int, why: str) -> str:
    return f"Spark wrote {count} rows, and they are not in {path} on this machine. {why}"
