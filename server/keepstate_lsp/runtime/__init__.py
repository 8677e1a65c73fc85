"""The Python runtime: garbage collection, compiled classes, time limits."""
