"""Differences of statements around queries: declarations, settings, sinks, engine versions."""
