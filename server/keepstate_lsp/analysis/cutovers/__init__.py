"""Cutover plans that an editor asks for: the request, the command that makes the plan, and its result."""
