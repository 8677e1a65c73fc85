"""Rows of files: where they stand, and how many of them could be read."""
