"""Rewritings of Flink's planner that determine the stored state."""
