"""Properties that do not hold yet, by the name of the kind or of the edit. Empty means: all of them hold."""

from __future__ import annotations

_AGGREGATIONS = ("window-tvf", "group-window", "group-aggregate")
_UNITED = ("united-windows", "united-legacy", "united-groups", "united-window-top-n", "united-top-n", "united-dedup",
           "united-over", "united-join")  # fmt: skip
_UNREAD = tuple(f"unread-{what}" for what in ("added", "removed", "distinct-added", "distinct-removed"))
_BY_CAUSE: dict[str, tuple[str, ...]] = {
    "which branch of a union came or went is not seen where several read one table": (
        *(f"UA-02-{kind}-{change}-branch" for kind in _UNITED for change in ("add", "remove", "repeat")),
    ),
    "columns of a union are taken for exchanged where its layer moved and aggregates changed places": (),
    "aggregates that nothing reads are dropped below rankings": (
        *(f"{spec}-totals-best-{change}{of}" for of in ("", "-of-listed-columns")
          for spec, change in (("GA-01", "add-unread"), ("GA-04", "modify-unread"), ("GA-10", "add-unread-distinct"),
                               ("GA-10", "remove-unread-distinct"))),
        *(f"WTN-06-totals-best-of-windows-{change}{of}" for of in ("", "-of-listed-columns")
          for change in ("add-unread", "modify-unread", "add-unread-distinct", "remove-unread-distinct")),
        "WTVF-01-totals-latest-add-unread", "WTVF-04-totals-latest-modify-unread",
        "WTVF-15-totals-latest-add-unread-distinct", "WTVF-15-totals-latest-remove-unread-distinct",
        "GA-04-shared-ranking-modify-what-the-ranking-stores",
        *(f"flink-totals-{kind}-{change}{of}" for change in _UNREAD
          for kind, of in (("best", ""), ("best", "-of-listed"), ("best-of-windows", ""),
                           ("best-of-windows", "-of-listed"), ("latest", ""))),
    ),
    "a grouping set that goes is exact in windows as well": ("flink-window-tvf-grouping-set-removed",),
    "one expression reached in two ways is one aggregate": (
        *(f"flink-{kind}-respelled-{change}" for kind in _AGGREGATIONS for change in ("once-more", "no-more")),
    ),
    "the order of a sink is not that of its query": (
        *(f"flink-{kind}-{change}" for kind in _AGGREGATIONS
          for change in ("insert-list-and-query-reordered", "sink-of-one-type-reordered",
                         "sink-of-other-types-reordered")),
    ),
    "a condition on a window field above its aggregation is planned above it": (
        *(f"WTVF-24-totals-{kind}-{change}-on-window" for kind in ("picked", "regrouped")
          for change in ("add-condition", "remove-condition", "keep-condition", "having")),
    ),
    "a lookup join in front of an aggregation is none": (
        "flink-enriched-left-lookup-to-inner", "flink-enriched-another-lookup-key",
    ),
    "another key of the same type finds nothing": (
        "flink-group-aggregate-keys-swapped", "flink-group-aggregate-another-key-of-one-type",
    ),
    "a star of an undeclared table is a list of no columns": (
        *(f"STR-02-undeclared-{kind}-{change}" for kind in ("rank", "latest", "limit", "distinct")
          for change in ("spell-out", "write-star")),
    ),
    "other data behind a source are no news": (
        *(f"SRC-10-{kind}-change-{option}" for option in ("topic", "topic-pattern", "path")
          for kind in ("window-tvf", "top-n", "over", "regular-join", "group-aggregate")),
        *(f"SRC-10-group-aggregate-change-{option}" for option in ("table-name", "database-name", "collection")),
    ),
    "something is unknown where nothing keeps state": (
        "WH-03-projection-other-class-of-a-function", "WH-03-projection-lines-to-changes",
        "WH-03-projection-other-key-of-a-source", "flink-projection-other-class-of-a-function",
    ),
    "LAG is stored by its arguments, and a rank number is": (
        "flink-over-lag-further-by-two", "flink-over-lag-further-by-one", "flink-over-lag-nearer",
        "flink-totals-best-rank-number-shown",
    ),
}  # fmt: skip
"""Seeded edits whose labels the product does not tell, with what it takes to be so instead."""
PENDING_SPELLINGS: frozenset[str] = frozenset()
PENDING_EDITS: frozenset[str] = frozenset(name for names in _BY_CAUSE.values() for name in names)
PENDING_COMBINATIONS: frozenset[str] = frozenset()
