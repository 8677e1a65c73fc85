"""The parameters that shape the job graph, as Flink reads them."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.physical.graph import BY_SHAPE, IdScheme
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
    """Return whether a job parameter decides which nodes are planned, or the names of their operators.

    >>> shapes_graph("table.exec.mini-batch.enabled"), shapes_graph("parallelism.default")
    (True, False)
    """
    return parameter.startswith(_SHAPING)


_SHARES_SINKS = (2, 1)
"""First version in which statements that fill one table share its sink."""
_TASKS = "table.exec.resource.default-parallelism"
"""Counts more than ``parallelism.default``; -1 leaves it to that."""


def tasks_in(text: str) -> int | None:
    """Return a number of parallel tasks; ``None`` for a text that sets none.

    >>> tasks_in(" 4 "), tasks_in("-1"), tasks_in("")
    (4, None, None)
    """
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0 else None


@dataclass(frozen=True)
class PhysicalOptions:
    """Options of the planner.

    ``local_windows`` and ``local_groups`` are true if aggregations are planned in two steps. ``naming`` is the way in
    which operators get their ids. ``flink`` is the version, its first two numbers.
    """

    flink: tuple[int, int] = NEWEST
    naming: IdScheme = BY_SHAPE
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
        tasks = tasks_in(value(_TASKS, "")) or tasks_in(value("parallelism.default", ""))
        flink = version or NEWEST
        shares = flink >= _SHARES_SINKS and value("table.optimizer.reuse-sink-enabled", "TRUE") == "TRUE"
        naming = IdScheme(by_shape, tasks, shares)
        return PhysicalOptions(flink, naming, mini_batch, two_phases, two_phases and mini_batch, duplicates)
