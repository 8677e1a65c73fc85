"""Cutovers computed on Spark: the results of two versions of a job before and behind a boundary."""
