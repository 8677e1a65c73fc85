"""Simplification of expressions, one function for each law of Flink's planner (Calcite's ``RexSimplify``)."""
