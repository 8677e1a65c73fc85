"""Values by which two findings are one, and by which a finding is known again in another text."""

from __future__ import annotations

from keepstate.diff.changes import Change
from keepstate.engines.change_facts import KINDS
from keepstate.report import Finding

_NAME_ALONE = frozenset(kind for kind, facts in KINDS.items() if facts.is_name)
"""Changes whose subject is a name alone ("GroupAggregate"): their text counts as well."""


def words_of_change(change: Change) -> tuple[str, ...]:
    """Return the identity of a change apart from its layout: words of the plan, or the tokens where those words say too
    little.

    >>> from keepstate.diff.changes import ChangeKind, QueryKind
    >>> words_of_change(Change(ChangeKind.AGGREGATE_CHANGED, QueryKind.JOB, None, None, baseline_text="SUM(a)"))
    ('', 'SUM(a)', '')
    """
    words = (change.subject, change.baseline_text, change.current_text)
    if change.kind not in _NAME_ALONE:
        return words
    places = (change.baseline, None if change.removed else change.current)
    return *words, *(" ".join(place.words) if place is not None else "" for place in places)


def finding_identity(finding: Finding) -> tuple[object, ...]:
    """Return the key of findings that are one finding: the edited clause, or the setting outside of the SQL.

    >>> from keepstate import JobVersion, check
    >>> was, now = (JobVersion(f"SELECT b, {each}(a) FROM t GROUP BY b") for each in ("MAX", "SUM"))
    >>> finding_identity(check(now, was).findings[0])[1].start
    10
    """
    was = finding.baseline.span if finding.baseline is not None else None
    anchor: object = finding.current.span
    if finding.external is not None:
        anchor = finding.external
    elif finding.removed and was is not None:
        # Where it is missed differs from query to query.
        anchor = None
    return (finding.rule, anchor, was, finding.change)
