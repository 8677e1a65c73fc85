"""Flink SQL over DataFrames of a session that is there already: a notebook, a platform's job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from keepstate_spark.errors import PipelineError
from keepstate_spark.runnable import runnable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run(
    script: str,
    spark: SparkSession,
    tables: Mapping[str, DataFrame] | None = None,
    *,
    folder: str | Path = ".",
    parameters: Mapping[str, str] | None = None,
    late: Literal["keep", "drop"] = "keep",
) -> dict[str, DataFrame]:
    """Return the results of the queries of ``script`` by their names: that of the sink, or ``SELECT #1``.

    ``tables`` are the rows of declared tables, whose columns they have; other tables are read from the files of their
    ``path``, relative to ``folder``. ``spark`` is any session, in any time zone and mode; its settings stay the same.
    Nothing is computed before a result is read. With ``late="drop"`` rows come in the order of the DataFrame, and those
    behind the watermark are left out as a stream does, for which their times are looked through at once. ``parameters``
    are settings of Flink.

    Raises ``PipelineError`` for a script of which a query cannot be run, with a line for each, for a table that the
    script does not declare, and for columns that are missing or of other types.

    Example:
        >>> orders_table = "CREATE TABLE orders (rowtime TIMESTAMP(3), buyer STRING, amount INT);"
        >>> totals = "SELECT buyer, SUM(amount) AS total FROM orders GROUP BY buyer;"
        >>> results = run(orders_table + totals, spark, {"orders": orders})
        >>> results["SELECT #1"].orderBy("buyer").show()
        +-----+-----+
        |buyer|total|
        +-----+-----+
        |  ann|   12|
        |  bob|    1|
        +-----+-----+
    """
    from keepstate_spark.running import lowered_query

    given = dict(tables or {})
    prepared = runnable(script, "script", Path(folder), (None,), {}, parameters or {}, frames=given)
    job = prepared.job
    unknown = [name for name in given if name not in job.catalog.tables and name not in job.unreadable_names]
    if unknown:
        known = ", ".join(sorted(job.catalog.tables)) or "none"
        raise PipelineError(f"tables names {unknown[0]}, which the script does not declare.", f"Its tables: {known}.")
    if prepared.refused:
        raise PipelineError("\n".join(prepared.refused))
    drops = late == "drop"
    found: dict[str, DataFrame] = {}
    for query in prepared.queries:
        running = lowered_query(prepared, query, spark, drops_late=drops, may_ask=drops, frames=given)
        found[_unused(query.name, found)] = running.frame()
    return found


def _unused(name: str, names: Mapping[str, object]) -> str:
    """``name``, with a number if there is one already: two INSERTs into one sink."""
    number, found = 1, name
    while found in names:
        number += 1
        found = f"{name} ({number})"
    return found
