"""Observations of Spark of rows on their way through a query."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import Observation


def observed(observation: Observation) -> dict[str, Any] | None:
    """The values of ``observation`` once the query has been run; ``None`` if Spark found out that it need not read
    these rows, as of a query whose condition is never true.
    """
    try:
        return observation.get
    except Py4JJavaError as error:
        # There is no other way to ask: Spark holds no row, and its reader asserts that there is one.
        if "AssertionError" in str(error.java_exception.getClass().getName()):
            return None
        raise
