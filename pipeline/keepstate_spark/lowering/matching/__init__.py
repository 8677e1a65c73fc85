"""MATCH_RECOGNIZE: the rows of a partition, matched to a pattern one by one as Flink does.

Modules that run beside Spark's workers import nothing but Python's own library: Spark sends their code along, since a
worker of a cluster has no Keepstate.
"""
