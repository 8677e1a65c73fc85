"""Compiled plans of files (``COMPILE PLAN``): read as values, and loaded into a table environment."""
