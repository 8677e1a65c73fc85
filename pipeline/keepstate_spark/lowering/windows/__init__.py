"""Windows of a stream on Spark: assignment, slices, sessions, rows that are late."""
