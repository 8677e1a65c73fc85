"""Flink's windows and queries on Spark: a job's results, computed on files.

All work on rows is in DataFrame expressions and runs in the JVM. Importing this package loads neither PySpark nor Java;
``keepstate_spark.session`` does when it opens a session.
"""
