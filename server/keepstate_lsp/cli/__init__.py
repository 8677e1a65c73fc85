"""The command line ``keepstate``."""
