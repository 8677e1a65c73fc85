"""Flink's built-in operators and functions as columns of Spark."""
