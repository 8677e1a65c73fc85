"""Sources of a cutover: where they end, and what has to hold of their rows."""
