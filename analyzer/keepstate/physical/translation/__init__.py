"""From plans to the nodes that Flink executes."""
