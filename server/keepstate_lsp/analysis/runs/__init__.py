"""Restarts of a job that an editor has tried beside the server, by a command of Keepstate: what replays on Spark and
rehearsals on Flink have in common.

The server itself touches neither: each command is a process of its own, which gets both versions as a file.
"""
