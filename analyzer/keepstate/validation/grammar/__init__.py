"""Refusals that the text alone decides: the parser and statement sets."""
