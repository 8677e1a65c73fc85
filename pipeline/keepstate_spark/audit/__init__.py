"""Every change of every job in the history of many repositories, judged on Spark.

``auditing.audit`` is one run. How repositories are read is the caller's business: a reader gives rows, and this package
has them read where there is room, takes each different pair of versions once, has the analyzer judge it beside Spark's
workers, and keeps tables of it in a folder.
"""
