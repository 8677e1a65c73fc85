"""Functions with rules of their own: JSON functions and percentiles."""
