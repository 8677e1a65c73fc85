"""The modules whose examples need a session of Spark; those of all others run in tests/house/test_examples.py."""

MODULES = (
    "keepstate_spark.dataframes",
    "keepstate_spark.running",
    "keepstate_spark.table",
    "keepstate_spark.table.group_windows",
    "keepstate_spark.table.lengths",
    "keepstate_spark.table.row_windows",
    "keepstate_spark.table.windowed_table",
    "keepstate_spark.windows.assignment",
    "keepstate_spark.windows.clock",
    "keepstate_spark.windows.durations",
    "keepstate_spark.windows.frame_columns",
)
