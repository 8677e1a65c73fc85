"""Rows of the past: facts about them, the conditions of a plan that they hold or break, and the time to read them."""
