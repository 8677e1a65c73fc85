"""Flink's windows and queries on Spark: a job's results, computed on files and DataFrames.

All work on rows is in DataFrame expressions and runs in the JVM. Importing this package loads neither PySpark nor Java;
``keepstate_spark.session`` does when it opens a session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keepstate_spark.dataframes import replay_job, run

__all__ = ["replay_job", "run"]


def __getattr__(name: str) -> Any:
    """Load a function when it is asked for: commands that only need an error or a name of this package stay light."""
    if name in __all__:
        from keepstate_spark import dataframes

        return getattr(dataframes, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
