"""By which rules the product may tell a labelled edit: those of the label's own id, and of some ids beside it."""

from __future__ import annotations

from edits import Edit
from keepstate.report import Finding

_BESIDE: dict[str, tuple[str, ...]] = {
    # An aggregate that is modified counts as one less and one more, and so does another column under it.
    "WTVF-03": ("WTVF-01", "WTVF-04"),
    "WTVF-04": ("WTVF-01",),
    "GWA-03": ("GWA-01", "GWA-04"),
    "GWA-04": ("GWA-01",),
    "GA-03": ("GA-01", "GA-04"),
    "GA-04": ("GA-01",),
    "OA-03": ("OA-01", "OA-04"),
    "OA-04": ("OA-01",),
    "SRC-03": ("WTVF-04", "GWA-04", "GA-04"),
    # Several rows of the specification say that nothing survives.
    "WTVF-18": ("WTVF-19",),
    "GWA-19": ("GWA-20",),
    # The length of a session is its gap.
    "WTVF-11": ("WTVF-29",),
    "GWA-11": ("GWA-24",),
    # Notes on what the specification contradicts itself in, and rows about several kinds of queries.
    "C-14": ("WTVF-01", "GWA-01", "GA-01"),
    "C-27": ("WTVF-15", "GWA-14", "OA-11"),
    "C-30": ("WTVF-19",),
    "EQ-06": ("WTVF-01", "GWA-01", "GA-01"),
    "GWA-23": ("WTVF-01", "WTVF-02", "GWA-01", "GWA-02", "GA-01", "GA-02"),
    "CMB-02": ("WTVF-01", "WTVF-04", "WTVF-18", "WTVF-19", "GA-01", "GA-04", "GA-11"),
    "CMB-03": ("OL-03",),
    # The row of a column follows its type.
    "SRC-09": ("TN-07", "DD-02", "OA-07", "JR-03", "JI-04", "JT-03", "WJ-01", "WD-01", "TS-03", "LM-03"),
    # A filter in front of a join may have come out of its condition.
    "WH-01": ("JR-05", "JI-02", "JT-02", "WJ-01"),
    # The upsert key of a ranked aggregation are its group keys.
    "TN-03": ("GA-07", "TN-07"),
    "TN-07": ("GA-01", "GA-04"),
    # The configuration of the check decides about other rows, and so does the operator behind a lookup join.
    "CFG-01": ("WH-01",),
    "JL-02": ("GA-01", "GA-07"),
    # The type of a stored column decides.
    "C-25": ("OA-04", "OA-07"),
    # Of an aggregation over windows, section 2 says the same; another key may be a computed one.
    "GA-07": ("GA-08", "WTVF-12", "WTVF-13"),
    # A condition on one side of a join is a filter in front of it.
    "JI-02": ("WH-01",),
}


_BY_NAME = {
    "STR-02": ("source-columns-unknown",),
    "NONE-01": ("set-operation-changed",),
    "NONE-02": ("set-operation-columns-changed",),
    "NONE-03": ("state-ttl-changed",),
    "NONE-04": ("state-ttl-shortened",),
    "NONE-05": ("max-parallelism-changed",),
    "NONE-06": ("setting-changed",),
    "NONE-07": ("state-removed",),
    "NONE-08": ("grouping-sets-added", "grouping-sets-removed", "grouping-sets-present"),
}
"""Rules about what the specification has no row for."""
_FOLLOWING: dict[str, tuple[str, ...]] = {
    # An outer join keeps the rows that a condition of its ON turns down, so that it is a condition and no filter.
    "JR-01": ("join-condition-changed", "filter-removed", "filter-added"),
    "JI-01": ("join-condition-changed", "filter-removed", "filter-added"),
    # An equality carries a filter on its one side over to the other.
    "JR-02": ("filter-added", "filter-removed", "filter-changed"),
    "JI-02": ("filter-added", "filter-removed", "filter-changed"),
    # Aggregates over aggregates.
    "CMB-02": ("aggregate-changed", "only-aggregate-changed"),
    "C-30": ("aggregate-changed",),
}
"""Rules that may speak at clauses that were not edited, since these mean something else after the edit."""


def spec_id(edit: Edit) -> str:
    """The id of the specification, without what tells several edits of one row apart."""
    family, number = edit.spec.split("-")[:2]
    return f"{family}-{number}"


def may_tell(finding: Finding, edit: Edit) -> bool:
    """Return whether a finding is by a rule that is about this edit."""
    own = spec_id(edit)
    return finding.rule in _BY_NAME.get(own, ()) or any(id_ in finding.spec for id_ in (own, *_BESIDE.get(own, ())))


def may_follow(edit: Edit) -> tuple[str, ...]:
    return _FOLLOWING.get(spec_id(edit), ())
