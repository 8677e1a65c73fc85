"""Queries inside of queries that Flink's planner cannot plan."""
