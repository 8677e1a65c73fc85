"""The analyzer's plan as Spark DataFrames, with the results that Flink gives.

A plan's expressions are canonical: over source columns, whatever a query calls them. So each operator becomes a
``Frame``, a DataFrame that knows under which column it holds which expression; whatever an expression holds beyond that
is built of columns of Spark. What has no such column, or another meaning in Spark, ends the run with its place.
"""
