"""Flink's built-in operators and functions as Spark SQL text."""
