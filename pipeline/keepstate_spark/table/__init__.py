"""Windows of Flink's Table API on Spark DataFrames.

>>> w = Tumble.over("10 minutes").on("rowtime").alias("w")
>>> Table(orders).window(w).group_by("w", "buyer").select("buyer", w.start, w.end, fn.sum("amount").alias("total"))

``orders`` is a DataFrame, ``fn`` is ``pyspark.sql.functions``, and the result is a DataFrame again.
"""

from keepstate_spark.table.group_windows import Cumulate, Session, Slide, Tumble
from keepstate_spark.table.lengths import CURRENT_RANGE, CURRENT_ROW, UNBOUNDED_RANGE, UNBOUNDED_ROWS, Rows
from keepstate_spark.table.row_windows import SessionRows, SlideRows, TumbleRows
from keepstate_spark.table.table import Table

__all__ = [
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROWS",
    "Cumulate",
    "Rows",
    "Session",
    "SessionRows",
    "Slide",
    "SlideRows",
    "Table",
    "Tumble",
    "TumbleRows",
]
