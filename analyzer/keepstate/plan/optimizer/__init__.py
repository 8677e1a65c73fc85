"""The rewritings of Flink's planner that decide what is stored."""
