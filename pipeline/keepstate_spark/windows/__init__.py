"""Flink's windows, assigned to the rows of a Spark DataFrame.

Each function takes a frame and gives it back with the columns that a window table-valued function of Flink adds: one
row for each window that a row lies in. Lengths are milliseconds, as Flink counts them; ``milliseconds`` reads
"10 minutes".
"""

from keepstate_spark.windows.assignment import (
    WINDOW_COLUMNS,
    WindowColumns,
    cumulate,
    hop,
    session,
    tumble,
)
from keepstate_spark.windows.clock import MICROSECONDS, instant, timestamp, wall_clock
from keepstate_spark.windows.durations import milliseconds

__all__ = [
    "MICROSECONDS",
    "WINDOW_COLUMNS",
    "WindowColumns",
    "cumulate",
    "hop",
    "instant",
    "milliseconds",
    "session",
    "timestamp",
    "tumble",
    "wall_clock",
]
