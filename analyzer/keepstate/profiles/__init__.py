"""Engine profiles: what an engine can do with each kind of change."""

from __future__ import annotations

from keepstate.profiles.profile import EngineProfile, verdict_of
from keepstate.profiles.vvr import VVR

PROFILES = {VVR.name: VVR}
ENGINES = tuple(PROFILES)

__all__ = ["ENGINES", "PROFILES", "EngineProfile", "verdict_of"]
