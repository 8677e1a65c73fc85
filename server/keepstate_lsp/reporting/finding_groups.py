"""Findings that have one cause: the first of them stands for all where people read them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from keepstate.report import Finding

_WHOLE_STATE = frozenset({"all-aggregates-replaced"})
"""Rules that speak of each aggregate, and say the same of all of them: the state of their aggregation is lost."""


def leaders(findings: Sequence[Finding]) -> tuple[int, ...]:
    """The index of the finding that stands for each finding; most findings stand for themselves.

    >>> from keepstate import JobVersion, check
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> leaders(check(now, was).findings)
    (0,)
    """
    first: dict[Hashable, int] = {}
    return tuple(first.setdefault(_cause(finding, index), index) for index, finding in enumerate(findings))


def _cause(finding: Finding, index: int) -> Hashable:
    if finding.rule not in _WHOLE_STATE or finding.accepted is not None:
        return index
    return finding.rule, finding.query_kind, finding.pipeline, finding.effect
