"""Checks of constructs by time: windows, OVER, patterns of rows, temporal joins."""
