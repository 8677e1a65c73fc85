"""Observations of Spark of rows on their way through a query."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import Observation

_DELIVERY_MILLISECONDS = 60_000


def observed(observation: Observation) -> dict[str, Any] | None:
    """The values of ``observation`` once the query has been run; ``None`` if Spark found out that it need not read
    these rows, as of a query whose condition is never true.
    """
    if _never_comes(observation):
        return None
    try:
        # Spark 3.5 has no number at all of rows that it did not read.
        return observation.get or None
    except Py4JJavaError as error:
        # There is no other way to ask: Spark holds no row, and its reader asserts that there is one.
        if "AssertionError" in str(error.java_exception.getClass().getName()):
            return None
        raise


def _never_comes(observation: Observation) -> bool:
    """Return whether ``observation.get`` would wait without an end: for rows that a query did not need to read, or of
    a frame that no query came to read. Before Spark 4.1 a query ends before its observations are delivered.
    """
    context, java = SparkContext._active_spark_context, getattr(observation, "_jo", None)
    if context is None or java is None:
        return False
    future = java.future()
    if not future.isCompleted():
        context._jsc.sc().listenerBus().waitUntilEmpty(_DELIVERY_MILLISECONDS)
    return not future.isCompleted()
