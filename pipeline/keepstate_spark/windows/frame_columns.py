"""Columns that a caller names, and a frame has not, or has twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

from keepstate_spark.errors import WindowError

_UNRESOLVED = "UNRESOLVED_COLUMN"
"""Spark's class of errors for a name that no column bears."""
_UNGROUPED = "MISSING_AGGREGATION"
"""Spark's class of errors for a column beside aggregates that is no key of the groups."""
_AMBIGUOUS = "AMBIGUOUS_REFERENCE"
"""Spark's class of errors for a name of several columns."""
_NO_NAME = "INVALID_ATTRIBUTE_NAME_SYNTAX"
"""Spark's class of errors for a name with a backtick that opens no quoted name."""
_NO_AGGREGATE = "UNSUPPORTED_EXPR_FOR_WINDOW"
"""Spark's class of errors for an expression over a window that aggregates nothing."""


@contextmanager
def columns_of(frame: DataFrame, kind: str = "column") -> Iterator[None]:
    """Raise ``WindowError`` in place of Spark's error, which shows a plan: ``frame`` does not have a column, or it
    has twice.

    >>> with columns_of(orders):
    ...     orders.select("bayer")
    Traceback (most recent call last):
    keepstate_spark.errors.WindowError: The rows have no column `bayer`. Their columns are rowtime, buyer, amount.
    """
    try:
        yield
    except AnalysisException as error:
        kind_of_error, parameters = error.getErrorClass() or "", error.getMessageParameters() or {}
        if kind_of_error.startswith(_AMBIGUOUS):
            name = parameters.get("name", "")
            raise WindowError(f"The rows have several columns {name}.", "Drop or rename the others.") from error
        if kind_of_error.startswith(_UNGROUPED):
            expression = parameters.get("expression", "a column")
            raise WindowError(
                f"{expression} is neither a key of the groups nor an aggregate.", "Group by it, or aggregate it."
            ) from error
        if kind_of_error.startswith(_NO_AGGREGATE):
            raise WindowError("Over a window stands no aggregate.", 'Write one: w.over(fn.sum("amount")).') from error
        if kind_of_error.startswith(_NO_NAME):
            name = parameters.get("name", "")
            raise WindowError(
                f"{name} is no name of a column.", "Quote a name with dots or backticks: `a.b`, `a``b`."
            ) from error
        if not kind_of_error.startswith(_UNRESOLVED):
            raise
        name = parameters.get("objectName", "")
        columns = ", ".join(frame.columns)
        raise WindowError(f"The rows have no {kind} {name}.", f"Their columns are {columns}.") from error
