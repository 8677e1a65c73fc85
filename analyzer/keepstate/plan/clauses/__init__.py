"""The clauses of one query: grouping, windows, rankings, patterns, hints, VALUES."""
