"""Reasons why versions of Flink did different things with one restart, by the key of the candidate.

Tests hold the list: every row of docs/conformance.md that differs has a reason, and no reason stands here in vain.
"""

from __future__ import annotations

_WITH_REASONS = {
    "state with a time to live has another form than state without one; from 2.2 on both forms are read": (
        "config/ttl_on config/ttl_off configuration/state-ttl-changed/8542b204"
    ),
    "up to 2.0 the first and the last row of a key lie in one state, which the other one reads as its own; from 2.1 on "
    "the first row by row time waits for the watermark, in another state": (
        "dedup/asc_to_desc dedup/desc_to_asc dedup_rowtime/desc_to_asc deduplication/rank-order-changed/7dc718eb"
    ),
    "from 2.1 on a source of upserts keeps only the rows that pass the filter, which stands behind it up to 2.0": (
        "upsl/where"
    ),
    "not the version: these rows show the wrong state or not, by the order in which both inputs arrive": (
        "interval_join/to_left"
    ),
    "not the version: the clock of the machine decides which rows share a millisecond": (
        "temporal-sort/proctime-sort-input-changed/76720079"
    ),
}
CAUSES = {key: cause for cause, keys in _WITH_REASONS.items() for key in keys.split()}
"""Causes by the key of the candidate."""
