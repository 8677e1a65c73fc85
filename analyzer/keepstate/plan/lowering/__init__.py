"""From the syntax of queries to operators."""
