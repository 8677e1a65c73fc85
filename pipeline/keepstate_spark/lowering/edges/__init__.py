"""Edges at which Flink and Spark differ: NaN, decimals that overflow, blanks at the ends of texts, first rows that
stay.
"""
