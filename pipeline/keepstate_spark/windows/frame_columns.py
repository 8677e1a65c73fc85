"""Columns that a caller names, and a frame does not have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

from keepstate_spark.errors import WindowError

_UNRESOLVED = "UNRESOLVED_COLUMN"
"""Spark's class of errors for a name that no column bears."""


@contextmanager
def columns_of(frame: DataFrame, kind: str = "column") -> Iterator[None]:
    """Raise ``WindowError`` in place of Spark's error, which shows a plan, for a column that ``frame`` does not have.

    >>> with columns_of(orders):
    ...     orders.select("bayer")
    Traceback (most recent call last):
    keepstate_spark.errors.WindowError: The rows have no column `bayer`. Their columns are rowtime, buyer, amount.
    """
    try:
        yield
    except AnalysisException as error:
        if not (error.getErrorClass() or "").startswith(_UNRESOLVED):
            raise
        name = (error.getMessageParameters() or {}).get("objectName", "")
        columns = ", ".join(frame.columns)
        raise WindowError(f"The rows have no {kind} {name}.", f"Their columns are {columns}.") from error
