"""Replay: the effect of a restart at a given time on the results of a job, on its own rows."""
