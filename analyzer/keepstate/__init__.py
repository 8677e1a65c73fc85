"""Keepstate: does a running Flink SQL job keep its state when its SQL changes?

The façade of the analyzer: text in, values out. It reads no files, asks no git and knows no protocol.
"""

from __future__ import annotations

from keepstate.check import JobVersion, check

__all__ = ["JobVersion", "check"]
