"""Realtime Compute for Apache Flink (Ververica Runtime).

Its state migration rewrites the accumulators of an aggregation when aggregates come and go, as long as one of them
stays; it never rewrites keys, windows, or the rows that a ranking stores. The effect of each change stands on its rule
page. Facts: spec sections 2 to 6 and 13 to 17.
"""

from __future__ import annotations

from keepstate.engines.change_facts import KINDS
from keepstate.engines.lookup import vvr_effects
from keepstate.engines.profile import EngineProfile
from keepstate.plan.units.cluster_jobs import JobUnit

VVR = EngineProfile(
    name="vvr",
    title="Realtime Compute for Apache Flink (Ververica Runtime)",
    effects=vvr_effects(),
    undecidable=frozenset(kind for kind, facts in KINDS.items() if facts.feature == "sticky"),
    open=frozenset(kind for kind, facts in KINDS.items() if facts.feature == "open"),
    jobs=JobUnit.SCRIPT,
    ignore_filter="table.optimizer.state-compatibility.ignore-filter",
    ignore_sink="table.optimizer.state-compatibility.ignore-sink",
)
