"""The version of this distribution.

A constant, because asking ``importlib.metadata`` costs more than a whole comparison of two files. The build of the
wheel reads it here, and ``make version`` copies it into the files that repeat it.
"""

VERSION = "0.1.0"
