"""Replays of restarts that an editor asks for: what is replayed, the command that does it, and what is said of it."""
