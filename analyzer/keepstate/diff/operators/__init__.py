"""Differences of operators, one module for each kind, and of their input paths."""
