"""The result of a run as values: comparisons, summary, scope, exit status."""
