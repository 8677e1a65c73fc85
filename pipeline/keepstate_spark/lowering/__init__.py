"""The analyzer's plan as Spark DataFrames, with the results of Flink.

A plan's expressions are canonical: over source columns, independent of names in a query. So each operator becomes a
``NamedFrame``, a DataFrame with the column of each expression that it holds; all other parts of an expression are built
of columns of Spark. An expression without such a column, or with another meaning in Spark, ends the run with its place.
"""
