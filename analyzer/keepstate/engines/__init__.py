"""Engine profiles: the effect of an engine on each kind of change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keepstate.engines.profile import Assessment, EngineProfile, Outcome, clause_precedence, verdict_of

ENGINES = ("vvr", "flink")


class _Profiles(Mapping[str, EngineProfile]):
    """The profiles by their names. Each is imported at its first use: the stored state of Flink has fifty modules."""

    def __getitem__(self, name: str) -> EngineProfile:
        if name == "vvr":
            from keepstate.engines.vvr import VVR

            return VVR
        if name == "flink":
            from keepstate.engines.flink import FLINK

            return FLINK
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(ENGINES)

    def __len__(self) -> int:
        return len(ENGINES)


PROFILES: Mapping[str, EngineProfile] = _Profiles()

__all__ = ["ENGINES", "PROFILES", "Assessment", "EngineProfile", "Outcome", "clause_precedence", "verdict_of"]
