"""Windows of Flink's Table API on Spark DataFrames.

>>> rows = "VALUES ('2026-03-01 10:01', 'ann', 5), ('2026-03-01 10:08', 'ann', 7), ('2026-03-01 10:12', 'bob', 1)"
>>> orders = spark.sql(f"SELECT CAST(col1 AS timestamp_ntz) AS rowtime, col2 AS buyer, col3 AS amount FROM {rows}")
>>> w = Tumble.over("10 minutes").on("rowtime").alias("w")
>>> Table(orders).window(w).group_by("w", "buyer").select("buyer", w.start, fn.sum("amount").alias("total")).show()
+-----+-------------------+-----+
|buyer|            w_start|total|
+-----+-------------------+-----+
|  ann|2026-03-01 10:00:00|   12|
|  bob|2026-03-01 10:10:00|    1|
+-----+-------------------+-----+

``spark`` is a Spark session, ``fn`` is ``pyspark.sql.functions``, and the result is a DataFrame again. The examples of
the functions below read the same ``orders``.
"""

from keepstate_spark.table.group_windows import Cumulate, Session, Slide, Tumble
from keepstate_spark.table.lengths import CURRENT_RANGE, CURRENT_ROW, UNBOUNDED_RANGE, UNBOUNDED_ROWS, Rows
from keepstate_spark.table.row_windows import SessionRows, SlideRows, TumbleRows
from keepstate_spark.table.windowed_table import Table

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
