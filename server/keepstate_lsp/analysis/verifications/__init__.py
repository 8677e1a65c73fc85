"""Rehearsals of restarts on a real Flink that an editor asks for: what is rehearsed, the command that does it, and what
is said of it.
"""
