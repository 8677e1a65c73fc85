"""Replay: what a restart at a given time does to the results of a job, on its own rows."""
