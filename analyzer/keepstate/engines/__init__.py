"""Engine profiles: the effect of an engine on each kind of change."""

from __future__ import annotations

from keepstate.engines.flink import FLINK
from keepstate.engines.profile import Assessment, EngineProfile, Outcome, clause_precedence, verdict_of
from keepstate.engines.vvr import VVR

PROFILES = {VVR.name: VVR, FLINK.name: FLINK}
ENGINES = tuple(PROFILES)

__all__ = ["ENGINES", "PROFILES", "Assessment", "EngineProfile", "Outcome", "clause_precedence", "verdict_of"]
