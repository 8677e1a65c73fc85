"""Flink's windows and queries on Spark: what a job does, run on files.

Everything that touches rows is a DataFrame expression and runs in the JVM. Importing this package loads neither PySpark
nor Java; ``keepstate_spark.session`` does when a session is asked for.
"""
