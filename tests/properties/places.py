"""Places of findings: at the clauses that an edit touched, and not in unrelated queries."""

from __future__ import annotations

from keepstate.report import Finding
from spelling import Script


def touches(finding: Finding, baseline: Script, current: Script) -> bool:
    """Return whether a finding touches an edited clause, and does not underline a whole query for it."""
    for clause, script in ((finding.current, current), (finding.baseline, baseline)):
        if clause is None:
            continue
        for start, end in script.touched:
            if (
                clause.span.start < end
                and start < clause.span.end
                and clause.text.upper().count("SELECT") <= script.text[start:end].upper().count("SELECT")
            ):
                return True
    return False


def is_unrelated(finding: Finding, baseline: Script, current: Script) -> bool:
    """Return whether a finding stands in an unrelated query."""
    return any(
        clause is not None and any(start <= clause.span.start < end for start, end in script.unrelated)
        for clause, script in ((finding.current, current), (finding.baseline, baseline))
    )
