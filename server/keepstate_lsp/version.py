"""The version of this distribution.

A constant, because asking ``importlib.metadata`` costs more than a whole comparison of two files; a test holds it equal
to pyproject.toml.
"""

VERSION = "0.1.0"
