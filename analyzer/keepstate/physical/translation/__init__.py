"""From plans to the nodes that Flink executes, and what stands between them."""
