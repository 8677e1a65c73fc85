"""By which rules the product may tell a labelled edit: those of the label's own id, and of the ids beside it here."""

from __future__ import annotations

from edits import Edit

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
    "C-27": ("WTVF-15", "GWA-14"),
    "C-30": ("WTVF-19",),
    "EQ-06": ("WTVF-01", "GWA-01", "GA-01"),
    "GWA-23": ("WTVF-01", "WTVF-02", "GWA-01", "GWA-02", "GA-01", "GA-02"),
    "CMB-02": ("WTVF-01", "WTVF-04"),
    "CMB-03": ("OL-03",),
    # A condition on one side of a join is a filter in front of it.
    "JI-02": ("WH-01",),
}


_FOLLOWING: dict[str, tuple[str, ...]] = {
    # An outer join keeps the rows that a condition of its ON turns down, so that it is a condition and no filter.
    "JR-01": ("join-condition-changed",),
    "JI-01": ("join-condition-changed",),
    # An equality carries a filter on its one side over to the other.
    "JR-02": ("filter-added", "filter-removed", "filter-changed"),
    "JI-02": ("filter-added", "filter-removed", "filter-changed"),
    # Aggregates over aggregates.
    "CMB-02": ("aggregate-changed",),
    "C-30": ("aggregate-changed",),
}
"""Rules that may speak at clauses that were not edited, since these mean something else after the edit."""


def spec_id(edit: Edit) -> str:
    """The id of the specification, without what tells several edits of one row apart."""
    family, number = edit.spec.split("-")[:2]
    return f"{family}-{number}"


def may_be_told_as(edit: Edit) -> frozenset[str]:
    own = spec_id(edit)
    return frozenset((own, *_BESIDE.get(own, ())))


def may_follow(edit: Edit) -> tuple[str, ...]:
    return _FOLLOWING.get(spec_id(edit), ())
