"""A real Flink on this machine: plans jobs, and rehearses the restart of a changed one from a savepoint.

Flink runs in a JVM of its own, with stand-ins for all connectors: nothing of a job reaches another machine. Importing
this package loads neither py4j nor Java; ``keepstate_flink.cluster`` does when it starts a cluster.
"""
