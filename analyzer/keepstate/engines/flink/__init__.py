"""Open-source Flink, as it really behaves at a restart from a savepoint."""

from __future__ import annotations

from keepstate.engines.flink.flink_profile import FLINK

__all__ = ["FLINK"]
