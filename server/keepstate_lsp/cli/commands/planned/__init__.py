"""``--planner flink``: Flink's own plans of both versions, held against the built-in model."""
