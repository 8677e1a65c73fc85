"""Replays of restarts that an editor asks for: what is replayed, the process that does it, and what is said of it.

The server itself never touches Spark: ``keepstate replay`` is a process of its own that leaves a report.
"""
