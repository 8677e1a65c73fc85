"""``analyse`` and ``check`` of the façade with one memory for each process.

Most pairs of a set share their tables, and many a version: with a memory of its own each call would read, validate and
plan these again. A run of the command line has one memory as well. What a memory must not change is held elsewhere:
``tests/names/test_memory.py``, ``tests/analyzer/test_many_queries.py`` and the pages of the rules begin from nothing.
"""

from __future__ import annotations

from collections.abc import Hashable

import keepstate
from keepstate import JobVersion, Workspace
from keepstate.analysis import RestartAnalysis
from keepstate.report import Report

MEMORY = Workspace()
"""Also for questions about one version: ``draw_plan(version, engine, MEMORY)``."""
_REPORTS: dict[Hashable, Report] = {}


def analyse(current: JobVersion, baseline: JobVersion, engine: str = "vvr") -> RestartAnalysis:
    """The analysis of two versions.

    >>> analyse(JobVersion("SELECT a FROM t"), JobVersion("SELECT a FROM t")).report().verdict.value
    'compatible'
    """
    return keepstate.analyse(current, baseline, engine, MEMORY)


def check(current: JobVersion, baseline: JobVersion, engine: str = "vvr") -> Report:
    """The report of :func:`analyse`, made once for equal versions."""
    key = (current.key, baseline.key, engine)
    report = _REPORTS.get(key)
    if report is None:
        report = _REPORTS[key] = analyse(current, baseline, engine).report()
    return report
