"""Constants as Flink's planner takes them: strings beside times, and divisions that it computes."""
