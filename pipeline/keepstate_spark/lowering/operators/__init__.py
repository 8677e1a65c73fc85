"""Operators of the plan as frames."""
