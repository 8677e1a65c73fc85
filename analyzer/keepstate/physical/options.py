"""The parameters that shape the job graph, as Flink reads them."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.settings import Settings

NEWEST = (2, 3)
"""Flink version that is assumed where none is configured."""
_SHAPING = (
    "table.exec.mini-batch.",
    "table.optimizer.agg-phase-strategy",
    "table.exec.uid.generation",
    "table.exec.source.cdc-events-duplicate",
)
"""Parameters that change nothing but the nodes that are planned and their ids."""


def shapes_graph(parameter: str) -> bool:
    """Return whether a job parameter decides which nodes are planned, or the names of their operators."""
    return parameter.startswith(_SHAPING)


@dataclass(frozen=True)
class PhysicalOptions:
    """Options of the planner.

    ``local_windows`` and ``local_groups`` are true if aggregations are planned in two steps, ``by_shape`` if operator
    ids come from the shape of the job graph. ``flink`` is the version, its first two numbers.
    """

    flink: tuple[int, int] = NEWEST
    by_shape: bool = True
    mini_batch: bool = False
    local_windows: bool = True
    local_groups: bool = False
    duplicates: bool = False

    @staticmethod
    def of(settings: Settings, engine_version: str | None) -> PhysicalOptions:
        def value(key: str, default: str) -> str:
            option = settings.get(key)
            return option.value.strip().upper() if option is not None else default

        version = EngineVersion.of(engine_version).flink if engine_version else None
        two_phases = value("table.optimizer.agg-phase-strategy", "AUTO") != "ONE_PHASE"
        mini_batch = value("table.exec.mini-batch.enabled", "FALSE") == "TRUE"
        by_shape = value("table.exec.uid.generation", "PLAN_ONLY") != "ALWAYS"
        duplicates = value("table.exec.source.cdc-events-duplicate", "FALSE") == "TRUE"
        return PhysicalOptions(
            version or NEWEST, by_shape, mini_batch, two_phases, two_phases and mini_batch, duplicates
        )
