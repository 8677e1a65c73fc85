"""Explanations for a reader who points at a clause: its state, and the outcome of a restart."""
