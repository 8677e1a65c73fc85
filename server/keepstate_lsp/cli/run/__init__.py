"""A run of check: from paths and options to comparisons."""
