"""Differences of operators, one module for each kind, and of what stands between them."""
